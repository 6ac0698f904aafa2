// Same spaces: equal, or overlapping by a share of their union (90 % by default), in groups in which every two do.
//
// Overlap of two spaces of one image = |∩| / |∪| in bytes. Groups are by complete linkage (a member must overlap with
// *every* other), because with single linkage a chain of small shifts would end in spaces that have nothing in
// common. Spaces join in the given order (heaviest first, if the caller sorts them): each the first group that takes
// it, or a new one.
//
// Not all pairs are compared: with overlap θ the shorter has at least θ of the longer's bytes, and the middle byte of
// the one lies between the quantiles 3/2 − 1/θ and 1/θ − 1/2 of the other (each misses at most a share 1 − θ of the
// union). So a sweep over middles finds the candidates, also for spaces of several ranges.
#pragma once

#include "spacetime/spaces/code_space.h"
#include "spacetime/spaces/share.h"
#include "spacetime/spaces/space_table.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kymo::spacetime {

struct PlacedSpace {
    std::uint32_t image = 0;
    std::span<const ByteRange> ranges;  // normalised, borrowed
};

bool overlaps(const PlacedSpace& a, const PlacedSpace& b, Share share);

// Groups of indices; every space is in exactly one (perhaps alone), groups by their first member, members in the
// order given. Cost: O(n log n) plus the comparisons with candidates; a comparison is linear in the ranges.
std::vector<std::vector<std::size_t>> group_same(std::span<const PlacedSpace> spaces, Share share = percent(90));

// Indices of the spaces that have more than `share` of the weight, alone or with all same ones; heaviest
// first. Grouped before the cut: two of 0.8 % that are one loop, sampled a little differently, are 1.6 %. Spaces
// under a tenth of the share are in no group.
std::vector<std::size_t> heavy_with_same(const SpaceTable& table, Share share, Share overlap);

}  // namespace kymo::spacetime
