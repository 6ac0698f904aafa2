#include "generator.h"

#include "recording/writer.h"
#include "writing.h"

#include <algorithm>
#include <memory>
#include <string>

namespace kymo::bench {

using namespace recording;

namespace {

constexpr std::uint64_t kStart = 5'000'000'000;
constexpr std::uint64_t kPeriod = 1'000'000;
constexpr std::uint32_t kPid = 4242;

void write_launch(const std::filesystem::path& path, std::uint64_t duration) {
    FileWriter writer;
    create(writer, path, kPid);
    StreamWriter own;
    own.open(writer, StreamId{0});
    using namespace std::literals;
    require(write_schemas(own) &&
                own.append(Run{.time = kStart,
                               .command = "./generated\0"sv,
                               .host = "generated",
                               .directory = "/",
                               .kernel = "Linux",
                               .producer = "kymo generator",
                               .processors = 8}) &&
                own.append(ClockPair{.monotonic = kStart, .realtime = 1'700'000'000'000'000'000, .error = 100}) &&
                own.append(RunEnd{.time = kStart + duration, .user_ns = duration}),
            path.string() + ": no space");
    finish(writer, path);
}

void write_process(StreamWriter& own) {
    using namespace std::literals;
    bool good = write_schemas(own);
    good = good && own.append(Process{.time = kStart,
                                      .pid = kPid,
                                      .parent_pid = 1,
                                      .executable = "/generated",
                                      .command = "./generated\0"sv,
                                      .mechanism = static_cast<std::uint64_t>(Mechanism::kPerfEvents)});
    const char* const names[] = {"task-clock", "page-faults", "context-switches", "instructions"};
    for (std::uint64_t i = 0; i < 4; ++i) {
        good = good &&
               own.append(Event{.index = i,
                                .name = names[i],
                                .unit = i == 0 ? "ns" : "",
                                .mode = static_cast<std::uint64_t>(i == 0 ? EventMode::kPeriod : EventMode::kCount),
                                .value = i == 0 ? kPeriod : 0,
                                .user_only = 1});
    }
    good = good && own.append(Image{.time = kStart,
                                    .image = 1,
                                    .begin = 0x400000,
                                    .end = 0x800000,
                                    .path = "/generated",
                                    .build_id = "01234567890123456789"});
    require(good, "no space for the process's rows");
}

}  // namespace

SampledThread::SampledThread(std::uint32_t thread, const Workload& workload)
    : random_(workload.seed * 7919 + thread),
      time_(kStart + thread * 1'000),
      processor_(thread % 8),
      dwell_(std::max(workload.dwell, 1U)) {
    std::minstd_rand tree(workload.seed);
    std::minstd_rand& branches = workload.same_code ? tree : random_;
    parents_.resize(workload.contexts + 1);
    for (std::uint64_t context = 2; context <= workload.contexts; ++context) {
        // Mostly long chains, as call paths are.
        parents_[context] =
            context - 1 - (branches() % 8 == 0 ? branches() % std::min<std::uint64_t>(context - 1, 30) : 0);
    }
}

SampledThread::Sampled SampledThread::next() {
    const std::uint64_t jitter = random_() % 40'000;
    time_ += kPeriod + jitter;
    if (random_() % 500 == 0) {
        processor_ = random_() % 8;
    }
    // A program stays about where it is, and sometimes goes elsewhere.
    const std::uint64_t contexts = parents_.size() - 1;
    if (dwell_ == 1 || random_() % dwell_ == 0) {
        context_ = 1 + (random_() % 50 == 0 ? random_() : context_ + random_() % 16) % contexts;
    }
    return {time_,
            processor_,
            context_,
            {kPeriod + jitter / 4, random_() % 20 == 0 ? random_() % 100 : 0, random_() % 50 == 0 ? 1U : 0U,
             2'000'000 + random_() % 1'000'000}};
}

void generate_recording(const std::filesystem::path& folder, const Workload& workload) {
    std::filesystem::create_directories(folder);
    const std::uint64_t each = workload.samples / workload.threads;
    write_launch(folder / "launch.krec", (each + 1) * kPeriod);
    const auto path = folder / ("process-" + std::to_string(kPid) + "-0.krec");
    const auto writer = std::make_unique<FileWriter>();
    create(*writer, path, kPid);
    StreamWriter own;
    own.open(*writer, StreamId{0});
    write_process(own);
    std::vector<SampledThread> threads;
    std::vector<StreamWriter> streams(workload.threads);
    for (std::uint32_t t = 0; t < workload.threads; ++t) {
        SampledThread& thread = threads.emplace_back(t, workload);
        bool good = own.append(Stream{.time = kStart, .stream = t + 1, .tid = kPid + t});
        streams[t].open(*writer, StreamId{t + 1});
        for (std::uint64_t context = 1; context <= workload.contexts; ++context) {
            good = good && streams[t].append(Context{.context = context,
                                                     .parent = thread.parent(context),
                                                     .image = 1,
                                                     .offset = 0x401000 + context * 64});
        }
        require(good, path.string() + ": no space");
    }
    // Interleaved, as threads write.
    for (std::uint64_t i = 0; i < each; ++i) {
        for (std::uint32_t t = 0; t < workload.threads; ++t) {
            const SampledThread::Sampled sampled = threads[t].next();
            require(streams[t].append(Sample{.time = sampled.time,
                                             .processor = sampled.processor,
                                             .context = sampled.context,
                                             .deltas = sampled.deltas}),
                    path.string() + ": no space");
        }
    }
    for (std::uint32_t t = 0; t < workload.threads; ++t) {
        require(own.append(StreamEnd{.time = kStart + (each + 1) * kPeriod, .stream = t + 1}), "no space");
        streams[t].release();
    }
    require(own.append(ProcessEnd{.time = kStart + (each + 1) * kPeriod}), path.string() + ": no space");
    finish(*writer, path);
}

}  // namespace kymo::bench
