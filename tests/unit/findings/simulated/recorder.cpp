#include "recorder.h"

#include "spacetime/profile/make_profile.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kymo::findings::simulated {

namespace rec = recording;
using kymo::testing::MadeFile;

namespace {

constexpr std::uint64_t kImage = 1;
constexpr std::uint64_t kFunctionBytes = 0x100;
constexpr double kLateMean = 20'000;  // ns; virtual machines' timers come so late
constexpr double kLateMost = 200'000;
constexpr double kLeastFirst = 60'000;

std::uint64_t whole(double value) {
    return static_cast<std::uint64_t>(std::llround(value));
}

}  // namespace

Recorder::Recorder(unsigned processors, bool counts_instructions, std::uint64_t seed)
    : counts_instructions_(counts_instructions), random_(seed) {
    launch_ = std::make_unique<MadeFile>(folder_.path() / "launch.krec", 99);
    rec::Run run;
    run.command = std::string_view("./app\0", 6);
    run.processors = processors;
    launch_->own().append(run);
}

std::uint32_t Recorder::function(std::string_view name) {
    const auto found = std::find(functions_.begin(), functions_.end(), name);
    if (found == functions_.end()) {
        functions_.emplace_back(name);
        return static_cast<std::uint32_t>(functions_.size() - 1);
    }
    return static_cast<std::uint32_t>(found - functions_.begin());
}

std::string Recorder::name_of(const spacetime::Place& place) const {
    constexpr std::string_view kPrefix = "app+0x";
    if (!place.function.starts_with(kPrefix)) {
        return place.function;
    }
    return function_at(std::stoull(place.function.substr(kPrefix.size()), nullptr, 16));
}

std::string Recorder::function_at(std::uint64_t offset) const {
    const std::uint64_t number = offset / kFunctionBytes;
    return number == 0 || number > functions_.size() ? "" : functions_[number - 1];
}

void Recorder::begin_process(ThreadRecord* first, std::uint64_t parent_pid, std::int64_t time) {
    Process process;
    process.pid = ++last_number_;
    process.file = std::make_unique<MadeFile>(folder_.path() / ("process-" + std::to_string(process.pid) + "-0.krec"),
                                              static_cast<std::uint32_t>(process.pid));
    rec::Process row;
    row.time = static_cast<std::uint64_t>(time);
    row.pid = process.pid;
    row.parent_pid = parent_pid;
    row.executable = "/opt/app";
    row.command = std::string_view("./app\0", 6);
    row.mechanism = static_cast<std::uint64_t>(rec::Mechanism::kPerfEvents);
    process.file->own().append(row);
    process.file->event(0, "task-clock", "ns", rec::EventMode::kPeriod, whole(kPeriod));
    process.file->event(1, "page-faults", "", rec::EventMode::kPeriod, whole(kFaultPeriod));
    if (counts_instructions_) {
        process.file->event(2, "instructions", "", rec::EventMode::kCount, 0);
    }
    rec::Image image;
    image.image = kImage;
    image.path = "/nonexistent/app";
    image.build_id = "0123";
    process.file->own().append(image);
    process.totals.assign(counts_instructions_ ? 3 : 2, 0);
    first->process = processes_.size();
    first->tid = process.pid;
    first->stream = 1;
    processes_.push_back(std::move(process));
    first->grid = kPeriod;
}

void Recorder::begin_thread(ThreadRecord* thread, ThreadRecord* creator, const std::string& name, std::int64_t time) {
    rec::Task task;
    task.time = static_cast<std::uint64_t>(time);
    task.change = static_cast<std::uint64_t>(rec::TaskChange::kFork);
    task.parent_pid = creator != nullptr ? pid_of(*creator) : 99;
    task.parent_tid = creator != nullptr ? creator->tid : 99;
    rec::Stream row;
    if (creator != nullptr && thread->tid == 0) {
        thread->process = creator->process;
        thread->tid = ++last_number_;
        thread->stream = static_cast<std::uint32_t>(thread->tid);
        thread->grid = std::max(kLeastFirst, random_.uniform() * kPeriod);
        row.first_period_ns = whole(thread->grid);
        row.creator_stream = creator->stream;
        row.creator_context = context(creator);
    }
    task.pid = pid_of(*thread);
    task.tid = thread->tid;
    task.name = name;
    launch_->own().append(task);
    row.time = static_cast<std::uint64_t>(time);
    row.stream = thread->stream;
    row.tid = thread->tid;
    MadeFile& to = file(*thread);
    to.own().append(row);
    to.own().append(rec::StreamName{thread->stream, name});
    thread->last.assign(counts_instructions_ ? 3 : 2, 0);
    thread->fault_due = kFaultPeriod;
    plan_sample(thread);
}

std::vector<std::uint64_t> Recorder::sums(const ThreadRecord& thread) const {
    std::vector<std::uint64_t> sums{whole(thread.clock), static_cast<std::uint64_t>(thread.faults)};
    if (counts_instructions_) {
        sums.push_back(whole(thread.instructions));
    }
    return sums;
}

void Recorder::plan_sample(ThreadRecord* thread) {
    thread->due = thread->grid + std::min(kLateMost, kLateMean * -std::log(1 - random_.uniform()));
}

std::uint64_t Recorder::context(ThreadRecord* thread) {
    std::uint64_t parent = 0;
    for (std::size_t length = 1; length <= thread->path.size(); ++length) {
        const std::vector<std::uint32_t> path(thread->path.begin(),
                                              thread->path.begin() + static_cast<std::ptrdiff_t>(length));
        const auto [at, is_new] = thread->contexts.emplace(path, thread->contexts.size() + 1);
        if (is_new) {
            file(*thread).context(thread->stream, at->second, parent, kImage, (path.back() + 1) * kFunctionBytes);
        }
        parent = at->second;
    }
    return parent;
}

void Recorder::sample(ThreadRecord* thread, std::int64_t time, int processor, std::uint64_t event) {
    const std::vector<std::uint64_t> now = sums(*thread);
    std::vector<std::uint64_t> deltas(now.size());
    std::transform(now.begin(), now.end(), thread->last.begin(), deltas.begin(), std::minus<>());
    rec::Sample row;
    row.time = static_cast<std::uint64_t>(time);
    row.processor = static_cast<std::uint64_t>(processor);
    row.event = event;
    row.context = context(thread);
    row.deltas = deltas;
    file(*thread).stream(thread->stream).append(row);
    thread->last = now;
}

void Recorder::look(ThreadRecord* thread, std::int64_t time, int processor, bool in_kernel) {
    if (thread->faults >= thread->fault_due) {
        sample(thread, time, processor, 1);
        thread->fault_due += kFaultPeriod;
    }
    if (thread->clock < thread->due) {
        return;
    }
    if (!in_kernel) {  // there the clock's samples are not delivered
        sample(thread, time, processor, 0);
    }
    while (thread->grid <= thread->clock) {
        thread->grid += kPeriod;
    }
    plan_sample(thread);
}

void Recorder::kernel_tick(ThreadRecord* thread, std::int64_t time) {
    const std::uint64_t at = context(thread);
    file(*thread).stream(thread->stream).append(rec::KernelTick{static_cast<std::uint64_t>(time), at});
}

void Recorder::wait(ThreadRecord* thread, rec::Wait row) {
    if (row.duration < static_cast<std::uint64_t>(kLeastWait)) {
        Brief& brief = thread->brief[static_cast<rec::WaitKind>(row.kind)];
        ++brief.count;
        brief.ns += static_cast<std::int64_t>(row.duration);
        return;
    }
    row.context = context(thread);
    file(*thread).stream(thread->stream).append(row);
}

void Recorder::mapping(const ThreadRecord& thread, std::int64_t time, std::uint64_t bytes) {
    launch_->own().append(rec::Mapping{static_cast<std::uint64_t>(time), pid_of(thread), thread.tid, bytes});
}

void Recorder::leaves(ThreadRecord* thread, std::int64_t time, int processor, bool is_ready) {
    thread->off_since = time;
    thread->off_preempted = is_ready;
    thread->off_processor = processor;
    ++(is_ready ? thread->involuntary : thread->voluntary);
}

void Recorder::returns(ThreadRecord* thread, std::int64_t time, int processor) {
    if (thread->off_since) {
        launch_->own().append(rec::Switch{.time = static_cast<std::uint64_t>(*thread->off_since),
                                          .tid = thread->tid,
                                          .duration = static_cast<std::uint64_t>(time - *thread->off_since),
                                          .processor_before = static_cast<std::uint64_t>(thread->off_processor),
                                          .processor_after = static_cast<std::uint64_t>(processor),
                                          .preempted = thread->off_preempted ? 1U : 0U});
        thread->off_since.reset();
    }
}

void Recorder::end_thread(ThreadRecord* thread, std::int64_t time) {
    const std::vector<std::uint64_t> totals = sums(*thread);
    rec::StreamEnd row;
    row.time = static_cast<std::uint64_t>(time);
    row.stream = thread->stream;
    row.totals = totals;
    row.user_ns = whole(thread->clock - thread->system);
    row.system_ns = whole(thread->system);
    row.asked = rec::kAskedSwitches | rec::kAskedRunDelay;
    row.voluntary = thread->voluntary;
    row.involuntary = thread->involuntary;
    row.run_delay_ns = static_cast<std::uint64_t>(thread->ready_ns);
    rec::StreamWriter& stream = file(*thread).stream(thread->stream);
    for (const auto& [kind, brief] : thread->brief) {
        stream.append(rec::WaitBrief{thread->stream, static_cast<std::uint64_t>(kind), brief.count,
                                     static_cast<std::uint64_t>(brief.ns), static_cast<std::uint64_t>(kLeastWait)});
    }
    stream.append(row);
    stream.release();
    std::vector<std::uint64_t>& all = processes_[thread->process].totals;
    std::transform(totals.begin(), totals.end(), all.begin(), all.begin(), std::plus<>());
    rec::Task task;
    task.time = static_cast<std::uint64_t>(time);
    task.change = static_cast<std::uint64_t>(rec::TaskChange::kExit);
    task.pid = pid_of(*thread);
    task.tid = thread->tid;
    launch_->own().append(task);
}

void Recorder::end_process(std::size_t process, std::int64_t time) {
    rec::ProcessEnd end;
    end.time = static_cast<std::uint64_t>(time);
    end.totals = processes_[process].totals;
    processes_[process].file->own().append(end);
    processes_[process].file->close();
}

void Recorder::end(std::int64_t time, std::uint64_t peak_bytes, std::optional<std::int64_t> stolen) {
    stolen_ = stolen;
    rec::RunEnd row;
    row.time = static_cast<std::uint64_t>(time);
    row.peak_bytes = peak_bytes;
    launch_->own().append(row);
    launch_->close();
}

spacetime::Evidence Recorder::evidence() const {
    const auto recording = rec::Recording::open(folder_.path());
    const auto profile = spacetime::load_profile(*recording);
    spacetime::NamedRun named = spacetime::name_run(*profile);
    auto evidence = spacetime::make_evidence(*recording, *profile, named);
    evidence->run.steal_ns = stolen_;
    return std::move(*evidence);
}

}  // namespace kymo::findings::simulated
