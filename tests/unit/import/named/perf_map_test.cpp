#include "import/named/perf_map.h"

#include <gmock/gmock.h>
#include <string>
#include <sys/mman.h>
#include <tuple>
#include <unistd.h>

namespace kymo::import::named {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Row = std::tuple<std::uint64_t, std::uint64_t, std::string>;

std::vector<Row> rows(const PerfMap& map) {
    std::vector<Row> found;
    for (const GeneratedFunction& function : map.functions()) {
        found.emplace_back(function.begin, function.end, function.name);
    }
    return found;
}

TEST(PerfMap, NamesTheWantedAddresses) {
    PerfMap map({0x1000, 0x10ff, 0x1100, 0x2010, 0x3000});
    map.add("1000 100 LazyCompile:*add /srv/a b.js:3");
    map.add("0x2000 0x20 Lcom/example/Main;::run");
    map.add("4000 100 never_sampled");
    EXPECT_THAT(rows(map), ElementsAre(Row{0x1000, 0x1100, "LazyCompile:*add /srv/a b.js:3"},
                                       Row{0x2000, 0x2020, "Lcom/example/Main;::run"}));
    EXPECT_EQ(map.named(), 3U);
}

TEST(PerfMap, LetsTheLaterLineWin) {
    PerfMap map({0x1050, 0x1250, 0x1950});
    map.add("1000 1000 old");
    map.add("1200 100 inner");
    EXPECT_THAT(rows(map),
                ElementsAre(Row{0x1000, 0x1200, "old"}, Row{0x1200, 0x1300, "inner"}, Row{0x1300, 0x2000, "old"}));
    map.add("1000 1000 whole");
    EXPECT_THAT(rows(map), ElementsAre(Row{0x1000, 0x2000, "whole"}));

    PerfMap chained({0x10, 0x20, 0x30});
    chained.add("20 20 behind");
    chained.add("8 1a before");
    EXPECT_THAT(rows(chained), ElementsAre(Row{0x8, 0x22, "before"}, Row{0x22, 0x40, "behind"}));
}

TEST(PerfMap, PassesOverWhatMakesNoSense) {
    PerfMap map({0x1000, 0xffff'ffff'ffff'fff0});
    for (const char* line :
         {"", " ", "1000", "1000 ", "1000 100", "1000 100 ", "xyz 100 name", "1000 0 empty", "1000 -100 name",
          "10000000000000000 100 name", "ffffffffffffff00 1000 name", "1000\t100\tname", "# a comment"}) {
        map.add(line);
    }
    EXPECT_THAT(rows(map), IsEmpty());
    map.add("1000 100 " + std::string(10'000, 'n'));
    ASSERT_EQ(map.functions().size(), 1U);
    EXPECT_EQ(map.functions()[0].name.size(), PerfMap::kMostNameBytes);
}

TEST(PerfMap, ReadsNoMoreOfAFileThanAsked) {
    Descriptor file(::memfd_create("map", MFD_CLOEXEC));
    const std::string text = "1000 100 first\r\n2000 100 second\n3000 100 third";
    ASSERT_EQ(::write(file.number(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ASSERT_EQ(::lseek(file.number(), 0, SEEK_SET), 0);
    Input input = Input::of(std::move(file), "map", 32);
    PerfMap map({0x1000, 0x2000, 0x3000});
    ASSERT_TRUE(map.read(input));
    EXPECT_THAT(rows(map), ElementsAre(Row{0x1000, 0x1100, "first"}, Row{0x2000, 0x2100, "second"}));
}

}  // namespace
}  // namespace kymo::import::named
