#include "spacetime/evidence/weighing.h"

#include "program/module_file.h"
#include "spacetime/evidence/places.h"
#include "spacetime/spaces/same_spaces.h"

#include <algorithm>
#include <cmath>

namespace kymo::spacetime {
namespace {

// 95 % interval of a share of time, from its scatter over batches of time, and at least as wide as that of as many
// independent samples.
struct Interval95 {
    double low = 0;
    double high = 0;
};
Interval95 interval_of(double share, const SpaceTimes& part, const SpanPass& all, std::uint64_t samples) {
    double scatter = 0;
    double whole = 0;
    double batches = 0;
    for (std::size_t batch = 0; batch < kTimeBatches; ++batch) {
        const auto of_all = static_cast<double>(all.user[batch]);
        if (of_all <= 0) {
            continue;
        }
        const double residue = static_cast<double>(part.user[batch]) - share * of_all;
        scatter += residue * residue;
        whole += of_all;
        ++batches;
    }
    double variance = samples == 0 ? 0 : share * (1 - share) / static_cast<double>(samples);
    if (batches > 1 && whole > 0) {
        variance = std::max(variance, scatter * batches / (batches - 1) / (whole * whole));
    }
    const double half = 1.96 * std::sqrt(std::max(variance, 0.0));
    return {std::max(0.0, share - half), std::min(1.0, share + half)};
}

// The smallest kept node that holds all of a space's bytes; or else the one that holds most, if at least half.
NodeIndex node_of(const Place& place, const std::vector<SpaceNode>& nodes) {
    NodeIndex best;
    std::uint64_t best_common = 0;
    std::uint64_t best_size = 0;
    for (const NodeIndex i : indices(nodes)) {
        const SpaceNode& node = i.in(nodes);
        if (node.kind == SpaceKind::kIteration || node.kind == SpaceKind::kMark || node.place.ranges.empty() ||
            node.place.build_id != place.build_id || node.place.module != place.module) {
            continue;
        }
        const std::uint64_t common = common_bytes(node.place.ranges, place.ranges);
        const std::uint64_t size = byte_count(node.place.ranges);
        if (common > best_common || (common == best_common && common != 0 && size < best_size)) {
            best = i;
            best_common = common;
            best_size = size;
        }
    }
    return 2 * best_common >= byte_count(place.ranges) ? best : kNone;
}

// Groups of the heavy spaces that are the same code. Images are one if module and build id are.
std::vector<std::vector<std::size_t>> groups_of(const Profile& profile, const Weighing& weighing, Share overlap) {
    std::vector<std::pair<std::string, std::string>> known;
    std::vector<PlacedSpace> placed;
    for (const std::size_t heavy : weighing.heavy) {
        const WeighedSpace& space = weighing.table.spaces[heavy];
        const ImageInfo& info = profile.images[space.image];
        const std::pair image(program::module_name(info.path), info.build_id);
        const auto at = std::find(known.begin(), known.end(), image);
        placed.push_back({static_cast<std::uint32_t>(at - known.begin()), space.space.ranges});
        if (at == known.end()) {
            known.push_back(image);
        }
    }
    return group_same(placed, overlap);
}

// `spaces`: of a pair, in order. `group`: by heavy space.
std::uint32_t main_group(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& spaces,
                         const std::vector<std::uint32_t>& group) {
    constexpr std::uint32_t kHalf = 32768;
    std::uint32_t best = kNone;
    std::uint32_t most = kHalf;
    for (const auto& [space, own] : spaces) {
        std::uint32_t share = 0;
        for (const auto& [other, part] : spaces) {
            share += group[other] == group[space] ? part : 0;
        }
        if (share >= most) {
            best = group[space];
            most = share;
        }
    }
    return best;
}

}  // namespace

Weighing weigh_pairs(const Profile& profile, const SampledAddresses& addresses, const PairTable& pairs, CodeMap& code,
                     Share share, Share overlap) {
    std::vector<SampledAt> at;
    std::vector<std::uint32_t> functions;
    for (const auto& [image, offset] : addresses.places) {
        const std::uint32_t function = code.function_at(image, offset);
        if (function != kNone) {
            functions.push_back(function);
        }
        // Addresses in no known function count as one function without code, one an image.
        at.push_back({function != kNone ? function : static_cast<std::uint32_t>(code.size()) + image, offset});
    }
    std::sort(functions.begin(), functions.end());
    functions.erase(std::unique(functions.begin(), functions.end()), functions.end());
    code.make_flows(functions);
    std::vector<KnownFunction> known(code.size() + profile.images.size());
    for (std::uint32_t function = 0; function < known.size(); ++function) {
        known[function].image =
            function < code.size() ? code.image_of(function) : function - static_cast<std::uint32_t>(code.size());
    }
    for (const std::uint32_t function : functions) {
        CodeOfFunction* made = code.flow_of(function);
        known[function].rule = made == nullptr ? nullptr : made->rule.get();
    }
    // Addresses combined for their few samples are one place of one instruction, in no image.
    const auto place_of = [&](std::uint64_t address) { return address < at.size() ? at[address] : SampledAt{}; };
    PairCounts counts(kPairColumns + profile.events.size());
    for (std::size_t row = 0; row < pairs.size(); ++row) {
        const std::uint64_t key = pairs.key(row);
        counts.add({place_of(key >> 32U), place_of(key & 0xffffffffU)}, pairs.sums(row), pairs.occurrences(row));
    }
    Weighing result;
    result.table = weigh(counts, known);
    result.heavy = heavy_with_same(result.table, share, overlap);
    std::erase_if(result.heavy,
                  [&](std::size_t space) { return result.table.spaces[space].image >= profile.images.size(); });
    result.spaces = static_cast<std::uint32_t>(result.heavy.size());
    std::vector<std::uint32_t> rank(result.table.spaces.size(), kNone);
    for (std::uint32_t i = 0; i < result.heavy.size(); ++i) {
        rank[result.heavy[i]] = i;
    }
    result.spaces_of.resize(pairs.size());
    result.weight_of_address.resize(addresses.places.size());
    std::vector<std::uint64_t> ends(addresses.places.size());
    for (std::size_t row = 0; row < pairs.size(); ++row) {
        const SpacesOfPair& of = result.table.of_pair[row];
        const std::uint64_t address = pairs.key(row) & 0xffffffffU;
        if (address >= addresses.places.size()) {
            continue;
        }
        for (const std::uint32_t space : {of.first, of.second}) {
            if (space != kNone) {
                result.weight_of_address[address] +=
                    static_cast<double>(result.table.spaces[space].space.instructions) *
                    static_cast<double>(pairs.occurrences(row));
            }
        }
        ends[address] += pairs.occurrences(row);
    }
    for (std::size_t address = 0; address < ends.size(); ++address) {
        result.weight_of_address[address] /=
            std::max(1.0, static_cast<double>(ends[address]) * static_cast<double>(result.table.total_weight));
    }
    for (std::size_t row = 0; row < pairs.size(); ++row) {
        const SpacesOfPair& of = result.table.of_pair[row];
        if (of.first != kNone && rank[of.first] != kNone) {
            result.spaces_of[row].emplace_back(rank[of.first], of.second == kNone ? 65536 : of.first_share);
        }
        if (of.second != kNone && rank[of.second] != kNone) {
            result.spaces_of[row].emplace_back(rank[of.second], 65536 - of.first_share);
        }
    }
    result.same = groups_of(profile, result, overlap);
    std::vector<std::uint32_t> group(result.heavy.size(), kNone);
    for (std::uint32_t i = 0; i < result.same.size(); ++i) {
        for (const std::size_t member : result.same[i]) {
            group[member] = i;
        }
    }
    result.group_samples.resize(result.same.size());
    for (std::size_t row = 0; row < pairs.size(); ++row) {
        result.group_of.push_back(main_group(result.spaces_of[row], group));
        if (result.group_of.back() != kNone) {
            result.group_samples[result.group_of.back()] += pairs.occurrences(row);
        }
    }
    result.part_of.assign(pairs.size(), kNone);
    for (std::size_t row = 0; row < pairs.size(); ++row) {
        for (const auto& [space, part] : result.spaces_of[row]) {
            if (group[space] != kNone && result.group_samples[group[space]] == 0) {
                result.part_of[row] = group[space];
            }
        }
    }
    return result;
}

std::vector<HeavySpace> make_heavy_spaces(const Profile& profile, const Weighing& weighing, const SpanPass& times,
                                          const std::vector<SpaceNode>& nodes, const Names& names) {
    const std::size_t counters = profile.events.size();
    std::vector<std::int64_t> all(kPairColumns + counters);
    std::uint64_t samples = 0;
    for (const WeighedSpace& space : weighing.table.spaces) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i] += space.sums[i];
        }
        samples += space.occurrences;
    }
    std::vector<HeavySpace> result;
    for (std::size_t i = 0; i < weighing.heavy.size(); ++i) {
        const WeighedSpace& from = weighing.table.spaces[weighing.heavy[i]];
        HeavySpace space;
        space.place = place_of_ranges(profile, from.image, from.space.ranges, names);
        space.rule = from.rule;
        space.uncertain = from.space.uncertain;
        space.instructions = from.space.instructions;
        space.occurrences = from.occurrences;
        space.weight = static_cast<double>(from.weight) / static_cast<double>(weighing.table.total_weight);
        space.time_share =
            all[kPairUser] > 0 ? static_cast<double>(from.sums[kPairUser]) / static_cast<double>(all[kPairUser]) : 0;
        const Interval95 interval = interval_of(space.time_share, times.spaces[i], times, samples);
        space.time_low = interval.low;
        space.time_high = interval.high;
        space.stall = space.weight > 0 ? space.time_share / space.weight : 0;
        space.deltas.assign(from.sums.begin() + kPairColumns, from.sums.end());
        for (std::size_t event = 0; event < counters; ++event) {
            space.rest_deltas.push_back(all[kPairColumns + event] - space.deltas[event]);
        }
        space.longest_gap_ns = times.spaces[i].longest_gap_ns;
        space.node = node_of(space.place, nodes);
        result.push_back(std::move(space));
    }
    return result;
}

std::vector<CodeSums> sum_code(const Profile& profile, const SpaceTable& table,
                               const std::vector<HeavySpace>& spaces) {
    std::vector<CodeSums> result;
    for (const HeavySpace& space : spaces) {
        CodeSums sums;
        std::vector<double> all(kPairColumns + profile.events.size());
        std::vector<bool> is_image;
        for (const ImageInfo& image : profile.images) {
            is_image.push_back(image.build_id == space.place.build_id &&
                               program::module_name(image.path) == space.place.module);
            sums.is_known = sums.is_known || is_image.back();
        }
        for (const WeighedSpace& part : table.spaces) {
            const std::uint64_t common = part.image < is_image.size() && is_image[part.image]
                                             ? common_bytes(part.space.ranges, space.place.ranges)
                                             : 0;
            if (common == 0) {
                continue;
            }
            const double share = static_cast<double>(common) / static_cast<double>(byte_count(part.space.ranges));
            for (std::size_t i = 0; i < all.size(); ++i) {
                all[i] += share * static_cast<double>(part.sums[i]);
            }
        }
        sums.user_ns = std::llround(all[kPairUser]);
        for (std::size_t i = kPairColumns; i < all.size(); ++i) {
            sums.deltas.push_back(std::llround(all[i]));
        }
        result.push_back(std::move(sums));
    }
    return result;
}

std::vector<SameSpaces> make_same_spaces(std::vector<HeavySpace>& spaces,
                                         const std::vector<std::vector<std::size_t>>& same,
                                         const std::vector<SpaceNode>& nodes) {
    std::vector<SameSpaces> result;
    for (const std::vector<std::size_t>& members : same) {
        SameSpaces group;
        std::vector<ByteRange> any;
        for (const std::size_t member : members) {
            HeavySpace& space = spaces[member];
            for (const std::uint32_t other : group.members) {
                const std::uint64_t common = common_bytes(space.place.ranges, spaces[other].place.ranges);
                const std::uint64_t either =
                    byte_count(space.place.ranges) + byte_count(spaces[other].place.ranges) - common;
                group.overlap = std::min(group.overlap, static_cast<double>(common) / static_cast<double>(either));
            }
            space.same = static_cast<std::uint32_t>(result.size());
            group.members.push_back(static_cast<std::uint32_t>(member));
            group.weight += space.weight;
            group.time_share += space.time_share;
            group.occurrences += space.occurrences;
            group.deltas.resize(space.deltas.size());
            for (std::size_t i = 0; i < space.deltas.size(); ++i) {
                group.deltas[i] += space.deltas[i];
            }
            any.insert(any.end(), space.place.ranges.begin(), space.place.ranges.end());
        }
        Place all = spaces[members.front()].place;
        all.ranges = normalise(std::move(any));
        group.node = node_of(all, nodes);
        result.push_back(std::move(group));
    }
    return result;
}

}  // namespace kymo::spacetime
