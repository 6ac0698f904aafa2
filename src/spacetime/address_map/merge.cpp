#include "spacetime/address_map/merge.h"

#include "recording/areas/area_list.h"
#include "recording/areas/map_text.h"
#include "spacetime/address_map/map_cursor.h"

#include <algorithm>
#include <map>
#include <memory>

namespace kymo::spacetime {
namespace {

constexpr std::size_t kMostAreas = 4096;  // at a reading, as the readers have it
constexpr std::uint64_t kMostSteps = 20'000'000;

class Merger {
  public:
    explicit Merger(std::vector<ThreadStack> stacks) : stacks_(std::move(stacks)) {}

    void take(std::uint64_t time, const std::map<std::uint64_t, const AreaSpan*>& areas, bool knows_owners) {
        const auto gone = [&](std::uint32_t number) { close(number, time); };
        list_->begin();
        for (const auto& [begin, area] : areas) {
            const std::optional<std::uint64_t> owner = knows_owners ? area->owner : stacks_.owner(*area, time);
            recording::KnownArea known{begin, area->end,
                                       recording::identity_of(area->kind, area->protection, 0, area->path)};
            // Only whether it is another than before matters here.
            known.owner = owner ? static_cast<std::uint32_t>(*owner) : 0;
            list_->add(
                known,
                [&](const recording::KnownArea& changed) {
                    close(changed.number, time);
                    open_[changed.number] = merged_.spans.size();
                    merged_.spans.push_back(*area);
                    AreaSpan& span = merged_.spans.back();
                    span.number = changed.number;
                    span.seen = time;
                    span.gone.reset();
                    span.owner = owner;
                },
                gone);
        }
        list_->finish(gone);
        merged_.times.push_back(time);
    }

    MapReadings finish() { return std::move(merged_); }

  private:
    void close(std::uint32_t number, std::uint64_t time) {
        if (const auto open = open_.find(number); open != open_.end()) {
            merged_.spans[open->second].gone = time;
            open_.erase(open);
        }
    }

    OwnersOfStacks stacks_;
    std::unique_ptr<recording::AreaList<kMostAreas>> list_ = std::make_unique<recording::AreaList<kMostAreas>>();
    std::map<std::uint32_t, std::size_t> open_;  // index of merged_.spans
    MapReadings merged_;
};

// An even part of them, and the last one.
std::vector<std::uint64_t> thinned(const std::vector<std::uint64_t>& times, std::size_t most) {
    const std::size_t every = times.size() / std::max<std::size_t>(most, 1) + 1;
    std::vector<std::uint64_t> kept;
    for (std::size_t i = (times.size() + every - 1) % every; i < times.size(); i += every) {
        kept.push_back(times[i]);
    }
    return kept;
}

// How many areas an account has at once, roughly.
std::uint64_t usual_size(const MapReadings& readings) {
    std::uint64_t open = 0;
    for (const AreaSpan& span : readings.spans) {
        open += span.seen == readings.times.front() || !span.gone ? 1 : 0;
    }
    return std::max<std::uint64_t>(open, 1);
}

}  // namespace

OwnersOfStacks::OwnersOfStacks(std::vector<ThreadStack> stacks) : stacks_(std::move(stacks)) {
    std::sort(stacks_.begin(), stacks_.end(),
              [](const ThreadStack& a, const ThreadStack& b) { return a.last < b.last; });
}

std::optional<std::uint64_t> OwnersOfStacks::owner(const AreaSpan& area, std::uint64_t time) const {
    using recording::AreaKind;
    if (area.kind != AreaKind::kAnonymous && area.kind != AreaKind::kMainStack) {
        return std::nullopt;
    }
    auto stack = std::lower_bound(stacks_.begin(), stacks_.end(), area.begin,
                                  [](const ThreadStack& a, std::uint64_t at) { return a.last < at; });
    for (; stack != stacks_.end() && stack->last < area.end; ++stack) {
        if (stack->begin <= time && time < stack->end) {
            return stack->tid;
        }
    }
    return std::nullopt;
}

MapReadings merge_readings(MapReadings inside, MapReadings outside, std::vector<ThreadStack> stacks) {
    if (outside.times.empty()) {
        return inside;
    }
    const std::vector<std::uint64_t> others = thinned(outside.times, kMostSteps / usual_size(outside));
    Merger merger(std::move(stacks));
    MapCursor inner(std::move(inside.spans));
    MapCursor outer(std::move(outside.spans));
    std::size_t i = 0;
    for (const std::uint64_t time : inside.times) {
        for (; i < others.size() && others[i] < time; ++i) {
            merger.take(others[i], outer.at(others[i]), false);
        }
        merger.take(time, inner.at(time), true);
    }
    for (; i < others.size(); ++i) {
        merger.take(others[i], outer.at(others[i]), false);
    }
    return merger.finish();
}

}  // namespace kymo::spacetime
