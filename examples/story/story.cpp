// A program whose story is known, to try Kymo on: what happens in it, where, when and how often, stands here, and
// `--truth` prints it as the program itself has seen it.
//
// Two workers do the same hundred steps, each by itself, with three phases a step:
//
//   advance   once in the hundred steps it takes ten times as long: the solver does not converge
//   measure   shuffles its values and selects from them, then parts them and selects again: `select_values` is slow
//             after `shuffle_values`, where the processor mispredicts a quarter of the branches, and fast
//             after `part_values`
//   smooth    takes the same time always
//
// and after every tenth step the worker pauses in `checkpoint`. Everything else is even.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <numeric>
#include <pthread.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace story {
namespace {

constexpr int kWorkers = 2;
constexpr int kSteps = 100;
constexpr int kSlowSteps[kWorkers] = {37, 71};  // by worker
constexpr int kSlower = 10;
constexpr int kStepsToCheckpoint = 10;
constexpr useconds_t kCheckpointUs = 50'000;
constexpr int kSweeps = 14'000;
constexpr std::size_t kValues = 150'000;
constexpr std::uint32_t kBound = kValues / 2;
constexpr int kShuffles = 20;
constexpr int kPartitions = 31;
constexpr int kPasses = 34;

std::int64_t now_ns(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

// The compiler must assume that somebody looks at it.
template <typename T>
void keep(T& value) {
    asm volatile("" : "+r"(value) : : "memory");
}

// Lines of a function, from the line above it to the line below it.
struct Lines {
    const char* function;
    int begin;
    int end;
};

// Each step depends on the one before: the time is that of so many multiplications.
[[gnu::always_inline]] inline std::uint64_t relax(int sweeps, std::uint64_t x) {
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        for (int i = 0; i < 400; ++i) {
            x = x * 6364136223846793005ULL + 1442695040888963407ULL;
            x ^= x >> 29U;
            keep(x);
        }
    }
    return x;
}

using Values = std::vector<std::uint32_t>;

constexpr int kAdvanceBegin = __LINE__;
[[gnu::noinline]] std::uint64_t advance(bool converges, std::uint64_t x) {
    const int sweeps = converges ? kSweeps : kSlower * kSweeps;
    return relax(sweeps, x);
}
constexpr int kAdvanceEnd = __LINE__;

constexpr int kShuffleBegin = __LINE__;
[[gnu::noinline]] void shuffle_values(Values& values, std::uint64_t seed) {
    // The middle half, where small and large meet.
    constexpr std::size_t kBegin = kValues / 4;
    constexpr std::size_t kCount = kValues / 2;
    for (int round = 0; round < kShuffles; ++round) {
        for (std::size_t i = kCount - 1; i > 0; --i) {
            seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
            std::swap(values[kBegin + i], values[kBegin + (seed >> 33U) % (i + 1)]);
        }
    }
}
constexpr int kShuffleEnd = __LINE__;

constexpr int kPartBegin = __LINE__;
[[gnu::noinline]] void part_values(Values& values) {
    // From back to front, so that there is as much to do each time.
    for (int round = 0; round < kPartitions; ++round) {
        const bool is_odd = round % 2 != 0;
        std::partition(values.begin(), values.end(),
                       [is_odd](std::uint32_t value) { return (value < kBound) != is_odd; });
    }
}
constexpr int kPartEnd = __LINE__;

constexpr int kSelectBegin = __LINE__;
[[gnu::noinline]] std::uint64_t select_values(const Values& values) {
    std::uint64_t sum = 0;
    for (int pass = 0; pass < kPasses; ++pass) {
        for (const std::uint32_t value : values) {
            if (value >= kBound) {
                sum += value;
                keep(sum);  // a branch, not a conditional move
            }
            sum *= 6364136223846793005ULL;
            keep(sum);
        }
    }
    return sum;
}
constexpr int kSelectEnd = __LINE__;

constexpr int kSmoothBegin = __LINE__;
[[gnu::noinline]] std::uint64_t smooth(std::uint64_t x) {
    x = relax(kSweeps, x);
    return x;
}
constexpr int kSmoothEnd = __LINE__;

constexpr int kCheckpointBegin = __LINE__;
[[gnu::noinline]] void checkpoint() {
    usleep(kCheckpointUs);  // the disk
    asm volatile("");       // the call returns here: no jump instead of it
}
constexpr int kCheckpointEnd = __LINE__;

// What one worker has seen of itself: processor time of what it did, wall time of its pauses. ns.
struct Account {
    std::vector<std::int64_t> advance;
    std::vector<std::int64_t> after_shuffle;
    std::vector<std::int64_t> after_part;
    std::vector<std::int64_t> pauses;
    std::uint64_t sum = 0;
};

// Time since it was made.
class Clock {
  public:
    explicit Clock(clockid_t id) : id_(id), begin_ns_(now_ns(id)) {}
    std::int64_t ns() const { return now_ns(id_) - begin_ns_; }

  private:
    clockid_t id_;
    std::int64_t begin_ns_;
};

constexpr int kMeasureBegin = __LINE__;
[[gnu::noinline]] void measure(Values& values, std::uint64_t seed, Account& account) {
    shuffle_values(values, seed);
    const Clock shuffled(CLOCK_THREAD_CPUTIME_ID);
    account.sum += select_values(values);
    account.after_shuffle.push_back(shuffled.ns());
    part_values(values);
    const Clock parted(CLOCK_THREAD_CPUTIME_ID);
    account.sum += select_values(values);
    account.after_part.push_back(parted.ns());
}
constexpr int kMeasureEnd = __LINE__;

constexpr int kRunBegin = __LINE__;
[[gnu::noinline]] void run(int worker, Account& account) {
    pthread_setname_np(pthread_self(), ("worker-" + std::to_string(worker)).c_str());
    Values values(kValues);
    std::iota(values.begin(), values.end(), 0U);
    std::uint64_t x = 1;
    for (int step = 0; step < kSteps; ++step) {
        const bool is_slow = step == kSlowSteps[worker];
        const Clock begun(CLOCK_THREAD_CPUTIME_ID);
        x = advance(!is_slow, x);
        account.advance.push_back(begun.ns());
        measure(values, x, account);
        x = smooth(x);
        if (step % kStepsToCheckpoint == kStepsToCheckpoint - 1) {
            const Clock paused(CLOCK_MONOTONIC);
            checkpoint();
            account.pauses.push_back(paused.ns());
        }
    }
    account.sum += x;
}
constexpr int kRunEnd = __LINE__;

double median_s(std::vector<std::int64_t> ns) {
    std::sort(ns.begin(), ns.end());
    return static_cast<double>(ns[ns.size() / 2]) / 1e9;
}

void print_lines(std::initializer_list<Lines> functions) {
    std::printf("\"places\": {");
    const char* comma = "";
    for (const Lines& lines : functions) {
        std::printf("%s\"%s\": [%d, %d]", comma, lines.function, lines.begin, lines.end);
        comma = ", ";
    }
    std::printf("}");
}

void print_truth(const std::vector<Account>& accounts) {
    std::printf("{");
    print_lines({{"advance", kAdvanceBegin, kAdvanceEnd},
                 {"shuffle_values", kShuffleBegin, kShuffleEnd},
                 {"part_values", kPartBegin, kPartEnd},
                 {"select_values", kSelectBegin, kSelectEnd},
                 {"measure", kMeasureBegin, kMeasureEnd},
                 {"smooth", kSmoothBegin, kSmoothEnd},
                 {"checkpoint", kCheckpointBegin, kCheckpointEnd},
                 {"run", kRunBegin, kRunEnd}});
    std::printf(", \"steps\": %d, \"steps_to_checkpoint\": %d, \"workers\": [", kSteps, kStepsToCheckpoint);
    for (std::size_t i = 0; i < accounts.size(); ++i) {
        const Account& account = accounts[i];
        const std::int64_t slow = *std::max_element(account.advance.begin(), account.advance.end());
        std::printf(
            "%s{\"name\": \"worker-%zu\", \"advance_s\": %.9f, \"slow_s\": %.9f, \"slow_step\": %d, "
            "\"after_shuffle_s\": %.9f, \"after_part_s\": %.9f, \"pause_s\": %.9f, "
            "\"pauses\": %zu}",
            i == 0 ? "" : ", ", i, median_s(account.advance), static_cast<double>(slow) / 1e9, kSlowSteps[i],
            median_s(account.after_shuffle), median_s(account.after_part), median_s(account.pauses),
            account.pauses.size());
    }
    std::printf("]}\n");
}

}  // namespace
}  // namespace story

int main(int argc, char** argv) {
    const bool tells_truth = argc == 2 && std::strcmp(argv[1], "--truth") == 0;
    if (argc != 1 && !tells_truth) {
        std::fprintf(stderr, "usage: %s [--truth]\n", argv[0]);
        return 2;
    }
    std::vector<story::Account> accounts(story::kWorkers);
    std::vector<std::thread> workers;
    for (int worker = 0; worker < story::kWorkers; ++worker) {
        workers.emplace_back(story::run, worker, std::ref(accounts[static_cast<std::size_t>(worker)]));
    }
    std::uint64_t sum = 0;
    for (std::size_t worker = 0; worker < workers.size(); ++worker) {
        workers[worker].join();
        sum += accounts[worker].sum;
    }
    std::printf("%zu workers, sum %llu\n", workers.size(), static_cast<unsigned long long>(sum));
    if (tells_truth) {
        story::print_truth(accounts);
    }
    return 0;
}
