// Copies of programs and libraries that a reader of the recording would not find: those of recorded processes with
// another root directory or other mounts than Kymo's (containers, file systems in files), which may be gone with
// them.
//
// They lie in the recording's directory, as `kymo export --to images` writes them: images/.build-id/ab/cdef…, or
// images/PATH for a file without a build id. Only regular ELF files that cannot be seen at the same path from here
// are copied, through /proc/PID/root, and only while their process lives. Unreadable files are skipped.
//
// Cost: for each executable mapping two stat(2); for each file that is copied, its bytes read and written once.
#pragma once

#include "launch/kernel_record.h"
#include "recording/folder.h"

#include <cstdint>
#include <set>
#include <string>

namespace kymo::launch {

class ImageCopies {
  public:
    static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30U;  // all copies of a recording

    // The folder must outlive this.
    explicit ImageCopies(const recording::Folder& folder) : folder_(folder) {}

    void take(const KernelRecord& record);
    // A file that no path leads to any more; `path`: the recorded one. Not copied twice.
    void keep(int file, const std::string& path);

  private:
    void copy_once(int file, const std::string& path);
    void copy(int file, const std::string& path);

    const recording::Folder& folder_;
    std::set<std::string> known_;  // device, inode and path of files that were examined
    std::uint64_t bytes_ = 0;
};

}  // namespace kymo::launch
