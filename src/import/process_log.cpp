#include "import/process_log.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace kymo::import {
namespace {

// A gap longer than this many of the usual ones holds time off the processor.
constexpr double kLongGap = 3;
constexpr double kStep = 1.0 / 16;  // by which the usual gap follows the gaps that are seen

Error cannot_write(const recording::Folder& folder, const std::string& file, int why) {
    const bool is_space = why == ENOSPC || why == EDQUOT || why == EFBIG || why == EMFILE || why == ENOMEM;
    return {is_space ? ErrorKind::kNoSpace : ErrorKind::kPermission,
            "cannot write " + (folder.path() / file).string() + ": " + std::strerror(why),
            is_space ? "free some space, or use -o with a directory on another disk"
                     : "use -o with a directory that you may write to"};
}

}  // namespace

Result<std::unique_ptr<ProcessLog>> ProcessLog::create(const recording::Folder& folder, const std::string& file,
                                                       const ProcessStart& start, const EventPlan& plan,
                                                       std::string producer) {
    std::unique_ptr<ProcessLog> log(new ProcessLog(plan, file, std::move(producer)));
    recording::FileOptions options;
    options.machine = start.machine;
    options.pid = start.pid;
    options.producer = log->producer_;
    if (const int why = log->file_.create(folder.reach(file).c_str(), options); why != 0) {
        return cannot_write(folder, file, why);
    }
    log->write_start(start);
    return log;
}

ProcessLog::~ProcessLog() {
    if (file_.is_open()) {
        static_cast<void>(close(begin_, 0));
    }
}

void ProcessLog::write_start(const ProcessStart& start) {
    begin_ = start.time;
    mechanism_ = start.mechanism;
    common_.open(file_, StreamId{0});
    recording::write_schemas(common_);
    std::string command = start.name;
    command += '\0';
    recording::Process process;
    process.time = start.time;
    process.pid = start.pid;
    process.parent_pid = start.parent_pid;
    process.executable = start.executable;
    process.command = command;
    process.mechanism = static_cast<std::uint64_t>(start.mechanism);
    process.entry = start.entry;
    common_.append(process);
    for (std::size_t i = 0; i < plan_.events.size(); ++i) {
        const PlannedEvent& event = plan_.events[i];
        common_.append(recording::Event{i, event.name, event.unit, event.mode, event.value, event.type, event.config,
                                        event.precise, event.user_only ? 1U : 0U});
    }
}

void ProcessLog::describe_accesses() {
    if (!has_accesses_) {
        has_accesses_ = true;
        recording::write_schema<recording::MemoryAccess>(common_);
    }
}

ProcessLog::Thread& ProcessLog::open_thread(std::uint32_t tid, std::uint64_t begin, std::string_view name) {
    std::unique_ptr<Thread>& thread = threads_[tid];
    thread = std::make_unique<Thread>();
    thread->stream = ++opened_;
    thread->usual_gap = plan_.usual_gap_ns;
    thread->totals.resize(plan_.events.size());
    thread->last = begin;
    recording::Stream stream;
    stream.time = begin;
    stream.stream = thread->stream;
    stream.tid = tid;
    stream.mechanism = static_cast<std::uint64_t>(mechanism_);
    common_.append(stream);
    if (!name.empty()) {
        common_.append(recording::StreamName{thread->stream, name});
    }
    thread->writer.open(file_, StreamId{static_cast<std::uint32_t>(thread->stream)});
    return *thread;
}

ProcessLog::Thread& ProcessLog::thread_of(std::uint32_t tid, std::uint64_t born, std::string_view name,
                                          const SampleIn& sample) {
    if (const auto known = threads_.find(tid); known != threads_.end()) {
        return *known->second;
    }
    if (born != 0) {
        return open_thread(tid, std::min(std::max(born, begin_), sample.time), name);
    }
    // Of a thread that was there before, the time up to its first sample is that sample's.
    const std::uint64_t period = plan_.kind == Pace::kCounted && sample.attribute == plan_.pace
                                     ? sample.deltas[plan_.clock]
                                     : static_cast<std::uint64_t>(plan_.usual_gap_ns);
    return open_thread(tid, std::max(begin_, sample.time - std::min(sample.time, period)), name);
}

void ProcessLog::begin_thread(std::uint32_t tid, std::uint64_t born, std::string_view name) {
    if (!threads_.contains(tid)) {
        open_thread(tid, std::max(born, begin_), name);
    }
}

std::uint64_t ProcessLog::enter_path(Thread& thread, std::span<const Frame> path) {
    std::uint64_t context = 0;
    for (std::size_t i = path.size(); i > 0; --i) {
        const Frame& frame = path[i - 1];
        context = thread.contexts.enter(context, frame.image, frame.offset, [&](const recording::Context& row) {
            thread.writer.append(row);
            if (row.image == 0 && generated_.size() < kMostGenerated) {
                generated_.push_back(row.offset);
            }
        });
    }
    return context;
}

void ProcessLog::wait(std::uint32_t tid, std::uint64_t born, std::string_view name, const WaitIn& wait) {
    begin_thread(tid, born != 0 ? born : begin_, name);
    Thread& thread = *threads_.at(tid);
    if (wait.row.duration < kBriefWait) {
        recording::WaitBrief& brief = thread.brief_waits[wait.row.kind];
        ++brief.count;
        brief.duration += wait.row.duration;
        return;
    }
    recording::Wait row = wait.row;
    row.context = enter_path(thread, wait.path);
    thread.writer.append(row);
}

void ProcessLog::mark(std::uint32_t tid, std::uint64_t born, std::string_view name, const recording::Mark& mark) {
    begin_thread(tid, born, name);
    threads_.at(tid)->writer.append(mark);
}

// ns of processor time that a sample of the pace event represents.
std::uint64_t ProcessLog::clock_of(Thread& thread, const SampleIn& sample, std::uint64_t period) const {
    if (plan_.kind == Pace::kCounted) {
        return period;
    }
    const auto gap = static_cast<double>(sample.time - std::min(sample.time, thread.last));
    if (thread.usual_gap <= 0) {
        thread.usual_gap = gap;
    }
    const double usual = thread.usual_gap;
    // Steps of one size up and down lead to the median.
    thread.usual_gap += gap > usual ? usual * kStep : -usual * kStep;
    return static_cast<std::uint64_t>(gap > kLongGap * usual ? usual : gap);
}

void ProcessLog::sample(std::uint32_t tid, std::uint64_t born, std::string_view name, const SampleIn& sample) {
    Thread& thread = thread_of(tid, born, name, sample);
    const std::uint64_t context = enter_path(thread, sample.path);
    deltas_.assign(plan_.events.size(), 0);
    std::copy_n(sample.deltas.begin(), std::min(sample.deltas.size(), deltas_.size()), deltas_.begin());
    recording::Sample row;
    row.time = std::max(sample.time, thread.last);
    row.processor = sample.processor;
    row.event = sample.attribute;
    row.context = context;
    row.flags = static_cast<std::uint64_t>(sample.path_end) | (sample.in_kernel ? recording::kInKernel : 0) |
                (sample.recovered ? recording::kRecoveredFrame : 0) | (sample.after_gap ? recording::kAfterPause : 0);
    if (plan_.kind == Pace::kUnknown) {
        row.flags |= recording::kAfterPause;  // what took the time since then is not known
    } else if (plan_.kind != Pace::kGiven && sample.attribute == plan_.pace) {
        const std::uint64_t clock = clock_of(thread, sample, deltas_[plan_.clock]);
        deltas_[plan_.clock] = clock;
        deltas_[plan_.system] = sample.in_kernel ? clock : 0;
    }
    for (std::size_t i = 0; i < deltas_.size(); ++i) {
        thread.totals[i] += deltas_[i];
    }
    const bool has_time =
        plan_.kind == Pace::kUnknown || plan_.kind == Pace::kGiven || sample.attribute == plan_.pace;
    std::optional<recording::MemoryAccess> access;
    if (sample.access != nullptr) {
        describe_accesses();
        access = *sample.access;
        access->image = sample.path.empty() ? 0 : sample.path.front().image;
        access->offset = sample.path.empty() ? 0 : sample.path.front().offset;
    }
    if (!has_time) {
        thread.held.push_back({row, deltas_, access});
        return;
    }
    row.deltas = deltas_;
    thread.writer.append(row);
    if (access) {
        thread.writer.append(*access);
    }
    if (!sample.operands.empty() && thread.operand_turns.take()) {
        recording::SampleOperands operands;
        operands.values = sample.operands;
        thread.writer.append(operands);
    }
    thread.last = row.time;
    // At this time, so that they take none: samples of the pace event say what lies between two of them.
    write_held(thread, row.time);
}

void ProcessLog::write_held(Thread& thread, std::uint64_t time) {
    for (Held& held : thread.held) {
        held.row.time = time;
        held.row.deltas = held.deltas;
        thread.writer.append(held.row);
        if (held.access) {
            thread.writer.append(*held.access);
        }
    }
    thread.held.clear();
}

void ProcessLog::rename(std::uint32_t tid, std::string_view name) {
    if (const auto found = threads_.find(tid); found != threads_.end()) {
        common_.append(recording::StreamName{found->second->stream, name});
    }
}

void ProcessLog::end(Thread& thread, std::uint64_t time) {
    write_held(thread, thread.last);
    recording::StreamEnd row;
    row.time = std::max(time, thread.last);
    row.stream = thread.stream;
    row.totals = thread.totals;
    row.unwritten = thread.writer.unwritten();
    incomplete_ = incomplete_ || row.unwritten != 0;
    for (auto& [kind, brief] : thread.brief_waits) {
        brief.stream = thread.stream;
        brief.kind = kind;
        brief.below = kBriefWait;
        common_.append(brief);
    }
    common_.append(row);
    thread.writer.release();
}

void ProcessLog::end_thread(std::uint32_t tid, std::uint64_t time) {
    if (const auto found = threads_.find(tid); found != threads_.end()) {
        end(*found->second, time);
        threads_.erase(found);
    }
}

bool ProcessLog::close(std::uint64_t time, std::uint64_t how) {
    for (auto& [tid, thread] : threads_) {
        end(*thread, time);
    }
    threads_.clear();
    recording::ProcessEnd row;
    row.time = std::max(time, begin_);
    row.how = how;
    common_.append(row);
    incomplete_ = incomplete_ || common_.unwritten() != 0;
    common_.release();
    return file_.close() == 0 && !incomplete_;
}

}  // namespace kymo::import
