// What the planted programs share: work of a known amount, the two versions, and the account they give of themselves.
//
// A planted program is called with `bad` or `fixed` and does the same useful work either way; one cause, named by
// the program's own name, is in the first and not in the second. Both have a hot and innocent decoy. At its end a
// program prints what is true of it, in lines of JSON that the harness merges (planted.py). Programs of the kind
// `nothing` have no versions, no cause and no decoy: whatever is found in them is a false alarm.
//
//     {"truth": {"kind": "lock-contention", "version": "bad", "file": "lock_contention.cpp"}}
//     {"place": {"function": "merge", "line_begin": 20, "line_end": 31}}     each place that a right finding may name
//     {"thread": "worker-1"}                                                  each thread that has a part in it
//     {"decoy": {"function": "smooth", "line_begin": 35, "line_end": 40}}
//     {"timing": {"wall_s": 1.25, "planted_s": 0.41}}                         planted_s: by the program's own clocks,
//                                                  thread-seconds that the cause took; left out where it cannot know
//
// The version is the second word on the command line and nothing else differs, so that one binary holds both.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <initializer_list>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <vector>

namespace planted {

inline std::int64_t now_ns(clockid_t clock = CLOCK_MONOTONIC) {
    timespec time{};
    clock_gettime(clock, &time);
    return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

[[gnu::always_inline]] inline std::uint64_t step(std::uint64_t x) {
    x = x * 6364136223846793005ULL + 1442695040888963407ULL;
    x ^= x >> 29;
    asm volatile("" : "+r"(x));
    return x;
}

// How many steps this processor does in a microsecond, by the thread's own clock: of some tries the best, so that it
// does not count what others take in between. Which of two times in a program is longer then does not depend on the
// processor. Programs that are started by programs take it from them.
[[gnu::noinline]] inline double measure_steps() {
    constexpr const char* kVariable = "PLANTED_STEPS";
    if (const char* const known = std::getenv(kVariable); known != nullptr) {
        return std::atof(known);
    }
    constexpr int kTries = 8;
    constexpr std::int64_t kSteps = 100'000;
    double best = 0;
    std::uint64_t x = 1;
    for (int i = 0; i < kTries; ++i) {
        const std::int64_t begin = now_ns(CLOCK_THREAD_CPUTIME_ID);
        for (std::int64_t k = 0; k < kSteps; ++k) {
            x = step(x);
        }
        const std::int64_t ns = std::max<std::int64_t>(1, now_ns(CLOCK_THREAD_CPUTIME_ID) - begin);
        best = std::max(best, 1e3 * static_cast<double>(kSteps) / static_cast<double>(ns));
    }
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", best);
    setenv(kVariable, text, 1);
    return best;
}

inline double steps_a_us() {
    static const double steps = measure_steps();
    return steps;
}

// Dependent integer arithmetic for so many microseconds of processor time. Inlined, so the time belongs to the
// caller. The result depends on every step, and the compiler must assume that somebody looks at it.
[[gnu::always_inline]] inline std::uint64_t work(std::int64_t us, std::uint64_t x = 1) {
    const auto steps = static_cast<std::int64_t>(static_cast<double>(us) * steps_a_us());
    for (std::int64_t i = 0; i < steps; ++i) {
        x = step(x);
    }
    return x;
}

// The compiler must assume that memory is read here.
inline void keep(const void* pointer) {
    asm volatile("" : : "r"(pointer) : "memory");
}

inline void name_thread(const char* base, int number) {
    char name[16];
    std::snprintf(name, sizeof name, "%.10s-%d", base, number);
    pthread_setname_np(pthread_self(), name);
}

// Processors that this process may use.
inline std::vector<int> processors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    std::vector<int> list;
    for (int i = 0; i < CPU_SETSIZE; ++i) {
        if (CPU_ISSET(i, &set)) {
            list.push_back(i);
        }
    }
    return list;
}

inline void pin_to(int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(processor), &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

// Lines of one function, from the line above it to the line below it.
struct Lines {
    const char* function = nullptr;
    int begin = 0;
    int end = 0;
};

class Program {
  public:
    Program(int argc, char** argv, const char* kind, const char* file) : kind_(kind), file_(file) {
        if (kind_ == "nothing" && argc == 1) {
            version_ = "fixed";
        } else if (argc == 2) {
            version_ = argv[1];
        }
        if (version_ != "bad" && version_ != "fixed") {
            std::fprintf(stderr, "usage: %s bad|fixed\n", argv[0]);
            std::exit(2);
        }
        steps_a_us();
        begin_ns_ = now_ns();
    }

    bool is_bad() const { return version_ == "bad"; }

    // Thread-seconds that the planted cause took, by the caller's own clock. Any thread.
    void add_planted(std::int64_t ns) { planted_ns_.fetch_add(ns, std::memory_order_relaxed); }

    // `places` empty: any place is right; `threads` empty: any thread is.
    int end(std::initializer_list<Lines> places = {}, std::initializer_list<const char*> threads = {},
            Lines decoy = {}) const {
        const std::int64_t wall = now_ns() - begin_ns_;
        const char* file = std::strrchr(file_, '/') ? std::strrchr(file_, '/') + 1 : file_;
        std::printf("{\"truth\": {\"kind\": \"%s\", \"version\": \"%s\", \"file\": \"%s\"}}\n", kind_.c_str(),
                    version_.c_str(), file);
        for (const Lines& place : places) {
            print_place("place", place);
        }
        for (const char* thread : threads) {
            std::printf("{\"thread\": \"%s\"}\n", thread);
        }
        if (decoy.function != nullptr) {
            print_place("decoy", decoy);
        }
        std::printf("{\"timing\": {\"wall_s\": %.6f", static_cast<double>(wall) / 1e9);
        if (const std::int64_t planted = planted_ns_.load(std::memory_order_relaxed); planted != 0) {
            std::printf(", \"planted_s\": %.6f", static_cast<double>(planted) / 1e9);
        }
        std::printf("}}\n");
        return 0;
    }

  private:
    static void print_place(const char* what, const Lines& lines) {
        std::printf("{\"%s\": {\"function\": \"%s\", \"line_begin\": %d, \"line_end\": %d}}\n", what, lines.function,
                    lines.begin, lines.end);
    }

    std::string kind_;
    const char* file_;
    std::string version_;
    std::int64_t begin_ns_ = 0;
    std::atomic<std::int64_t> planted_ns_{0};
};

// Adds the time between its birth and its end to what is planted.
class Planted {
  public:
    explicit Planted(Program& program) : program_(program), begin_ns_(now_ns()) {}
    Planted(const Planted&) = delete;
    Planted& operator=(const Planted&) = delete;
    ~Planted() { program_.add_planted(now_ns() - begin_ns_); }

  private:
    Program& program_;
    std::int64_t begin_ns_;
};

}  // namespace planted
