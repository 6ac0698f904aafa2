#include "view/page/address_map.h"

#include "unpack.h"

#include <gtest/gtest.h>

namespace kymo::view {
namespace {

using testing::unpack;
using Numbers = std::vector<std::int64_t>;
using recording::AreaKind;
using spacetime::AreaSpan;

constexpr std::uint64_t kPage = 4096;

// Read at 1100, 1300 and 1900 ns: code, an area that is there at the second reading alone, and the heap, which grows.
spacetime::AddressMap three_readings() {
    spacetime::ProcessMap process;
    process.file = 1;
    process.pid = 7;
    process.readings = {1100, 1300, 1900};
    process.has_ended = true;
    process.account = {.readings = 3, .passed_over = 2, .lost = 0};
    process.areas = {AreaSpan{.number = 1,
                              .seen = 1100,
                              .begin = 16 * kPage,
                              .end = 20 * kPage,
                              .kind = AreaKind::kFile,
                              .protection = recording::kAreaRead | recording::kAreaExecute,
                              .path = "/opt/app"},
                     AreaSpan{.number = 2,
                              .seen = 1100,
                              .gone = 1900,
                              .begin = 32 * kPage,
                              .end = 33 * kPage,
                              .kind = AreaKind::kHeap,
                              .protection = recording::kAreaRead | recording::kAreaWrite,
                              .path = "[heap]"},
                     AreaSpan{.number = 3,
                              .seen = 1300,
                              .gone = 1900,
                              .begin = 64 * kPage,
                              .end = 72 * kPage,
                              .protection = recording::kAreaRead | recording::kAreaWrite,
                              .path = {}},
                     AreaSpan{.number = 2,
                              .seen = 1900,
                              .begin = 32 * kPage,
                              .end = 34 * kPage,
                              .kind = AreaKind::kHeap,
                              .protection = recording::kAreaRead | recording::kAreaWrite,
                              .path = "[heap]"}};
    return {.processes = {process}};
}

// The run begins at 1000; the file's times are moved by 50 ns.
spacetime::Profile shifted() {
    spacetime::Profile profile;
    profile.begin = 1000;
    profile.end = 2000;
    profile.threads.resize(1);
    profile.threads[0].process = 4;
    profile.streams.push_back({.file = 1, .shift_ns = 50, .nodes = {}});
    return profile;
}

TEST(PageAddressMap, AreasLieBetweenReadings) {
    Blob blob;
    write_address_map(three_readings(), shifted(), 100, blob);
    const auto page = unpack(blob.deflated());
    EXPECT_EQ(page.numbers("reading.first"), (Numbers{0, 3}));
    EXPECT_EQ(page.numbers("reading.time"), (Numbers{150, 350, 950}));
    EXPECT_EQ(page.numbers("area.first"), (Numbers{0, 4}));
    EXPECT_EQ(page.numbers("area.number"), (Numbers{1, 2, 3, 2}));
    EXPECT_EQ(page.numbers("area.page"), (Numbers{16, 32, 64, 32}));
    EXPECT_EQ(page.numbers("area.pages"), (Numbers{4, 1, 8, 2}));
    EXPECT_EQ(page.numbers("area.from"), (Numbers{0, 0, 1, 2}));
    EXPECT_EQ(page.numbers("area.to"), (Numbers{3, 2, 2, 3}));
    EXPECT_EQ(page.json["kinds"], (nlohmann::json{"code", "heap", "anonymous"}));
    EXPECT_EQ(page.numbers("area.kind"), (Numbers{0, 1, 2, 1}));
    EXPECT_EQ(page.json["names"][page.numbers("area.name")[2]], "anonymous memory");
    EXPECT_EQ(page.json["names"][page.numbers("area.path")[0]], "/opt/app");
    EXPECT_EQ(page.json["access"], (nlohmann::json{"r-xp", "rw-p"}));
    EXPECT_EQ(
        page.json["processes"],
        (nlohmann::json{{{"pid", 7}, {"process", 4}, {"all", 4}, {"passed_over", 2}, {"lost", 0}, {"ended", true}}}));
}

TEST(PageAddressMap, TheLargestStayWhereThereAreTooMany) {
    Blob blob;
    write_address_map(three_readings(), shifted(), 2, blob);
    const auto page = unpack(blob.deflated());
    EXPECT_EQ(page.numbers("area.pages"), (Numbers{4, 8}));
    EXPECT_EQ(page.json["processes"][0]["all"], 4);
}

TEST(PageAddressMap, AProcessOfWhichNoThreadIsKnownHasNoNumber) {
    Blob blob;
    write_address_map(three_readings(), spacetime::Profile(), 100, blob);
    EXPECT_TRUE(unpack(blob.deflated()).json["processes"][0]["process"].is_null());
}

}  // namespace
}  // namespace kymo::view
