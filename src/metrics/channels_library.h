// The library that counts a program's messages (src/mpi): whether a program needs it, and whether it fits.
//
// It is preloaded into programs that are linked with the MPI library that Kymo was built for, directly or by other
// libraries, and into every rank of a job, since a rank may load MPI later; never into any other program. The
// program's own dynamic linker lists its libraries (hooks::images_of: a process, some milliseconds).
#pragma once

#include "events/plan.h"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kymo::metrics {

struct ChannelsLibrary {
    std::filesystem::path path;              // for ranks that the program starts; empty: none fits
    bool in_program = false;                 // preloaded into the program itself, too
    std::optional<events::Missing> missing;  // there are messages, and they cannot be counted
};

// The run-time name of the MPI library that the wrappers were made from, as libmpi.so.40; empty: Kymo was built
// without.
std::string_view built_for_mpi();

// `images`: files that the program begins with. `beside`: the monitor, in whose folder the library is.
ChannelsLibrary channels_library_for(std::span<const std::filesystem::path> images,
                                     const std::filesystem::path& beside, bool is_rank, std::string_view built_for);

// The same for a command that has not been started.
ChannelsLibrary find_channels_library(const std::string& command);

}  // namespace kymo::metrics
