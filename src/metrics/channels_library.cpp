#include "metrics/channels_library.h"

#include "hooks/plan/planner.h"
#include "launch/job.h"
#include "launch/monitor_library.h"
#include "launch/program.h"

#include <cstdlib>
#include <fmt/format.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace kymo::metrics {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "libkymo-mpi.so";
constexpr const char* kWhat = "messages of MPI";

// libmpi.so.40.30.4 is libmpi.so.40; libmpi.so.400 is not.
bool is_version_of(std::string_view file, std::string_view name) {
    return file.starts_with(name) && (file.size() == name.size() || file[name.size()] == '.');
}

// Open MPI and Intel MPI; MPICH and MVAPICH as Debian and others call them.
bool is_mpi(std::string_view file) {
    return file.starts_with("libmpi.so.") || file.starts_with("libmpich.so.") || file.starts_with("libmpich-");
}

}  // namespace

std::string_view built_for_mpi() {
#ifdef KYMO_MPI_LIBRARY
    return KYMO_MPI_LIBRARY;
#else
    return {};
#endif
}

ChannelsLibrary channels_library_for(std::span<const fs::path> images, const fs::path& beside, bool is_rank,
                                     std::string_view built_for) {
    std::string other;
    bool fits = false;
    for (const fs::path& image : images) {
        const std::string file = image.filename();
        if (!built_for.empty() && is_version_of(file, built_for)) {
            fits = true;
        } else if (is_mpi(file)) {
            other = file;
        }
    }
    const auto missing = [](std::string why, std::string remedy) {
        return ChannelsLibrary{{}, false, events::Missing{kWhat, std::move(why), std::move(remedy)}};
    };
    if (built_for.empty()) {
        return other.empty() ? ChannelsLibrary{}
                             : missing("Kymo was built where no MPI library is installed",
                                       "apt-get install libopenmpi-dev, then build Kymo again");
    }
    if (!other.empty() && !fits) {
        return missing(fmt::format("the program uses {}, Kymo was built for {}", other, built_for),
                       "build the program with that library, or Kymo where the program's is installed");
    }
    fs::path path = beside.parent_path() / kName;
    if (access(path.c_str(), R_OK) != 0) {
        return fits
                   ? missing(path.string() + " does not exist or cannot be read", "install Kymo whole (make install)")
                   : ChannelsLibrary{};
    }
    return {std::move(path), fits || is_rank, {}};
}

ChannelsLibrary find_channels_library(const std::string& command) {
    const char* search_path = std::getenv("PATH");
    const auto program = launch::find_program(command, search_path != nullptr ? search_path : "/usr/bin:/bin");
    const auto monitor = launch::find_monitor_library();
    if (!program || !monitor) {
        return {};  // launch::record() will report it
    }
    const auto images = hooks::images_of(program->path);
    return channels_library_for(images ? *images : std::vector<fs::path>(), *monitor,
                                launch::current_job().has_value(), built_for_mpi());
}

}  // namespace kymo::metrics
