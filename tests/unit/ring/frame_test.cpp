// What may be wrong with a frame's first bytes, and beats.

#include "ring/protocol/frame.h"

#include <cstring>
#include <gtest/gtest.h>

namespace kymo::ring {
namespace {

Bytes beat() {
    return make_beat(FrameKind::kBeat, 8, 1, 2, {7, 0, 3, 4, 9, 4, 8});
}

Refusal opened(const Bytes& frame) {
    Prefix prefix{};
    Beat read{};
    return open_beat(frame, prefix, read);
}

TEST(RingFrame, ABeatAndAFarewellAreReadAsTheyWereMade) {
    EXPECT_EQ(opened(beat()), Refusal::kNone);
    Prefix prefix{};
    Beat read{};
    ASSERT_EQ(open_beat(make_beat(FrameKind::kFarewell, 8, 1, 2, {7, 0, 3, 4, 0, 0, 0}), prefix, read),
              Refusal::kNone);
    EXPECT_EQ(prefix.kind, FrameKind::kFarewell);
    EXPECT_EQ(prefix.slots, 8U);
    EXPECT_EQ(read.slot, 7U);
    EXPECT_EQ(read.sent, 4U);
}

TEST(RingFrame, EachMistakeHasItsName) {
    Bytes frame = beat();
    frame[0] = 'k';
    EXPECT_EQ(opened(frame), Refusal::kForeign);
    frame = beat();
    frame[4] = 2;
    EXPECT_EQ(opened(frame), Refusal::kNewer);
    frame = beat();
    frame[4] = 0;
    EXPECT_EQ(opened(frame), Refusal::kMalformed);
    frame = beat();
    frame[5] = 9;  // a minor version
    frame[7] = 1;  // and what it means
    EXPECT_EQ(opened(frame), Refusal::kNone);
    frame = beat();
    frame[6] = 1;  // a token of a beat's length
    EXPECT_EQ(opened(frame), Refusal::kMalformed);
    frame = beat();
    frame.push_back(0);
    EXPECT_EQ(opened(frame), Refusal::kOversized);
    frame[8] = static_cast<std::uint8_t>(frame.size());  // says so itself
    EXPECT_EQ(opened(frame), Refusal::kOversized);
    frame = beat();
    frame[35] = 0xFF;  // slot 0xFF000007
    EXPECT_EQ(opened(frame), Refusal::kMalformed);
    frame = beat();
    frame[68] = 9;  // a span beyond the slots
    EXPECT_EQ(opened(frame), Refusal::kMalformed);
    frame[68] = 4;  // or an empty one
    EXPECT_EQ(opened(frame), Refusal::kMalformed);
    EXPECT_EQ(opened(make_beat(FrameKind::kBeat, 8, 1, 2, {kManager, 0, 3, 4, 0, 0, 0})), Refusal::kMalformed);
    EXPECT_EQ(opened(make_beat(FrameKind::kProbe, 8, 1, 2, {kManager, 0, 3, 4, 0, 0, 0})), Refusal::kNone);
    EXPECT_EQ(opened(Bytes(kMaxFrameBytes + 1)), Refusal::kOversized);
    EXPECT_EQ(opened({}), Refusal::kTruncated);
}

TEST(RingFrame, RefusalsHaveNames) {
    EXPECT_EQ(name_of(Refusal::kNone), "none");
    EXPECT_EQ(name_of(Refusal::kMisrouted), "misrouted");
    EXPECT_EQ(name_of(Refusal::kMalformed), "malformed");
}

}  // namespace
}  // namespace kymo::ring
