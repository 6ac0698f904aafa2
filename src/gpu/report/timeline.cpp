#include "gpu/report/timeline.h"

#include "recording/tables/gpu.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <sys/stat.h>

namespace kymo::gpu {
namespace {

constexpr std::uint64_t kImage = 1;

struct EventName {
    const char* name;
    const char* unit;
};
constexpr std::array<EventName, Timeline::kEvents> kNames = {{{"task-clock", "ns"},
                                                              {"warp-instructions", ""},
                                                              {"idle-lanes", ""},
                                                              {"memory-sectors", ""},
                                                              {"bank-conflicts", ""},
                                                              {"dependence-stall-cycles", ""},
                                                              {"memory-stall-cycles", ""},
                                                              {"barrier-stall-cycles", ""},
                                                              {"contention-stall-cycles", ""},
                                                              {"system-time", "ns"}}};

const char* name_of(std::size_t event, bool of_threads) {
    return of_threads && event == Timeline::kInstructions ? "thread-instructions"
           : of_threads && event == Timeline::kIdleLanes  ? "masked-instructions"
                                                          : kNames[event].name;
}

Timeline::Event event_of(Spent spent) {
    return spent == Spent::kBarrier                                 ? Timeline::kBarrierStall
           : spent == Spent::kArithmetic || spent == Spent::kBranch ? Timeline::kDependenceStall
                                                                    : Timeline::kMemoryStall;
}

Timeline::Event event_of(Cause cause) {
    switch (cause) {
        case Cause::kDependence:
        case Cause::kBranch:
        case Cause::kIssue:
        case Cause::kDivergence:
            return Timeline::kDependenceStall;
        case Cause::kBarrier:
            return Timeline::kBarrierStall;
        case Cause::kPipe:
        case Cause::kNotSelected:
            return Timeline::kContentionStall;
        case Cause::kConstant:
        case Cause::kShared:
        case Cause::kBankConflict:
        case Cause::kMemoryQueue:
        case Cause::kL1:
        case Cause::kL2:
        case Cause::kDram:
        case Cause::kAtomic:
        case Cause::kFence:
            break;
    }
    return Timeline::kMemoryStall;
}

Error failed(const std::filesystem::path& path, int why) {
    return {why == EEXIST                    ? ErrorKind::kOutputExists
            : why == EACCES || why == EPERM  ? ErrorKind::kPermission
            : why == ENOSPC || why == EDQUOT ? ErrorKind::kNoSpace
                                             : ErrorKind::kNotFound,
            path.string() + ": " + std::strerror(why), "name another directory with -o"};
}

}  // namespace

Result<std::unique_ptr<Timeline>> Timeline::create(const std::filesystem::path& folder, const KernelHeader& header,
                                                   const Gpu& gpu, const LaunchCosts& launch, unsigned slots_per_sm,
                                                   std::uint64_t period) {
    auto made =
        make(folder, header, gpu, launch, static_cast<std::size_t>(gpu.whole(gpu.sms)) * slots_per_sm, period, false);
    if (made) {
        (*made)->slots_per_sm_ = slots_per_sm;
    }
    return made;
}

Result<std::unique_ptr<Timeline>> Timeline::create_of_threads(const std::filesystem::path& folder,
                                                              const KernelHeader& header, const Gpu& gpu,
                                                              const LaunchCosts& launch, std::uint64_t period) {
    const std::uint64_t ctas = header.grid.count();
    const std::uint64_t threads = ctas > kMostThreads ? ctas : ctas * header.block.count();
    if (threads > kMostThreads) {
        return Error{ErrorKind::kUsage,
                     header.name + ": a recording of the basic model has a stream for each thread, " +
                         std::to_string(kMostThreads) + " at most",
                     "record a smaller launch, or the full model"};
    }
    return make(folder, header, gpu, launch, threads, period, true);
}

Result<std::unique_ptr<Timeline>> Timeline::make(const std::filesystem::path& folder, const KernelHeader& header,
                                                 const Gpu& gpu, const LaunchCosts& launch, std::size_t streams,
                                                 std::uint64_t period, bool of_threads) {
    if (mkdir(folder.c_str(), 0700) != 0) {
        return failed(folder, errno);
    }
    std::unique_ptr<Timeline> made(new Timeline);
    made->name_ = header.name;
    made->mhz_ = launch.mhz;
    made->period_ = std::max<std::uint64_t>(period, 1);
    made->slots_.resize(streams);
    recording::FileOptions options;
    options.machine = recording::kModelledGpu;
    options.clock = recording::ClockDomain::kModelled;
    options.pid = 1;
    options.producer = "kymo gpu";
    const std::filesystem::path path = folder / "process-1-0.krec";
    if (const int why = made->file_.create(path.c_str(), options); why != 0) {
        return failed(path, why);
    }
    recording::StreamWriter& common = made->common_;
    common.open(made->file_, StreamId{0});
    recording::write_schemas(common);
    recording::write_schema<recording::GpuKernel>(common);
    recording::write_schema<recording::GpuInstruction>(common);
    recording::write_schema<recording::GpuFinding>(common);
    std::string command = header.name;
    command.push_back('\0');
    recording::Run run;
    run.command = command;
    run.host = gpu.full_name;
    run.producer = "kymo gpu";
    run.processors = gpu.whole(gpu.sms);
    common.append(run);
    recording::Process process;
    process.pid = 1;
    process.executable = header.name;
    process.command = command;
    process.mechanism = static_cast<std::uint64_t>(recording::Mechanism::kThreadTimers);
    common.append(process);
    for (std::uint64_t i = 0; i < kEvents; ++i) {
        recording::Event event;
        event.index = i;
        event.name = name_of(i, of_threads);
        event.unit = kNames[i].unit;
        event.mode = static_cast<std::uint64_t>(i == kTaskClock ? recording::EventMode::kPeriod
                                                                : recording::EventMode::kCount);
        event.value = i == kTaskClock ? made->ns(made->period_) : 0;
        common.append(event);
    }
    return made;
}

Timeline::~Timeline() {
    if (file_.is_open()) {
        (void)close();
    }
}

int Timeline::close() {
    for (Slot& slot : slots_) {
        slot.writer.release();
    }
    common_.release();
    return file_.close();
}

void Timeline::warp_begins(unsigned sm, unsigned number, std::uint64_t cycle, std::uint64_t cta, std::uint32_t) {
    begin(std::size_t{sm} * slots_per_sm_ + number, "SM " + std::to_string(sm) + " warp " + std::to_string(number),
          cycle, cta);
}

void Timeline::begin(std::size_t number, const std::string& name, std::uint64_t cycle, std::uint64_t cta) {
    Slot& here = slots_[number];
    if (!here.open) {
        here.open = true;
        const std::uint64_t id = number + 1;
        recording::Stream stream;
        stream.time = ns(cycle);
        stream.stream = id;
        stream.kind = static_cast<std::uint64_t>(recording::StreamKind::kWarpSlot);
        stream.tid = id;
        stream.mechanism = static_cast<std::uint64_t>(recording::Mechanism::kThreadTimers);
        common_.append(stream);
        common_.append(recording::StreamName{id, name});
        here.writer.open(file_, StreamId{static_cast<std::uint32_t>(id)});
    }
    here.cta = cta;
    here.last_sample = cycle;
    recording::Mark mark;
    mark.time = ns(cycle);
    mark.kind = static_cast<std::uint64_t>(recording::MarkKind::kBegin);
    mark.name = "cta";
    mark.value = static_cast<std::int64_t>(cta);
    here.writer.append(mark);
}

void Timeline::sample(Slot& here, std::uint64_t cycle, unsigned sm, std::uint32_t instruction, std::uint64_t pc) {
    here.deltas[kTaskClock] = ns(cycle) - ns(here.last_sample);
    if (here.context.size() <= instruction) {
        here.context.resize(instruction + 64U);
    }
    std::uint32_t& context = here.context[instruction];
    if (context == 0) {
        context = ++here.contexts;
        recording::Context row;
        row.context = context;
        row.image = kImage;
        row.offset = pc;
        here.writer.append(row);
    }
    recording::Sample row;
    row.time = ns(cycle);
    row.processor = sm;
    row.event = kTaskClock;
    row.context = context;
    row.flags = static_cast<std::uint64_t>(recording::PathEnd::kComplete);
    row.deltas = here.deltas;
    here.writer.append(row);
    for (unsigned i = 0; i < kEvents; ++i) {
        here.totals[i] += here.deltas[i];
        here.deltas[i] = 0;
    }
    here.last_sample = cycle;
    ++samples_;
}

void Timeline::issued(const Issue& issue) {
    Slot& here = slot(issue.sm, issue.slot);
    ++here.deltas[kInstructions];
    here.deltas[kIdleLanes] += kWarpLanes - static_cast<unsigned>(std::popcount(issue.mask));
    here.deltas[kSectors] += issue.sectors;
    here.deltas[kBankConflicts] += issue.extra_passes;
    if (issue.waited > 1) {
        here.deltas[event_of(issue.cause)] += issue.waited - 1;
    }
    if (issue.cycle - here.last_sample >= period_) {
        sample(here, issue.cycle, issue.sm, issue.instruction, issue.pc);
    }
}

void Timeline::warp_ends(unsigned sm, unsigned number, std::uint64_t cycle) {
    end(slot(sm, number), cycle);
}

void Timeline::thread_begins(std::uint64_t thread, std::uint64_t cta) {
    begin(thread, "thread " + std::to_string(thread), 0, cta);
}

void Timeline::stepped(const Step& step) {
    Slot& here = slots_[step.thread];
    const auto begin = static_cast<std::uint64_t>(step.begin);
    const auto end = static_cast<std::uint64_t>(step.end);
    if (step.spent == Spent::kMasked) {
        ++here.deltas[kIdleLanes];
    } else {
        ++here.deltas[kInstructions];
        here.deltas[kSectors] += step.spent == Spent::kCacheHit || step.spent == Spent::kCacheMiss ? 1 : 0;
        here.deltas[event_of(step.spent)] += end - begin;
    }
    if (end - here.last_sample >= period_) {
        sample(here, end, 0, step.instruction, step.pc);
    }
}

void Timeline::thread_ends(std::uint64_t thread, double cycle) {
    end(slots_[thread], static_cast<std::uint64_t>(cycle));
}

void Timeline::end(Slot& here, std::uint64_t cycle) {
    recording::Mark mark;
    mark.time = ns(cycle);
    mark.kind = static_cast<std::uint64_t>(recording::MarkKind::kEnd);
    mark.name = "cta";
    mark.value = static_cast<std::int64_t>(here.cta);
    here.writer.append(mark);
    // The part between the last sample and the end is in the totals only.
    here.deltas[kTaskClock] = ns(cycle) - ns(here.last_sample);
    for (unsigned i = 0; i < kEvents; ++i) {
        here.totals[i] += here.deltas[i];
        here.deltas[i] = 0;
    }
    here.last_sample = cycle;
}

Result<void> Timeline::finish(const KernelResult& result, const std::vector<Finding>& found) {
    const auto end = ns(static_cast<std::uint64_t>(result.cycles));
    std::uint64_t last_pc = 0;
    for (const StaticInstruction& instruction : result.program) {
        last_pc = std::max(last_pc, instruction.pc);
    }
    recording::Image image;
    image.image = kImage;
    image.end = last_pc + 16;
    image.path = name_;
    common_.append(image);
    for (std::size_t i = 0; i < result.by_instruction.size(); ++i) {
        const Account& account = result.by_instruction[i];
        std::array<std::uint64_t, kCauses> cycles{};
        for (unsigned c = 0; c < kCauses; ++c) {
            cycles[c] = static_cast<std::uint64_t>(account.cycles[c]);
        }
        const StaticInstruction& instruction = result.program[i];
        common_.append(recording::GpuInstruction{instruction.pc, instruction.line, instruction.opcode, account.issued,
                                                 account.lanes, account.sectors, cycles});
    }
    for (const Finding& finding : found) {
        recording::GpuFinding row{.kind = finding.kind,
                                  .title = finding.title,
                                  .share = finding.share,
                                  .seconds = finding.seconds,
                                  .offset_begin = finding.pc_begin,
                                  .offset_end = finding.pc_end,
                                  .line = finding.line,
                                  .direction = finding.direction};
        if (!finding.evidence.empty()) {
            row.event = finding.evidence[0].event;
            row.bad = finding.evidence[0].bad;
            row.good = finding.evidence[0].good;
        }
        common_.append(row);
    }
    common_.append(recording::GpuKernel{0, end, result.kernel, result.gpu, result.ctas, result.block.count(),
                                        result.cycles, result.mhz});
    std::array<std::uint64_t, kEvents> totals{};
    std::uint64_t unwritten = common_.unwritten();
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        Slot& here = slots_[i];
        if (!here.open) {
            continue;
        }
        unwritten += here.writer.unwritten();
        recording::StreamEnd row;
        row.time = ns(here.last_sample);
        row.stream = i + 1;
        row.totals = here.totals;
        row.unwritten = here.writer.unwritten();
        common_.append(row);
        for (unsigned k = 0; k < kEvents; ++k) {
            totals[k] += here.totals[k];
        }
    }
    recording::ProcessEnd process;
    process.time = end;
    process.totals = totals;
    common_.append(process);
    recording::RunEnd run;
    run.time = end;
    common_.append(run);
    const int why = close();
    if (why != 0 || unwritten != 0) {
        return Error{ErrorKind::kNoSpace,
                     "the recording lacks " + std::to_string(unwritten) + " rows: no space left for them",
                     "free some space, or sample less often with --period"};
    }
    return {};
}

}  // namespace kymo::gpu
