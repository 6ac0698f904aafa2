// Requests for hooks, and their outcomes.
#pragma once

#include "cells/actions.h"
#include "program/data/data_path.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kymo::hooks {

// A function identified by its place, whose occurrences are recorded exactly. Either all its calls are seen or it
// is refused: a hook in the linkage tables would miss those from inside its image.
struct CountedFunction {
    std::string build_id;      // raw, of its image
    std::uint64_t offset = 0;  // in the image
    std::uint32_t number = 0;  // from 1, at most kMaxCounted; used by the monitor
};

struct Request {
    std::string image;     // a glob of the file's name ("libfoo.so*"); empty: any
    std::string function;  // a linkage name, or a source-level name without parameters ("ns::Class::method"); a glob
    std::vector<cells::Step> entry;  // or of the line
    std::vector<cells::Step> exit;
    std::string file = {};                        // a source file's name, with as much of its path as is needed
    std::uint32_t line = 0;                       // not 0: a line, not a function
    std::vector<program::DataPath> data = {};     // that the steps read: a load's constant is an index of it
    std::optional<CountedFunction> counted = {};  // alone: without names, steps and data
};

struct Refused {
    std::string function;
    std::string image;                     // its file's name
    std::string reason;                    // follows the function's name
    std::optional<std::size_t> data = {};  // what cannot be read: index in the request's; `reason` names it
    bool is_unknown = false;               // nothing has that name
};

// Why a line was not found.
struct NoLine {
    enum Why : std::uint8_t {
        kFound,
        kNoTables,      // the images have no line tables
        kNoFile,        // `files`: the existing ones
        kSeveralFiles,  // `files`: those that match, with their paths
        kNoCode,        // `near`: the lines nearest to it that have code, at most one on each side
    };
    Why why = kFound;
    std::vector<std::string> files;
    std::vector<std::uint32_t> near;
};

// The outcome of a request.
struct Outcome {
    std::uint32_t entries = 0;  // functions hooked where they are defined
    std::uint32_t imports = 0;  // functions hooked where they are called
    std::uint32_t places = 0;   // of the line
    std::vector<Refused> refused;
    NoLine no_line;
    bool is_known() const { return entries != 0 || imports != 0 || places != 0 || !refused.empty(); }
};

enum class Means : std::uint8_t { kHooks, kProbes };

// A place at which the kernel stops the program.
struct Probe {
    std::filesystem::path image = {};
    std::uint64_t in_file = 0;  // of the instruction, from the file's beginning
    std::uint32_t point = 0;    // its steps: index of Planned::points
    bool at_exit = false;
    bool by_return = false;                  // not at the instruction but when the function that begins there returns
    bool return_awaited = false;             // an entry: another probe awaits the return of the same call
    std::vector<std::size_t> requests = {};  // it is for
    std::string name = {};                   // of the function, or the line
};

struct Planned {
    std::string file;                              // hooks: for the monitor (plan_file.h)
    std::vector<Probe> probes;                     // probes
    std::vector<std::vector<cells::Step>> points;  // probes
    std::vector<Outcome> outcomes;                 // of the requests, in their order
    std::vector<std::string> known;  // if a request found no function: the existing names, to suggest from
};

}  // namespace kymo::hooks
