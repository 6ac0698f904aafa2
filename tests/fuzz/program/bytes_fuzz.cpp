// What this layer reads by itself, out of files or of names: .eh_frame_hdr, linkage-table entries, linker names. (ELF
// and DWARF are elfutils' to read; unit.program damages whole files.)
#include "program/demangle.h"
#include "program/frame_starts.h"
#include "program/plt_names.h"

#include <algorithm>
#include <cstdlib>
#include <elf.h>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kymo::program;
    const std::span bytes(data, size);
    const auto starts = parse_frame_starts(bytes, 0x1000);
    if (starts.size() > size / 8 || !std::is_sorted(starts.begin(), starts.end())) {
        std::abort();
    }
    for (std::size_t at = 0; at < size; ++at) {
        described_length(bytes, at);
    }
    const auto entry = bytes.first(std::min<std::size_t>(size, 16));
    for (const int machine : {EM_X86_64, EM_AARCH64, EM_NONE}) {
        plt_slot(static_cast<std::uint16_t>(machine), entry, 0x2000);
    }
    const std::string name(bytes.begin(), bytes.end());
    if (short_name(name).size() > name.size()) {
        std::abort();
    }
    demangle(name.c_str());
    return 0;
}
