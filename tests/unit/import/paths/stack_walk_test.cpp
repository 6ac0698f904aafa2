#include "import/paths/stack_walk.h"

#include "unwind/walk.h"

#include <array>
#include <filesystem>
#include <gtest/gtest.h>
#include <link.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <vector>

#if defined(__x86_64__)

namespace kymo::import {
namespace {

namespace fs = std::filesystem;

std::uint64_t stack_end() {
    pthread_attr_t attributes;
    void* begin = nullptr;
    std::size_t bytes = 0;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &begin, &bytes);
    pthread_attr_destroy(&attributes);
    return reinterpret_cast<std::uint64_t>(begin) + bytes;
}

// A sample as the kernel would have taken it, and the path that a walk over the live stack gives.
struct Taken {
    std::vector<std::uint64_t> registers;  // in perf's order
    std::vector<std::uint8_t> stack;
    std::vector<std::uint64_t> live;
};

constexpr std::uint64_t kMask = 0xff0fff;  // AX to GS, and R8 to R15, as perf asks for them

__attribute__((noinline)) void take(Taken* taken) {
    const unwind::Registers here = unwind::capture_here();
    static unwind::ImageSet images;
    static const bool made = images.create({.describe = unwind::describe_own_image});
    ASSERT_TRUE(made);
    std::array<unwind::Frame, 256> frames;
    const std::uint64_t end = stack_end();
    const auto walked = unwind::walk(images, here, unwind::Start::kInterrupted,
                                     unwind::MemoryView::live(here.sp() - 128, end), frames);
    ASSERT_EQ(walked.end, unwind::PathEnd::kComplete);
    for (std::size_t i = 0; i < walked.count; ++i) {
        taken->live.push_back(frames.at(i).address);
    }
    const auto& g = here.general;
    taken->registers = {g[0], g[3], g[2], g[1], g[4],  g[5],  g[6],  g[7],  here.pc, 0,
                        0,    0,    g[8], g[9], g[10], g[11], g[12], g[13], g[14],   g[15]};
    const auto* const from = reinterpret_cast<const std::uint8_t*>(here.sp());
    taken->stack.assign(from, from + (end - here.sp()));
}

__attribute__((noinline)) int deep(Taken* taken, int depth) {
    volatile char room[200] = {};
    if (depth == 0) {
        take(taken);
    } else {
        deep(taken, depth - 1);
    }
    return room[0];
}

// Every image of this process, from its file.
std::vector<std::unique_ptr<MappedFile>> add_own_images(StackWalker* walker) {
    struct Seen {
        StackWalker* walker;
        std::vector<std::unique_ptr<MappedFile>> files;
    } seen{walker, {}};
    ::dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* out) {
            auto* const found = static_cast<Seen*>(out);
            const std::string name = info->dlpi_name;
            if (auto file = MappedFile::open(name.empty() ? "/proc/self/exe" : name)) {
                found->walker->add(*file, info->dlpi_addr);
                found->files.push_back(std::move(file));
            }
            return 0;
        },
        &seen);
    return std::move(seen.files);
}

TEST(StackWalker, FindsThePathThatTheLiveStackHas) {
    Taken taken;
    deep(&taken, 5);
    StackWalker walker;
    const auto files = add_own_images(&walker);
    ASSERT_FALSE(files.empty());
    const auto walked = walker.walk(*registers_of({PERF_SAMPLE_REGS_ABI_64, kMask, taken.registers}), taken.stack);
    EXPECT_EQ(walked.end, recording::PathEnd::kComplete);
    EXPECT_GT(walked.needed, 1000U);  // five rooms of 200 bytes
    EXPECT_LE(walked.needed, taken.stack.size());
    EXPECT_GT(taken.live.size(), 6U);
    EXPECT_EQ(std::vector<std::uint64_t>(walked.addresses.begin(), walked.addresses.end()), taken.live);
}

TEST(StackWalker, APieceOfTheStackGivesThePathUpToItsEnd) {
    Taken taken;
    deep(&taken, 5);
    StackWalker walker;
    const auto files = add_own_images(&walker);
    for (std::size_t bytes = 0; bytes < taken.stack.size(); bytes += bytes < 4096 ? 8 : 512) {
        const auto walked = walker.walk(*registers_of({PERF_SAMPLE_REGS_ABI_64, kMask, taken.registers}),
                                        std::span(taken.stack).first(bytes));
        ASSERT_FALSE(walked.addresses.empty());
        if (walked.end == recording::PathEnd::kOutsideStack) {
            ASSERT_GT(walked.needed, bytes);
        }
        if (walked.end != recording::PathEnd::kComplete) {
            ASSERT_LE(walked.addresses.size(), taken.live.size());
            for (std::size_t i = 0; i < walked.addresses.size(); ++i) {
                ASSERT_EQ(walked.addresses[i], taken.live[i]) << "frame " << i << " of " << bytes << " bytes";
            }
        }
    }
}

TEST(StackWalker, OtherRegistersGiveNoPath) {
    Taken taken;
    deep(&taken, 1);
    StackWalker walker;
    EXPECT_FALSE(registers_of({PERF_SAMPLE_REGS_ABI_32, kMask, taken.registers}));
    EXPECT_FALSE(registers_of({PERF_SAMPLE_REGS_ABI_64, 1, std::span(taken.registers).first(1)}));
    // Without images the first frame is all that is known.
    EXPECT_EQ(
        walker.walk(*registers_of({PERF_SAMPLE_REGS_ABI_64, kMask, taken.registers}), taken.stack).addresses.size(),
        1U);
}

TEST(MappedFile, OtherFilesAreNoImages) {
    EXPECT_EQ(MappedFile::open("/dev/null"), nullptr);
    EXPECT_EQ(MappedFile::open("/proc/self/maps"), nullptr);
    EXPECT_EQ(MappedFile::open("/nowhere"), nullptr);
}

}  // namespace
}  // namespace kymo::import

#endif
