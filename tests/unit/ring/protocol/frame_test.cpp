// What may be wrong with a frame's first bytes, and heartbeats.

#include "ring/protocol/frame.h"

#include <cstring>
#include <gtest/gtest.h>

namespace kymo::ring {
namespace {

Bytes heartbeat() {
    return make_heartbeat(FrameKind::kHeartbeat, 8, 1, 2, {7, 0, 3, 4, 9, 4, 8});
}

Refusal opened(const Bytes& frame) {
    Prefix prefix{};
    Heartbeat read{};
    return open_heartbeat(frame, prefix, read);
}

TEST(RingFrame, AHeartbeatAndAFarewellAreReadAsTheyWereMade) {
    EXPECT_EQ(opened(heartbeat()), Refusal::kNone);
    Prefix prefix{};
    Heartbeat read{};
    ASSERT_EQ(open_heartbeat(make_heartbeat(FrameKind::kFarewell, 8, 1, 2, {7, 0, 3, 4, 0, 0, 0}), prefix, read),
              Refusal::kNone);
    EXPECT_EQ(prefix.kind, FrameKind::kFarewell);
    EXPECT_EQ(prefix.slots, 8U);
    EXPECT_EQ(read.slot, 7U);
    EXPECT_EQ(read.sent, 4U);
}

TEST(RingFrame, EachMistakeHasItsName) {
    Bytes frame = heartbeat();
    frame[0] = 'k';
    EXPECT_EQ(opened(frame), Refusal::kForeign);
    frame = heartbeat();
    frame[4] = 2;
    EXPECT_EQ(opened(frame), Refusal::kNewer);
    frame = heartbeat();
    frame[4] = 0;
    EXPECT_EQ(opened(frame), Refusal::kMalformed);
    frame = heartbeat();
    frame[5] = 9;  // a minor version
    frame[7] = 1;  // and what it means
    EXPECT_EQ(opened(frame), Refusal::kNone);
    frame = heartbeat();
    frame[6] = 1;  // a token of a heartbeat's length
    EXPECT_EQ(opened(frame), Refusal::kMalformed);
    frame = heartbeat();
    frame.push_back(0);
    EXPECT_EQ(opened(frame), Refusal::kOversized);
    frame[8] = static_cast<std::uint8_t>(frame.size());  // says so itself
    EXPECT_EQ(opened(frame), Refusal::kOversized);
    frame = heartbeat();
    frame[35] = 0xFF;  // slot 0xFF000007
    EXPECT_EQ(opened(frame), Refusal::kMalformed);
    frame = heartbeat();
    frame[68] = 9;  // a span beyond the slots
    EXPECT_EQ(opened(frame), Refusal::kMalformed);
    frame[68] = 4;  // or an empty one
    EXPECT_EQ(opened(frame), Refusal::kMalformed);
    EXPECT_EQ(opened(make_heartbeat(FrameKind::kFarewell, 8, 1, 2, {kManager, 0, 3, 4, 0, 0, 0})),
              Refusal::kMalformed);
    for (const FrameKind kind : {FrameKind::kProbe, FrameKind::kHeartbeat}) {
        EXPECT_EQ(opened(make_heartbeat(kind, 8, 1, 2, {kManager, 0, 3, 4, 0, 0, 0})), Refusal::kNone);
    }
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
