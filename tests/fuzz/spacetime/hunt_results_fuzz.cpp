// Any bytes as the file of a process in which a hunt was: its results are told, and hunts in it go to their end,
// within bounds.
//
// Every input is tried twice: as it is, and with its checksums made right.
#include "../recording/mend.h"
#include "recording/reader.h"
#include "spacetime/hunt_results/directions.h"
#include "spacetime/hunt_results/hunt_results.h"
#include "spacetime/hunt_results/hunt_rows.h"
#include "spacetime/hunt_results/load_hunt_results.h"
#include "spacetime/hunt_results/replay.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace kymo;

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

void hold_up(const spacetime::HuntResults& results) {
    for (const spacetime::HeavyHitter& hitter : results.heavy_hitters) {
        require(!hitter.when.empty());
        require(hitter.share.value >= 0 && hitter.share.value <= 1 && hitter.share.error >= 0);
        require(!spacetime::direction_for("page-faults", hitter).empty());
    }
}

void try_files(std::span<const recording::File> files) {
    if (const auto results = spacetime::load_hunt_results(files)) {
        hold_up(*results);
    }
    spacetime::Replay replay;
    replay.event = "page-faults";
    // Function, line and block read the images that the file names; those here do not exist.
    for (const auto key :
         {recording::HuntKey::kInstruction, recording::HuntKey::kImage, recording::HuntKey::kCallSite}) {
        replay.key = key;
        if (const auto results = spacetime::replay_hunt(files, replay)) {
            hold_up(*results);
        }
    }
}

void try_bytes(const std::vector<std::uint8_t>& bytes) {
    const int file = memfd_create("input", MFD_CLOEXEC);
    require(file >= 0 && write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    if (auto opened = recording::File::open("/proc/self/fd/" + std::to_string(file))) {
        const recording::File files[] = {std::move(*opened)};
        try_files(files);
    }
    close(file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::vector<std::uint8_t> bytes(data, data + size);
    try_bytes(bytes);
    testing::mend(bytes);
    try_bytes(bytes);
    return 0;
}
