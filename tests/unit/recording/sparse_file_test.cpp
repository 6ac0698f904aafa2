// Files that are large and hold little: reading them costs what they hold.
//
// No time is asserted: without stepping over holes none of these would end before the test's time is over.
#include "file_image.h"
#include "recording/pack.h"
#include "recording/reader.h"
#include "temporary_folder.h"

#include <cerrno>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace kymo::recording {
namespace {

using testing::Bytes;
using testing::TemporaryFolder;

constexpr std::uint64_t kTebibyte = 1ULL << 40U;

Bytes one_mark(bool packed) {
    const auto payload = Bytes().raw(testing::mark_schema()).raw(testing::mark(5, "here"));
    return testing::chunk(3, payload, packed);
}

// False: this file system has no such files.
bool grow(const std::filesystem::path& path, std::uint64_t bytes) {
    return truncate(path.c_str(), static_cast<off_t>(bytes)) == 0;
}

void put(const std::filesystem::path& path, std::uint64_t offset, const Bytes& bytes) {
    const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    EXPECT_EQ(pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset)),
              static_cast<ssize_t>(bytes.size()));
    close(file);
}

// A header that says that so much is behind it.
Bytes claim(std::uint32_t bytes, bool packed) {
    ChunkHeader header = testing::chunk_header(3, {}, packed);
    header.capacity = bytes;
    header.committed = bytes - static_cast<std::uint32_t>(sizeof header);
    return testing::with_header(header, {}, packed).first(sizeof header);
}

class SparseFile : public ::testing::TestWithParam<bool> {
  protected:
    void SetUp() override {
        path_ = folder_ / "a.krec";
        FileHeader header = testing::small_header(GetParam());
        header.closed = 1;
        testing::file(header, one_mark(GetParam())).save(path_);
        if (!grow(path_, kTebibyte)) {
            GTEST_SKIP() << "no file of 1 TiB here";
        }
    }

    std::uint64_t marks() {
        const auto file = File::open(path_);
        EXPECT_TRUE(file);
        const auto report = file->scan();
        EXPECT_TRUE(report) << report.error().what;
        for (const Damage& damage : report->damaged) {
            damage_.insert(damage.what);
        }
        return report->rows("mark");
    }

    TemporaryFolder folder_;
    std::filesystem::path path_;
    std::set<std::string> damage_;
};

INSTANTIATE_TEST_SUITE_P(Packed, SparseFile, ::testing::Bool());

TEST_P(SparseFile, HolesAreSteppedOver) {
    put(path_, kMinHeaderBytes + (kTebibyte / 2), one_mark(GetParam()));
    EXPECT_EQ(marks(), 2U);
}

// A page of data claims eight megabytes of hole, many times over: 2,000 times what is there.
TEST_P(SparseFile, PayloadInAHoleIsDamageAndIsNotRead) {
    constexpr std::uint64_t kStep = kMaxChunkBytes;
    constexpr unsigned kMany = 2000;
    for (std::uint64_t i = 1; i <= kMany; ++i) {
        put(path_, kMinHeaderBytes + i * kStep, claim(kStep, GetParam()));
    }
    put(path_, kMinHeaderBytes + (kMany + 1) * kStep, one_mark(GetParam()));
    EXPECT_EQ(marks(), 2U);
    EXPECT_EQ(damage_.count("a chunk with a hole in it"), 1U);
}

TEST_P(SparseFile, PackingEnds) {
    const auto packed = pack_file(path_);
    if (GetParam()) {
        return;  // it is left as it is
    }
    ASSERT_TRUE(packed) << packed.error().what;
    EXPECT_LT(packed->bytes_after, 100'000U);
    EXPECT_EQ(marks(), 1U);
}

}  // namespace
}  // namespace kymo::recording
