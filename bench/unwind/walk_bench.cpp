// A walk of a stack some 40 frames deep, without frame pointers: ours, libunwind's and glibc's, in one program.
//
//   warm: the same walk again and again.   cold: 32 MiB of other memory are touched before each.
#include "ratios.h"
#include "recursion.h"
#include "unwind/walk.h"

#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <pthread.h>

#ifdef KYMO_HAS_LIBUNWIND
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#endif

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kDepth = 15;  // two frames each; with main's, the library's and ours about 40
constexpr int kMaxFrames = 256;

kymo::unwind::ImageSet images;

std::uint64_t stack_end() {
    pthread_attr_t attributes;
    void* low = nullptr;
    std::size_t size = 0;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    return reinterpret_cast<std::uint64_t>(low) + size;
}

// Each returns the number of frames.
int walk_with_kymo() {
    static const std::uint64_t end = stack_end();
    static kymo::unwind::Frame frames[kMaxFrames];
    const auto here = kymo::unwind::capture_here();
    const auto path = kymo::unwind::walk(images, here, kymo::unwind::Start::kInterrupted,
                                         kymo::unwind::MemoryView::live(here.sp() - 128, end), frames);
    if (path.end != kymo::unwind::PathEnd::kComplete) {
        std::fprintf(stderr, "the walk did not reach the bottom\n");
        std::abort();
    }
    return static_cast<int>(path.count);
}

int walk_with_backtrace() {
    // libunwind brings a backtrace() of its own: ask the C library for its.
    using Backtrace = int (*)(void**, int);
    static const auto glibc = reinterpret_cast<Backtrace>(dlsym(dlopen("libc.so.6", RTLD_NOW), "backtrace"));
    static void* addresses[kMaxFrames];
    return glibc(addresses, kMaxFrames);
}

#ifdef KYMO_HAS_LIBUNWIND
int walk_with_unw_step() {
    unw_context_t context;
    unw_cursor_t cursor;
    unw_getcontext(&context);
    unw_init_local(&cursor, &context);
    int frames = 0;
    do {
        unw_word_t pc = 0;
        unw_get_reg(&cursor, UNW_REG_IP, &pc);
        benchmark::DoNotOptimize(pc);
        ++frames;
    } while (unw_step(&cursor) > 0);
    return frames;
}

int walk_with_unw_backtrace() {
    static void* addresses[kMaxFrames];
    return unw_backtrace(addresses, kMaxFrames);
}
#endif

using Walk = int (*)();

struct Case {
    benchmark::State* state;
    Walk walk;
    bool cold;
};

void at_bottom(void* context) {
    auto& [state, walk, cold] = *static_cast<Case*>(context);
    static std::vector<char> elsewhere(std::size_t{32} << 20U);
    std::int64_t frames = walk();
    frames = 0;
    for (auto _ : *state) {
        if (cold) {
            for (std::size_t i = 0; i < elsewhere.size(); i += 64) {
                ++elsewhere[i];
            }
            benchmark::ClobberMemory();
            const auto begin = std::chrono::steady_clock::now();
            frames += walk();
            state->SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
        } else {
            frames += walk();
        }
    }
    state->counters["frames"] = benchmark::Counter(static_cast<double>(frames), benchmark::Counter::kAvgIterations);
    state->counters["ns_each"] =
        benchmark::Counter(static_cast<double>(frames), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void run(benchmark::State& state, Walk walk, bool cold) {
    Case what{&state, walk, cold};
    descend(kDepth, at_bottom, &what);
}

void add(const char* name, Walk walk) {
    benchmark::RegisterBenchmark((std::string(name) + "_warm").c_str(), run, walk, false);
}
void add_cold(const char* name, Walk walk) {
    benchmark::RegisterBenchmark((std::string(name) + "_cold").c_str(), run, walk, true)
        ->UseManualTime()
        ->Iterations(30);
}

}  // namespace

int main(int argc, char** argv) {
    kymo::unwind::ImageHooks hooks;
    hooks.describe = kymo::unwind::describe_own_image;
    if (!images.create(hooks)) {
        std::fprintf(stderr, "no memory for the image set\n");
        return 1;
    }
    add("kymo", walk_with_kymo);
    add("glibc_backtrace", walk_with_backtrace);
#ifdef KYMO_HAS_LIBUNWIND
    add("unw_step", walk_with_unw_step);
    add("unw_backtrace", walk_with_unw_backtrace);
#endif
    add_cold("kymo", walk_with_kymo);
    add_cold("glibc_backtrace", walk_with_backtrace);
#ifdef KYMO_HAS_LIBUNWIND
    add_cold("unw_step", walk_with_unw_step);
    add_cold("unw_backtrace", walk_with_unw_backtrace);
#endif
    return run_and_compare(argc, argv, "frame");
}
