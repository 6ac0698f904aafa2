// Walks through functions that say nothing, or not enough, of their frames.
#include "walk_in_handler.h"

extern "C" {
void cfa_by_r10();
int without_rules_framed(void (*call)(void*), void* context);
int without_rules_unframed(void (*call)(void*), void* context);
int without_rules_untellable(void (*call)(void*), void* context);
void keeps_stack_in_scratch();
void leaf_pushes();
void leaf_allocates_little();
void leaf_realigns();
void leaf_keeps_in_register();
void leaf_leaves();
void without_rules_leaf();
void calls_without_rules_leaf();
void without_rules_entry();
void pushes_untold();
void returns_by_register();
long with_frame_calls(long (*call)(void*), void* context);
}

namespace kymo::unwind::test {
namespace {

void walk_into(void* context) {
    *static_cast<Path*>(context) = walk_live(capture_here());
}

TEST_F(WalkInHandler, FunctionWithoutRulesButAFramePointer) {
    Path path;
    without_rules_framed(walk_into, &path);
    EXPECT_EQ(path.result.end, PathEnd::kComplete);
    EXPECT_TRUE(path.result.recovered);
    EXPECT_TRUE(path.passes(reinterpret_cast<const void*>(without_rules_framed)));
}

TEST_F(WalkInHandler, FunctionWithoutRulesOrFramePointerButAnEpilogue) {
    Path path;
    without_rules_unframed(walk_into, &path);
    EXPECT_EQ(path.result.end, PathEnd::kComplete);
    EXPECT_TRUE(path.result.recovered);
    EXPECT_TRUE(path.passes(reinterpret_cast<const void*>(without_rules_unframed)));
}

TEST_F(WalkInHandler, FunctionOfWhichNothingIsToldEndsThePath) {
    Path path;
    without_rules_untellable(walk_into, &path);
    EXPECT_EQ(path.result.end, PathEnd::kNoRule);
    EXPECT_FALSE(path.result.recovered);
    ASSERT_EQ(path.frames.size(), 2U);  // walk_into and the function itself
    EXPECT_TRUE(path.passes(reinterpret_cast<const void*>(without_rules_untellable)));
}

TEST_F(WalkInHandler, TheInterruptedRegistersAreAllKnownAgain) {
    // The handler interrupts a function whose CFA is by a register that callees may change at will.
    install(SIGTRAP, 0);
    handler_compares = true;
    cfa_by_r10();
    EXPECT_GT(in_handler.frames.size(), 5U);
}

TEST(Walk, BaseInAPreservedRegisterOtherThanTheFramePointer) {
    cfa_by_rbx([](void*) { recurse(4, [] { walk_and_compare(); }); }, nullptr);
}

// Called by a function whose own frame is known by rbx alone. Above the leaf the path is that of its caller.
void expect_epilogue_read(void (*leaf)()) {
    recurse(3, [leaf] {
        struct Context {
            void (*leaf)();
            Path before;
        } context{leaf, {}};
        cfa_by_rbx(
            [](void* given) {
                auto& context = *static_cast<Context*>(given);
                context.before = walk_live(capture_here());
                context.leaf();
            },
            &context);
        const Path& before = context.before;
        ASSERT_EQ(before.result.end, PathEnd::kComplete);
        EXPECT_EQ(in_handler.result.end, PathEnd::kComplete);
        EXPECT_TRUE(in_handler.result.recovered);
        ASSERT_EQ(in_handler.frames.size(), before.frames.size() + 1);
        EXPECT_LT(in_handler.frames[0].address - reinterpret_cast<std::uint64_t>(leaf), 400U);
        for (std::size_t i = 1; i < before.frames.size(); ++i) {
            EXPECT_EQ(in_handler.frames[i + 1].address, before.frames[i].address) << "frame " << i;
        }
    });
}

TEST_F(WalkInHandler, LeavesWithoutRulesAreLeftAsTheyLeave) {
    install(SIGTRAP, 0);
    expect_epilogue_read(leaf_pushes);
    expect_epilogue_read(leaf_realigns);
    expect_epilogue_read(leaf_keeps_in_register);
    expect_epilogue_read(leaf_leaves);
    if (__builtin_cpu_supports("avx")) {
        expect_epilogue_read(leaf_allocates_little);
    }
}

TEST_F(WalkInHandler, CallerWhoseStackPointerIsInAScratchRegister) {
    install(SIGTRAP, 0);
    recurse(3, [] { keeps_stack_in_scratch(); });
    EXPECT_EQ(in_handler.result.end, PathEnd::kComplete);
    EXPECT_TRUE(in_handler.result.recovered);
    EXPECT_TRUE(in_handler.passes(reinterpret_cast<const void*>(keeps_stack_in_scratch), 20));
    EXPECT_TRUE(passes_recurse(in_handler));
}

TEST_F(WalkInHandler, InterruptedLeafWithoutRules) {
    install(SIGTRAP, 0);
    calls_without_rules_leaf();
    EXPECT_EQ(in_handler.result.end, PathEnd::kComplete);
    EXPECT_TRUE(in_handler.result.recovered);
    EXPECT_TRUE(in_handler.passes(reinterpret_cast<const void*>(without_rules_leaf), 4));
    EXPECT_TRUE(in_handler.passes(reinterpret_cast<const void*>(calls_without_rules_leaf), 13));
}

[[gnu::noinline]] long calls_entry(void* /*context*/) {
    without_rules_entry();
    return keep;
}

TEST_F(WalkInHandler, InterruptedEntryWithoutRulesLosesNoFrame) {
    install(SIGTRAP, 0);
    with_frame_calls(calls_entry, nullptr);
    EXPECT_EQ(in_handler.result.end, PathEnd::kComplete);
    EXPECT_TRUE(in_handler.result.recovered);
    ASSERT_GE(in_handler.frames.size(), 3U);
    // entry, its caller, with_frame_calls: following the frame pointer from entry would skip its caller.
    EXPECT_LT(in_handler.frames[2].address - reinterpret_cast<std::uint64_t>(with_frame_calls), 32U);
}

TEST_F(WalkInHandler, PushesThatTheTableDoesNotTell) {
    install(SIGTRAP, 0);
    recurse(3, [] { pushes_untold(); });
    EXPECT_EQ(in_handler.result.end, PathEnd::kComplete);
    EXPECT_TRUE(in_handler.result.recovered);
    ASSERT_GE(in_handler.frames.size(), 2U);
    EXPECT_NE(raw(in_handler.frames[1].image), 0U) << "what was pushed is no frame";
    EXPECT_TRUE(passes_recurse(in_handler));
}

TEST_F(WalkInHandler, AnEmptyFrameThatHasItsCallerInARegister) {
    install(SIGTRAP, 0);
    recurse(3, [] { returns_by_register(); });
    EXPECT_EQ(in_handler.result.end, PathEnd::kComplete);
    EXPECT_FALSE(in_handler.result.recovered);
    EXPECT_TRUE(passes_recurse(in_handler));
}

}  // namespace
}  // namespace kymo::unwind::test
