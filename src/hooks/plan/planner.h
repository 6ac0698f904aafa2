// Planning hooks from outside: which functions of which images are meant, which of them can be hooked, how, and why
// the others cannot.
//
// A function is hooked at its entry in the image that defines it, so that every call is seen, by a jump in place of
// its first instructions. Functions of the C library, functions chosen at load time (IFUNC) and those whose entry
// cannot be changed are hooked in the linkage tables of the images that call them: calls from inside their own image
// are not seen then. A source line is hooked at each place where a statement of it begins (line_points.h). What
// cannot be hooked safely is refused by name, with the reason.
//
// Where no monitor can be loaded, the kernel stops the program instead (probes; kernel/kernel_probes.h). Its return
// probes put an address of the kernel's into the caller's frame, which unwinders do not see through: in a program
// that throws, exits are had at the function's return instructions, if it has no other ways out.
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

enum class Means : std::uint8_t { kHooks, kProbes };

// A place at which the kernel is to stop.
struct Probe {
    std::filesystem::path image = {};
    std::uint64_t in_file = 0;  // of the instruction, from the file's beginning
    std::uint32_t point = 0;    // what happens: index of Planned::points
    bool at_exit = false;
    bool by_return = false;       // not at the instruction but when the function that begins there returns
    bool return_awaited = false;  // an entry: another probe is to see the same call return
    std::size_t request = 0;      // it is for, the first of them
    std::string name = {};        // of the function, or the line
};

struct Planned {
    std::string file;                              // hooks: for the monitor (plan_file.h)
    std::vector<Probe> probes;                     // probes
    std::vector<std::vector<cells::Step>> points;  // probes
    std::vector<Outcome> outcomes;                 // of the requests, in their order
    std::vector<std::string> known;  // where a request found no function: the names there are, to suggest from
};

// `images`: the files to look at, the program first. One that cannot be read is left out. Requests with the same
// function share its hook: steps at entry run in the requests' order, those at exit in the reverse.
Planned plan(std::span<const std::filesystem::path> images, std::span<const Request> requests,
             Means means = Means::kHooks);

// The program and the shared objects that it will be started with, as its dynamic linker finds them now. For programs
// that find_program (launch/program.h) finds fit for the monitor: others would run.
Result<std::vector<std::filesystem::path>> images_of(const std::filesystem::path& program);
// The same of any program: its dynamic linker is started itself and asked to list them. A static program is its only
// image.
Result<std::vector<std::filesystem::path>> images_listed(const std::filesystem::path& program);

}  // namespace kymo::hooks
