// Planning hooks from outside: which functions of which images are meant, which of them can be hooked, how, and why
// the others cannot.
//
// A function is hooked at its entry in the image that defines it, so that every call is seen, by a jump in place of
// its first instructions. Functions of the C library, functions chosen at load time (IFUNC) and those whose entry
// cannot be changed are hooked in the linkage tables of the images that call them: calls from inside their own image
// are not seen then. A source line is hooked at each place where a statement of it begins (line_points.h). What
// cannot be hooked safely is refused by name, with the reason.
//
// Not thread-safe. Cost: opening an image's symbols, and decoding the code of images in which a function was asked
// for (some 30 ns an instruction).
#pragma once

#include "base/result.h"
#include "cells/actions.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace kymo::hooks {

struct Request {
    std::string image;     // a glob of the file's name ("libfoo.so*"); empty: any
    std::string function;  // a linkage name, or a source-level name without parameters ("ns::Class::method"); a glob
    std::vector<cells::Step> entry;  // or of the line
    std::vector<cells::Step> exit;
    std::string file = {};   // a source file's name, with as much of its path as is needed
    std::uint32_t line = 0;  // not 0: the line is meant, and no function
};

struct Refused {
    std::string function;
    std::string image;   // its file's name
    std::string reason;  // follows the function's name
};

// Why a line was not found.
struct NoLine {
    enum Why : std::uint8_t {
        kFound,
        kNoTables,      // the images have no line tables
        kNoFile,        // `files`: those that there are
        kSeveralFiles,  // `files`: those that may be meant, with their paths
        kNoCode,        // `near`: the lines nearest to it that have code, at most one on each side
    };
    Why why = kFound;
    std::vector<std::string> files;
    std::vector<std::uint32_t> near;
};

// What became of a request.
struct Outcome {
    std::uint32_t entries = 0;  // functions hooked where they are defined
    std::uint32_t imports = 0;  // functions hooked where they are called
    std::uint32_t places = 0;   // of the line
    std::vector<Refused> refused;
    NoLine no_line;
    bool is_known() const { return entries != 0 || imports != 0 || places != 0 || !refused.empty(); }
};

struct Planned {
    std::string file;                // for the monitor (plan_file.h)
    std::vector<Outcome> outcomes;   // of the requests, in their order
    std::vector<std::string> known;  // where a request found no function: the names there are, to suggest from
};

// `images`: the files to look at, the program first. One that cannot be read is left out. Requests with the same
// function share its hook: steps at entry run in the requests' order, those at exit in the reverse.
Planned plan(std::span<const std::filesystem::path> images, std::span<const Request> requests);

// The program and the shared objects that it will be started with, as its dynamic linker finds them now.
Result<std::vector<std::filesystem::path>> images_of(const std::filesystem::path& program);

}  // namespace kymo::hooks
