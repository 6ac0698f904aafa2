// The processes to attach to.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <sys/types.h>
#include <vector>

namespace kymo::attach {

// Processes of this name (the kernel's, of the first thread: at most 15 letters), in the order of their numbers; not
// this one. `proc`: /proc.
std::vector<pid_t> processes_named(const std::string& name, const std::filesystem::path& proc = "/proc");

// Processes in a control group and those below it.
std::vector<pid_t> processes_of_group(const std::filesystem::path& group);

// All processes that have code of their own: not the kernel's threads.
std::vector<pid_t> all_processes(const std::filesystem::path& proc = "/proc");

// The threads of these processes at the moment. kNotFound: one of them does not run, or is the kernel's.
Result<std::vector<pid_t>> threads_of(std::span<const pid_t> processes, const std::filesystem::path& proc = "/proc");

// The arguments of a process, or its name in brackets.
std::vector<std::string> command_of(pid_t process, const std::filesystem::path& proc = "/proc");
std::string name_of(pid_t process, const std::filesystem::path& proc = "/proc");

}  // namespace kymo::attach
