#include "shadow_stack.h"

#include <array>

namespace kymo::oracle {

namespace {

constexpr std::uint64_t kWord = 8;
constexpr std::uint64_t kRtSigreturn = 15;  // system call number
constexpr std::uint64_t kContextSp = 160;   // offsets in ucontext_t
constexpr std::uint64_t kContextPc = 168;
constexpr std::uint64_t kHandlerStack = 1 << 23;  // further down, it is another stack

}  // namespace

void ShadowStack::seed(const CallPath& path) {
    entries_.clear();
    for (std::size_t i = path.frames.size(); i-- > 1;) {
        const PathFrame& frame = path.frames[i];
        entries_.push_back({frame, frame.sp - kWord, 0});
    }
}

ShadowStack::Kind ShadowStack::kind_of(std::uint64_t pc, MemoryCopy& memory) {
    const auto [at, is_new] = kinds_.try_emplace(pc, Kind::kOther);
    if (!is_new) {
        return at->second;
    }
    std::array<std::byte, 15> bytes{};
    for (std::size_t i = 0; i < bytes.size() && memory.read(pc + i, std::span{bytes}.subspan(i, 1)); i++) {
    }
    std::size_t i = 0;
    const auto is_prefix = [](unsigned b) {
        return b == 0x66 || b == 0xf2 || b == 0xf3 || b == 0x2e || b == 0x36 || b == 0x3e || b == 0x26 || b == 0x64 ||
               b == 0x65 || b == 0x67 || (b & 0xf0) == 0x40;
    };
    while (i < bytes.size() - 2 && is_prefix(std::to_integer<unsigned>(bytes[i]))) {
        i++;
    }
    const unsigned opcode = std::to_integer<unsigned>(bytes[i]);
    const unsigned next = std::to_integer<unsigned>(bytes[i + 1]);
    if (opcode == 0xe8 || (opcode == 0xff && (next >> 3 & 7) == 2)) {
        at->second = Kind::kCall;
    } else if (opcode == 0x0f && next == 0x05) {
        at->second = Kind::kSystemCall;
    }
    return at->second;
}

void ShadowStack::before_step(const Registers& registers, MemoryCopy& memory) {
    kind_ = kind_of(registers.pc(), memory);
    returns_from_signal_ = kind_ == Kind::kSystemCall && registers.dwarf[0] == kRtSigreturn;
    sp_before_ = registers.sp();
}

void ShadowStack::after_step(Step step, const Registers& registers, MemoryCopy& memory) {
    const std::uint64_t sp = registers.sp();
    std::uint64_t return_address = 0;
    if (step == Step::kSignal) {
        const std::uint64_t context = registers.dwarf[1];  // rdx: the handler's third argument
        if (memory.read_word(sp, return_address)) {
            entries_.push_back({{}, sp + kWord, context});
            entries_.push_back({{return_address, sp + kWord, true}, sp, 0});
        }
        return;
    }
    if (returns_from_signal_) {
        while (!entries_.empty() && entries_.back().context == 0) {
            entries_.pop_back();
        }
        if (!entries_.empty()) {
            entries_.pop_back();
        }
        return;
    }
    if (kind_ == Kind::kCall && sp == sp_before_ - kWord && memory.read_word(sp, return_address)) {
        entries_.push_back({{return_address, sp + kWord, true}, sp, 0});
        return;
    }
    drop_left(sp);
}

void ShadowStack::drop_left(std::uint64_t sp) {
    // Did a jump (siglongjmp) leave the innermost handler, and with it the handler's stack?
    for (std::size_t i = entries_.size(); i-- > 0;) {
        if (entries_[i].context != 0) {
            if (sp > entries_[i].slot || sp < entries_[i].slot - kHandlerStack) {
                entries_.resize(i);
                drop_left(sp);
                return;
            }
            break;
        }
    }
    while (!entries_.empty() && entries_.back().context == 0 && entries_.back().slot < sp) {
        entries_.pop_back();
    }
}

CallPath ShadowStack::path(const Registers& registers, MemoryCopy& memory) const {
    CallPath path;
    path.complete = true;
    path.frames.push_back({registers.pc(), registers.sp(), false});
    for (std::size_t i = entries_.size(); i-- > 0 && path.frames.size() < kMaxFrames;) {
        PathFrame frame = entries_[i].frame;
        if (const std::uint64_t context = entries_[i].context; context != 0) {
            path.complete = memory.read_word(context + kContextPc, frame.pc) &&
                            memory.read_word(context + kContextSp, frame.sp) && path.complete;
        }
        path.frames.push_back(frame);
    }
    return path;
}

}  // namespace kymo::oracle
