// The verbs of the command line. One file a verb; it registers itself, so that adding a verb is adding a file:
//
//     int run_report(int argc, char** argv) { … }
//     const Registration kReport({"report", "show what a recording holds", 20, run_report});
//
// A verb parses its own options (argv[0] is the verb's name), prints, and returns the exit code. These are the only
// files that print.
#pragma once

#include "base/result.h"
#include "events/plan.h"

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::cli {

struct Verb {
    std::string_view name;
    std::string_view summary;
    int place = 0;  // in the list of `kymo --help`
    int (*run)(int argc, char** argv) = nullptr;
};

// All verbs, by place.
const std::vector<Verb>& verbs();
const Verb* find_verb(std::string_view name);

struct Registration {
    explicit Registration(const Verb& verb);
};

// Prints "kymo: WHAT" and, on a line of its own, the next step; to stderr. Returns the error's exit code.
int fail(const Error& error);

// A line and its remedy for each, to stderr.
void tell_uncounted(const std::vector<events::Missing>& missing);

// Parses the options. None: continue. Otherwise the exit code to return: 0 after --help, kUsage after a mistake
// (which is printed).
std::optional<int> parse_options(CLI::App& options, int argc, char** argv);

// The usage line of `--help`, for example "kymo record [OPTIONS] [--] PROGRAM ARGUMENTS…".
void set_usage(CLI::App& options, const std::string& usage);

}  // namespace kymo::cli
