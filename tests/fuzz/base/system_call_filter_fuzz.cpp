// Any instructions as a filter of system calls: they end, within the filter, and say the same twice.
#include "base/system_call_filter.h"

#include <cstdlib>
#include <cstring>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    seccomp_data call{};
    std::memcpy(&call, data, size < sizeof call ? size : sizeof call);
    const std::size_t rest = size < sizeof call ? 0 : size - sizeof call;
    std::vector<sock_filter> program(rest / sizeof(sock_filter));  // on the heap: reading past it is seen
    if (!program.empty()) {
        std::memcpy(program.data(), data + sizeof call, program.size() * sizeof(sock_filter));
    }
    if (kymo::run_filter(program, call) != kymo::run_filter(program, call)) {
        std::abort();
    }
    return 0;
}
