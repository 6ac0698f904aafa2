#include "findings/statistics/recurrence.h"

#include "findings/statistics/max_t.h"
#include "findings/statistics/robust.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace kymo::findings {
namespace {

constexpr std::size_t kLeastEvents = 3;

// Adds up over streams.
struct Deviations {
    double all = 0;
    double distances = 0;
    double unevenness() const { return distances > 0 ? all / distances : 1; }
};

// The stream's median distance; 0: events are too close to each other for a period.
double add_stream(const std::vector<std::uint32_t>& at, std::vector<double>* distances, Deviations* sum) {
    distances->clear();
    for (std::size_t i = 1; i < at.size(); ++i) {
        distances->push_back(static_cast<double>(at[i] - at[i - 1]));
    }
    std::sort(distances->begin(), distances->end());
    const std::size_t half = distances->size() / 2;
    const double usual = ((*distances)[half] + (*distances)[distances->size() - 1 - half]) / 2;
    const auto count = static_cast<double>(distances->size());
    sum->distances += count;
    if (usual < kLeastRounds) {
        sum->all += count;
        return 0;
    }
    for (const double distance : *distances) {
        sum->all += std::min(1.0, std::abs(distance - usual) / usual);
    }
    return usual;
}

// `count` of the rounds, any as likely as any other (the first steps of Fisher and Yates's shuffle), ascending.
void draw(std::size_t count, Random* random, std::vector<std::uint32_t>* rounds, std::vector<std::uint32_t>* drawn) {
    for (std::size_t i = 0; i < count; ++i) {
        std::swap((*rounds)[i], (*rounds)[i + random->below(rounds->size() - i)]);
    }
    drawn->assign(rounds->begin(), rounds->begin() + static_cast<std::ptrdiff_t>(count));
    std::sort(drawn->begin(), drawn->end());
}

}  // namespace

Recurrence recurrence_test(std::span<const RoundEvents> streams, Random random, std::size_t permutations) {
    Recurrence result;
    Deviations seen;
    std::vector<double> distances;
    std::vector<double> usual;
    std::vector<std::pair<std::vector<std::uint32_t>, std::size_t>> drawing;  // a stream's rounds, and its events
    for (const RoundEvents& stream : streams) {
        if (stream.at.size() < kLeastEvents) {
            continue;
        }
        if (const double distance = add_stream(stream.at, &distances, &seen); distance > 0) {
            usual.push_back(distance);
        }
        std::vector<std::uint32_t> rounds(stream.rounds);
        std::iota(rounds.begin(), rounds.end(), 0U);
        drawing.emplace_back(std::move(rounds), stream.at.size());
    }
    if (drawing.empty() || usual.empty()) {
        return result;
    }
    result.every = static_cast<std::uint32_t>(median(usual));
    result.unevenness = seen.unevenness();
    std::size_t hits = 0;
    std::size_t done = 0;
    double sum = 0;
    std::vector<std::uint32_t> drawn;
    for (; done < permutations && hits < kEnoughHits; ++done) {
        Deviations chance;
        for (auto& [rounds, events] : drawing) {
            draw(events, &random, &rounds, &drawn);
            add_stream(drawn, &distances, &chance);
        }
        sum += chance.unevenness();
        hits += chance.unevenness() <= result.unevenness + 1e-12 ? 1 : 0;
    }
    result.by_chance = done > 0 ? sum / static_cast<double>(done) : 1;
    result.p = static_cast<double>(1 + hits) / static_cast<double>(1 + done);
    return result;
}

}  // namespace kymo::findings
