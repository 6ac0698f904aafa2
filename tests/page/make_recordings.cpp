// make_recordings FOLDER [long]: small recordings made by hand for the page's tests:
// FOLDER/{empty,one,thousand,hostile,halves,many,ranks,hunted,slow,findings,build,crowd,address_map,memory,events}.kymo.
//
//   empty    a process and its thread, no sample
//   one      a single sample
//   thousand 1,000 of them
//   hostile  names, paths and texts that are markup, 10,000 bytes long, or no UTF-8
//   many     300 threads, each on a call path 250 deep
//   ranks    two processes with two threads each: ranks 0 and 1 of a parallel job
//   hunted   a hunt for page faults that found app+0x30, which caused 60 % of them from 5 to 15 ms; no samples
//   slow     forty times app+0x30 for 10 ms, then app+0x40 for 10 ms; five of the first take 60 ms and have page
//            faults
//   findings six threads that are slow likewise, each in a function of its own
//   build    g++ for 1 s, in it cc1plus for 890 ms, then as, collect2 and ld for 20 to 40 ms
//   crowd    3,000 threads that compute 5 ms of 100, but for worker-1777, which computes 60 ms
//   address_map 20 ms; the address map read at 2, 10 and 18 ms: code, a heap that has grown at 10 ms, and an
//            area that is there at 10 ms alone; a second process was killed after its reading at 4 ms
//   memory   app 100 has 4 MiB, from 20 ms 68, from 60 ms 20; tool 101 has 10 MiB from 30 to 80 ms
//   events   forty times app+0x30 for 10 ms, then in turn app+0x40 or app+0x50 for 10 ms; six events beside the clock
//   halves   0–50 ms in app+0x30, 50–100 ms in app+0x40; the second thread waits for the first from 50 to 100
//            ms
//   long     (if asked for, alone) app+0x30 and app+0x40 in turns of 500 s, 3.5 million samples: enough for a first
//   look
#include "made_recording.h"
#include "recording/tables/memory.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace kymo;
using testing::kMs;
using testing::MadeFile;

struct Texts {
    std::string command = "./app";
    std::string executable = "/opt/app";
    std::string image = "/nonexistent/app";
    std::string thread = "app";
    std::string host = "box";
    std::string event = "page-faults";
    std::uint32_t pid = 100;
};

void begin(MadeFile& file, const Texts& texts) {
    recording::Process process;
    process.time = 1000 * kMs;
    process.pid = texts.pid;
    process.executable = texts.executable;
    const std::string command = texts.command + '\0';
    process.command = command;
    process.mechanism = static_cast<std::uint64_t>(recording::Mechanism::kPerfEvents);
    file.own().append(process);
    file.event(0, "task-clock", "ns", recording::EventMode::kPeriod, kMs);
    file.event(1, texts.event, "", recording::EventMode::kCount, 0);
    file.own().append(recording::Unavailable{texts.event, texts.host, texts.command});
    recording::Image image;
    image.image = 1;
    image.path = texts.image;
    file.own().append(image);
    file.begin_stream(1, 1000 * kMs, texts.pid, texts.thread);
    file.context(1, 1, 0, 1, 0x10);
    file.context(1, 2, 1, 1, 0x30);
    file.context(1, 3, 1, 1, 0x40);
}

void launch(const std::filesystem::path& folder, const Texts& texts, std::uint64_t duration,
            const std::vector<recording::Memory>& memory = {}, std::uint64_t kernel_lost = 0) {
    std::filesystem::create_directories(folder);
    MadeFile file(folder / "launch.krec", 99);
    recording::Run run;
    run.time = 1000 * kMs;
    const std::string command = texts.command + '\0';
    run.command = command;
    run.host = texts.host;
    run.processors = 2;
    file.own().append(run);
    recording::RunEnd end;
    end.time = 1000 * kMs + duration;
    file.own().append(end);
    for (const recording::Memory& row : memory) {
        file.own().append(row);
    }
    if (kernel_lost != 0) {
        file.own().append(recording::KernelLost{end.time, kernel_lost});
    }
    file.close();
}

void few_samples(const std::filesystem::path& folder, const Texts& texts, std::uint64_t samples) {
    const std::uint64_t end = std::max<std::uint64_t>(20, samples + 1) * kMs;
    launch(folder, texts, end);
    MadeFile file(folder / "process-100-0.krec", 100);
    begin(file, texts);
    for (std::uint64_t i = 1; i <= samples; ++i) {
        file.sample(1, (1000 + i) * kMs, 2 + i % 2, {kMs, i % 3});
    }
    file.end_stream(1, 1000 * kMs + end, {samples * kMs, samples});
    file.close();
}

void memory(const std::filesystem::path& folder) {
    constexpr std::uint64_t kMib = 1024 * 1024;
    launch(folder, {}, 100 * kMs,
           {{1000 * kMs, 100, 4 * kMib, 2 * kMib},
            {1020 * kMs, 100, 68 * kMib, 2 * kMib},
            {1030 * kMs, 101, 10 * kMib, 1 * kMib},
            {1060 * kMs, 100, 20 * kMib, 2 * kMib},
            {1080 * kMs, 101, 0, 0}},
           1496);
    for (const std::uint32_t pid : {100U, 101U}) {
        MadeFile file(folder / ("process-" + std::to_string(pid) + "-0.krec"), pid);
        begin(file, {.command = pid == 100 ? "./app" : "./tool", .thread = pid == 100 ? "app" : "tool", .pid = pid});
        for (std::uint64_t i = 31; i <= 80; ++i) {
            file.sample(1, (1000 + i) * kMs, 2, {kMs, 0});
        }
        file.end_stream(1, 1080 * kMs, {50 * kMs, 0});
        file.close();
    }
}

void long_run(const std::filesystem::path& folder) {
    constexpr std::uint64_t kSamples = 3'500'000;
    constexpr std::uint64_t kTurn = 500'000;
    launch(folder, {}, kSamples * kMs);
    MadeFile file(folder / "process-100-0.krec", 100);
    begin(file, {});
    for (std::uint64_t i = 1; i <= kSamples; ++i) {
        file.sample(1, (1000 + i) * kMs, 2 + (i - 1) / kTurn % 2, {kMs, 0});
    }
    file.end_stream(1, (1000 + kSamples) * kMs, {kSamples * kMs, 0});
    file.close();
}

void halves(const std::filesystem::path& folder) {
    launch(folder, {}, 100 * kMs);
    MadeFile file(folder / "process-100-0.krec", 100);
    begin(file, {});
    file.begin_stream(2, 1000 * kMs, 101, "second");
    file.context(2, 1, 0, 1, 0x10);
    file.context(2, 2, 1, 1, 0x30);
    file.context(2, 3, 1, 1, 0x50);
    for (std::uint64_t i = 1; i <= 100; ++i) {
        file.sample(1, (1000 + i) * kMs, i <= 50 ? 2 : 3, {kMs, i <= 50 ? 0U : 10U});
        if (i <= 50) {
            file.sample(2, (1000 + i) * kMs, 2, {kMs, 0});
        }
    }
    recording::Wait wait;
    wait.time = 1050 * kMs;
    wait.duration = 50 * kMs - 1000;
    wait.kind = static_cast<std::uint64_t>(recording::WaitKind::kMutex);
    wait.object = 0xabc0;
    wait.context = 3;
    wait.holder = 100;
    file.stream(2).append(wait);
    file.end_stream(1, 1100 * kMs, {100 * kMs, 500});
    file.end_stream(2, 1100 * kMs, {50 * kMs, 0});
    file.close();
}

// Forty times one function, of which every eighth time, from the given one on, is slow; then another for 10 ms.
void slow_thread(MadeFile& file, std::uint32_t stream, std::uint64_t first_slow) {
    std::uint64_t at = 0;
    std::uint64_t faults = 0;
    for (std::uint64_t round = 0; round < 40; ++round) {
        const bool is_slow = round % 8 == first_slow;
        for (std::uint64_t i = 0; i < (is_slow ? 60U : 10U); ++i) {
            file.sample(stream, (1001 + at++) * kMs, 2, {kMs, is_slow ? 50U : 0U});
            faults += is_slow ? 50 : 0;
        }
        for (std::uint64_t i = 0; i < 10; ++i) {
            file.sample(stream, (1001 + at++) * kMs, 3, {kMs, 0});
        }
    }
    file.end_stream(stream, 2100 * kMs, {at * kMs, faults});
}

void slow(const std::filesystem::path& folder) {
    launch(folder, {}, 1100 * kMs);
    MadeFile file(folder / "process-100-0.krec", 100);
    begin(file, {});
    slow_thread(file, 1, 5);
    file.close();
}

void findings(const std::filesystem::path& folder) {
    launch(folder, {}, 1100 * kMs);
    MadeFile file(folder / "process-100-0.krec", 100);
    begin(file, {});
    slow_thread(file, 1, 5);
    for (std::uint32_t thread = 2; thread <= 6; ++thread) {
        file.begin_stream(thread, 1000 * kMs, 100 + thread, "worker-" + std::to_string(thread));
        file.context(thread, 1, 0, 1, 0x10);
        file.context(thread, 2, 1, 1, 0x100ULL * thread);
        file.context(thread, 3, 1, 1, 0x40);
        slow_thread(file, thread, thread);
    }
    file.close();
}

// What app+0x30 causes a millisecond after app+0x40, and after app+0x50: in the order of the events below.
constexpr std::array<std::array<std::uint64_t, 2>, 6> kCaused = {{{1, 2}, {1, 5}, {1, 10}, {1, 4}, {1, 1}, {0, 0}}};
constexpr std::array<const char*, 6> kCounted = {"page-faults",  "context-switches", "branch-misses",
                                                 "cache-misses", "cpu-migrations",   "alignment-faults"};

void events(const std::filesystem::path& folder) {
    launch(folder, {}, 900 * kMs);
    MadeFile file(folder / "process-100-0.krec", 100);
    begin(file, {});
    for (std::size_t event = 1; event < kCounted.size(); ++event) {
        file.event(event + 1, kCounted[event], "", recording::EventMode::kCount, 0);
    }
    file.context(1, 4, 1, 1, 0x50);
    std::vector<std::uint64_t> totals(kCounted.size() + 1);
    const std::vector<std::uint64_t> none = {kMs, 0, 0, 0, 0, 0, 0};
    std::uint64_t at = 0;
    for (std::size_t round = 0; round < 40; ++round) {
        std::vector<std::uint64_t> caused = none;
        for (std::size_t event = 0; event < kCounted.size(); ++event) {
            caused[event + 1] = kCaused[event][(round + 1) % 2];
        }
        for (std::uint64_t i = 0; i < 20; ++i, ++at) {
            const bool is_first = i < 10;
            file.sample(1, (1001 + at) * kMs, is_first ? 2 : 3 + round % 2, is_first ? caused : none);
            for (std::size_t event = 0; event < totals.size(); ++event) {
                totals[event] += (is_first ? caused : none)[event];
            }
        }
    }
    file.end_stream(1, 1900 * kMs, totals);
    file.close();
}

void many(const std::filesystem::path& folder) {
    constexpr std::uint32_t kThreads = 300;
    constexpr std::uint64_t kDepth = 250;
    launch(folder, {}, 20 * kMs);
    MadeFile file(folder / "process-100-0.krec", 100);
    begin(file, {});
    for (std::uint32_t thread = 2; thread <= kThreads; ++thread) {
        file.begin_stream(thread, 1000 * kMs, 100 + thread, "worker-" + std::to_string(thread));
        for (std::uint64_t context = 1; context <= kDepth; ++context) {
            file.context(thread, context, context - 1, 1, 0x10 * (context % 200 + 1));
        }
        for (std::uint64_t i = 1; i <= 10; ++i) {
            file.sample(thread, (1000 + i) * kMs, kDepth - i % 3, {kMs, 0});
        }
        file.end_stream(thread, 1020 * kMs, {10 * kMs, 0});
    }
    file.end_stream(1, 1020 * kMs, {0, 0});
    file.close();
}

void ranks(const std::filesystem::path& folder) {
    launch(folder, {}, 20 * kMs);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        const std::uint32_t pid = 100 * (rank + 1);
        MadeFile file(folder / ("process-" + std::to_string(pid) + "-0.krec"), pid);
        begin(file, {.pid = pid});
        file.own().append(recording::Rank{rank, 2, "box"});
        file.begin_stream(2, 1000 * kMs, pid + 1, "second");
        file.context(2, 1, 0, 1, 0x10);
        for (std::uint32_t stream = 1; stream <= 2; ++stream) {
            for (std::uint64_t i = 1; i <= 15; ++i) {
                file.sample(stream, (1000 + i) * kMs, 1, {kMs, 0});
            }
            file.end_stream(stream, 1020 * kMs, {15 * kMs, 0});
        }
        file.close();
    }
}

// A process that runs app+0x30 from one millisecond to another.
void process(const std::filesystem::path& folder, std::uint32_t pid, const std::string& name, std::uint64_t from,
             std::uint64_t to) {
    MadeFile file(folder / ("process-" + std::to_string(pid) + "-0.krec"), pid);
    recording::Process process;
    process.time = (1000 + from) * kMs;
    process.pid = pid;
    const std::string executable = "/opt/" + name;
    const std::string command = name + '\0';
    process.executable = executable;
    process.command = command;
    process.mechanism = static_cast<std::uint64_t>(recording::Mechanism::kPerfEvents);
    file.own().append(process);
    file.event(0, "task-clock", "ns", recording::EventMode::kPeriod, kMs);
    recording::Image image;
    image.image = 1;
    const std::string path = "/nonexistent/" + name;
    image.path = path;
    file.own().append(image);
    file.begin_stream(1, (1000 + from) * kMs, pid, name);
    file.context(1, 1, 0, 1, 0x30);
    for (std::uint64_t i = from + 1; i < to; ++i) {
        file.sample(1, (1000 + i) * kMs, 1, {kMs});
    }
    file.end_stream(1, (1000 + to) * kMs, {(to - from) * kMs});
    file.close();
}

void build(const std::filesystem::path& folder) {
    launch(folder, {.command = "g++"}, 1000 * kMs);
    process(folder, 100, "g++", 0, 1000);
    process(folder, 101, "cc1plus", 10, 900);
    process(folder, 102, "as", 900, 920);
    process(folder, 103, "collect2", 920, 960);
    process(folder, 104, "ld", 925, 955);
}

void crowd(const std::filesystem::path& folder) {
    constexpr std::uint32_t kThreads = 3000;
    constexpr std::uint32_t kOther = 1777;
    launch(folder, {}, 100 * kMs);
    MadeFile file(folder / "process-100-0.krec", 100);
    begin(file, {});
    for (std::uint32_t thread = 2; thread <= kThreads; ++thread) {
        file.begin_stream(thread, 1000 * kMs, 100 + thread, "worker-" + std::to_string(thread));
        file.context(thread, 1, 0, 1, 0x10);
        const std::uint64_t samples = thread == kOther ? 60 : 5;
        for (std::uint64_t i = 1; i <= samples; ++i) {
            file.sample(thread, (1000 + i) * kMs, 1, {kMs, 0});
        }
        file.end_stream(thread, 1100 * kMs, {samples * kMs, 0});
    }
    file.end_stream(1, 1100 * kMs, {0, 0});
    file.close();
}

void area(MadeFile& file, std::uint64_t ms, std::uint64_t number, std::uint64_t first_page, std::uint64_t pages,
          recording::AreaKind kind, std::uint64_t protection, const std::string& path) {
    recording::Area row;
    row.time = (1000 + ms) * kMs;
    row.area = number;
    row.begin = first_page * 4096;
    row.end = (first_page + pages) * 4096;
    row.kind = static_cast<std::uint64_t>(kind);
    row.protection = protection;
    row.path = path;
    file.own().append(row);
}

void area_end(MadeFile& file, std::uint64_t ms, std::uint64_t number, std::uint64_t readings) {
    recording::AreaEnd row;
    row.time = (1000 + ms) * kMs;
    row.area = number;
    row.readings = readings;
    file.own().append(row);
}

void address_map(const std::filesystem::path& folder) {
    using recording::AreaKind;
    constexpr std::uint64_t kReadWrite = recording::kAreaRead | recording::kAreaWrite;
    launch(folder, {}, 20 * kMs);
    MadeFile file(folder / "process-100-0.krec", 100);
    begin(file, {});
    for (std::uint64_t i = 1; i <= 15; ++i) {
        file.sample(1, (1000 + i) * kMs, 2, {kMs, 0});
    }
    area(file, 2, 1, 0x10, 4, AreaKind::kFile, recording::kAreaRead | recording::kAreaExecute, "/opt/app");
    area(file, 2, 2, 0x100, 1, AreaKind::kHeap, kReadWrite, "[heap]");
    area_end(file, 2, 0, 1);
    area(file, 10, 2, 0x100, 3, AreaKind::kHeap, kReadWrite, "[heap]");
    area(file, 10, 3, 0x1000, 255, AreaKind::kAnonymous, kReadWrite, "");
    area_end(file, 10, 0, 2);
    area_end(file, 18, 3, 0);
    area_end(file, 18, 0, 3);
    recording::ProcessEnd end;
    end.time = 1020 * kMs;
    file.own().append(end);
    file.end_stream(1, 1020 * kMs, {15 * kMs, 0});
    file.close();
    MadeFile killed(folder / "process-200-0.krec", 200);
    begin(killed, {.pid = 200});
    killed.sample(1, 1005 * kMs, 2, {kMs, 0});
    area(killed, 4, 1, 0x10, 1, AreaKind::kFile, recording::kAreaRead | recording::kAreaExecute, "/opt/app");
    area_end(killed, 4, 0, 1);
    killed.close();
}

void hunted(const std::filesystem::path& folder) {
    launch(folder, {}, 20 * kMs);
    MadeFile file(folder / "process-100-0.krec", 100);
    begin(file, {});
    recording::Hunt hunt;
    hunt.time = 1000 * kMs;
    hunt.event = "page-faults";
    hunt.cells = 4;
    hunt.share = 0.05;
    hunt.refuse = 0.02;
    hunt.confidence = 0.999;
    file.own().append(hunt);
    recording::HuntResult find;
    find.time = 1005 * kMs;
    find.number = 1;
    find.image = 1;
    find.offset = 0x30;
    find.context = 2;
    find.tid = 100;
    find.events = 20;
    find.matches = 18;
    find.seen = 25;
    file.own().append(find);
    recording::HuntResultEnd find_end;
    find_end.time = 1015 * kMs;
    find_end.number = 1;
    find_end.quiet = 1;
    find_end.events = 1000;
    find_end.matches = 600;
    file.own().append(find_end);
    recording::HuntEnd end;
    end.time = 1020 * kMs;
    end.events = 1500;
    file.own().append(end);
    file.end_stream(1, 1020 * kMs, {0, 0});
    file.close();
}

void hostile(const std::filesystem::path& folder) {
    const std::string markup = "<script>window.hacked=1</script><img src=x onerror=\"window.hacked=2\">";
    const std::string ends = "</script><script>window.hacked=3</script><!--";
    const Texts texts{.command = ends + std::string(10'000, 'a'),
                      .executable = "/opt/" + markup,
                      .image = "/nonexistent/" + markup + "\xff\xfe" + std::string(10'000, 'z'),
                      .thread = "<b>\xc3(\"'&amp;",
                      .host = "javascript:window.hacked=4",
                      .event = "<svg onload=window.hacked=5>"};
    few_samples(folder, texts, 15);
}

}  // namespace

int main(int argc, char** argv) {
    const bool is_long = argc == 3 && std::string(argv[2]) == "long";
    if (argc != 2 && !is_long) {
        std::fprintf(stderr, "usage: make_recordings FOLDER [long]\n");
        return 2;
    }
    const std::filesystem::path folder = argv[1];
    try {
        if (is_long) {
            long_run(folder / "long.kymo");
            return 0;
        }
        few_samples(folder / "empty.kymo", {}, 0);
        few_samples(folder / "one.kymo", {}, 1);
        few_samples(folder / "thousand.kymo", {}, 1000);
        many(folder / "many.kymo");
        ranks(folder / "ranks.kymo");
        hunted(folder / "hunted.kymo");
        hostile(folder / "hostile.kymo");
        slow(folder / "slow.kymo");
        findings(folder / "findings.kymo");
        build(folder / "build.kymo");
        crowd(folder / "crowd.kymo");
        events(folder / "events.kymo");
        halves(folder / "halves.kymo");
        address_map(folder / "address_map.kymo");
        memory(folder / "memory.kymo");
    } catch (const std::exception& error) {
        std::fprintf(stderr, "make_recordings: %s\n", error.what());
        return 1;
    }
    return 0;
}
