// What the preloaded settings do to programs: larger and smaller pieces of OpenMP's loops, larger buffers of streams.
#include "confirm/settings/buffer_slots.h"
#include "confirm/settings/loop_chunks.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <unistd.h>

namespace kymo::settings {
namespace {

TEST(LoopChunks, AreLargerWhilePiecesForAllAreLeft) {
    EXPECT_EQ(chunk_of(Chunks::kAsTheyAre, 1'000, 2, 3), 3U);
    EXPECT_EQ(chunk_of(Chunks::kLarger, 1'000'000, 2, 1), 16U);
    EXPECT_EQ(chunk_of(Chunks::kLarger, 80, 2, 1), 10U) << "four pieces a thread";
    EXPECT_EQ(chunk_of(Chunks::kLarger, 80, 2, 40), 40U) << "never smaller";
    EXPECT_EQ(chunk_of(Chunks::kLarger, 3, 2, 1), 1U);
    EXPECT_EQ(chunk_of(Chunks::kLarger, 0, 0, 0), 1U);
}

TEST(LoopChunks, AreSmallerButNeverNothing) {
    EXPECT_EQ(chunk_of(Chunks::kSmaller, 6'400, 2, 1'000), 100U);
    EXPECT_EQ(chunk_of(Chunks::kSmaller, 10, 2, 1'000), 1U);
    EXPECT_EQ(chunk_of(Chunks::kSmaller, 6'400, 2, 7), 7U) << "never larger";
}

TEST(LoopChunks, AreOfRoundsEitherWay) {
    EXPECT_EQ(rounds_of(0, 10, 1), 10U);
    EXPECT_EQ(rounds_of(0, 10, 3), 4U);
    EXPECT_EQ(rounds_of(10, 0, -5), 2U);
    EXPECT_EQ(rounds_of(0, 0, 1), 0U);
    EXPECT_EQ(rounds_of(5, 1, 1), 0U);
    constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(rounds_of(kLeast, kMost, 1), std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(rounds_of(kMost, kLeast, kLeast), 2U);
}

TEST(BufferSlots, AreEachOfOneStreamAtATime) {
    static BufferSlots<16, 2> slots;
    const std::array<int, 3> streams{};
    char* const first = slots.take(&streams[0]);
    EXPECT_NE(first, nullptr);
    EXPECT_EQ(slots.take(&streams[0]), first) << "opened again";
    EXPECT_NE(slots.take(&streams[1]), first);
    EXPECT_EQ(slots.take(&streams[2]), nullptr);
    slots.give_back(&streams[0]);
    EXPECT_EQ(slots.take(&streams[2]), first);
}

// The number that a program prints, with and without a setting. -1: this compiler refuses it.
class Program {
  public:
    Program(const std::string& name, const std::string& source, const std::string& options)
        : folder_(std::filesystem::temp_directory_path() / ("kymo-settings-" + name + std::to_string(getpid()))) {
        std::filesystem::create_directories(folder_);
        std::ofstream(folder_ / "program.cpp") << source;
        is_made_ = std::system((std::string(KYMO_TEST_CXX) + " -O1 " + options + " -o " + path("program") + " " +
                                path("program.cpp") + " 2>/dev/null")
                                   .c_str()) == 0;
    }
    ~Program() { std::filesystem::remove_all(folder_); }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    bool is_made() const { return is_made_; }

    long number(const std::string& setting) const {
        const std::string preload = setting.empty() ? "" : std::string("LD_PRELOAD=") + KYMO_SETTINGS_LIBRARY;
        std::FILE* const out = popen(
            ("cd " + folder_.string() + " && OMP_DYNAMIC=false " + preload + " " + setting + " ./program").c_str(),
            "r");
        long result = -1;
        const int fields = std::fscanf(out, "%ld", &result);
        return pclose(out) == 0 && fields == 1 ? result : -1;
    }

  private:
    std::string path(const char* name) const { return (folder_ / name).string(); }
    std::filesystem::path folder_;
    bool is_made_ = false;
};

// Both threads wait in their first rounds for each other: the first two pieces are of different threads. It prints
// how many rounds the first one has.
constexpr const char* kLoop = R"(
#include <atomic>
#include <cstdio>
#include <omp.h>
int owner[6400];
std::atomic<int> begun;
int main() {
    TYPE n = 6400;
    bool is_first[2] = {true, true};
    PRAGMA
    for (TYPE i = 0; i < n; ++i) {
        const int self = omp_get_thread_num();
        owner[i] = self;
        if (is_first[self]) { is_first[self] = false; ++begun; while (begun < 2) {} }
    }
    int length = 1;
    while (length < 6400 && owner[length] == owner[0]) ++length;
    std::printf("%d\n", length);
}
)";

std::string loop(const std::string& pragma, const std::string& type) {
    std::string source = kLoop;
    source.replace(source.find("PRAGMA"), 6, "#pragma omp " + pragma);
    for (std::size_t at = source.find("TYPE"); at != std::string::npos; at = source.find("TYPE")) {
        source.replace(at, 4, type);
    }
    return source;
}

TEST(Settings, ChangeThePiecesOfLoops) {
    for (const char* const type : {"long", "unsigned long"}) {
        for (const char* const how : {"parallel for num_threads(2) schedule(dynamic, 400)",
                                      "parallel for num_threads(2) schedule(monotonic: dynamic, 400)"}) {
            const Program program("loop", loop(how, type), "-fopenmp");
            if (!program.is_made()) {
                GTEST_SKIP() << "this compiler has no OpenMP";
            }
            EXPECT_EQ(program.number(""), 400) << how << " " << type;
            EXPECT_EQ(program.number("KYMO_LOOP_CHUNKS=larger"), 800) << how << " " << type;
            EXPECT_EQ(program.number("KYMO_LOOP_CHUNKS=smaller"), 100) << how << " " << type;
            EXPECT_EQ(program.number("KYMO_LOOP_CHUNKS=other"), 400) << how << " " << type;
        }
    }
}

constexpr const char* kWrites = R"(
#include <cstdio>
#include <fstream>
long writes() { std::FILE* f = std::fopen("/proc/self/io", "r"); long n = -1; char line[99]; while (std::fgets(line, sizeof line, f)) std::sscanf(line, "syscw: %ld", &n); std::fclose(f); return n; }
int main() {
    const long before = writes();
    WRITE
    const long after = writes();
    std::printf("%ld\n", after - before);
}
)";

TEST(Settings, GiveStreamsLargerBuffers) {
    for (const char* const write :
         {"std::FILE* f = std::fopen(\"out\", \"w\"); for (int i = 0; i < 500000; ++i) std::fputc('a', f); "
          "std::fclose(f);",
          "std::ofstream f(\"out\"); for (int i = 0; i < 500000; ++i) f.put('a'); f.close();"}) {
        std::string source = kWrites;
        source.replace(source.find("WRITE"), 5, write);
        const Program program("writes", source, "");
        ASSERT_TRUE(program.is_made());
        if (program.number("") < 0) {
            GTEST_SKIP() << "this kernel does not count system calls";
        }
        EXPECT_GE(program.number(""), 60) << write;
        EXPECT_LE(program.number("KYMO_LARGER_BUFFERS=1"), 2) << write;
    }
}

}  // namespace
}  // namespace kymo::settings
