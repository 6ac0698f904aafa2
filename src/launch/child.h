// The program as our child: forked first, held back until counters are attached and the session is written, then
// released.
#pragma once

#include "base/result.h"

#include <csignal>
#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

namespace kymo::launch {

struct ChildOptions {
    std::filesystem::path program;
    std::vector<std::string> arguments;    // argv, the first included
    std::vector<std::string> environment;  // NAME=VALUE
    sigset_t signal_mask{};                // the program's own, as we got it
    struct sigaction child_action{};       // SIGCHLD's, likewise
};

class Child {
  public:
    // Forks. The child waits for release() and does nothing else. kNoSpace if no process can be made.
    static Result<Child> fork(const ChildOptions& options);

    Child(Child&& other) noexcept;
    Child& operator=(Child&&) = delete;
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    // Ends a child that was never released.
    ~Child();

    [[nodiscard]] pid_t pid() const { return pid_; }

    // Lets it exec; returns once it has. 0, or the errno of exec (the child is gone then).
    int release();

  private:
    Child(pid_t pid, int go, int failed) : pid_(pid), go_(go), failed_(failed) {}

    pid_t pid_ = -1;
    int go_ = -1;      // written: exec now; closed: do not
    int failed_ = -1;  // errno of exec; closed by a successful one
};

// The libraries preloaded into the program.
struct Preload {
    std::filesystem::path monitor;
    std::filesystem::path channels = {};  // empty: none
    std::string first = {};               // Program::first_library
};

// Our environment for the program: first in LD_PRELOAD the monitor, then the channels; KYMO_SESSION set to the
// recording folder. Only what must precede the monitor does: a sanitizer's run time, marked as ours by two colons
// behind it, so that the monitor removes it again and keeps the user's (monitor/process/children.h).
std::vector<std::string> program_environment(const char* const* ours, const Preload& preload,
                                             const std::filesystem::path& recording);

// Our environment for a program that is measured from outside; without the session of a recording that is under
// way around us.
std::vector<std::string> own_environment(const char* const* ours);

}  // namespace kymo::launch
