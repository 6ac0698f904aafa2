#include "spacetime/evidence/operands/slow_operands.h"

#include <map>

namespace kymo::spacetime {

std::vector<TaxFamily> slow_operands(const OperandUses& uses, const OperandSums& sums, const SharedLines& lines) {
    std::vector<TaxFamily> slow(uses.of_address.size(), TaxFamily::kNone);
    for (std::size_t i = 0; i < uses.of_address.size(); ++i) {
        const std::uint32_t use = uses.of_address[i];
        if (use == kNone || sums.rows[use] == 0) {
            continue;
        }
        slow[i] = lines.false_rows[use] * 2 >= sums.rows[use] ? TaxFamily::kFalseSharing
                  : sums.denormals[use] * 2 >= sums.rows[use] ? TaxFamily::kDenormals
                                                              : TaxFamily::kNone;
    }
    return slow;
}

void apply(const std::vector<TaxFamily>& slow, const Profile& profile,
           const std::vector<std::uint32_t>& address_of_node, PathEnds* paths,
           const std::vector<program::Frame>& places) {
    if (slow.empty()) {
        return;
    }
    std::map<PathEnd, std::uint32_t> known;
    for (std::uint32_t i = 0; i < paths->ends.size(); ++i) {
        known.try_emplace(paths->ends[i], i);
    }
    for (std::uint32_t node = 0; node < profile.nodes.size(); ++node) {
        const std::uint32_t address = address_of_node[node];
        PathEnd end = paths->ends[paths->of_node[node]];
        if (address == kNone || slow[address] == TaxFamily::kNone || end.function == 0 || end.kind.is_call) {
            continue;
        }
        end.kind.slow = slow[address];
        if (!places.empty() && places[address].function != 0) {
            end.function = places[address].function;
            end.file = places[address].file;
            end.line = places[address].line;
        }
        const auto [entry, is_new] = known.try_emplace(end, static_cast<std::uint32_t>(paths->ends.size()));
        if (is_new) {
            paths->ends.push_back(end);
        }
        paths->of_node[node] = entry->second;
    }
}

}  // namespace kymo::spacetime
