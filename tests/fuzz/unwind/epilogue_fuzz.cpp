// Any bytes as code: every byte that looks like a return has an epilogue within bounds (x86-64), every trace to a
// return ends at one (the others), and nothing outside is read.
#include "unwind/aarch64/arch.h"
#include "unwind/loongarch64/arch.h"
#include "unwind/riscv64/arch.h"
#include "unwind/sw_64/arch.h"
#include "unwind/x86_64/epilogue.h"

#include <cstdlib>
#include <vector>

namespace {

void read_epilogues(std::span<const std::uint8_t> code) {
    using namespace kymo::unwind::x86_64;
    for (std::size_t end = find_return(code, 0); end < code.size(); end = find_return(code, end + 1)) {
        const Epilogue found = EpilogueReader(code, end).read();
        if (code[end] != 0xC3 || found.offset >= 1U << 16U || found.offset % 8 != 0 ||
            found.pops > found.popped.size() || found.number >= kGeneralRegisters) {
            std::abort();
        }
    }
}

template <class Arch>
void trace_frames(std::span<const std::uint8_t> code) {
    using kymo::unwind::link_register::FrameTrace;
    using kymo::unwind::link_register::Held;
    for (std::size_t at = 0; at < code.size(); at += 2) {
        FrameTrace<typename Arch::Numbers> trace;
        if (trace.run(code.subspan(at), Arch::decode) && (trace.stack_pointer().kind != Held::Kind::kRegister ||
                                                          trace.return_address().kind == Held::Kind::kUnknown)) {
            std::abort();
        }
        static_cast<void>(Arch::ends_in_call(code.first(at)));
        static_cast<void>(Arch::is_signal_return(code.subspan(at)));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // On the heap and of the exact size, so that a sanitizer sees any byte read outside.
    const std::vector<std::uint8_t> code(data, data + size);
    read_epilogues(code);
    trace_frames<kymo::unwind::aarch64::Arch>(code);
    trace_frames<kymo::unwind::loongarch64::Arch>(code);
    trace_frames<kymo::unwind::riscv64::Arch>(code);
    trace_frames<kymo::unwind::sw_64::Arch>(code);
    return 0;
}
