// Code that a program made while it ran, for a just-in-time compiler: the names that it left, as an image of names.
//
// Its frames are in image 0, at offsets that are addresses. Names become known at the process's end, so the row of
// image 0 comes last, and only where there are names. Not thread-safe.
#pragma once

#include "base/descriptor.h"
#include "base/result.h"
#include "recording/folder.h"
#include "recording/tables.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace kymo::import {

inline constexpr std::string_view kGeneratedPath = "[generated]";  // of its image

// Whether a mapping of this name is memory that programs make code in, rather than a file or the kernel's.
bool is_generated_code(std::string_view path);

// "perf-4711.map": `number` is the process's in its own pid namespace.
std::string perf_map_name(std::uint32_t number);

// The perf-PID.map in this directory, for reading: a regular file of the user `owner` (none: of any user) or of root,
// whose name is no link. No descriptor: there is none such. Never blocks.
Descriptor open_perf_map(int directory, std::uint32_t number, std::optional<uid_t> owner);

// Where processes leave the names of their generated code. What is empty is not asked.
struct GeneratedNames {
    std::function<void(std::uint32_t pid)> prepare;  // with the process's first frame in generated code
    // With its end. Empty: there are none.
    std::function<Descriptor(std::uint32_t pid)> open;
};

// An image of the functions at these addresses, in the folder's images; its row for process files, without a time.
// None: the map names none of them. `machine`: e_machine of the recording. Errors: kNoSpace, kPermission: it cannot
// be written. A map that cannot be read names what was read of it. Cost: reads the map once, at most
// named::PerfMap::kMostBytes of it.
struct GeneratedImage {
    std::string build_id;
    recording::Image row;  // without the build id, which is a view
};
Result<std::optional<GeneratedImage>> write_generated_image(std::vector<std::uint64_t> addresses, Descriptor map,
                                                            std::uint16_t machine, const recording::Folder& folder);

}  // namespace kymo::import
