// Traces compressed by warp, written here as the tracer lays them out, and read back.
#include "gpu/trace/text_trace.h"
#include "gpu/trace/trace_file.h"
#include "gpu/trace/tracez_input.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <unistd.h>
#include <zstd.h>

namespace kymo::gpu {
namespace {

template <typename Number>
void put(std::string& out, Number value) {
    for (std::size_t i = 0; i < sizeof(Number); ++i) {
        out += static_cast<char>(value >> (8 * i) & 0xFFU);
    }
}

using Chunk = std::vector<std::string>;                       // lines
using Blocks = std::vector<std::vector<std::vector<Chunk>>>;  // of CTAs, of warps, of chunks

constexpr const char* kText =
    "-kernel name = k\n-grid dim = (2,1,1)\n-block dim = (64,1,1)\n-nregs = 16\n"
    "-accelsim tracer version = 6\n-enable lineinfo = 0\n#traces format = PC mask\n";

std::string written(const Blocks& blocks, const std::string& dictionary = {}) {
    std::string out = kText;
    out += '\0';
    put(out, static_cast<std::uint32_t>(dictionary.size()));
    put(out, std::uint32_t{2048});
    out += dictionary;
    std::string index;
    put(index, static_cast<std::uint32_t>(blocks.size()));
    ZSTD_CCtx* const context = ZSTD_createCCtx();
    for (std::uint32_t block = 0; block < blocks.size(); ++block) {
        for (int i = 0; i < 10; ++i) {
            put(index, i == 0 ? block : 0U);
        }
        put(index, static_cast<std::uint32_t>(blocks[block].size()));
        for (const auto& warp : blocks[block]) {
            std::uint32_t lines = 0;
            for (const Chunk& chunk : warp) {
                lines += static_cast<std::uint32_t>(chunk.size());
            }
            put(index, lines);
            put(index, static_cast<std::uint32_t>(warp.size()));
            put(index, static_cast<std::uint64_t>(out.size()));
            put(out, lines);
            put(out, static_cast<std::uint32_t>(warp.size()));
            for (const Chunk& chunk : warp) {
                put(index, static_cast<std::uint32_t>(chunk.size()));
                std::string text;
                for (const std::string& line : chunk) {
                    text += (text.empty() ? "" : "\n") + line;
                }
                std::string packed(ZSTD_compressBound(text.size()), '\0');
                packed.resize(ZSTD_compress_usingDict(context, packed.data(), packed.size(), text.data(), text.size(),
                                                      dictionary.data(), dictionary.size(), 3));
                put(out, static_cast<std::uint32_t>(packed.size()));
                out += packed;
            }
        }
    }
    ZSTD_freeCCtx(context);
    const std::uint64_t place = out.size();
    out += index;
    put(out, place);
    return out;
}

Result<std::unique_ptr<TextTrace>> open_blocks(const std::string& bytes) {
    auto input = open_tracez(std::make_unique<std::istringstream>(bytes), "t.tracez");
    if (!input) {
        return input.error();
    }
    return TextTrace::open(std::move(*input), "t.tracez");
}

const Blocks kBlocks = {
    {{{"0000 ffffffff 1 R1 MOV 0 0 0 NoVal", "0010 ffffffff 1 R2 LDG.E 1 R4 4 1 0x1000 4 0 NoVal"},
      {"0020 ffffffff 0 EXIT 0 0 0 NoVal"}},
     {{"0020 ffffffff 0 EXIT 0 0 0 NoVal"}}},
    {{{"0020 0000ffff 0 EXIT 0 0 0 NoVal"}}, {}},
};

std::vector<std::uint64_t> instructions(TextTrace& trace) {
    std::vector<std::uint64_t> counts;
    for (;;) {
        auto cta = trace.next_cta();
        EXPECT_TRUE(cta) << (cta ? "" : cta.error().what);
        if (!cta || !*cta) {
            return counts;
        }
        counts.push_back(1000 + (**cta).index.x);
        for (const WarpTrace& warp : (**cta).warps) {
            counts.push_back(warp.instructions);
        }
    }
}

TEST(Tracez, GivesEveryCtaWarpAndChunk) {
    for (const std::string& dictionary :
         {std::string(), std::string("0010 ffffffff 1 R2 LDG.E 1 R4 4 1 0x1000 4 0")}) {
        auto trace = open_blocks(written(kBlocks, dictionary));
        ASSERT_TRUE(trace) << trace.error().what;
        EXPECT_EQ((*trace)->header().name, "k");
        EXPECT_EQ((*trace)->header().tracer_version, 6U);
        const auto first = instructions(**trace);
        EXPECT_THAT(first, testing::ElementsAre(1000, 3, 1, 1001, 1, 0));
        EXPECT_EQ((*trace)->program().size(), 3U);
        ASSERT_TRUE((*trace)->rewind());
        EXPECT_EQ(instructions(**trace), first);
    }
}

TEST(Tracez, IsToldByItsBytes) {
    const auto path = std::filesystem::path(testing::TempDir()) / ("told-" + std::to_string(getpid()) + ".tracez");
    std::ofstream(path, std::ios::binary) << written(kBlocks);
    auto kernel = open_kernel(path);
    ASSERT_TRUE(kernel) << kernel.error().what;
    EXPECT_EQ((*kernel)->header().grid.x, 2U);
    EXPECT_TRUE(*(*kernel)->next_cta());
    std::filesystem::remove(path);
}

TEST(Tracez, EveryTruncationIsTold) {
    const std::string whole = written(kBlocks);
    for (std::size_t size = 0; size < whole.size(); ++size) {
        auto trace = open_blocks(whole.substr(0, size));
        bool told = !trace;
        while (!told) {
            auto cta = (*trace)->next_cta();
            told = !cta;
            ASSERT_TRUE(told || *cta) << "a truncated file passed for a whole one, " << size;
        }
    }
}

TEST(Tracez, SurvivesEveryByteChanged) {
    const std::string whole = written(kBlocks);
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (const char change : {'\x01', '\x80', '\xFF'}) {
            std::string bytes = whole;
            bytes[at] = static_cast<char>(bytes[at] ^ change);
            auto trace = open_blocks(bytes);
            for (int ctas = 0; trace && ctas < 100; ++ctas) {
                auto cta = (*trace)->next_cta();
                if (!cta || !*cta) {
                    break;
                }
            }
        }
    }
}

TEST(Tracez, SaysWhatWasExpected) {
    std::string bytes = written(kBlocks);
    bytes.back() = '\x7F';
    EXPECT_THAT(open_blocks(bytes).error().what, testing::HasSubstr("t.tracez: byte "));
    EXPECT_THAT(open_blocks(bytes).error().what, testing::HasSubstr("the index's place"));
    EXPECT_THAT(open_blocks(std::string("-kernel name = k\n\0\1\2", 20)).error().what,
                testing::HasSubstr("dictionary"));
}

}  // namespace
}  // namespace kymo::gpu
