#include "import/paths/stack_walk.h"

#include "import/native.h"

#include <algorithm>
#include <linux/perf_event.h>

namespace kymo::import {
namespace {

constexpr std::size_t kMostFrames = 4096;

}  // namespace

std::optional<unwind::Registers> registers_of(const perf::Registers& given) {
    if (given.abi != PERF_SAMPLE_REGS_ABI_64) {
        return std::nullopt;
    }
    unwind::Registers made;
    bool has_pc = false;
    bool has_sp = false;
    std::size_t next = 0;
    for (unsigned bit = 0; bit < 64 && next < given.values.size(); ++bit) {
        if ((given.mask >> bit & 1U) == 0) {
            continue;
        }
        const std::uint64_t value = given.values[next++];
        const int number = bit < native::kDwarfNumbers.size() ? native::kDwarfNumbers.at(bit) : -1;
        if (bit == native::kProgramCounterBit) {
            made.pc = value;
            has_pc = true;
        } else if (bit == native::kStackPointerBit) {
            made.set_sp(value);
            has_sp = true;
        } else if (number >= 0) {
            made.general.at(static_cast<std::size_t>(number)) = value;
        }
    }
    return has_pc && has_sp ? std::optional(made) : std::nullopt;
}

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
        const unwind::Table* const table = file.table();
        if (table != nullptr) {
            images_->add(file.image().moved(bias), *table);
        }
    }
}

WalkedPath StackWalker::walk(const unwind::Registers& registers, std::span<const std::uint8_t> stack) {
    if (images_ == nullptr) {
        return {};
    }
    const auto memory = unwind::MemoryView::copied(registers.sp(), stack);
    const unwind::WalkResult walked = unwind::walk(*images_, registers, unwind::Start::kInterrupted, memory, frames_);
    addresses_.clear();
    for (std::size_t i = 0; i < walked.count; ++i) {
        addresses_.push_back(frames_[i].address);
    }
    return {addresses_, static_cast<recording::PathEnd>(walked.end), walked.recovered,
            walked.reached - std::min(walked.reached, registers.sp()), walked.other_frame};
}

}  // namespace kymo::import
