#include "cli/output/json_output.h"

#include "cli/terminal.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

namespace kymo::cli {

void JsonOutput::add_to(CLI::App& options) {
    options.add_flag(
        std::string("--json{") + kStandardOutput + "}", to_,
        "one JSON object (docs/json.md), the program's output on standard error; --json=FILE: into a file");
}

CLI::Option* JsonOutput::add_with_whole_to(CLI::App& options) {
    has_whole_ = true;
    return options.add_flag(std::string("--json{") + kStandardOutput + "}", to_,
                            "one JSON object, for programs (docs/json.md); --json=full: with long lists whole; "
                            "--json=FILE: into a file");
}

std::optional<Error> JsonOutput::print(std::string_view text) const {
    const Error unfinished{ErrorKind::kNoSpace, "the JSON object could not be written to its end",
                           "is the disk full?"};
    if (is_on_standard_output()) {
        return print_now(text) ? std::nullopt : std::optional(unfinished);
    }
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(to_.c_str(), "we"), &std::fclose);
    if (!file) {
        return Error{ErrorKind::kUsage, fmt::format("--json={}: {}", to_, std::strerror(errno)),
                     "name a file that can be written"};
    }
    const bool is_written =
        std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() && std::fflush(file.get()) == 0;
    return is_written ? std::nullopt : std::optional(unfinished);
}

ProgramOutputAside::ProgramOutputAside(bool is_wanted) {
    if (is_wanted) {
        (void)std::fflush(stdout);
        saved_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        if (saved_ >= 0) {
            ::dup2(STDERR_FILENO, STDOUT_FILENO);
        }
    }
}

ProgramOutputAside::~ProgramOutputAside() {
    if (saved_ >= 0) {
        (void)std::fflush(stdout);
        ::dup2(saved_, STDOUT_FILENO);
        ::close(saved_);
    }
}

}  // namespace kymo::cli
