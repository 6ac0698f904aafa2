#include "import/recorded_names.h"

#include "import/generated_code.h"

#include <array>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kymo::import {
namespace {

namespace fs = std::filesystem;

class RecordedNamesTest : public testing::Test {
  protected:
    RecordedNamesTest() {
        fs::create_directories(tmp_);
        std::ofstream(file_) << "PERFILE2";
        map(1, 0);
    }
    ~RecordedNamesTest() override { fs::remove_all(place_); }

    // Last written so many seconds from now.
    void map(std::uint32_t pid, int seconds) const {
        const fs::path at = tmp_ / perf_map_name(pid);
        std::ofstream(at) << "1000 10 f\n";
        if (seconds != 0) {
            fs::last_write_time(at, fs::file_time_type::clock::now() + std::chrono::seconds(seconds));
        }
    }
    // A file system may not say when files were made: then nothing can be believed.
    bool knows_births() const {
        struct statx facts{};
        return statx(AT_FDCWD, file_.c_str(), 0, STATX_BTIME, &facts) == 0 && (facts.stx_mask & STATX_BTIME) != 0;
    }

    const fs::path place_ = fs::path(testing::TempDir()) / ("recorded" + std::to_string(getpid()));
    const fs::path tmp_ = place_ / "tmp";
    const fs::path file_ = place_ / "perf.data";
};

TEST_F(RecordedNamesTest, AreThoseWrittenSinceTheRecordingBegan) {
    RecordedNames names(file_, {}, tmp_);
    map(1, 3600);
    map(2, -3600);
    EXPECT_EQ(static_cast<bool>(names.open(1)), knows_births());
    EXPECT_FALSE(names.open(2));
    EXPECT_NE(names.why().find("may be another process's"), std::string::npos) << names.why();
}

TEST_F(RecordedNamesTest, AreNotThoseOfAnotherHost) {
    RecordedNames names(file_, {}, tmp_);
    map(1, 3600);
    names.set_host("another-host.example.");
    EXPECT_FALSE(names.open(1));
    EXPECT_NE(names.why().find("another machine"), std::string::npos) << names.why();
    std::array<char, 256> own{};
    gethostname(own.data(), own.size() - 1);
    names.set_host(own.data());
    EXPECT_EQ(static_cast<bool>(names.open(1)), knows_births());
}

TEST_F(RecordedNamesTest, AreInAnyCaseThoseBelowTheChosenDirectory) {
    RecordedNames names(file_, place_, "/nowhere");
    names.set_host("another-host.example.");
    map(2, -3600);
    EXPECT_TRUE(names.open(2));
    EXPECT_FALSE(names.open(3));
    EXPECT_NE(names.why().find("perf-3.map is not there"), std::string::npos) << names.why();
    RecordedNames nowhere(file_, place_ / "none", tmp_);
    EXPECT_FALSE(nowhere.open(1));
}

}  // namespace
}  // namespace kymo::import
