#include "import/stack_walk.h"

#include "unwind/walk.h"

#include <array>
#include <linux/perf_event.h>
#include <optional>

namespace kymo::import {
namespace {

constexpr std::size_t kMostFrames = 4096;

#if defined(__x86_64__)
// DWARF numbers of asm/perf_regs.h's registers, in their order; of the program counter and of those without one,
// none.
constexpr int kNoNumber = -1;
constexpr int kPc = -2;
constexpr std::array<int, 24> kDwarfNumbers = {
    0,         3,         2,         1,         4, 5, 6,  7,  kPc, kNoNumber, kNoNumber, kNoNumber,
    kNoNumber, kNoNumber, kNoNumber, kNoNumber, 8, 9, 10, 11, 12,  13,        14,        15};

std::optional<unwind::Registers> registers_of(const perf::Registers& given) {
    if (given.abi != PERF_SAMPLE_REGS_ABI_64) {
        return std::nullopt;
    }
    unwind::Registers made;
    bool has_pc = false;
    bool has_sp = false;
    std::size_t next = 0;
    for (std::size_t i = 0; i < 64 && next < given.values.size(); ++i) {
        if ((given.mask >> i & 1U) == 0) {
            continue;
        }
        const std::uint64_t value = given.values[next++];
        const int number = i < kDwarfNumbers.size() ? kDwarfNumbers.at(i) : kNoNumber;
        if (number == kPc) {
            made.pc = value;
            has_pc = true;
        } else if (number >= 0) {
            made.general.at(static_cast<std::size_t>(number)) = value;
            has_sp = has_sp || number == unwind::native::kRsp;
        }
    }
    return has_pc && has_sp ? std::optional(made) : std::nullopt;
}
#else
std::optional<unwind::Registers> registers_of(const perf::Registers&) {
    return std::nullopt;
}
#endif

}  // namespace

StackWalker::StackWalker() : images_(std::make_unique<unwind::ImageSet>()), frames_(kMostFrames) {
    // Images are added where the file says that they were mapped: at another address there is none.
    unwind::ImageHooks hooks;
    hooks.describe = [](void*, std::uint64_t, image::Arena&, image::LoadedImage*) { return false; };
    hooks.locate = [](void*, std::uint64_t, image::ImagePlace*) { return false; };
    hooks.is_elsewhere = true;
    if (!images_->create(hooks)) {
        images_->release();
        images_.reset();
    }
}

StackWalker::~StackWalker() {
    if (images_ != nullptr) {
        images_->release();
    }
}

void StackWalker::add(const MappedFile& file, std::uint64_t bias) {
    if (images_ != nullptr) {
        images_->add(file.image().moved(bias));
    }
}

WalkedPath StackWalker::walk(const perf::Registers& registers, std::span<const std::uint8_t> stack) {
    const auto start = registers_of(registers);
    if (!start || images_ == nullptr) {
        return {};
    }
    const auto memory = unwind::MemoryView::copied(start->sp(), stack);
    const unwind::WalkResult walked = unwind::walk(*images_, *start, unwind::Start::kInterrupted, memory, frames_);
    addresses_.clear();
    for (std::size_t i = 0; i < walked.count; ++i) {
        addresses_.push_back(frames_[i].address);
    }
    return {addresses_, static_cast<recording::PathEnd>(walked.end), walked.recovered};
}

}  // namespace kymo::import
