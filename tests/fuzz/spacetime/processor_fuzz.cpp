// Any bytes as the file of a process with branch stacks and memory accesses: what is made of them holds together,
// within bounds.
//
// Every input is tried twice: as it is, and with its checksums made right.
#include "../recording/mend.h"
#include "recording/reader.h"
#include "spacetime/accesses/accesses.h"
#include "spacetime/branches/branches.h"

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

void try_bytes(const std::vector<std::uint8_t>& bytes) {
    const int file = memfd_create("input", MFD_CLOEXEC);
    require(file >= 0 && write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    if (const auto opened = recording::File::open("/proc/self/fd/" + std::to_string(file))) {
        std::vector<spacetime::BranchRows> branches(1);
        std::vector<spacetime::AccessRows> accesses(1);
        if (recording::scan_for(*opened, branches[0], accesses[0])) {
            const auto stacks = spacetime::make_branches(branches);
            require(stacks.branches.size() <= stacks.all_branches && stacks.spaces.size() <= stacks.all_spaces);
            const auto memory = spacetime::make_memory_accesses(accesses);
            require(memory.places.size() <= memory.all_places && memory.lines.size() <= memory.all_lines);
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
