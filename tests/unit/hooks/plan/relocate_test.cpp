// What functions' first instructions become where they are moved to. Bytes as gcc 12 writes them.
#include "hooks/plan/relocate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

namespace kymo::hooks {
namespace {

using ::testing::HasSubstr;
using Code = std::vector<std::uint8_t>;

constexpr std::uint64_t kAt = 0x1000;

Code moved(const PlanEntry& entry) {
    return {entry.moved, entry.moved + entry.moved_bytes};
}

std::string relocate(Code code, PlanEntry* entry, std::uint64_t size = 0) {
    const std::uint64_t bytes = size != 0 ? size : code.size();
    code.resize(code.size() + 32, 0x90);
    return relocate_entry(code, kAt, bytes, entry);
}

TEST(Relocate, CopiesWhatDoesTheSameAnywhere) {
    // push %rbp; mov %rsp,%rbp; push %rbx; sub $24,%rsp
    PlanEntry entry;
    EXPECT_EQ(relocate({0x55, 0x48, 0x89, 0xe5, 0x53, 0x48, 0x83, 0xec, 0x18}, &entry), "");
    EXPECT_EQ(entry.original_bytes, 5);
    EXPECT_EQ(moved(entry), (Code{0x55, 0x48, 0x89, 0xe5, 0x53}));
    EXPECT_EQ(entry.instructions, 3);
    EXPECT_EQ(entry.original_at[2], 4);
    EXPECT_EQ(entry.fixups, 0);
}

TEST(Relocate, TakesWholeInstructions) {
    // endbr64; sub $0x1000,%rsp
    PlanEntry entry;
    EXPECT_EQ(relocate({0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x81, 0xec, 0, 0x10, 0, 0, 0xc3}, &entry), "");
    EXPECT_EQ(entry.original_bytes, 11);
}

TEST(Relocate, NamesMemoryAnew) {
    // mov 0x2fd9(%rip),%eax; ret
    PlanEntry entry;
    EXPECT_EQ(relocate({0x8b, 0x05, 0xd9, 0x2f, 0, 0, 0xc3}, &entry), "");
    ASSERT_EQ(entry.fixups, 1);
    EXPECT_EQ(entry.fixup[0].target, kAt + 6 + 0x2fd9);
    EXPECT_EQ(entry.fixup[0].at, 2);
    EXPECT_EQ(entry.fixup[0].end, 6);
    // cmpb $0,0x2fd9(%rip): what is behind the distance counts, too
    EXPECT_EQ(relocate({0x80, 0x3d, 0xd9, 0x2f, 0, 0, 0, 0xc3}, &entry), "");
    EXPECT_EQ(entry.fixup[0].target, kAt + 7 + 0x2fd9);
    EXPECT_EQ(entry.fixup[0].end, 7);
}

TEST(Relocate, MakesJumpsLong) {
    // test %rdi,%rdi; je +0x10; ret
    PlanEntry entry;
    EXPECT_EQ(relocate({0x48, 0x85, 0xff, 0x74, 0x10, 0xc3}, &entry), "");
    EXPECT_EQ(moved(entry), (Code{0x48, 0x85, 0xff, 0x0f, 0x84, 0, 0, 0, 0}));
    EXPECT_EQ(entry.fixup[0].target, kAt + 5 + 0x10);
    EXPECT_EQ(entry.fixup[0].end, 9);
    EXPECT_EQ(entry.moved_at[1], 3);
    // jmp -16
    EXPECT_EQ(relocate({0xeb, 0xf0}, &entry), "");
    EXPECT_EQ(moved(entry), (Code{0xe9, 0, 0, 0, 0}));
    EXPECT_EQ(entry.fixup[0].target, kAt + 2 - 16);
}

TEST(Relocate, CallsLeaveTheOriginalReturnAddress) {
    // sub $8,%rsp; call +0x20; …
    PlanEntry entry;
    EXPECT_EQ(relocate({0x48, 0x83, 0xec, 0x08, 0xe8, 0x20, 0, 0, 0, 0xc3}, &entry), "");
    EXPECT_EQ(entry.original_bytes, 9);
    ASSERT_EQ(entry.fixups, 3);
    EXPECT_EQ(entry.fixup[0].target, kAt + 9);
    EXPECT_EQ(entry.fixup[0].kind, FixupKind::kLow);
    EXPECT_EQ(entry.fixup[1].target, kAt + 9);
    EXPECT_EQ(entry.fixup[1].kind, FixupKind::kHigh);
    EXPECT_EQ(entry.fixup[2].target, kAt + 9 + 0x20);
    EXPECT_EQ(entry.ends_in_call, 1);
    EXPECT_EQ(moved(entry), (Code{0x48, 0x83, 0xec, 0x08, 0xe8, 1, 0, 0, 0, 0xcc, 0xc7, 0x04, 0x24, 0, 0,
                                  0,    0,    0xc7, 0x44, 0x24, 4, 0, 0, 0, 0,    0xe9, 0,    0,    0, 0}));
    // call +0x20: it fills the room for the hook, and returns just behind it
    EXPECT_EQ(relocate({0xe8, 0x20, 0, 0, 0, 0xc3}, &entry), "");
    EXPECT_EQ(entry.original_bytes, 5);
    EXPECT_EQ(entry.fixup[0].target, kAt + 5);
    // push %rbx; mov %rdi,%rbx; call *0x10(%rdi): the same operand, as a jump
    EXPECT_EQ(relocate({0x53, 0x48, 0x89, 0xfb, 0xff, 0x57, 0x10, 0xc3}, &entry), "");
    EXPECT_EQ(entry.moved[entry.moved_bytes - 3], 0xff);
    EXPECT_EQ(entry.moved[entry.moved_bytes - 2], 0x67);
    // call *0x2000(%rip)
    EXPECT_EQ(relocate({0xff, 0x15, 0, 0x20, 0, 0, 0xc3}, &entry), "");
    EXPECT_EQ(entry.fixup[2].target, kAt + 6 + 0x2000);
    EXPECT_EQ(entry.moved[entry.fixup[2].at - 1], 0x25);
}

TEST(Relocate, LeavesOutRoomForPatches) {
    PlanEntry entry;
    EXPECT_EQ(relocate({0x0f, 0x1f, 0x44, 0, 0, 0x55, 0xc3}, &entry), "");  // nopl 0(%rax,%rax)
    EXPECT_EQ(entry.original_bytes, 5);
    EXPECT_EQ(entry.moved_bytes, 0);
    EXPECT_EQ(entry.instructions, 0);
}

TEST(Relocate, UsesThePaddingOfShortFunctions) {
    PlanEntry entry;
    EXPECT_EQ(relocate({0x31, 0xc0, 0xc3}, &entry), "");  // xor %eax,%eax; ret
    EXPECT_EQ(moved(entry), (Code{0x31, 0xc0, 0xc3}));
    EXPECT_EQ(entry.original_bytes, 5);
    EXPECT_THAT(relocate({0x31, 0xc0, 0xc3, 0x55, 0x53}, &entry, 3), HasSubstr("shorter than a jump"));
    EXPECT_THAT(relocate({0x31, 0xc0}, &entry), HasSubstr("shorter than a jump"));  // runs on into what follows
}

TEST(Relocate, RefusesWhatCannotMove) {
    PlanEntry entry;
    EXPECT_THAT(relocate({0xe3, 0x10, 0x90, 0x90, 0x90, 0xc3}, &entry), HasSubstr("jump that cannot"));  // jrcxz
    EXPECT_THAT(relocate({0xff, 0xd0, 0x90, 0x90, 0x90, 0xc3}, &entry), HasSubstr("return to where"));   // call *%rax
    EXPECT_THAT(relocate({0x90, 0x90, 0xff, 0xd0, 0x90, 0xc3}, &entry),
                HasSubstr("return to where"));  // a byte short
    EXPECT_THAT(relocate({0x90, 0xff, 0x54, 0x24, 0x08, 0xc3}, &entry), HasSubstr("call that cannot"));  // *8(%rsp)
    EXPECT_THAT(relocate({0x06, 0, 0, 0, 0, 0}, &entry), HasSubstr("do not decode as instructions"));
    EXPECT_THAT(relocate({0xc3, 0x55, 0x55, 0x55, 0x55}, &entry), HasSubstr("before there is room"));
}

}  // namespace
}  // namespace kymo::hooks
