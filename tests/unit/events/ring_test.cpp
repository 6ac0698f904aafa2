#include "events/ring.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <vector>

namespace kymo::events {
namespace {

constexpr std::size_t kBytes = 4096;

// A ring as the kernel would fill it, records written at byte position `at` with wrap-around.
class FakeRing {
  public:
    explicit FakeRing(std::uint64_t start) : head_(start), tail_(start) {}

    void put(std::uint32_t type, std::uint16_t misc, const std::vector<std::uint64_t>& body) {
        const auto bytes = static_cast<std::uint64_t>(8 * (body.size() + 1));
        word(type | std::uint64_t{misc} << 32U | bytes << 48U);
        for (const std::uint64_t value : body) {
            word(value);
        }
    }
    void word(std::uint64_t value) {
        words_[head_ / 8 % words_.size()] = value;
        head_ += 8;
    }

    template <typename Take>
    std::uint64_t walk(Take&& take) const {
        return walk_ring(words_.data(), kBytes, tail_, head_, take);
    }
    [[nodiscard]] std::uint64_t head() const { return head_; }

  private:
    std::vector<std::uint64_t> words_ = std::vector<std::uint64_t>(kBytes / 8);
    std::uint64_t head_;
    std::uint64_t tail_;
};

std::vector<std::uint64_t> sample_body(std::uint64_t values, bool lost) {
    std::vector<std::uint64_t> body = {77, 0x401000, 100 | 101ULL << 32U, 123456789, 3, values, 50, 49};
    for (std::uint64_t i = 0; i < values; ++i) {
        body.push_back(1000 + i);
        body.push_back(i);
        if (lost) {
            body.push_back(0);
        }
    }
    return body;
}

TEST(Ring, RecordsComeInOrderAlsoAcrossTheEnd) {
    // Start so that the second record crosses the end of the ring, in every alignment.
    for (std::uint64_t start = kBytes - 256; start <= kBytes; start += 8) {
        FakeRing ring(start + kBytes * 1000);
        ring.put(PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT, {1 | 2ULL << 32U, 10, 0, 5});
        ring.put(PERF_RECORD_SAMPLE, 0, sample_body(4, true));
        ring.put(PERF_RECORD_LOST, 0, {9, 8, 1, 2, 3, 4});
        std::vector<std::uint32_t> types;
        RingSample sample;
        const std::uint64_t end = ring.walk([&](const RingRecord& record) {
            types.push_back(record.type());
            if (record.type() == PERF_RECORD_SAMPLE) {
                EXPECT_TRUE(parse_sample(record, true, sample));
            }
        });
        EXPECT_EQ(end, ring.head());
        EXPECT_THAT(types, testing::ElementsAre(PERF_RECORD_SWITCH, PERF_RECORD_SAMPLE, PERF_RECORD_LOST));
        EXPECT_EQ(sample.id, 77U);
        EXPECT_EQ(sample.ip, 0x401000U);
        EXPECT_EQ(sample.pid, 100U);
        EXPECT_EQ(sample.tid, 101U);
        EXPECT_EQ(sample.time, 123456789U);
        EXPECT_EQ(sample.processor, 3U);
        EXPECT_EQ(sample.enabled_ns, 50U);
        EXPECT_EQ(sample.running_ns, 49U);
        ASSERT_EQ(sample.count, 4U);
        EXPECT_EQ(sample.values[3].value, 1003U);
        EXPECT_EQ(sample.values[3].id, 3U);
    }
}

TEST(Ring, SamplesThatLieAboutTheirLengthAreRefused) {
    FakeRing ring(0);
    auto short_by_one = sample_body(4, false);
    short_by_one.pop_back();
    ring.put(PERF_RECORD_SAMPLE, 0, short_by_one);
    auto too_many = sample_body(kMaxEvents + 1, false);
    ring.put(PERF_RECORD_SAMPLE, 0, too_many);
    auto huge = sample_body(1, false);
    huge[5] = UINT64_MAX / 2;
    ring.put(PERF_RECORD_SAMPLE, 0, huge);
    ring.put(PERF_RECORD_SAMPLE, 0, {});
    ring.put(PERF_RECORD_SAMPLE, 0, sample_body(4, false));  // whole, but without the lost words
    int seen = 0;
    ring.walk([&](const RingRecord& record) {
        RingSample sample;
        EXPECT_FALSE(parse_sample(record, true, sample)) << seen;
        ++seen;
    });
    EXPECT_EQ(seen, 5);
}

TEST(Ring, WhatIsNoRecordEndsTheWalk) {
    for (const std::uint64_t size : {0ULL, 4ULL, 12ULL, 4000ULL, 65528ULL}) {
        FakeRing ring(64);
        ring.put(PERF_RECORD_SWITCH, 0, {1, 2, 3, 4});
        ring.word(PERF_RECORD_SAMPLE | size << 48U);
        ring.word(0);
        int seen = 0;
        EXPECT_EQ(ring.walk([&](const RingRecord&) { ++seen; }), ring.head());
        EXPECT_EQ(seen, 1);
    }
}

TEST(Ring, AnOverrunRingIsGivenUp) {
    const std::vector<std::uint64_t> words(kBytes / 8, 0);
    int seen = 0;
    EXPECT_EQ(walk_ring(words.data(), kBytes, 0, kBytes + 8, [&](const RingRecord&) { ++seen; }), kBytes + 8);
    EXPECT_EQ(seen, 0);
}

TEST(Ring, TrailersAreTheLastFourWords) {
    FakeRing ring(0);
    ring.put(PERF_RECORD_COMM, 0, {1, 2, 3, 10 | 11ULL << 32U, 99, 6, 42});
    ring.put(PERF_RECORD_COMM, 0, {1, 2, 3});
    int seen = 0;
    ring.walk([&](const RingRecord& record) {
        RingTrailer trailer;
        EXPECT_EQ(parse_trailer(record, trailer), seen == 0);
        if (seen++ == 0) {
            EXPECT_EQ(trailer.pid, 10U);
            EXPECT_EQ(trailer.tid, 11U);
            EXPECT_EQ(trailer.time, 99U);
            EXPECT_EQ(trailer.processor, 6U);
            EXPECT_EQ(trailer.id, 42U);
            EXPECT_EQ(record[7], 0U);  // past the end
        }
    });
}

// The layouts above are only worth something if they are the kernel's: sample ourselves.
TEST(Ring, ReadsTheKernelsOwn) {
    SessionEvent event;
    event.type = PERF_TYPE_SOFTWARE;
    event.config = PERF_COUNT_SW_PAGE_FAULTS;
    event.mode = Mode::kPeriod;
    event.value = 1;
    perf_event_attr attr = make_attributes(event, false);
    const int counter = open_counter(attr, 0, -1, -1);
    if (counter < 0) {
        GTEST_SKIP() << "performance events are barred here";
    }
    SessionEvent clock;
    clock.type = PERF_TYPE_SOFTWARE;
    clock.config = PERF_COUNT_SW_TASK_CLOCK;
    attr = make_attributes(clock, false);
    const int sibling = open_counter(attr, 0, -1, counter);
    ASSERT_GE(sibling, 0);
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* mapping = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, counter, 0);
    ASSERT_NE(mapping, MAP_FAILED);
    constexpr std::size_t kPages = 5;
    auto* const fresh = static_cast<volatile char*>(
        mmap(nullptr, kPages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::uint64_t id = 0;
    ASSERT_EQ(ioctl(counter, PERF_EVENT_IOC_ID, &id), 0);
    timespec before{};
    clock_gettime(CLOCK_MONOTONIC, &before);
    ASSERT_EQ(set_group_enabled(counter, true), 0);
    for (std::size_t i = 0; i < kPages; ++i) {
        fresh[i * page] = 1;
    }
    ASSERT_EQ(set_group_enabled(counter, false), 0);
    std::size_t samples = 0;
    std::uint64_t last_time = static_cast<std::uint64_t>(before.tv_sec) * 1'000'000'000U;
    std::uint64_t last_clock = 0;
    drain(static_cast<perf_event_mmap_page*>(mapping), page, page, [&](const RingRecord& record) {
        RingSample sample;
        ASSERT_TRUE(parse_sample(record, false, sample));
        EXPECT_EQ(sample.id, id);
        EXPECT_EQ(sample.pid, static_cast<std::uint32_t>(getpid()));
        EXPECT_GE(sample.time, last_time);
        ASSERT_EQ(sample.count, 2U);
        EXPECT_EQ(sample.values[0].id, id);
        EXPECT_GE(sample.values[0].value, ++samples);
        EXPECT_GT(sample.values[1].value, last_clock);
        last_time = sample.time;
        last_clock = sample.values[1].value;
    });
    EXPECT_GE(samples, kPages);
    // Drained is drained.
    drain(static_cast<perf_event_mmap_page*>(mapping), page, page, [](const RingRecord&) { ADD_FAILURE(); });
    munmap(mapping, 2 * page);
    munmap(const_cast<char*>(fresh), kPages * page);
    close(sibling);
    close(counter);
}

}  // namespace
}  // namespace kymo::events
