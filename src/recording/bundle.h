// A bundle: many packed files of a recording in one file, NAME.krecs (docs/recording-format.md, "Bundles").
//
// A job of a thousand ranks, or a build of thousands of processes, would otherwise leave as many files: to list, to
// copy and to open each of them costs more than to read it.
#pragma once

#include "base/result.h"
#include "recording/folder.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace kymo::recording {

inline constexpr const char* kBundleSuffix = ".krecs";
inline constexpr const char* kProcessBundle = "processes.krecs";  // of a run outside jobs

// More files than this are moved into a bundle, but for those of more bytes: to copy them costs more than they do.
inline constexpr std::size_t kManyFiles = 64;
inline constexpr std::uint64_t kMostBundledBytes = std::uint64_t{16} << 20U;

struct Member {
    std::string name;         // that the file had in the folder
    std::uint64_t begin = 0;  // of its bytes in the bundle
    std::uint64_t bytes = 0;
    bool operator==(const Member&) const = default;
};

struct BundleMembers {
    std::vector<Member> members;        // in the order of the bundle
    std::vector<std::string> warnings;  // places that are no members, one line each
};

// A bundle's members, of an open file. Whatever the bytes are, each member lies in the file and its name is that of a
// file of rows in the folder itself. At most kMostMembers. Error: not a bundle, of a later version, or the system
// cannot read it. Cost: one small read a member.
inline constexpr std::size_t kMostMembers = std::size_t{1} << 22U;
Result<BundleMembers> read_members(int descriptor, const std::filesystem::path& path);

// Moves packed files of a folder into a bundle (of the same folder or another), which is made if there is none. Files
// that are not packed or larger than `most_bytes` stay. Several processes may call it at once for one bundle if they
// are on one host; one that is killed leaves the bundle and the files as they were, or both the file and its member,
// which readers take for one. Error: nothing was moved; kUnsupported: the file system has no locks, or another
// process holds this one for too long.
// Cost: reads and writes the files once, and waits for the disk. Returns how many were moved.
Result<std::size_t> move_into_bundle(const Folder& from, std::span<const std::string> names, const Folder& to,
                                     const std::string& bundle, std::uint64_t most_bytes);

// Whether a bundle of the folder has a member of that name. Cost: one listing, and a pass over the members.
bool is_in_bundle(const Folder& folder, const std::string& name);

}  // namespace kymo::recording
