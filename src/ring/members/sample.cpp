#include "ring/members/sample.h"

#include <algorithm>

namespace kymo::ring {

void Coverage::add_hole(Slot first, Slot end) {
    if (first == end) {
        return;
    }
    if (!holes.empty() && holes.back().first + holes.back().count == first) {
        holes.back().count += end - first;
    } else {
        holes.push_back({first, end - first});
    }
}

void Sample::join(const Token& token) {
    const TokenHeader& header = token.header();
    coverage.contributed += header.contributed;
    coverage.off_time += header.off_time;
    coverage.holes_untold |= (header.hole_flags & kHolesUntold) != 0;
    for (std::size_t i = 0; i < header.hole_ranges; ++i) {
        coverage.add_hole(header.holes[i].first, header.holes[i].first + header.holes[i].count);
    }
    coverage.add_hole(header.next, header.end);
    if (header.contributed > 0) {
        earliest = earliest == 0 ? header.earliest : std::min(earliest, header.earliest);
        latest = std::max(latest, header.latest);
        clock_error = std::max(clock_error, header.clock_error);
    }
    moved += header.moved;
    work = std::max(work, header.work);
    if (header.mode == Mode::kReduce) {
        for (std::size_t i = 0; i < records.size(); ++i) {
            records[i].join(token.record(i));
        }
        return;
    }
    for (std::size_t k = 0; k < header.next - header.first; ++k) {
        SamplePart part{token.part(k), std::vector<Record>(records.size())};
        for (std::size_t i = 0; i < part.records.size(); ++i) {
            part.records[i] = token.record(k, i);
            records[i].join(part.records[i]);
        }
        parts.push_back(std::move(part));
    }
}

}  // namespace kymo::ring
