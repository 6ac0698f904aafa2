#include "made_recording.h"

#include <cstdlib>
#include <stdexcept>
#include <sys/file.h>
#include <utility>

namespace kymo::testing {

TemporaryFolder::TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "kymo-made-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
        throw std::runtime_error("no temporary folder");
    }
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::filesystem::remove_all(path_);
}

MadeFile::MadeFile(const std::filesystem::path& path, std::uint32_t pid, std::uint16_t machine) {
    recording::FileOptions options;
    options.max_bytes = 1U << 26U;
    options.machine = machine;
    options.pid = pid;
    options.producer = "test";
    if (writer_.create(path.c_str(), options) != 0) {
        throw std::runtime_error("cannot write " + path.string());
    }
    own().open(writer_, StreamId{0});
    recording::write_schemas(own());
}

MadeFile::~MadeFile() {
    if (writer_.is_open()) {
        flock(std::as_const(writer_).descriptor(), LOCK_UN);  // which chunks that are still mapped would keep
        writer_.abandon();                                    // as after SIGKILL
    }
}

recording::StreamWriter& MadeFile::stream(std::uint32_t id) {
    const bool is_new = !streams_.contains(id);
    recording::StreamWriter& stream = streams_[id];
    if (is_new) {
        stream.open(writer_, StreamId{id});
    }
    return stream;
}

void MadeFile::close() {
    for (auto& [id, stream] : streams_) {
        stream.release();
    }
    writer_.close();
}

void MadeFile::context(std::uint32_t id, std::uint64_t number, std::uint64_t parent, std::uint64_t image,
                       std::uint64_t offset) {
    stream(id).append(recording::Context{number, parent, image, offset});
}

void MadeFile::sample(std::uint32_t id, std::uint64_t time, std::uint64_t context,
                      const std::vector<std::uint64_t>& deltas, std::uint64_t flags, std::uint64_t event) {
    stream(id).append(
        recording::Sample{.time = time, .event = event, .context = context, .flags = flags, .deltas = deltas});
}

void MadeFile::begin_process() {
    recording::Process process;
    process.pid = 100;
    process.mechanism = static_cast<std::uint64_t>(recording::Mechanism::kPerfEvents);
    own().append(process);
    event(0, "task-clock", "ns", recording::EventMode::kPeriod, kMs);
    recording::Image image;
    image.image = 1;
    image.path = "/nowhere/app";
    own().append(image);
}

void MadeFile::begin_stream(std::uint32_t id, std::uint64_t time, std::uint64_t tid, const std::string& name,
                            std::uint64_t creator, std::uint64_t creator_context) {
    recording::Stream row;
    row.time = time;
    row.stream = id;
    row.tid = tid;
    row.creator_stream = creator;
    row.creator_context = creator_context;
    own().append(row);
    own().append(recording::StreamName{id, name});
}

void MadeFile::end_stream(std::uint32_t id, std::uint64_t time, const std::vector<std::uint64_t>& totals,
                          std::uint64_t user_ns) {
    recording::StreamEnd row;
    row.time = time;
    row.stream = id;
    row.totals = totals;
    row.user_ns = user_ns;
    stream(id).append(row);
}

void MadeFile::event(std::uint64_t index, const std::string& name, const std::string& unit, recording::EventMode mode,
                     std::uint64_t value) {
    recording::Event row;
    row.index = index;
    row.name = name;
    row.unit = unit;
    row.mode = static_cast<std::uint64_t>(mode);
    row.value = value;
    own().append(row);
}

void write_two_threads(const std::filesystem::path& folder, bool closed, std::uint64_t wait_status) {
    namespace rec = recording;
    {
        MadeFile launch(folder / "launch.krec", 99);
        rec::Run run;
        run.time = 1000 * kMs;
        run.command = std::string_view(
            "./app\0--size\0"
            "10 20\0",
            19);
        run.host = "box";
        run.directory = "/tmp";
        run.processors = 2;
        launch.own().append(run);
        // A thread that no monitor saw, 2–12 ms, off its processor for 4 of them, 1 of these runnable.
        rec::Task task;
        task.time = 1002 * kMs;
        task.change = static_cast<std::uint64_t>(rec::TaskChange::kFork);
        task.pid = 100;
        task.tid = 102;
        task.parent_pid = 100;
        task.parent_tid = 100;
        task.name = "helper";
        launch.own().append(task);
        rec::Switch off;
        off.time = 1003 * kMs;
        off.tid = 102;
        off.duration = 3 * kMs;
        launch.own().append(off);
        off.time = 1008 * kMs;
        off.duration = 1 * kMs;
        off.preempted = 1;
        launch.own().append(off);
        task.time = 1012 * kMs;
        task.change = static_cast<std::uint64_t>(rec::TaskChange::kExit);
        launch.own().append(task);
        rec::RunEnd end;
        end.time = 1021 * kMs;
        end.wait_status = wait_status;
        launch.own().append(end);
        launch.close();
    }
    MadeFile file(folder / "process-100-0.krec", 100);
    rec::Process process;
    process.time = 1000 * kMs;
    process.pid = 100;
    process.parent_pid = 99;
    process.executable = "/opt/app";
    process.command = std::string_view("./app\0", 6);
    process.mechanism = static_cast<std::uint64_t>(rec::Mechanism::kPerfEvents);
    file.own().append(process);
    file.event(0, "task-clock", "ns", rec::EventMode::kPeriod, kMs);
    file.event(1, "page-faults", "", rec::EventMode::kCount, 0);
    file.own().append(
        rec::Unavailable{"cycles", "this virtual machine has no hardware counters", "use another host"});
    file.own().append(
        rec::Unavailable{"instructions", "this virtual machine has no hardware counters", "use another host"});
    rec::Image image;
    image.image = 1;
    image.path = "/nonexistent/app";
    file.own().append(image);

    // Contexts and samples first, so that the stream's description lies behind them in the file.
    file.context(1, 1, 0, 1, 0x10);
    file.context(1, 2, 1, 1, 0x20);
    file.context(1, 3, 2, 1, 0x30);
    file.context(1, 4, 1, 1, 0x25);
    file.context(1, 5, 4, 1, 0x28);
    file.sample(1, 1001 * kMs, 3, {1 * kMs, 2});
    file.sample(1, 1002 * kMs, 3, {1 * kMs, 0});
    rec::KernelTick tick;
    tick.time = 1004 * kMs;
    tick.context = 2;
    file.stream(1).append(tick);
    file.sample(1, 1006 * kMs, 2, {3 * kMs, 5});
    file.sample(1, 1010 * kMs, 0, {1 * kMs, 0}, static_cast<std::uint64_t>(rec::PathEnd::kNotWalked));
    file.begin_stream(1, 1000 * kMs, 100, "app");
    file.begin_stream(2, 1004 * kMs, 101, "worker", 1, 5);
    file.context(2, 1, 0, 1, 0x40);
    file.context(2, 2, 1, 1, 0x30);
    file.context(2, 3, 0, 1, 0x50);
    file.sample(2, 1005 * kMs, 2, {1 * kMs, 0});
    file.sample(2, 1009 * kMs, 2, {2 * kMs, 0});
    file.sample(2, 1010 * kMs, 3, {1 * kMs, 0}, static_cast<std::uint64_t>(rec::PathEnd::kNoRule));
    if (!closed) {
        return;
    }
    file.end_stream(2, 1014 * kMs, {8 * kMs, 0}, 4 * kMs);
    file.end_stream(1, 1020 * kMs, {6 * kMs + kMs / 2, 8}, 4 * kMs);
    rec::ProcessEnd end;
    end.time = 1020 * kMs;
    const std::uint64_t totals[] = {14 * kMs + kMs / 2, 9};
    end.totals = totals;
    file.own().append(end);
    file.close();
}

}  // namespace kymo::testing
