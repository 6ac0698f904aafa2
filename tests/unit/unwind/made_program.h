// A program of another architecture, made for a test: its instructions lie in this process's memory, where the walk
// reads them; its stack is a copy at addresses of its own; its rules are call-frame information written by hand.
#pragma once

#include "frame_bytes.h"
#include "unwind/walker.h"

#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <vector>

namespace kymo::unwind::test {

template <class Arch>
class MadeProgram {
  public:
    static constexpr std::uint64_t kStack = 0x7F0000000000;

    // `rules`: of kind kDebugFrame, offsets in the code.
    explicit MadeProgram(const FrameBytes& rules) {
        code_ = static_cast<std::uint8_t*>(
            mmap(nullptr, kCodeSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        ImageHooks hooks;
        hooks.compile = compile_for<typename Arch::RulePacker>;
        EXPECT_TRUE(images_.create(hooks));
        image::LoadedImage image;
        image.range = {address(0), address(kCodeSize)};
        image.bias = address(0);
        image.segments[0] = {image.range, 5, image.range.end};
        image.segment_count = 1;
        const FrameSection section = rules.section();
        image.debug_frame = section.bytes;
        EXPECT_NE(raw(images_.add(image)), 0U);
    }
    ~MadeProgram() { munmap(code_, kCodeSize); }
    MadeProgram(const MadeProgram&) = delete;
    MadeProgram& operator=(const MadeProgram&) = delete;

    // From an offset on.
    template <class Word>
    void put_code(std::uint64_t offset, std::initializer_list<Word> instructions) {
        std::memcpy(code_ + offset, instructions.begin(), instructions.size() * sizeof(Word));
    }
    // The address of an offset in the code.
    std::uint64_t address(std::uint64_t offset) const { return reinterpret_cast<std::uint64_t>(code_) + offset; }

    // The stack: 8-byte words from kStack up.
    void put(std::uint64_t at, std::uint64_t word) { stack_.at((at - kStack) / 8) = word; }

    struct Path {
        std::vector<std::uint64_t> offsets;  // in the code; return addresses with 1 taken off
        WalkResult result;
    };
    // `from`: as the processor was interrupted.
    Path walk(const typename Arch::Registers& from) {
        std::array<Frame, 64> frames;
        const MemoryView stack =
            MemoryView::copied(kStack, {reinterpret_cast<const std::uint8_t*>(stack_.data()), stack_.size() * 8});
        Path path;
        path.result = Walker<Arch>(images_, from, Start::kInterrupted, stack, nullptr).run(frames);
        for (std::uint32_t i = 0; i < path.result.count; ++i) {
            path.offsets.push_back(frames[i].address - address(0));
        }
        return path;
    }

  private:
    static constexpr std::uint64_t kCodeSize = 4096;

    std::uint8_t* code_ = nullptr;
    ImageSet images_;
    std::vector<std::uint64_t> stack_ = std::vector<std::uint64_t>(512);
};

}  // namespace kymo::unwind::test
