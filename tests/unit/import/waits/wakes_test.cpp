#include "import/waits/wakes.h"

#include <array>
#include <cstring>
#include <gtest/gtest.h>

namespace kymo::import {
namespace {

// As the kernel writes it; `at`: where the fields begin that are not of every tracepoint.
std::array<std::uint8_t, 40> fields(std::uint32_t thread, std::uint8_t flags, const char* name, std::size_t at = 8) {
    std::array<std::uint8_t, 40> raw{};
    raw[2] = flags;
    std::memcpy(raw.data() + at, name, std::strlen(name));
    std::memcpy(raw.data() + at + 16, &thread, sizeof thread);
    return raw;
}

perf::Sample sample_of(std::span<const std::uint8_t> raw) {
    perf::Sample sample;
    sample.tid = 7;
    sample.raw = raw;
    return sample;
}

TEST(Wakes, TellsWhoWokeWhom) {
    const auto raw = fields(4711, 0x01, "a name");
    const auto wake = read_wake(sample_of(raw));
    ASSERT_TRUE(wake);
    EXPECT_EQ(wake->thread, 4711U);
    EXPECT_EQ(wake->by, 7U);
}

TEST(Wakes, AnInterruptIsNobodys) {
    for (const std::uint8_t flags : std::initializer_list<std::uint8_t>{0x08, 0x10, 0x19, 0x40}) {
        const auto raw = fields(4711, flags, "name");
        EXPECT_EQ(read_wake(sample_of(raw))->by, 0U) << int{flags};
    }
}

TEST(Wakes, OtherFieldsAreNone) {
    EXPECT_FALSE(read_wake(sample_of({})));
    const auto raw = fields(4711, 0, "name");
    EXPECT_FALSE(read_wake(sample_of(std::span(raw).first(27))));
    const auto real_time = fields(4711, 0, "name", 12);
    EXPECT_FALSE(read_wake(sample_of(real_time)));
    const auto swapped = fields(__builtin_bswap32(4711), 0, "name");
    EXPECT_FALSE(read_wake(sample_of(swapped)));
    const auto idle = fields(0, 0, "name");
    EXPECT_FALSE(read_wake(sample_of(idle)));
    const auto endless = fields(4711, 0, "a name of more than 16 letters");
    EXPECT_FALSE(read_wake(sample_of(endless)));
}

}  // namespace
}  // namespace kymo::import
