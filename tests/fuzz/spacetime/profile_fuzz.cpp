// Any bytes as the file of a process: what is made of it is a profile that holds together, within bounds.
//
// Every input is tried twice: as it is, and with its checksums made right.
#include "../recording/mend.h"
#include "recording/reader.h"
#include "spacetime/load/load_files.h"
#include "spacetime/profile/make_profile.h"
#include "spacetime/profile/profile.h"

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

void hold_up(const spacetime::Profile& profile) {
    require(profile.self.rows() == profile.nodes.size());
    for (std::size_t i = 1; i < profile.nodes.size(); ++i) {
        require(profile.nodes[i].parent < i);
    }
    for (const spacetime::ProfileThread& thread : profile.threads) {
        require(thread.process < profile.processes.size());
        for (const spacetime::ThreadWait& wait : thread.waits) {
            require(wait.context < profile.nodes.size() && wait.begin <= wait.end);
        }
    }
    for (const spacetime::ProfileStream& stream : profile.streams) {
        for (const std::uint32_t node : stream.nodes) {
            require(node < profile.nodes.size());
        }
    }
    for (const auto& [key, group] : profile.waits.groups) {
        require(raw(key.thread) < profile.waits.threads.size() && key.path.size() <= spacetime::kWaitPathFrames);
    }
}

void try_bytes(const std::vector<std::uint8_t>& bytes) {
    const int file = memfd_create("input", MFD_CLOEXEC);
    require(file >= 0 && write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    if (const auto opened = recording::File::open("/proc/self/fd/" + std::to_string(file))) {
        if (auto data = spacetime::load_file(*opened)) {
            std::vector<spacetime::FileData> files;
            files.push_back(std::move(*data));
            hold_up(spacetime::make_profile(std::move(files), {}));
        }
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
