// Removes files that must not outlive this process.
#pragma once

#include <filesystem>

namespace kymo::archive {

// Removes the file or directory when this process ends, in whatever way: a child waits for that, as a destructor
// would not run after a signal. A file that has been renamed by then stays. If no process can be made, the file
// stays.
void remove_at_end(const std::filesystem::path& path);

}  // namespace kymo::archive
