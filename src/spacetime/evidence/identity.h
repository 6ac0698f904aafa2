// A piece of code on its call path as a number that is the same in every recording of the same program, whatever the
// process, the thread or the addresses: by the names, kinds and loops along the path, and the image's build id.
//
// Two pieces that differ only in their processes have the same. 64 bits of FNV-1a (Fowler, Noll, Vo, 1991): among a
// million pieces two meet by chance once in some ten million recordings.
#pragma once

#include "spacetime/evidence/code_map.h"
#include "spacetime/evidence/structure.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace kymo::spacetime {

inline constexpr std::uint64_t kNoIdentity = 0xcbf29ce484222325ULL;  // of the root

std::uint64_t mix_identity(std::uint64_t identity, std::string_view text);

// By structure node; groups have that of the node above.
std::vector<std::uint64_t> identities(const Profile& profile, const Structure& structure, const Names& names,
                                      const CodeMap& code);

}  // namespace kymo::spacetime
