#include "base/durations/duration_buckets.h"

#include <gtest/gtest.h>

namespace kymo {
namespace {

TEST(DurationBuckets, EachBeginsWhereTheOneBeforeEnds) {
    for (std::size_t bucket = 0; bucket < kDurationBuckets; ++bucket) {
        EXPECT_EQ(duration_bucket(bucket_begin(bucket)), bucket);
        if (bucket != 0) {
            EXPECT_EQ(duration_bucket(bucket_begin(bucket) - 1), bucket - 1);
        }
    }
}

TEST(DurationBuckets, AreAQuarterOfTheirBeginWideAtMost) {
    for (std::size_t bucket = kBucketsOfOctave; bucket + 1 < kDurationBuckets; ++bucket) {
        EXPECT_LE(4 * (bucket_begin(bucket + 1) - bucket_begin(bucket)), bucket_begin(bucket));
    }
}

TEST(DurationBuckets, KnownOnes) {
    EXPECT_EQ(duration_bucket(0), 0U);
    EXPECT_EQ(duration_bucket(3), 3U);
    EXPECT_EQ(duration_bucket(4), 4U);
    EXPECT_EQ(duration_bucket(7), 7U);
    EXPECT_EQ(duration_bucket(9), 8U);
    EXPECT_EQ(duration_bucket(50), 18U);
    EXPECT_EQ(duration_bucket(20'000'000), 92U);
}

TEST(DurationBuckets, TheLastHoldsWhatIsLonger) {
    EXPECT_EQ(duration_bucket((1ULL << 48U) - 1), kDurationBuckets - 1);
    EXPECT_EQ(duration_bucket(1ULL << 48U), kDurationBuckets - 1);
    EXPECT_EQ(duration_bucket(~std::uint64_t{0}), kDurationBuckets - 1);
}

}  // namespace
}  // namespace kymo
