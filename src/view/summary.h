// The report in sentences, and the words that its parts share.
#pragma once

#include "spacetime/profile/call_tree.h"
#include "spacetime/profile/profile.h"

#include <string>
#include <string_view>
#include <vector>

namespace kymo::view {

// "demo.cpp:31"; nothing if the line is unknown.
std::string place(const spacetime::CallTree& tree, std::uint32_t file, std::uint32_t line);
// A function's name for people.
std::string display_name(const spacetime::CallTree& tree, std::uint32_t function);
// The C library's functions below main and below a thread's function.
bool is_start_up(std::string_view function);
// "main › run › pthread_create", without the start-up code of the C library.
std::vector<std::string> creation_path(const spacetime::Profile& profile, const spacetime::CallTree& tree,
                                       const spacetime::ProfileThread& thread);
// A command line as typed.
std::string command_line(const std::vector<std::string>& arguments);
// "sw_64": the processors that its images are for, mostly one; nothing if that is not known, or for a
// modelled GPU.
std::string machines(const spacetime::Profile& profile);
// "period", "frequency" or "count", as the JSON and the page have it.
const char* mode_name(recording::EventMode mode);
// recording::RunEnd::reason of what another tool recorded: its exit status is not known.
inline constexpr std::uint64_t kImportedEnd = 5;
inline constexpr std::uint64_t kAttachedEnd = 6;
// "exited with status 3", "was killed by signal 9 (Killed)".
std::string ending(const spacetime::Profile& profile);

// What makes the whole report doubtful; usually nothing. Shown first, in red.
std::vector<std::string> alarms(const spacetime::Profile& profile);

// What stands out, most important first. Each ends with a full stop.
std::vector<std::string> sentences(const spacetime::Profile& profile, const spacetime::CallTree& tree);

}  // namespace kymo::view
