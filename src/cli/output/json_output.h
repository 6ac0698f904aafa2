// `--json`: one object, which verbs that run a program never mix with the program's output.
//
// With --json=FILE it goes to that file ("/dev/fd/3" is descriptor 3). With --json alone it has standard output to
// itself: the program's output goes to standard error.
#pragma once

#include "base/result.h"

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace kymo::cli {

class JsonOutput {
  public:
    // For a verb that runs a program.
    void add_to(CLI::App& options);
    // For a verb whose object has long lists: --json=full prints these whole, on standard output. A file of that
    // name is ./full.
    CLI::Option* add_with_whole_to(CLI::App& options);

    bool is_asked() const { return !to_.empty(); }
    // Whether it has standard output to itself.
    bool is_on_standard_output() const { return to_ == kStandardOutput || is_whole(); }
    bool is_whole() const { return has_whole_ && to_ == kWhole; }
    // Prints and flushes. Errors: the file cannot be made, or not written to its end.
    std::optional<Error> print(std::string_view text) const;

  private:
    static constexpr const char* kStandardOutput = "-";
    static constexpr const char* kWhole = "full";
    std::string to_;
    bool has_whole_ = false;
};

// While it lives, started programs print on standard error what they print on standard output. Nothing else may print
// meanwhile.
class ProgramOutputAside {
  public:
    explicit ProgramOutputAside(bool is_wanted);
    ~ProgramOutputAside();
    ProgramOutputAside(const ProgramOutputAside&) = delete;
    ProgramOutputAside& operator=(const ProgramOutputAside&) = delete;

  private:
    int saved_ = -1;  // standard output
};

}  // namespace kymo::cli
