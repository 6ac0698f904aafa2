#include "spacetime/hunt_results/line_rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace kymo::spacetime {
namespace {

bool holds_at(const HeavyHitter& hitter, std::int64_t time) {
    return std::any_of(hitter.when.begin(), hitter.when.end(),
                       [time](const Hold& hold) { return hold.begin_ns <= time && time <= hold.end_ns; });
}

// Shares of sources that held at one time add up; of others they do not. The most that held at a time, which is when
// one of them began.
pairs::Share most_at_a_time(const std::vector<const HeavyHitter*>& members) {
    pairs::Share most;
    for (const HeavyHitter* from : members) {
        for (const Hold& hold : from->when) {
            pairs::Share now;
            for (const HeavyHitter* member : members) {
                if (holds_at(*member, hold.begin_ns)) {
                    now.value += member->share.value;
                    now.error = std::hypot(now.error, member->share.error);
                }
            }
            most = now.value > most.value ? now : most;
        }
    }
    most.value = std::min(most.value, 1.0);
    return most;
}

}  // namespace

std::vector<HuntRow> gather_by_line(std::vector<HeavyHitter>& hitters, recording::HuntKey key) {
    const bool is_instruction = key == recording::HuntKey::kInstruction || key == recording::HuntKey::kCallSite;
    using Line = std::tuple<std::uint64_t, std::string, std::string, std::string, std::uint32_t, std::size_t>;
    std::map<Line, std::vector<const HeavyHitter*>> lines;
    for (std::size_t i = 0; i < hitters.size(); ++i) {
        const HeavyHitter& hitter = hitters[i];
        const program::SourcePlace& place = hitter.place;
        const bool is_known = is_instruction && place.line != 0;
        lines[{hitter.pid, hitter.image.path, place.function, place.file, place.line, is_known ? 0 : i + 1}]
            .push_back(&hitter);
    }
    struct Gathered {
        HuntRow row;
        std::vector<const HeavyHitter*> members;
    };
    const auto is_before = [](const HeavyHitter* a, const HeavyHitter* b) {
        return a->share.value != b->share.value ? a->share.value > b->share.value : a->offset < b->offset;
    };
    std::vector<Gathered> gathered;
    for (auto& [line, members] : lines) {
        std::sort(members.begin(), members.end(), is_before);
        gathered.push_back({{members.size() == 1 ? members.front()->share : most_at_a_time(members), members.size()},
                            std::move(members)});
    }
    std::sort(gathered.begin(), gathered.end(), [&](const Gathered& a, const Gathered& b) {
        return a.row.share.value != b.row.share.value ? a.row.share.value > b.row.share.value
                                                      : is_before(a.members.front(), b.members.front());
    });
    std::vector<HeavyHitter> ordered;
    std::vector<HuntRow> rows;
    for (const Gathered& each : gathered) {
        for (const HeavyHitter* member : each.members) {
            ordered.push_back(*member);
            ordered.back().row = rows.size();
        }
        rows.push_back(each.row);
    }
    hitters = std::move(ordered);
    return rows;
}

}  // namespace kymo::spacetime
