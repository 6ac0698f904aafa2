// PTX text: whatever it is, the outcome is a module or an error with its line and column.
#include "gpu/ptx/parse/parse.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto module = kymo::gpu::ptx::parse(text, "fuzz");
    if (!module && !module.error().what.starts_with("fuzz:")) {
        std::abort();
    }
    return 0;
}
