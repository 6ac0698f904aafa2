// unwind::leave: out of some images, to their nearest caller.
#include "paths.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace kymo::unwind::test {
namespace {

volatile int keep_frame = 0;

struct Left {
    bool found = false;
    Registers caller{};
    Path path;  // walked from the same place
    bool found_outer = false;
    Registers outer{};  // the caller's own, back in the program
    Path rest;          // walked from there
};

MemoryView stack_of(const Registers& start) {
    return MemoryView::live(start.sp() - 128, stack_end());
}

ImageId own_image() {
    return images().rule_at(reinterpret_cast<std::uint64_t>(&stack_of)).id;
}

bool in_program(ImageId image) {
    return image == own_image();
}
bool in_another(ImageId image) {
    return image != own_image();
}
bool nowhere(ImageId /*image*/) {
    return false;
}

// Called by the C library.
Left* left = nullptr;
bool (*inside)(ImageId) = nullptr;
[[gnu::noinline]] int compare(const void* a, const void* b) {
    const Registers here = capture_here();
    left->path = walk_live(here);
    left->found = leave(images(), here, stack_of(here), inside, &left->caller);
    if (left->found) {
        left->found_outer = leave(images(), left->caller, stack_of(left->caller), in_another, &left->outer);
        left->rest = left->found_outer ? walk_live(left->outer) : Path{};
    }
    return static_cast<int>(*static_cast<const char*>(a)) - static_cast<int>(*static_cast<const char*>(b)) +
           keep_frame;
}

[[gnu::noinline]] Left leave_from_qsort(bool (*which)(ImageId)) {
    Left answer;
    left = &answer;
    inside = which;
    char values[] = {'b', 'a'};
    qsort(values, 2, 1, compare);
    keep_frame = 0;  // no tail call
    return answer;
}

[[gnu::noinline]] int at_depth(int depth, Left* answer) {
    if (depth == 0) {
        const Registers here = capture_here();
        answer->found = leave(images(), here, stack_of(here), in_program, &answer->caller);
        return keep_frame;
    }
    volatile char space[16];
    space[depth % 16] = static_cast<char>(depth);
    return at_depth(depth - 1, answer) + space[depth % 16];
}

TEST(Leave, FromNowhereIsWhereItBegan) {
    const Left answer = leave_from_qsort(nowhere);
    ASSERT_TRUE(answer.found);
    EXPECT_TRUE(in_program(images().rule_at(answer.caller.pc).id));
    EXPECT_LT(answer.caller.pc - reinterpret_cast<std::uint64_t>(&compare), 1024U);
}

// compare ← the C library's sort ← leave_from_qsort: out of the program into the C library.
TEST(Leave, FindsTheNearestCallerElsewhere) {
    const Left answer = leave_from_qsort(in_program);
    ASSERT_TRUE(answer.found);
    ASSERT_GE(answer.path.frames.size(), 2U);
    EXPECT_EQ(answer.caller.pc, answer.path.frames[1].address);
    EXPECT_TRUE(in_another(answer.path.frames[1].image));
}

// What it finds is good to walk on from: the rest of the path is the same, frame by frame.
TEST(Leave, TheCallersRegistersLeadOn) {
    const Left answer = leave_from_qsort(in_program);
    ASSERT_TRUE(answer.found);
    ASSERT_TRUE(answer.found_outer);  // out of the C library too: into this file again
    std::size_t next = 1;
    while (next < answer.path.frames.size() && in_another(answer.path.frames[next].image)) {
        ++next;
    }
    ASSERT_LT(next, answer.path.frames.size());
    EXPECT_EQ(answer.outer.pc, answer.path.frames[next].address);
    EXPECT_GT(answer.outer.sp(), answer.caller.sp());
    EXPECT_EQ(answer.rest.result.end, PathEnd::kComplete);
    ASSERT_EQ(answer.rest.frames.size(), answer.path.frames.size() - next);
    for (std::size_t i = 1; i < answer.rest.frames.size(); ++i) {
        EXPECT_EQ(answer.rest.frames[i].address, answer.path.frames[next + i].address);
    }
}

TEST(Leave, GivesUpBeyondItsDepth) {
    Left near;
    at_depth(10, &near);
    EXPECT_TRUE(near.found);  // main's caller is the C library's
    Left far;
    at_depth(static_cast<int>(kMostLeft), &far);
    EXPECT_FALSE(far.found);
}

TEST(Leave, NeverReadsOutsideTheStack) {
    const Registers here = capture_here();
    Registers caller{};
    const MemoryView nothing;
    EXPECT_FALSE(leave(images(), here, nothing, in_program, &caller));
    EXPECT_FALSE(leave(images(), here, MemoryView::live(here.sp(), here.sp() + 16), in_program, &caller));
}

TEST(Leave, WhatIsNoCodeHasNoCaller) {
    Registers here = capture_here();
    for (const std::uint64_t pc : {std::uint64_t{0}, std::uint64_t{0x1000}, here.sp(), ~std::uint64_t{0}}) {
        here.pc = pc;
        Registers caller{};
        EXPECT_FALSE(leave(images(), here, stack_of(here), in_program, &caller)) << std::hex << pc;
    }
}

}  // namespace
}  // namespace kymo::unwind::test
