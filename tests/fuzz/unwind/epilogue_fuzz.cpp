// Any bytes as code: every byte that looks like a return has an epilogue within bounds, and nothing outside is read.
#include "unwind/x86_64/epilogue.h"

#include <cstdlib>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kymo::unwind::x86_64;
    // On the heap and of the exact size, so that a sanitizer sees any byte read outside.
    const std::vector<std::uint8_t> code(data, data + size);
    for (std::size_t end = find_return(code, 0); end < code.size(); end = find_return(code, end + 1)) {
        const Epilogue found = EpilogueReader(code, end).read();
        if (code[end] != 0xC3 || found.offset >= 1U << 16U || found.offset % 8 != 0 ||
            found.pops > found.popped.size() || found.number >= kGeneralRegisters) {
            std::abort();
        }
    }
    return 0;
}
