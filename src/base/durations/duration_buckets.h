// The buckets that durations are counted in: four an octave, so that a figure read from them is right to a quarter of
// itself at most.
//
// Bucket 0 to 3 are 0 to 3 ns; from then on an octave's four buckets are equally wide. What lasts 2^48 ns (78 hours)
// or longer is in the last one. The numbers are part of the recording format (docs/recording-format.md). Usable in
// the monitor: no tables, no floating point.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kymo {

inline constexpr unsigned kBucketsOfOctave = 4;
inline constexpr unsigned kOctavesOfBuckets = 48;
inline constexpr std::size_t kDurationBuckets = (kOctavesOfBuckets - 1) * std::size_t{kBucketsOfOctave};

constexpr std::size_t duration_bucket(std::uint64_t ns) {
    if (ns < kBucketsOfOctave) {
        return ns;
    }
    const auto octave = 63U - static_cast<unsigned>(__builtin_clzll(ns));
    if (octave >= kOctavesOfBuckets) {
        return kDurationBuckets - 1;
    }
    return (octave - 1) * std::size_t{kBucketsOfOctave} + ((ns >> (octave - 2)) & (kBucketsOfOctave - 1));
}

// The shortest duration of a bucket.
constexpr std::uint64_t bucket_begin(std::size_t bucket) {
    if (bucket < kBucketsOfOctave) {
        return bucket;
    }
    return (kBucketsOfOctave + bucket % kBucketsOfOctave) << (bucket / kBucketsOfOctave - 1);
}

}  // namespace kymo
