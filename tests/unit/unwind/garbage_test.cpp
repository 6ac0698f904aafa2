// Any registers, any stack: a walk ends, keeps to its bounds and never crashes. Run under AddressSanitizer, a read
// outside the copied stack is an error even where memory happens to be mapped.
#include "paths.h"

#include <gtest/gtest.h>
#include <random>

namespace kymo::unwind::test {
namespace {

TEST(Garbage, RandomRegistersAndStacks) {
    std::mt19937_64 random(20240607);
    const Registers here = capture_here();
    const Path real = walk_live(here);
    std::uint64_t ends[8] = {};
    for (int round = 0; round < 20000; ++round) {
        const std::size_t size = random() % 600;
        std::vector<std::uint8_t> stack(size);
        const std::uint64_t begin = 0x7FFC00000000 + random() % 64;
        for (std::size_t at = 0; at + 8 <= size; at += 8) {
            // Words that look right: return addresses near real ones, places in the stack; and any others.
            std::uint64_t word = random();
            switch (word % 4) {
                case 0:
                    word = real.frames[random() % real.frames.size()].address + random() % 40;
                    break;
                case 1:
                    word = begin + random() % (size + 16);
                    break;
                case 2:
                    word = real.frames[random() % real.frames.size()].address + 1;
                    break;
                default:
                    break;
            }
            std::memcpy(stack.data() + at, &word, 8);
        }
        Registers start;
        for (std::uint64_t& value : start.general) {
            value = random() % 2 == 0 ? begin + random() % (size + 16) : random();
        }
        start.set_sp(begin + random() % (size + 1));
        start.pc = random() % 4 == 0 ? random() : real.frames[random() % real.frames.size()].address + random() % 64;
        const Path path = walk_from(start, MemoryView::copied(begin, stack), nullptr, 64);
        EXPECT_LE(path.frames.size(), 64U);
        ++ends[static_cast<unsigned>(path.result.end)];
    }
    // The words are good enough for walks to get somewhere, and bad enough for every way of failing.
    EXPECT_GT(ends[static_cast<unsigned>(PathEnd::kOutsideStack)], 0U);
    EXPECT_GT(ends[static_cast<unsigned>(PathEnd::kUnmapped)], 0U);
}

TEST(Garbage, MemoryThatIsNotThere) {
    std::uint8_t buffer[64];
    EXPECT_EQ(copy_memory(8, buffer).end(), 8U);
    EXPECT_EQ(copy_memory(~std::uint64_t{0} - 100, buffer).end() - (~std::uint64_t{0} - 100), 0U);
    std::uint64_t word = 0;
    const MemoryView view = MemoryView::copied(0x1000, buffer);
    EXPECT_TRUE(view.read(0x1038, &word));
    EXPECT_FALSE(view.read(0x1039, &word));
    EXPECT_FALSE(view.read(0xFFF, &word));
    EXPECT_FALSE(view.read(~std::uint64_t{0}, &word));
    EXPECT_FALSE(MemoryView().read(0, &word));
    EXPECT_FALSE(MemoryView::copied(0x1000, std::span(buffer, 7)).read(0x1000, &word));
}

TEST(Garbage, CopiesUpToThePageThatIsMissing) {
    const std::size_t page = 4096;
    auto* pages = static_cast<std::uint8_t*>(image::map_pages(3 * page));
    ASSERT_NE(pages, nullptr);
    image::unmap_pages(pages + 2 * page, page);
    std::vector<std::uint8_t> buffer(3 * page);
    const auto begin = reinterpret_cast<std::uint64_t>(pages) + 100;
    EXPECT_EQ(copy_memory(begin, buffer).end(), begin - 100 + 2 * page);
    image::unmap_pages(pages, 2 * page);
}

}  // namespace
}  // namespace kymo::unwind::test
