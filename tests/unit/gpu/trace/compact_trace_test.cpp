// The compact form: everything comes back, and damage is told.
#include "gpu/trace/compact_trace.h"

#include "../one_sm.h"

#include <random>

namespace kymo::gpu {
namespace {

std::vector<std::uint8_t> compacted(KernelSource& source) {
    std::vector<std::uint8_t> bytes;
    EXPECT_TRUE(write_compact(source, bytes));
    EXPECT_TRUE(source.rewind());
    return bytes;
}

// Everything a source says, in words.
std::vector<std::uint64_t> content(KernelSource& source) {
    std::vector<std::uint64_t> words;
    for (;;) {
        auto cta = source.next_cta();
        EXPECT_TRUE(cta) << (cta ? "" : cta.error().what);
        if (!cta || !*cta) {
            return words;
        }
        words.push_back((**cta).index.x);
        for (const WarpTrace& warp : (**cta).warps) {
            words.push_back(warp.id);
            WarpCursor cursor(source.program(), warp);
            std::uint64_t count = 0;
            while (cursor.next()) {
                ++count;
                words.push_back(source.program()[cursor.index()].pc);
                words.push_back(cursor.mask());
                LaneAddresses addresses;
                if (cursor.has_addresses() && cursor.addresses(addresses)) {
                    for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
                        words.push_back((cursor.mask() >> lane & 1U) != 0 ? addresses.of[lane] : 0);
                    }
                }
            }
            EXPECT_FALSE(cursor.broken());
            EXPECT_EQ(count, warp.instructions);
        }
    }
}

TEST(CompactTrace, GivesBackWhatWasWritten) {
    for (auto* make : {+[] { return gemm_kernel(40, 8); }, +[] { return ffma_kernel(3, 96, 2); },
                       +[] { return atax_row_kernel(70, 32); }, +[] { return vector_add_kernel(1000); }}) {
        auto source = make();
        const auto bytes = compacted(*source);
        auto read = CompactTrace::open(bytes_in_memory(bytes), "memory");
        ASSERT_TRUE(read) << read.error().what;
        EXPECT_EQ((*read)->header(), source->header());
        EXPECT_EQ(content(**read), content(*source));
        EXPECT_EQ((*read)->program(), source->program());
        ASSERT_TRUE((*read)->rewind());
        ASSERT_TRUE(source->rewind());
        EXPECT_EQ(content(**read), content(*source));
    }
}

TEST(WarpCode, GivesBackRandomWalks) {
    std::mt19937_64 random(11);
    ProgramBuilder builder;
    for (int i = 0; i < 50; ++i) {
        builder.add(i % 3 == 0 ? "LDG.E" : "IADD3", {}, {}, i % 3 == 0 ? 4 : 0);
    }
    const Program program = builder.take();
    for (int round = 0; round < 300; ++round) {
        struct Step {
            std::uint32_t index, mask;
            std::vector<std::uint64_t> addresses;
        };
        std::vector<Step> steps;
        WarpEncoder encoder(program);
        std::uint32_t at = 0;
        for (int i = 0; i < 200; ++i) {
            at = random() % 4 == 0 ? static_cast<std::uint32_t>(random() % 50) : (at + 1) % 50;
            Step step{at, random() % 5 == 0 ? static_cast<std::uint32_t>(random()) : 0xFFFF'FFFFU, {}};
            step.mask = random() % 9 == 0 ? 0 : step.mask;
            if (program[at].has_addresses()) {
                for (int lane = std::popcount(step.mask); lane > 0; --lane) {
                    step.addresses.push_back(random() >> (random() % 64));
                }
            }
            encoder.add(step.index, step.mask, step.addresses);
            steps.push_back(std::move(step));
        }
        WarpTrace warp;
        warp.code = std::make_shared<const std::vector<std::uint8_t>>(encoder.take());
        WarpCursor cursor(program, warp);
        for (const Step& step : steps) {
            ASSERT_TRUE(cursor.next());
            ASSERT_EQ(cursor.index(), step.index);
            ASSERT_EQ(cursor.mask(), step.mask);
            if (!step.addresses.empty() && random() % 3 != 0) {  // may be left out
                LaneAddresses addresses;
                ASSERT_TRUE(cursor.addresses(addresses));
                std::size_t k = 0;
                for (std::uint32_t left = step.mask; left != 0; left &= left - 1) {
                    ASSERT_EQ(addresses.of[static_cast<unsigned>(std::countr_zero(left))], step.addresses[k++]);
                }
            }
        }
        EXPECT_FALSE(cursor.next());
        EXPECT_FALSE(cursor.broken());
    }
}

// Addresses so far from one another that their differences take from one byte to ten; the last ones lie at the end of
// the bytes, where eight cannot be read at once.
TEST(WarpCode, GivesBackDifferencesOfAnyLength) {
    ProgramBuilder builder;
    builder.add("LDG.E", {2}, {4}, 4);
    const Program program = builder.take();
    for (unsigned bits = 0; bits < 64; ++bits) {
        const std::uint64_t far = std::uint64_t{1} << bits;
        for (const std::uint64_t second : {far, far - 1, ~far, ~far + 1}) {
            WarpEncoder encoder(program);
            encoder.add(0, 1, std::array{second});
            encoder.add(0, 3, std::array{second + far, far});
            WarpTrace warp;
            warp.code = std::make_shared<const std::vector<std::uint8_t>>(encoder.take());
            WarpCursor cursor(program, warp);
            LaneAddresses addresses;
            ASSERT_TRUE(cursor.next() && cursor.addresses(addresses));
            EXPECT_EQ(addresses.of[0], second) << bits;
            ASSERT_TRUE(cursor.next() && cursor.addresses(addresses));
            EXPECT_EQ(addresses.of[0], second + far) << bits;
            EXPECT_EQ(addresses.of[1], far) << bits;
            EXPECT_FALSE(cursor.next() || cursor.broken());
        }
    }
}

TEST(CompactTrace, TellsOfEveryTruncation) {
    auto source = gemm_kernel(16, 8);
    const auto bytes = compacted(*source);
    for (std::size_t length = 0; length < bytes.size(); length += 7) {
        auto read = CompactTrace::open(bytes_in_memory({bytes.data(), length}), "memory");
        bool told = !read;
        while (!told) {
            auto cta = (*read)->next_cta();
            told = !cta;
            ASSERT_TRUE(told || *cta) << "a truncated file passed for a whole one, " << length;
        }
    }
}

TEST(CompactTrace, SurvivesFlippedBits) {
    auto source = gemm_kernel(16, 8);
    const auto good = compacted(*source);
    std::mt19937_64 random(3);
    for (int round = 0; round < 400; ++round) {
        auto bytes = good;
        bytes[random() % bytes.size()] ^= static_cast<std::uint8_t>(1U << (random() % 8));
        auto read = CompactTrace::open(bytes_in_memory(bytes), "memory");
        std::uint64_t steps = 0;
        while (read) {
            auto cta = (*read)->next_cta();
            if (!cta || !*cta) {
                break;
            }
            for (const WarpTrace& warp : (**cta).warps) {
                WarpCursor cursor((*read)->program(), warp);
                while (cursor.next() && ++steps < 1'000'000) {
                }
            }
        }
    }
}

}  // namespace
}  // namespace kymo::gpu
