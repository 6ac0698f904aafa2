#include "base/time.h"

#include <gtest/gtest.h>

namespace kymo {
namespace {

TEST(Time, TheClockDoesNotGoBack) {
    TimePoint before = monotonic_now();
    for (int i = 0; i < 1000; ++i) {
        const TimePoint now = monotonic_now();
        ASSERT_GE(now, before);
        before = now;
    }
}

}  // namespace
}  // namespace kymo
