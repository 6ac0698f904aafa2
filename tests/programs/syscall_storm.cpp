// Results are written to a file four bytes at a time, each with a system call of its own. Fixed: they are collected
// in a buffer of 64 KiB. C++ threads.
#include "planted.h"

#include <fcntl.h>
#include <thread>
#include <unistd.h>

namespace {

constexpr int kThreads = 2;
constexpr int kRounds = 150;
constexpr int kValues = 8'000;

void must(bool good) {
    if (!good) {
        std::perror("syscall_storm");
        std::exit(1);
    }
}

constexpr int kOutputBegin = __LINE__;
class Output {
  public:
    Output(std::size_t buffer_bytes) : bytes_(buffer_bytes), file_(open("/dev/null", O_WRONLY)) { must(file_ >= 0); }
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;
    ~Output() {
        flush();
        close(file_);
    }

    void put(std::uint32_t value) {
        buffer_.append(reinterpret_cast<const char*>(&value), sizeof value);
        if (buffer_.size() >= bytes_) {
            flush();
        }
    }

  private:
    void flush() {
        must(write(file_, buffer_.data(), buffer_.size()) == static_cast<ssize_t>(buffer_.size()));
        buffer_.clear();
    }

    std::string buffer_;
    std::size_t bytes_;
    int file_;
};
constexpr int kOutputEnd = __LINE__;

constexpr int kStoreBegin = __LINE__;
[[gnu::noinline]] void store_results(Output& output, std::uint64_t seed) {
    for (std::uint32_t value = 0; value < kValues; ++value) {
        output.put(value ^ static_cast<std::uint32_t>(seed));
    }
}
constexpr int kStoreEnd = __LINE__;

constexpr int kDecoyBegin = __LINE__;
[[gnu::noinline]] std::uint64_t compute(int round) {
    return planted::work(6'000, static_cast<std::uint64_t>(round));
}
constexpr int kDecoyEnd = __LINE__;

void run(const planted::Program& program, int number) {
    planted::name_thread("worker", number);
    Output output(program.is_bad() ? sizeof(std::uint32_t) : std::size_t{64} << 10U);
    for (int round = 0; round < kRounds; ++round) {
        store_results(output, compute(round));
    }
}

}  // namespace

int main(int argc, char** argv) {
    planted::Program program(argc, argv, "syscall-storm", __FILE__);
    std::vector<std::thread> threads;
    for (int number = 0; number < kThreads; ++number) {
        threads.emplace_back(run, std::cref(program), number);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    return program.end({{"store_results", kStoreBegin, kStoreEnd}, {"Output", kOutputBegin, kOutputEnd}},
                       {"worker-0", "worker-1"}, {"compute", kDecoyBegin, kDecoyEnd});
}
