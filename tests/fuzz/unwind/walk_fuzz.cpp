// Any registers, stack and code: a walk stays within its bounds (walk_limits.h), counted by the hooks that it calls,
// and reads nothing but what it was given.
//
// Input: one byte for the number of code bytes in 16; the code, which is put where an image is; then words. The first
// 17 are the registers, the others the stack. The top byte of a word says what it is: an address on the stack, in the
// code, where an image is that cannot be described, or the word as it is.
#include "image/describe.h"
#include "unwind/walk.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

using namespace kymo::unwind;

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kStack = 0x7FF000000000;
constexpr std::uint64_t kOtherStack = 0x7FF800000000;
constexpr std::uint64_t kPlaces = 0x10000000;  // each page is one that cannot be described
constexpr std::size_t kFrames = 512;

alignas(kPage) std::array<std::uint8_t, 2 * kPage> code;

struct Counts {
    unsigned locates;
    unsigned describes;
    unsigned stacks;
} counts;

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

// One image: its first half has rules (CFA = rsp + 16, rsp + 8, rbp + 16, and one by an expression), its second has
// none.
ImageSet& images() {
    static ImageSet set;
    static const bool made = [] {
        static constexpr std::uint8_t kCie[] = {0x14, 0,    0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 1, 0, 1, 0x78,
                                                16,   0x0C, 7, 8, 0x90, 1,    0,    0,    0, 0, 0, 0};
        static std::vector<std::uint8_t> frames(std::begin(kCie), std::end(kCie));
        const auto function = [](std::uint64_t begin, std::initializer_list<std::uint8_t> program) {
            const std::uint64_t size = 512;
            const std::uint32_t length = 4 + 8 + 8 + 12;
            const std::uint32_t cie = 0;
            std::array<std::uint8_t, 4 + length> bytes{};
            std::memcpy(bytes.data(), &length, 4);
            std::memcpy(bytes.data() + 4, &cie, 4);
            std::memcpy(bytes.data() + 8, &begin, 8);
            std::memcpy(bytes.data() + 16, &size, 8);
            std::copy(program.begin(), program.end(), bytes.begin() + 24);
            frames.insert(frames.end(), bytes.begin(), bytes.end());
        };
        function(0, {0x0E, 16, 0x86, 2});                      // rsp + 16, rbp saved
        function(512, {});                                     // rsp + 8
        function(1024, {0x0C, 6, 16, 0x86, 2});                // rbp + 16, rbp saved
        function(1536, {0x0F, 5, 0x77, 0x78, 0x06, 0x23, 8});  // [rsp − 8] + 8
        function(2048, {0x0E, 0x80, 0x20});                    // rsp + 4096
        function(2560, {0x0F, 3, 0x2F, 0xFD, 0xFF});           // an expression without end
        kymo::image::LoadedImage image;
        image.bias = reinterpret_cast<std::uint64_t>(code.data());
        image.range = {image.bias, image.bias + code.size()};
        image.segments[0] = {image.range, 5, image.range.end};
        image.segment_count = 1;
        image.debug_frame = frames;
        ImageHooks hooks;
        // In our own process, code outside images is read as well, where it can be: a handler may return to it. The
        // input would choose any of the driver's memory.
        hooks.is_elsewhere = true;
        hooks.locate = [](void*, std::uint64_t address, kymo::image::ImagePlace* place) {
            ++counts.locates;
            place->range = {address & ~(kPage - 1), 0};
            return address - kPlaces < kPlaces;
        };
        hooks.describe = [](void*, std::uint64_t, kymo::image::Arena&, kymo::image::LoadedImage*) {
            ++counts.describes;
            return false;
        };
        return set.create(hooks) && set.add(image) != kymo::ImageId{0} &&
               set.entry(kymo::ImageId{1}).kept_table->functions == 6;
    }();
    require(made);
    return set;
}

std::uint64_t meant(std::uint64_t word) {
    const std::uint64_t value = word & 0xFFFFFFFFFFFFFF;
    switch (word >> 56U & 7U) {
        case 0:
        case 1:
            return kStack + value % 0x1000 * 8;
        case 2:
        case 3:
            return reinterpret_cast<std::uint64_t>(code.data()) + value % code.size();
        case 4:
            return kPlaces + value % kPlaces;
        case 5:
            return kOtherStack + value % 64;
        default:
            return value;
    }
}

bool find_stack(void* context, std::uint64_t pointer, MemoryView* stack) {
    ++counts.stacks;
    *stack = MemoryView::copied(pointer, *static_cast<const std::vector<std::uint8_t>*>(context));
    return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    const std::size_t code_bytes = std::min<std::size_t>(data[0] * std::size_t{16}, size - 1);
    code.fill(0x90);
    // Over and over, so that every part of the image has it.
    for (std::size_t at = 0; code_bytes != 0 && at + code_bytes <= code.size(); at += code_bytes) {
        std::memcpy(code.data() + at, data + 1, code_bytes);
    }
    std::vector<std::uint64_t> words((size - 1 - code_bytes) / 8);
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::memcpy(&words[i], data + 1 + code_bytes + 8 * i, 8);
        words[i] = meant(words[i]);
    }
    Registers start;
    const std::size_t registers = std::min<std::size_t>(words.size(), 17);
    for (std::size_t i = 0; i < registers; ++i) {
        (i < 16 ? start.general[i] : start.pc) = words[i];
    }
    start.set_sp(kStack);
    // On the heap and of the exact size, so that a sanitizer sees any byte read outside.
    std::vector<std::uint8_t> stack((words.size() - registers) * 8);
    if (!stack.empty()) {
        std::memcpy(stack.data(), words.data() + registers, stack.size());
    }
    std::vector<std::uint8_t> other(stack.begin(), stack.begin() + static_cast<std::ptrdiff_t>(stack.size() / 2));
    const StackFinder finder{&other, find_stack};
    for (const StackFinder* others : {static_cast<const StackFinder*>(nullptr), &finder}) {
        counts = {};
        std::array<Frame, kFrames> frames;
        const WalkResult result =
            walk(images(), start, Start::kInterrupted, MemoryView::copied(kStack, stack), frames, others);
        require(result.count <= kFrames);
        require(counts.describes <= kMostDescribed);
        require(counts.stacks <= kMostStacks);
        // A few look-ups for each frame, two for each word that is tried.
        require(counts.locates <= 8 * kFrames + 2 * kMostWords);
        for (std::uint32_t i = 0; i < result.count; ++i) {
            require(frames[i].image == kymo::ImageId{0} || frames[i].offset < code.size());
        }
    }
    return 0;
}
