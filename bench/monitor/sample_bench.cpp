// The handler's own work for one sample of a stack some 40 frames deep: parse the kernel's record, walk, enter the
// path in the calling-context tree, append the row; with the two clock readings by which the handler accounts for
// itself. The kernel's part (interrupt, signal delivery, return) is not in here. Two leaves alternate, as in a loop.
//
//   warm: again and again.   cold: 32 MiB of other memory are touched before each.
// Beside it the walk alone, and glibc's backtrace(), which gives addresses and writes nothing.
#include "base/time.h"
#include "events/ring.h"
#include "monitor/sampling/context_tree.h"
#include "ratios.h"
#include "recording/tables.h"
#include "recording/writer.h"
#include "recursion.h"
#include "unwind/walk.h"

#include <array>
#include <benchmark/benchmark.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <execinfo.h>
#include <pthread.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using namespace kymo;

constexpr int kDepth = 15;  // two frames each; with main's, the library's and ours about 40
constexpr std::uint64_t kRingBytes = 4096;

unwind::ImageSet images;
recording::FileWriter file;
recording::StreamWriter writer;
monitor::ContextTree tree;
std::array<unwind::Frame, 256> frames;
std::vector<std::uint64_t> ring(kRingBytes / 8);

std::uint64_t stack_end() {
    pthread_attr_t attributes;
    void* low = nullptr;
    std::size_t size = 0;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    return reinterpret_cast<std::uint64_t>(low) + size;
}

std::size_t walk_only() {
    static const std::uint64_t end = stack_end();
    const auto here = unwind::capture_here();
    const auto path =
        unwind::walk(images, here, unwind::Start::kInterrupted, unwind::MemoryView::live(here.sp(), end), frames);
    if (path.end != unwind::PathEnd::kComplete) {
        std::fprintf(stderr, "the walk did not reach the bottom\n");
        std::abort();
    }
    return path.count;
}

// A sample record of four counters, as the kernel writes it.
void make_record() {
    constexpr std::uint64_t kWords = 1 + 8 + 4 * 2;
    ring[0] = PERF_RECORD_SAMPLE | (kWords * 8) << 48U;
    const std::uint64_t body[] = {1, 0x401000, 100 | 101ULL << 32U, 0, 1, 4, 5'000'000, 5'000'000};
    for (std::size_t i = 0; i < std::size(body); ++i) {
        ring[1 + i] = body[i];
    }
    for (std::size_t i = 0; i < 4; ++i) {
        ring[9 + 2 * i] = 1'000'000 * i;
        ring[10 + 2 * i] = i;
    }
}

std::size_t whole_sample() {
    static std::uint64_t number = 0;
    static std::uint64_t spent = 0;
    const std::uint64_t begin = monotonic_now().ns;
    events::RingSample parsed;
    events::walk_ring(ring.data(), kRingBytes, 0, (ring[0] >> 48U),
                      [&](const events::RingRecord& record) { events::parse_sample(record, false, parsed); });
    const std::size_t count = walk_only();
    frames[0].offset += number & 1U;
    const monitor::ContextTree::Entered entered = tree.enter(
        {frames.data(), count},
        [](const unwind::Frame& frame) { return images.rule_at(frame.address).image == nullptr ? 0 : frame.offset; },
        [](ContextId id, ContextId parent, const unwind::Frame& frame, bool) {
            recording::Context row;
            row.context = raw(id);
            row.parent = raw(parent);
            row.image = raw(frame.image);
            row.offset = frame.offset;
            return writer.append(row);
        });
    const std::uint64_t deltas[] = {1'000'000 + (number & 1023U), parsed.values[1].value & 1U, 0, 0};
    recording::Sample row;
    row.time = ++number * 1'000'000;
    row.processor = parsed.processor;
    row.context = raw(entered.leaf);
    row.deltas = deltas;
    if (entered.dropped || !writer.append(row)) {
        std::fprintf(stderr, "the sample could not be written\n");
        std::abort();
    }
    spent += monotonic_now().ns - begin;
    benchmark::DoNotOptimize(spent);
    return count;
}

std::size_t glibc_backtrace() {
    static void* addresses[256];
    return static_cast<std::size_t>(backtrace(addresses, 256));
}

struct Case {
    benchmark::State* state;
    std::size_t (*work)();
    bool cold;
};

void at_bottom(void* context) {
    auto& [state, work, cold] = *static_cast<Case*>(context);
    static std::vector<char> elsewhere(std::size_t{32} << 20U);
    std::size_t depth = work();
    std::int64_t samples = 0;
    for (auto _ : *state) {
        if (cold) {
            for (std::size_t i = 0; i < elsewhere.size(); i += 64) {
                ++elsewhere[i];
            }
            benchmark::ClobberMemory();
            const auto begin = std::chrono::steady_clock::now();
            work();
            state->SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
        } else {
            work();
        }
        ++samples;
    }
    state->counters["frames"] = static_cast<double>(depth);
    state->counters["ns_each"] =
        benchmark::Counter(static_cast<double>(samples), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void run(benchmark::State& state, std::size_t (*work)(), bool cold) {
    Case what{&state, work, cold};
    descend(kDepth, at_bottom, &what);
}

}  // namespace

int main(int argc, char** argv) {
    char path[] = "/tmp/kymo-sample-bench-XXXXXX";
    unwind::ImageHooks hooks;
    hooks.describe = unwind::describe_own_image;
    if (mkdtemp(path) == nullptr || !images.create(hooks) ||
        file.create((std::string(path) + "/bench.krec").c_str(), {}) != 0) {
        std::fprintf(stderr, "no temporary file or no memory\n");
        return 1;
    }
    writer.open(file, StreamId{1});
    make_record();
    // kymo first: the others' ratios are to the first one.
    const std::pair<const char*, std::size_t (*)()> cases[] = {
        {"kymo_sample", whole_sample}, {"kymo_walk", walk_only}, {"glibc_backtrace", glibc_backtrace}};
    for (const auto& [name, work] : cases) {
        benchmark::RegisterBenchmark((std::string(name) + "_warm").c_str(), run, work, false)->Iterations(20'000);
    }
    for (const auto& [name, work] : cases) {
        benchmark::RegisterBenchmark((std::string(name) + "_cold").c_str(), run, work, true)
            ->UseManualTime()
            ->Iterations(30);
    }
    const int result = run_and_compare(argc, argv, "sample");
    file.close();
    unlink((std::string(path) + "/bench.krec").c_str());
    rmdir(path);
    return result;
}
