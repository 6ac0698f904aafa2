#include "recording/areas/area_list.h"
#include "recording/areas/map_text.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace kymo::recording {
namespace {

using recording::AreaKind;

MapArea parsed(std::string_view line) {
    MapArea area;
    EXPECT_TRUE(MapLine(line).parse(area)) << line;
    return area;
}

TEST(MapLine, IsAnAreaOfAKind) {
    const MapArea heap = parsed("55d0c8a00000-55d0c8a21000 rw-p 00000000 00:00 0                          [heap]");
    EXPECT_EQ(heap.begin, 0x55d0c8a00000U);
    EXPECT_EQ(heap.end, 0x55d0c8a21000U);
    EXPECT_EQ(heap.kind, AreaKind::kHeap);
    EXPECT_EQ(heap.protection, recording::kAreaRead | recording::kAreaWrite);
    EXPECT_EQ(heap.file, 0U);
    const MapArea file = parsed("7f0000000000-7f0000001000 r-xp 00001000 fe:02 1234   /usr/lib/a b.so (deleted)");
    EXPECT_EQ(file.kind, AreaKind::kFile);
    EXPECT_EQ(file.path, "/usr/lib/a b.so (deleted)");
    EXPECT_NE(file.file, 0U);
    EXPECT_EQ(file.protection, recording::kAreaRead | recording::kAreaExecute);
    EXPECT_EQ(parsed("7ffe0000-7fff0000 rw-p 00000000 00:00 0 [stack]").kind, AreaKind::kMainStack);
    EXPECT_EQ(parsed("7ffe0000-7fff0000 r-xp 00000000 00:00 0 [vdso]").kind, AreaKind::kKernel);
    EXPECT_EQ(parsed("1000-2000 rw-p 00000000 00:00 0 ").kind, AreaKind::kAnonymous);
    EXPECT_EQ(parsed("1000-2000 rw-p 00000000 00:00 0 [anon:arena]").kind, AreaKind::kAnonymous);
    EXPECT_EQ(parsed("1000-2000 rw-s 00000000 00:01 77 /dev/zero (deleted)").kind, AreaKind::kShared);
    EXPECT_EQ(parsed("1000-2000 rw-s 00000000 00:01 77 /memfd:ring (deleted)").kind, AreaKind::kShared);
    EXPECT_EQ(parsed("1000-2000 rw-s 00000000 fe:02 77 /srv/table").kind, AreaKind::kFile);
    EXPECT_EQ(parsed("1000-2000 ---p 00000000 00:00 0").protection, 0U);
}

TEST(MapLine, OfAnotherFormIsNone) {
    MapArea area;
    for (const char* line : {"", "heap", "1000", "1000-", "1000-2000", "2000-1000 rw-p 00000000 00:00 0",
                             "1000-2000 rw", "1000-2000 rw-p 00000000", "1000-2000 rw-p 00000000 00:00 x"}) {
        EXPECT_FALSE(MapLine(line).parse(area)) << line;
    }
}

// What a look tells, in its order: "+1 10-20" (new or changed), "-1".
template <std::size_t kMost>
std::string look(AreaList<kMost>& list, const std::vector<KnownArea>& areas, std::size_t missed = 0) {
    std::string told;
    const auto gone = [&](std::uint32_t number) { told += "-" + std::to_string(number) + " "; };
    list.begin();
    for (const KnownArea& area : areas) {
        list.add(
            area,
            [&](const KnownArea& changed) {
                told += "+" + std::to_string(changed.number) + " " + std::to_string(changed.begin) + "-" +
                        std::to_string(changed.end) + " ";
            },
            gone);
    }
    EXPECT_EQ(list.finish(gone), missed);
    return told;
}

TEST(AreaList, TellsOnlyWhatHasChanged) {
    AreaList<8> list;
    EXPECT_EQ(look(list, {{10, 20, 1}, {30, 40, 2}}), "+1 10-20 +2 30-40 ");
    EXPECT_EQ(look(list, {{10, 20, 1}, {30, 40, 2}}), "");
    EXPECT_EQ(look(list, {{10, 25, 1}, {30, 40, 2}}), "+1 10-25 ");   // grows upwards
    EXPECT_EQ(look(list, {{10, 25, 1}, {27, 40, 2}}), "+2 27-40 ");   // and downwards
    EXPECT_EQ(look(list, {{5, 8, 3}, {27, 40, 2}}), "+3 5-8 -1 ");    // one has come, one is gone
    EXPECT_EQ(look(list, {{5, 8, 3}, {27, 40, 9}}), "+4 27-40 -2 ");  // the same place, something else
    EXPECT_EQ(look(list, {}), "-3 -4 ");
    list.forget();
    EXPECT_EQ(look(list, {{10, 20, 1}}), "+1 10-20 ");
}

TEST(AreaList, FirstPartOfAnAreaCutInTwoKeepsTheNumber) {
    AreaList<8> list;
    look(list, {{10, 100, 1}});
    EXPECT_EQ(look(list, {{10, 40, 1}, {60, 100, 1}}), "+1 10-40 +2 60-100 ");
    EXPECT_EQ(look(list, {{10, 100, 1}}), "+1 10-100 -2 ");  // joined again
}

TEST(AreaList, AnotherOwnerIsAChange) {
    AreaList<8> list;
    look(list, {{10, 20, 1, 0, 5}});
    EXPECT_EQ(look(list, {{10, 20, 1, 0, 5}}), "");
    EXPECT_EQ(look(list, {{10, 20, 1, 0, 6}}), "+1 10-20 ");
}

TEST(AreaList, CountsWhatHasNoRoom) {
    AreaList<2> list;
    EXPECT_EQ(look(list, {{10, 20, 1}, {30, 40, 1}, {50, 60, 1}, {70, 80, 1}}, 2), "+1 10-20 +2 30-40 ");
    EXPECT_EQ(look(list, {{30, 40, 1}, {50, 60, 1}}), "-1 +3 50-60 ");
}

TEST(AreaList, AListThatChangedWhileItWasReadIsNoTwoAreasInOnePlace) {
    AreaList<8> list;
    EXPECT_EQ(look(list, {{10, 20, 1}, {15, 30, 2}, {30, 40, 3}}), "+1 10-20 +2 30-40 ");
}

}  // namespace
}  // namespace kymo::recording
