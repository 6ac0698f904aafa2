// Switching cells off from outside: what is written to a segment, and what is not.

#include "cells/reader/switched.h"

#include "../../recording/temporary_folder.h"
#include "cells/reader/snapshot.h"
#include "cells/segment.h"
#include "cells/switching.h"

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <utility>

namespace kymo::cells {
namespace {

using kymo::testing::TemporaryFolder;

CellBits bits(std::initializer_list<std::size_t> set) {
    CellBits made;
    for (const std::size_t bit : set) {
        made.set(bit);
    }
    return made;
}

TEST(CellsSwitched, OnlyTheBitsThatAreMeantChange) {
    const TemporaryFolder folder;
    const auto path = folder / "a.cells";
    Segment segment;
    SegmentOptions options;
    options.pid = 9;
    options.rate = {};
    options.tasks = 4;
    ASSERT_EQ(segment.create(path.c_str(), options), 0);
    const SegmentHeader before = segment.header();
    auto obeyed = switch_cells(path, bits({64, 70, 127}), bits({64, 127, 3}));
    ASSERT_TRUE(obeyed) << obeyed.error().what;
    EXPECT_TRUE(obeyed->none()) << "the program has not looked yet";
    EXPECT_EQ(segment.header().switched_off[0], 0U) << "cell 3 was not meant";
    EXPECT_EQ(segment.header().switched_off[1], 1U | 1ULL << 63U);
    ASSERT_TRUE(switch_cells(path, bits({64, 33}), bits({33})));
    EXPECT_EQ(segment.header().switched_off[0], 1ULL << 33U);
    EXPECT_EQ(segment.header().switched_off[1], 1ULL << 63U);
    SegmentHeader after = segment.header();
    std::memset(after.switched_off, 0, sizeof after.switched_off);
    EXPECT_EQ(std::memcmp(&before, &after, sizeof after), 0) << "nothing else was written";
    segment.tell_obeyed({1ULL << 33U, 0});
    obeyed = switch_cells(path, {}, {});
    ASSERT_TRUE(obeyed);
    EXPECT_EQ(*obeyed, bits({33}));
    EXPECT_TRUE(read_segment(path));
}

TEST(CellsSwitched, WhatIsNoSegmentIsLeftAlone) {
    const TemporaryFolder folder;
    EXPECT_EQ(switch_cells(folder / "none", bits({64}), bits({64})).error().kind, ErrorKind::kNotFound);
    const std::string text(600, 'x');
    std::ofstream(folder / "text") << text;
    EXPECT_EQ(switch_cells(folder / "text", bits({64}), bits({64})).error().kind, ErrorKind::kMalformed);
    std::ifstream again(folder / "text");
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(again), {}), text);
    std::ofstream(folder / "short") << "KYMOCELL";
    EXPECT_FALSE(switch_cells(folder / "short", bits({64}), bits({64})));
}

// Bits of two words, as a segment's header has them.
using Words = std::uint64_t[2];

TEST(CellsSwitched, OneThreadAtATimeSeesToIt) {
    Switching switching;
    std::uint64_t wanted = 0;
    const auto read = [&wanted](Words& bits) {
        bits[0] = wanted;
        bits[1] = 0;
    };
    Words own;
    Words other;
    EXPECT_FALSE(switching.begin(read, own)) << "nothing is wanted";
    wanted = 1;
    ASSERT_TRUE(switching.begin(read, own));
    EXPECT_EQ(own[0], 1U);
    EXPECT_FALSE(switching.begin(read, other)) << "another thread is at it";
    switching.end(own);
    EXPECT_FALSE(switching.begin(read, other)) << "it is done";
    wanted = 3;
    ASSERT_TRUE(switching.begin(read, other));
    switching.after_fork();  // in the child, who was at it is not there
    EXPECT_TRUE(switching.begin(read, own));
}

// It has read what is wanted, and loses its processor; meanwhile others do that, and what is wanted next.
TEST(CellsSwitched, AThreadThatWasHeldUpPutsNothingOlderInForce) {
    Switching switching;
    std::uint64_t wanted = 1;
    bool is_held_up = true;
    const auto read = [&](Words& bits) {
        bits[0] = wanted;
        bits[1] = 0;
        if (std::exchange(is_held_up, false)) {
            for (const std::uint64_t next : {1U, 3U}) {
                wanted = next;
                Words other;
                ASSERT_TRUE(switching.begin(
                    [next](Words& newest) {
                        newest[0] = next;
                        newest[1] = 0;
                    },
                    other));
                switching.end(other);
            }
        }
    };
    Words bits;
    EXPECT_FALSE(switching.begin(read, bits)) << "bits " << bits[0] << " are over";
    wanted = 7;
    ASSERT_TRUE(switching.begin(read, bits)) << "and nobody is at it";
    EXPECT_EQ(bits[0], 7U);
}

}  // namespace
}  // namespace kymo::cells
