// What is not to outlive this process.
#pragma once

#include <filesystem>

namespace kymo::archive {

// Removes the file or directory when this process is no more, whatever ends it: a child waits for that, as a
// destructor would not run after a signal. What has been given another name by then stays. Where no process can be
// made, all stays.
void remove_at_end(const std::filesystem::path& path);

}  // namespace kymo::archive
