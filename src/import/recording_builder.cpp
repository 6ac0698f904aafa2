#include "import/recording_builder.h"

#include "base/native.h"
#include "import/kernel_rows.h"
#include "import/processor/memory_samples.h"
#include "import/waits/wakes.h"

#include <algorithm>
#include <elf.h>
#include <linux/perf_event.h>
#include <string_view>

namespace kymo::import {
namespace {

namespace rec = recording;
using perf::kNotGiven;

constexpr std::size_t kMostWoken = std::size_t{1} << 20U;  // threads

std::uint16_t machine_of(std::string_view arch) {
    return arch == "x86_64"                       ? EM_X86_64
           : arch == "aarch64" || arch == "arm64" ? EM_AARCH64
           : arch == "riscv64"                    ? EM_RISCV
           : arch == "loongarch64"                ? EM_LOONGARCH
           : arch == "ppc64" || arch == "ppc64le" ? EM_PPC64
           : arch == "s390x"                      ? EM_S390
                                                  : EM_NONE;
}

// Whether the thread that wakes a waiting one ends what it waits for; a join has its thread already.
bool is_ended_by_thread(rec::WaitKind kind) {
    return kind != rec::WaitKind::kJoin && kind != rec::WaitKind::kSleep && kind != rec::WaitKind::kChild &&
           kind != rec::WaitKind::kSync;
}

}  // namespace

std::optional<events::Missing> missing_generated_names(const BuilderCounts& counts, const std::string& why) {
    if (counts.nameless == 0) {
        return std::nullopt;
    }
    const std::string whose = counts.nameless == 1 ? "a process" : std::to_string(counts.nameless) + " processes";
    return events::Missing{"names of just-in-time compiled code",
                           why.empty() ? whose + " left no /tmp/perf-PID.map that names it" : why,
                           "let the program write it: node --perf-basic-prof, python3 -X perf, "
                           "DOTNET_PerfMapEnabled=1, java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit or "
                           "jcmd PID Compiler.perfmap"};
}

void RecordingBuilder::find_kernel(const perf::FileFacts& facts) {
    for (const perf::BuildId& id : facts.build_ids) {
        if (options_.kernel_symbols.empty() && id.kernel && id.path == kKernelPath && !has_kernel_) {
            has_kernel_ = true;
            kernel_ = KernelCode(symbols_of_kernel({id.bytes.begin(), id.bytes.end()}));
        }
    }
}

void RecordingBuilder::header(const perf::FileFacts& facts, std::span<const perf::Attribute> attributes) {
    find_kernel(facts);
    const bool sees_kernel = std::any_of(attributes.begin(), attributes.end(), [](const perf::Attribute& each) {
        return !each.exclude_kernel && (each.sample_type & PERF_SAMPLE_CALLCHAIN) != 0;
    });
    if (has_kernel_ && sees_kernel) {
        kernel_.read_ahead();
    }
}

Result<void> RecordingBuilder::begin(const perf::FileFacts& facts, std::span<const perf::Attribute> attributes) {
    machine_ = machine_of(facts.arch);
    attributes_ = attributes;
    plan_ = plan_events(attributes);
    files_of_images_.know(facts.build_ids);
    begin_ = facts.first_time == 0 ? ~std::uint64_t{0} : facts.first_time;
    find_kernel(facts);
    paths_.emplace(files_of_images_, kernel_, machine_ == processor::kMachine || machine_ == EM_NONE);
    return {};
}

void RecordingBuilder::mapping(const perf::Mapping& row) {
    see(row);
    if (row.kernel && row.path.starts_with(kKernelPath) && row.path.size() > kKernelPath.size()) {
        kernel_.set_reference(row.path.substr(kKernelPath.size()), row.file_offset);
    }
    if (row.kernel || !row.executable || row.pid == kNotGiven || row.length == 0) {
        return;
    }
    Process& process = process_of(row.pid);
    process.space.map(row.begin, row.length, files_of_images_.load(process.code, process.begin, row));
}

void RecordingBuilder::comm(const perf::Comm& row) {
    see(row);
    if (row.pid == kNotGiven) {
        return;
    }
    if (row.is_exec) {
        end_process(row.pid, row.time, 2);
        Process& before = process_of(row.pid);
        Process fresh;
        fresh.begin = row.time;
        fresh.parent = before.parent;
        before = std::move(fresh);
    }
    Process& process = process_of(row.pid);
    Task& task = process.tasks[row.tid];
    task.name = row.name;
    task.born = row.is_exec ? row.time : task.born;
    if (process.log != nullptr) {
        process.log->rename(row.tid, row.name);
    }
    if (row.time != 0) {
        log_.take(kernel_record(row));
    }
}

void RecordingBuilder::fork(const perf::Fork& row) {
    see(row);
    if (row.pid == kNotGiven) {
        return;
    }
    if (row.pid == row.parent_pid) {
        Process& process = process_of(row.pid);
        const auto parent = process.tasks.find(row.parent_tid);
        const std::string name = parent == process.tasks.end() ? std::string() : parent->second.name;
        process.tasks[row.tid] = {row.time, name};
    } else {
        Process& parent = process_of(row.parent_pid);
        const auto known = parent.tasks.find(row.parent_tid);
        Process child;
        child.begin = row.time;
        child.parent = row.parent_pid;
        child.space = parent.space;
        child.code = parent.code;
        child.tasks[row.tid] = {row.time, known == parent.tasks.end() ? std::string() : known->second.name};
        end_process(row.pid, row.time, 0);  // a number that is used again
        processes_[row.pid] = std::move(child);
    }
    if (row.time != 0) {
        log_.take(kernel_record_of_task(row, launch::KernelChange::kFork));
    }
}

void RecordingBuilder::exit(const perf::Exit& row) {
    see(row);
    wakes_.erase(row.tid);
    const auto found = processes_.find(row.pid);
    if (found != processes_.end()) {
        const auto task = found->second.tasks.find(row.tid);
        if (options_.every_process && task != found->second.tasks.end() && !error_ &&
            open_log(row.pid, found->second)) {
            found->second.log->begin_thread(row.tid, task->second.born, task->second.name);
        }
        if (found->second.log != nullptr) {
            found->second.log->end_thread(row.tid, row.time);
        }
        found->second.tasks.erase(row.tid);
        if (found->second.tasks.empty()) {
            end_process(row.pid, row.time, 0);
            found->second.begin = row.time;  // of whatever is sampled of it yet: its last way through the kernel
            forget_oldest(row.pid);
        }
    }
    log_.take(kernel_record_of_task(row, launch::KernelChange::kExit));
}

void RecordingBuilder::context_switch(const perf::Switch& row) {
    see(row);
    log_.take(kernel_record(row));
    const auto process = processes_.find(row.pid);
    if (process == processes_.end()) {
        return;
    }
    const auto task = process->second.tasks.find(row.tid);
    if (task == process->second.tasks.end() || !task->second.blocked) {
        return;
    }
    Blocked& blocked = *task->second.blocked;
    if (row.out && !row.preempted && blocked.time == 0) {
        blocked.time = row.time;
        return;
    }
    if (!row.out && blocked.time != 0) {
        write_wait(row.pid, process->second, row.tid, task->second, row.time, 0);
    }
    task->second.blocked.reset();
}

void RecordingBuilder::lost(const perf::Lost& row) {
    counts_.lost += row.count;
    log_.take(kernel_record(row));
}

void RecordingBuilder::sample(const perf::Sample& row) {
    see(row);
    if (row.attribute == plan_.wakes || row.attribute == options_.wakes) {
        note_wake(row);
        if (row.attribute == options_.wakes) {
            return;
        }
    }
    if (row.pid == 0 || row.pid == kNotGiven) {
        ++counts_.idle;
        return;
    }
    if (error_) {
        return;
    }
    Process& process = process_of(row.pid);
    if (!open_log(row.pid, process)) {
        return;
    }
    const FoundPath path = paths_->find(process, row);
    counts_.other_registers += path.is_of_other ? 1 : 0;
    note_stack(row, path);
    SampleIn sample;
    sample.time = row.time;
    sample.processor = row.cpu == kNotGiven ? 0 : row.cpu;
    sample.attribute = row.attribute;
    sample.in_kernel = row.mode == perf::Mode::kKernel || row.mode == perf::Mode::kGuestKernel;
    sample.path_end = path.end;
    sample.recovered = path.recovered;
    path_.assign(path.kernel.begin(), path.kernel.end());
    path_.insert(path_.end(), path.frames.begin(), path.frames.end());
    sample.path = path_;
    write_images(process);
    find_deltas(row);
    sample.deltas = deltas_;
    if (path.registers && !sample.in_kernel) {
        operands_.assign(path.registers->general.begin(), path.registers->general.end());
        operands_.push_back(path.registers->pc);
        sample.operands = operands_;
    }
    const auto access = memory_access(row, attributes_[row.attribute]);
    sample.access = access ? &*access : nullptr;
    const auto task = process.tasks.find(row.tid);
    const bool is_known = task != process.tasks.end();
    process.log->sample(row.tid, is_known ? task->second.born : 0, is_known ? task->second.name : std::string(),
                        sample);
    ++counts_.samples;
    if (!row.branches.empty()) {
        process.branches.add(process.space, row.branches, stack_kind(attributes_[row.attribute]), &branch_room_);
    }
    see_generated(row.pid, process);
    if (row.attribute == plan_.switches) {
        // The kernel takes this sample just before it records that the thread loses its processor.
        note_blocked(process, row.tid, path, 0);
    }
}

void RecordingBuilder::asleep(std::uint32_t pid, std::uint32_t tid, std::uint64_t time, const Sleeper& sleeper) {
    Process& process = process_of(pid);
    note_blocked(process, tid, paths_->find(process, sleeper), time);
}

// `since`: as Blocked's time.
void RecordingBuilder::note_blocked(Process& process, std::uint32_t tid, const FoundPath& path, std::uint64_t since) {
    Task& task = process.tasks[tid];
    task.blocked.reset();
    if (const auto call = paths_->blocking_call_of(process, path)) {
        task.blocked = Blocked{since, *call, {path.frames.begin(), path.frames.end()}};
    }
}

void RecordingBuilder::write_wait(std::uint32_t pid, Process& process, std::uint32_t tid, Task& task,
                                  std::uint64_t end, std::uint64_t flags) {
    if (error_ || !open_log(pid, process)) {
        return;
    }
    const Blocked& blocked = *task.blocked;
    WaitIn wait;
    wait.row.time = blocked.time;
    wait.row.duration = end - std::min(end, blocked.time);
    wait.row.kind = static_cast<std::uint64_t>(blocked.call.kind);
    wait.row.object = blocked.call.object;
    wait.row.holder = blocked.call.holder;
    wait.row.flags = flags;
    const auto wake = wakes_.find(tid);
    if (wake != wakes_.end() && wake->second.second >= blocked.time && wake->second.second <= end &&
        is_ended_by_thread(blocked.call.kind)) {
        wait.row.holder = wake->second.first;
    }
    if (rec::has_file_kind(blocked.call.kind) && options_.file_kind) {
        const auto kind = options_.file_kind(pid, rec::descriptor_of(blocked.call.object));
        wait.row.object |= static_cast<std::uint64_t>(kind) << rec::kFileKindBit;
    }
    wait.path = blocked.path;
    process.log->wait(tid, task.born, task.name, wait);
    ++counts_.waits;
}

bool RecordingBuilder::has_live_process() const {
    return std::any_of(processes_.begin(), processes_.end(),
                       [](const auto& process) { return !process.second.tasks.empty(); });
}

void RecordingBuilder::write_all_known() {
    for (auto& [pid, process] : processes_) {
        if (process.tasks.empty()) {
            continue;
        }
        if (error_ || !open_log(pid, process)) {
            return;
        }
        for (const auto& [tid, task] : process.tasks) {
            process.log->begin_thread(tid, task.born != 0 ? task.born : process.begin, task.name);
        }
    }
}

Result<void> RecordingBuilder::finish(std::uint64_t at) {
    end_ = std::max(end_, at);
    std::vector<std::uint32_t> left;
    for (const auto& [pid, process] : processes_) {
        left.push_back(pid);
    }
    for (const std::uint32_t pid : left) {
        end_process(pid, end_, 0);
    }
    if (error_) {
        return *error_;
    }
    return kernel_.write(folder_);
}

// Of processes that have ended the last ones are kept: records of other processors may name them yet.
void RecordingBuilder::forget_oldest(std::uint32_t ended) {
    constexpr std::size_t kMostKept = 256;
    ended_.push_back(ended);
    if (ended_.size() <= kMostKept) {
        return;
    }
    const auto oldest = processes_.find(ended_.front());
    ended_.pop_front();
    if (oldest != processes_.end() && oldest->second.tasks.empty() && oldest->second.log == nullptr) {
        processes_.erase(oldest);
    }
}

void RecordingBuilder::see(const perf::Origin& row) {
    if (row.time != 0) {
        begin_ = std::min(begin_, row.time);
        end_ = std::max(end_, row.time);
    }
}

Process& RecordingBuilder::process_of(std::uint32_t pid) {
    const auto [found, is_new] = processes_.try_emplace(pid);
    if (is_new) {
        found->second.begin = begin_;
    }
    return found->second;
}

bool RecordingBuilder::open_log(std::uint32_t pid, Process& process) {
    if (process.log == nullptr) {
        if (files_.size() >= kMostFiles) {
            ++counts_.left_out;
            return false;
        }
        ProcessStart start;
        start.time = process.begin;
        start.pid = pid;
        start.parent_pid = process.parent;
        const auto first = process.tasks.find(pid);
        start.name = first == process.tasks.end() ? std::to_string(pid) : first->second.name;
        start.executable = process.code.executable;
        start.entry = process.code.entry;
        start.machine = machine_;
        start.mechanism = options_.mechanism;
        const std::string file =
            "process-" + std::to_string(pid) + "-" + std::to_string(images_of_pid_[pid]++) + ".krec";
        auto made = ProcessLog::create(folder_, file, start, plan_, options_.producer);
        if (!made) {
            error_ = made.error();
            return false;
        }
        process.log = std::move(*made);
        files_.push_back(file);
        ++counts_.processes;
    }
    write_images(process);
    return true;
}

void RecordingBuilder::write_images(Process& process) {
    std::vector<LoadedImage>& images = process.code.images;
    for (; process.written < images.size(); ++process.written) {
        LoadedImage& image = images[process.written];
        image.row.path = rec::RawText{image.path};
        image.row.build_id = image.build_id;
        image.row.time = std::max(image.row.time, process.begin);
        process.log->write(image.row);
    }
}

void RecordingBuilder::end_process(std::uint32_t pid, std::uint64_t time, std::uint64_t how) {
    const auto found = processes_.find(pid);
    if (found == processes_.end() || found->second.log == nullptr) {
        return;
    }
    Process& process = found->second;
    for (auto& [tid, task] : process.tasks) {
        if (task.blocked && task.blocked->time != 0) {
            write_wait(pid, process, tid, task, time, rec::kWaitOpen);
        }
        task.blocked.reset();
    }
    counts_.threads += process.log->threads();
    name_generated(pid, process, time);
    if (!process.branches.empty()) {
        process.log->write(process.branches);
        branch_room_ += process.branches.size();
        process.branches = {};
    }
    if (!process.log->close(time, how) && !error_) {
        error_ = Error{ErrorKind::kNoSpace,
                       (folder_.path() / process.log->file()).string() + ": there is no space left for its rows",
                       "free some space, or use -o with a directory on another disk"};
    }
    process.log.reset();
    process.written = 0;
    process.seen_generated = 0;
    process.is_generating = false;
}

// Whether the process has run code that it made itself, once there are new call paths.
void RecordingBuilder::see_generated(std::uint32_t pid, Process& process) {
    const std::vector<std::uint64_t>& addresses = process.log->generated();
    for (; !process.is_generating && process.seen_generated < addresses.size(); ++process.seen_generated) {
        process.is_generating = process.space.at(addresses[process.seen_generated]).is_generated;
        if (process.is_generating && options_.generated_names.prepare) {
            options_.generated_names.prepare(pid);
        }
    }
}

void RecordingBuilder::name_generated(std::uint32_t pid, Process& process, std::uint64_t time) {
    if (!process.is_generating || error_) {
        return;
    }
    ++counts_.generating;
    Descriptor map = options_.generated_names.open ? options_.generated_names.open(pid) : Descriptor();
    if (!map) {
        ++counts_.nameless;
        return;
    }
    auto made = write_generated_image(process.log->generated(), std::move(map),
                                      machine_ == EM_NONE ? processor::kMachine : machine_, folder_);
    if (!made) {
        error_ = made.error();
    } else if (!*made) {
        ++counts_.nameless;
    } else {
        rec::Image row = (*made)->row;
        row.time = std::max(time, process.begin);
        row.build_id = (*made)->build_id;
        process.log->write(row);
    }
}

void RecordingBuilder::note_wake(const perf::Sample& row) {
    const auto wake = read_wake(row);
    if (wake && (wakes_.size() < kMostWoken || wakes_.contains(wake->thread))) {
        wakes_[wake->thread] = {wake->by, row.time};
    }
}

void RecordingBuilder::note_stack(const perf::Sample& row, const FoundPath& path) {
    const bool is_of_time = row.attribute == plan_.pace || row.attribute == plan_.switches;
    if (path.stack_needed == 0 || !is_of_time) {
        return;
    }
    // What is further up than any copy reaches is on another stack.
    const bool is_cut = path.end == rec::PathEnd::kOutsideStack && path.stack_needed > row.user_stack.size() &&
                        path.stack_needed <= StackUse::kSmallest << (StackUse::kClasses - 1);
    if (is_cut) {
        ++stack_use_.cut;
    } else {
        stack_use_.add(path.stack_needed);
    }
}

// Into deltas_, by attribute: what was counted since the sample before.
void RecordingBuilder::find_deltas(const perf::Sample& row) {
    deltas_.assign(attributes_.size(), 0);
    if (row.reads.empty()) {
        deltas_[row.attribute] = row.period;
        return;
    }
    for (const perf::CounterValue& read : row.reads) {
        const std::uint32_t attribute = read.attribute == kNotGiven ? row.attribute : read.attribute;
        std::uint64_t& last = reads_[{read.id, attribute}];
        deltas_[attribute] += read.value - std::min(last, read.value);
        last = read.value;
    }
}

}  // namespace kymo::import
