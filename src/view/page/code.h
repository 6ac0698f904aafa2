// Source lines and instructions of what was sampled, for the page's blob "code".
//
// Source files are read when the page is made, and only regular files with a programming language's ending, of the
// size of written code: paths come from other people's debug information, and pages are passed on. Around each
// sampled line, and each line of own code that called what was sampled, some lines are kept, the hottest first, until
// `bytes` are used up. Files of the program's own code can be kept whole.
#pragma once

#include "spacetime/profile/call_tree.h"
#include "spacetime/profile/profile.h"
#include "view/page/blob.h"
#include "view/page/leaves.h"
#include "view/page/tables.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::view {

struct CodeLimits {
    std::size_t bytes = 0;             // of disassembly; half of it of source lines
    std::size_t whole_file_bytes = 0;  // of whole files of own code; 0: lines alone
};

Blob make_code(const spacetime::Profile& profile, const spacetime::CallTree& tree, const Leaves& leaves,
               const std::vector<OwnLine>& own, NameTable& names, const CodeLimits& limits);

// Possible places of a source file that a program names, the likeliest first.
std::vector<std::string> source_places(const spacetime::Profile& profile, const std::string& path);
// Whether a path ends like a source file.
bool is_source_name(std::string_view path);
// Its lines; empty if it is not a readable text file of at most 4 MiB.
std::vector<std::string> read_source(const std::string& path);

}  // namespace kymo::view
