#include "image/inflate.h"

#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>
#include <zlib.h>

namespace kymo::image {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes some_bytes(std::size_t size) {
    Bytes bytes(size);
    std::uint32_t state = 1;
    for (std::size_t i = 0; i < size; ++i) {
        state = state * 1'664'525 + 1'013'904'223;
        bytes[i] = static_cast<std::uint8_t>(i % 7 == 0 ? state >> 24U : i / 64);
    }
    return bytes;
}

Bytes compressed(const Bytes& bytes) {
    uLongf size = compressBound(bytes.size());
    Bytes out(size);
    EXPECT_EQ(compress(out.data(), &size, bytes.data(), bytes.size()), Z_OK);
    out.resize(size);
    return out;
}

class Inflate : public testing::Test {
  protected:
    ~Inflate() override { unlink(path_.c_str()); }

    // Behind `before` bytes of something else; `told`: how long it is said to be.
    bool inflate(const Bytes& packed, std::size_t told, std::size_t before, Bytes* out) {
        path_ = testing::TempDir() + "/inflate-XXXXXX";
        const int descriptor = mkstemp(path_.data());
        const Bytes other(before, 0xAB);
        EXPECT_EQ(write(descriptor, other.data(), before), static_cast<ssize_t>(before));
        EXPECT_EQ(write(descriptor, packed.data(), packed.size()), static_cast<ssize_t>(packed.size()));
        close(descriptor);
        const RawFile file(path_.c_str());
        const bool is_whole = inflate_from_file(file, before, told, *out);
        unlink(path_.c_str());
        return is_whole;
    }

  private:
    std::string path_;
};

TEST_F(Inflate, GivesWhatWasCompressed) {
    for (const std::size_t size : {1U, 100U, 16'384U, 1'000'003U}) {
        SCOPED_TRACE(size);
        const Bytes bytes = some_bytes(size);
        const Bytes packed = compressed(bytes);
        for (const std::size_t before : {0U, 24U}) {
            Bytes out(size);
            EXPECT_TRUE(inflate(packed, packed.size(), before, &out));
            EXPECT_EQ(out, bytes);
        }
    }
}

TEST_F(Inflate, RefusesAnotherSize) {
    const Bytes packed = compressed(some_bytes(5'000));
    for (const std::size_t size : {0U, 4'999U, 5'001U, 100'000U}) {
        SCOPED_TRACE(size);
        Bytes out(size);
        EXPECT_FALSE(inflate(packed, packed.size(), 0, &out));
    }
}

TEST_F(Inflate, RefusesEveryCutAndNothingAtAll) {
    const Bytes bytes = some_bytes(2'000);
    const Bytes packed = compressed(bytes);
    Bytes out(bytes.size());
    for (std::size_t told = 0; told < packed.size(); ++told) {
        EXPECT_FALSE(inflate(packed, told, 3, &out)) << told;
    }
    // The file ends before the section does.
    EXPECT_FALSE(inflate({packed.begin(), packed.end() - 1}, packed.size(), 0, &out));
    EXPECT_FALSE(inflate({}, 1'000, 0, &out));
}

TEST_F(Inflate, RefusesBytesThatWereChanged) {
    const Bytes bytes = some_bytes(300);
    const Bytes packed = compressed(bytes);
    Bytes out(bytes.size());
    for (std::size_t i = 0; i < packed.size(); ++i) {
        Bytes changed = packed;
        changed[i] ^= 0x55U;
        EXPECT_FALSE(inflate(changed, changed.size(), 0, &out)) << i;  // the sum at the end is wrong at least
    }
}

}  // namespace
}  // namespace kymo::image
