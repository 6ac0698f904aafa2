// Fat binaries and the ELF files around and in them: whatever the bytes, the outcome is entries or an error.
#include "gpu/fatbin/cubin.h"
#include "gpu/fatbin/fat_binary.h"
#include "gpu/fatbin/program_file.h"

#include <cstdlib>

namespace {

using namespace kymo::gpu;

constexpr std::uint64_t kMost = 1U << 20U;  // what is larger unpacked is not worth a run's time

void read(std::span<const std::uint8_t> bytes) {
    const auto entries = fat_entries(bytes, "fuzz");
    if (!entries) {
        return;
    }
    if (const auto chosen = choose_ptx(*entries, 80); chosen && *chosen >= entries->size()) {
        std::abort();
    }
    for (const FatEntry& entry : *entries) {
        if (entry.size > kMost) {
            continue;
        }
        const auto text = contents(entry, "fuzz");
        if (!text) {
            continue;
        }
        if (text->size() > entry.size) {
            std::abort();
        }
        if (entry.kind == FatEntry::Kind::kCubin) {
            (void)cubin_registers({reinterpret_cast<const std::uint8_t*>(text->data()), text->size()}, "fuzz");
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span<const std::uint8_t> bytes(data, size);
    read(bytes);
    if (const auto program = read_program(bytes, "fuzz"); program) {
        for (const auto& container : program->fat_binaries) {
            read(container);
        }
    }
    return 0;
}
