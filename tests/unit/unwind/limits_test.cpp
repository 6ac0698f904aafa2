// What look-ups and walks may cost, whatever they meet: made-up images, made-up stacks, and hooks that count.
#include "frame_bytes.h"
#include "image/describe.h"
#include "unwind/expression.h"
#include "unwind/walk.h"

#include <array>
#include <cstdio>
#include <gtest/gtest.h>
#include <set>
#include <unistd.h>

namespace kymo::unwind::test {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kStack = 0x7FF000000000;

struct Counts {
    unsigned locates = 0;
    unsigned describes = 0;
    unsigned stacks = 0;
};

// Images that are there but cannot be described, `apart` bytes each, in [begin, end).
struct Undescribable {
    std::uint64_t begin = 0x10000000;
    std::uint64_t end = 0x20000000;
    std::uint64_t apart = 16 * kPage;
    std::uint64_t describable = 0;  // but for this one
    Counts counts;

    ImageHooks hooks() {
        ImageHooks hooks;
        hooks.context = this;
        hooks.locate = [](void* context, std::uint64_t address, image::ImagePlace* place) {
            auto& self = *static_cast<Undescribable*>(context);
            ++self.counts.locates;
            const std::uint64_t at = address / self.apart * self.apart;
            *place = {{at, at + self.apart}, context};
            return address >= self.begin && address < self.end;
        };
        hooks.describe = [](void* context, std::uint64_t address, image::Arena& arena, image::LoadedImage* image) {
            auto& self = *static_cast<Undescribable*>(context);
            ++self.counts.describes;
            // Files and notes are copied before it turns out that they are of no use.
            constexpr std::size_t kCopied = 200000;
            void* copied = arena.allocate(kCopied);
            EXPECT_NE(copied, nullptr);
            std::memset(copied, 1, kCopied);
            const std::uint64_t at = address / self.apart * self.apart;
            *image = {};
            image->range = {at, at + self.apart};
            return at == self.describable;
        };
        return hooks;
    }
};

// Pages mapped into this process.
std::size_t mapped_pages() {
    std::size_t pages = 0;
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    EXPECT_EQ(std::fscanf(file, "%zu", &pages), 1);
    std::fclose(file);
    return pages;
}

TEST(RememberedFailures, AreNotTriedForEachLookUp) {
    Undescribable images;
    ImageSet set;
    ASSERT_TRUE(set.create(images.hooks()));
    EXPECT_EQ(set.rule_at(0x10000010).image, nullptr);
    const std::size_t before = mapped_pages();
    for (unsigned i = 0; i < 1000000; ++i) {
        ASSERT_EQ(set.rule_at(0x10000000 + i * 31 % (16 * kPage)).image, nullptr);
    }
    EXPECT_GT(images.counts.describes, 3U) << "asked again now and then";
    EXPECT_LE(images.counts.describes, 20U);
    EXPECT_EQ(mapped_pages(), before) << "and nothing is kept of them";
}

TEST(RememberedFailures, WhereThereIsNoImageNoneIsDescribed) {
    Undescribable images;
    ImageSet set;
    ASSERT_TRUE(set.create(images.hooks()));
    for (std::uint64_t address = 0; address < 0x10000000; address += 0x1234) {
        ASSERT_EQ(set.rule_at(address).image, nullptr);
    }
    EXPECT_EQ(images.counts.describes, 0U);
}

TEST(RememberedFailures, AreForgottenWhenSomethingIsUnloaded) {
    Undescribable images;
    ImageSet set;
    ASSERT_TRUE(set.create(images.hooks()));
    EXPECT_EQ(set.rule_at(0x10000010).image, nullptr);
    images.describable = 0x10000000;  // another one has come to the same place
    EXPECT_EQ(set.rule_at(0x10000010).image, nullptr);
    EXPECT_EQ(set.remove_unloaded(), 0U);
    EXPECT_NE(set.rule_at(0x10000010).image, nullptr);
    EXPECT_EQ(images.counts.describes, 2U);
}

TEST(RememberedFailures, AreTriedAgainInTheEnd) {
    Undescribable images;
    ImageSet set;
    ASSERT_TRUE(set.create(images.hooks()));
    EXPECT_EQ(set.rule_at(0x10000010).image, nullptr);
    images.describable = 0x10000000;
    unsigned asked = 1;
    while (set.rule_at(0x10000010).image == nullptr && asked < 1000) {
        ++asked;
    }
    EXPECT_LE(asked, RefusedPlaces::kFirstWait + 1);
    EXPECT_EQ(images.counts.describes, 2U);
}

TEST(RememberedFailures, ManyPlacesAtOnce) {
    Undescribable images;
    ImageSet set;
    ASSERT_TRUE(set.create(images.hooks()));
    for (unsigned round = 0; round < 1000; ++round) {
        for (std::uint64_t place = 0; place < 30; ++place) {
            ASSERT_EQ(set.rule_at(0x10000000 + place * 16 * kPage).image, nullptr);
        }
    }
    EXPECT_LE(images.counts.describes, 30000U / 20);
}

TEST(Loadings, TheSameAgainAndAgainUsesNoMemory) {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "the thread sanitizer's own memory grows with every access";
#endif
    Undescribable images;
    ImageSet set;
    ASSERT_TRUE(set.create(images.hooks()));
    std::vector<std::uint8_t> debug_frame(50000);
    const std::vector<std::uint8_t> build_id(20, 7);
    image::LoadedImage image;
    image.range = {0x400000, 0x402000};
    image.bias = 0x400000;
    image.path = "/plugin.so";
    image.build_id = build_id;
    image.segments[0] = {image.range, 1, image.range.end};
    image.segment_count = 1;
    image.debug_frame = debug_frame;
    ASSERT_EQ(raw(set.add(image)), 1U);
    const std::size_t before = mapped_pages();
    for (unsigned round = 2; round < 20000; ++round) {
        ASSERT_EQ(set.remove(0x400000, 0x402000), 1U);
        ASSERT_EQ(raw(set.add(image)), round);
    }
    EXPECT_EQ(mapped_pages(), before);
    EXPECT_EQ(set.find(0x401000)->image->path, "/plugin.so");
}

// ---- a walk

// A stack of words at kStack.
struct Words {
    std::vector<std::uint64_t> words;
    MemoryView view() const {
        return MemoryView::copied(kStack, {reinterpret_cast<const std::uint8_t*>(words.data()), words.size() * 8});
    }
};

Registers at(std::uint64_t pc, std::uint64_t sp, std::uint64_t frame_pointer) {
    Registers registers;
    registers.pc = pc;
    registers.set_sp(sp);
    registers.general[native::Arch::Rules::kPreserved[0]] = frame_pointer;
    return registers;
}

std::array<Frame, 5000> frames;

// Frames of generated code, one above the other, and each return address where an image is that cannot be described.
TEST(WalkLimits, WordsAndImagesOfOneWalk) {
    Undescribable images;
    images.apart = kPage;
    ImageSet set;
    ASSERT_TRUE(set.create(images.hooks()));
    Words stack;
    constexpr std::uint64_t kFrames = 200000;
    for (std::uint64_t i = 0; i < kFrames; ++i) {
        stack.words.push_back(kStack + 16 * (i + 1));
        stack.words.push_back(images.begin + i * kPage % (images.end - images.begin) + 5);
    }
    const WalkResult result = walk(set, at(0x5000, kStack, kStack), Start::kInterrupted, stack.view(), frames);
    EXPECT_NE(result.end, PathEnd::kComplete);
    EXPECT_EQ(images.counts.describes, kMostDescribed);
    EXPECT_GE(images.counts.locates, kMostWords);
    EXPECT_LE(images.counts.locates, 2 * kMostWords);
}

// The chain is long, and leads into known code: each frame of it is looked at once, not once for each below it.
TEST(WalkLimits, ALongChainOfGeneratedCodeIsFollowedOnce) {
    constexpr std::uint64_t kCode = 0x400000;
    static std::uint8_t code[kPage];
    std::memset(code, 0xFF, sizeof(code));
    // Readable code of an image is looked at where it lies: so the image lies where `code` does.
    const auto begin = reinterpret_cast<std::uint64_t>(code) / kPage * kPage;
    const auto call = reinterpret_cast<std::uint64_t>(code) + 64;
    code[64] = 0xE8;
    (void)kCode;
    Undescribable images;
    images.begin = images.end = 0;
    ImageSet set;
    ASSERT_TRUE(set.create(images.hooks()));
    FrameBytes rules(FrameSectionKind::kDebugFrame);
    FrameBytes::Common common;
    common.augmentation = "";
    common.program = {kDefCfa, 6, 16, kOffset + 16, 1, kOffset + 6, 2, kUndefined, 16};  // the bottom
    rules.cie(common);
    rules.fde(call - begin, 16, {});
    image::LoadedImage image;
    image.range = {begin, begin + 2 * kPage};
    image.bias = begin;
    image.segments[0] = {image.range, 5, image.range.end};
    image.segment_count = 1;
    image.debug_frame = rules.section().bytes;
    ASSERT_NE(raw(set.add(image)), 0U);

    Words stack;
    constexpr std::uint64_t kFrames = 3000;
    for (std::uint64_t i = 0; i < kFrames; ++i) {
        stack.words.push_back(kStack + 16 * (i + 1));
        stack.words.push_back(i + 1 < kFrames ? 0x5000000 + 16 * i : call + 5);
    }
    stack.words.push_back(0);
    const WalkResult result = walk(set, at(0x5000000, kStack, kStack), Start::kInterrupted, stack.view(), frames);
    EXPECT_EQ(result.end, PathEnd::kComplete);
    EXPECT_EQ(result.count, kFrames + 1);
    EXPECT_TRUE(result.recovered);
    EXPECT_EQ(images.counts.describes, 0U);
    EXPECT_LE(images.counts.locates, 6 * kFrames);
}

// An image whose one function moves on by a page for each frame, and expects its caller there.
image::LoadedImage function_image(const FrameBytes& rules) {
    image::LoadedImage image;
    image.range = {0x400000, 0x402000};
    image.bias = 0x400000;
    image.segments[0] = {image.range, 1, image.range.end};
    image.segment_count = 1;
    image.debug_frame = rules.section().bytes;
    return image;
}

FrameBytes one_function(const Bytes& program) {
    FrameBytes rules(FrameSectionKind::kDebugFrame);
    FrameBytes::Common common;
    common.augmentation = "";
    common.program = program;
    rules.cie(common);
    rules.fde(0x1000, 0x100, {});
    return rules;
}

TEST(WalkLimits, StacksOfOneWalk) {
    Undescribable images;
    ImageSet set;
    ASSERT_TRUE(set.create(images.hooks()));
    const FrameBytes rules = one_function({kDefCfa, 7, 0x80, 0x20, kOffset + 16, 1});  // CFA = rsp + 4096
    ASSERT_NE(raw(set.add(function_image(rules))), 0U);
    static std::uint64_t word;
    word = 0x401010;
    Counts counts;
    const StackFinder finder{&counts, [](void* context, std::uint64_t pointer, MemoryView* stack) {
                                 ++static_cast<Counts*>(context)->stacks;
                                 *stack = MemoryView::copied(
                                     pointer, {reinterpret_cast<const std::uint8_t*>(&word), sizeof(word)});
                                 return true;
                             }};
    const WalkResult result = walk(set, at(0x401010, kStack, 0), Start::kInterrupted, {}, frames, &finder);
    EXPECT_EQ(result.end, PathEnd::kOutsideStack);
    EXPECT_EQ(counts.stacks, kMostStacks);
}

TEST(WalkLimits, ExpressionsOfOneWalk) {
    // The CFA by an expression of some 200 operations: lit8, plus, …; there may be frames for a while.
    Bytes program{kDefCfaExpression, 0x80 + (202 & 0x7F), 202 >> 7, 0x77, 0};
    for (int i = 0; i < 100; ++i) {
        program.insert(program.end(),
                       {i == 0 ? std::uint8_t{0x40} : std::uint8_t{0x30}, 0x22});  // lit16 or lit0; plus
    }
    program.insert(program.end(), {kOffset + 16, 1});
    const FrameBytes rules = one_function(program);
    Undescribable images;
    ImageSet set;
    ASSERT_TRUE(set.create(images.hooks()));
    ASSERT_NE(raw(set.add(function_image(rules))), 0U);
    Words stack;
    stack.words.assign(10000, 0x401010);
    const WalkResult result = walk(set, at(0x401010, kStack, 0), Start::kInterrupted, stack.view(), frames);
    EXPECT_EQ(result.end, PathEnd::kBadRule);
    EXPECT_EQ(result.count, kMostOperations / 201 + 1);
}

TEST(WalkLimits, AnExpressionWithoutEndEnds) {
    RegisterFile registers;
    std::uint64_t result = 0;
    unsigned operations = 5000;
    const std::uint8_t loop[] = {0x2F, 0xFD, 0xFF};  // skip −3
    EXPECT_EQ(evaluate(loop, registers, {}, nullptr, &result, &operations), ExpressionError::kBad);
    EXPECT_EQ(operations, 0U);
}

// Two stacks that nobody knows are copied into the same buffer, and a register that was saved on the first is needed
// on the second.
TEST(WalkLimits, AStackThatTakesTheRoomOfTheOneBefore) {
    Undescribable images;
    ImageSet set;
    ASSERT_TRUE(set.create(images.hooks()));
    FrameBytes rules(FrameSectionKind::kDebugFrame);
    FrameBytes::Common common;
    common.augmentation = "";
    rules.cie(common);
    rules.fde(0x1000, 0x100, {kDefCfa, 7, 16, kOffset + 16, 1, kOffset + 6, 2});  // CFA = rsp + 16
    rules.fde(0x1100, 0x100, {kDefCfa, 6, 16, kOffset + 16, 1, kOffset + 6, 2});  // CFA = rbp + 16
    rules.fde(0x1200, 0x100, {kUndefined, 16});
    ASSERT_NE(raw(set.add(function_image(rules))), 0U);
    struct Stacks {
        std::array<std::uint64_t, 2> buffer;
        std::array<std::uint64_t, 2> first{0x7FF800000000, 0x401110};
        std::array<std::uint64_t, 2> second{0x1, 0x401210};
    } stacks;
    const StackFinder finder{&stacks, [](void* context, std::uint64_t pointer, MemoryView* stack) {
                                 auto& all = *static_cast<Stacks*>(context);
                                 const bool is_first = pointer - kStack < 16;
                                 all.buffer = is_first ? all.first : all.second;
                                 const std::uint64_t begin = is_first ? kStack : 0x7FF800000000;
                                 *stack = MemoryView::copied(
                                     begin, {reinterpret_cast<const std::uint8_t*>(all.buffer.data()), 16});
                                 return true;
                             }};
    const WalkResult result = walk(set, at(0x401010, kStack, 0), Start::kInterrupted, {}, frames, &finder);
    EXPECT_EQ(result.end, PathEnd::kComplete);
    ASSERT_EQ(result.count, 3U);
    EXPECT_EQ(frames[2].offset, 0x120FU);
}

// CFA = [rbp] + 8, and rbp points into another stack, which the finder knows.
TEST(OtherStacks, AnExpressionMayReadOne) {
    constexpr std::uint64_t kOther = 0x7FF800000000;
    Undescribable images;
    ImageSet set;
    ASSERT_TRUE(set.create(images.hooks()));
    FrameBytes rules(FrameSectionKind::kDebugFrame);
    FrameBytes::Common common;
    common.augmentation = "";
    rules.cie(common);
    rules.fde(0x1000, 0x100, {kDefCfaExpression, 5, 0x76, 0, 0x06, 0x23, 8, kOffset + 16, 1});
    rules.fde(0x1200, 0x100, {kUndefined, 16});
    ASSERT_NE(raw(set.add(function_image(rules))), 0U);
    const std::array<std::uint64_t, 3> other{kOther + 16, 0, 0x401210};
    const StackFinder finder{const_cast<std::uint64_t*>(other.data()),
                             [](void* context, std::uint64_t pointer, MemoryView* stack) {
                                 *stack = MemoryView::copied(kOther, {static_cast<const std::uint8_t*>(context), 24});
                                 return pointer - kOther < 24;
                             }};
    Words own;
    own.words.assign(4, 0);
    const WalkResult result =
        walk(set, at(0x401010, kStack, kOther), Start::kInterrupted, own.view(), frames, &finder);
    EXPECT_EQ(result.end, PathEnd::kComplete);
    EXPECT_EQ(result.count, 2U);
    EXPECT_FALSE(result.recovered);
}

}  // namespace
}  // namespace kymo::unwind::test
