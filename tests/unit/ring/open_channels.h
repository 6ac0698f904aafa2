// Channels over real sockets on the loopback, for the tests of the transport.
#pragma once

#include "ring/transport/driver.h"
#include "ring/transport/library.h"

#include <gtest/gtest.h>

namespace kymo::ring {

inline constexpr Time kMs = 1'000'000;

inline Time now() {
    return monotonic_now().ns;
}

// Machines are shared: what must come may take its time, but must come.
template <typename Condition>
bool comes(Condition condition) {
    for (const Time end = now() + 60'000 * kMs; now() < end;) {
        if (condition()) {
            return true;
        }
    }
    return false;
}

// A test of channels needs the library.
class RingChannels : public ::testing::Test {
  protected:
    void SetUp() override {
        const auto keys = make_keys();
        if (!keys) {
            GTEST_SKIP() << keys.error().what;
        }
        keys_ = *keys;
    }
    static std::unique_ptr<Channels> open(const Keys& keys, Slot own = kUnknownPeer, Time idle = 60'000 * kMs) {
        auto opened = open_channels({"127.0.0.1", keys, own, idle});
        EXPECT_TRUE(opened);
        return std::move(*opened);
    }
    Keys keys_;
};

}  // namespace kymo::ring
