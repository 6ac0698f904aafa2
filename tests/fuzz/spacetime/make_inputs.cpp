// Writes small recording files, right and strange, into the folder named on the command line: what the fuzz driver
// begins with.
#include "made_inputs.h"

#include <cstdio>

namespace {

using namespace kymo;
using recording::WaitKind;
using testing::kMs;
using testing::MadeFile;

void wait(MadeFile& file, std::uint32_t stream, WaitKind kind, std::uint64_t context, std::uint64_t holder) {
    file.stream(stream).append(recording::Wait{.time = kMs,
                                               .duration = kMs,
                                               .kind = static_cast<std::uint64_t>(kind),
                                               .object = 0xabc,
                                               .context = context,
                                               .holder = holder});
}

void join(MadeFile& file, std::uint32_t stream, std::uint64_t number, std::uint64_t other, std::uint64_t joined) {
    file.context(stream, number, 0, 0, 0);
    file.stream(stream).append(recording::Join{number, other, joined});
}

void begin(MadeFile& file) {
    file.own().append(recording::Process{.time = 0, .pid = 1, .executable = "/app", .mechanism = 1});
    file.event(0, "task-clock", "ns", recording::EventMode::kPeriod, kMs);
    file.begin_stream(1, 0, 101, "a");
    file.begin_stream(2, 0, 102, "b", 1, 2);
    file.context(1, 1, 0, 0, 0x10);
    file.context(1, 2, 1, 7, 0x20);
}

void end(MadeFile& file) {
    file.end_stream(1, 9 * kMs, {8 * kMs}, 8 * kMs);
    file.end_stream(2, 9 * kMs, {2 * kMs}, 2 * kMs);
}

void samples(MadeFile& file) {
    begin(file);
    file.own().append(recording::Image{.time = 0, .image = 7, .begin = 0x1000, .end = 0x2000, .path = "/app"});
    file.sample(1, 2 * kMs, 2, {kMs});
    file.sample(1, 5 * kMs, 0, {kMs}, 1);
    file.sample(1, 6 * kMs, 1, {kMs}, 0x40);
    end(file);
}

void waits(MadeFile& file) {
    begin(file);
    wait(file, 1, WaitKind::kMutex, 2, 102);
    wait(file, 2, WaitKind::kSleep, 0, 0);
    file.sample(2, 4 * kMs, 0, {kMs});
    file.own().append(recording::WaitBrief{.stream = 1, .kind = 1, .count = 3, .duration = 900, .below = 10'000});
    end(file);
}

void joins(MadeFile& file) {
    begin(file);
    join(file, 2, 1, 1, 2);
    file.context(2, 2, 1, 0, 0x30);
    file.sample(2, 3 * kMs, 2, {kMs});
    wait(file, 2, WaitKind::kOmpBarrier, 2, 101);
    wait(file, 2, WaitKind::kOmpIdle, 1, 101);
    end(file);
}

void strange_joins(MadeFile& file) {
    begin(file);
    join(file, 1, 3, 1, 3);
    join(file, 2, 1, 1, 5);
    join(file, 1, 5, 2, 1);
    join(file, 2, 2, 77, 1);
    join(file, 2, 3, 1, 5'000);
    wait(file, 2, WaitKind::kOmpBarrier, 1, 101);
    end(file);
}

void kernel_rows(MadeFile& file) {
    begin(file);
    file.own().append(recording::Switch{.time = 2 * kMs, .tid = 101, .duration = kMs});
    file.own().append(recording::Task{.time = kMs, .change = 1, .pid = 1, .tid = 102, .parent_pid = 1});
    file.own().append(recording::Mapping{.time = kMs, .pid = 1, .tid = 101, .bytes = 4096});
    file.own().append(recording::ProgramFile{.time = kMs, .pid = 1, .path = "/app"});
    end(file);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: profile_fuzz_inputs FOLDER\n", stderr);
        return 2;
    }
    const testing::MadeInput inputs[] = {
        {"samples", samples},         {"waits", waits}, {"joins", joins}, {"strange-joins", strange_joins},
        {"kernel-rows", kernel_rows},
    };
    return testing::write_inputs(argv[1], inputs);
}
