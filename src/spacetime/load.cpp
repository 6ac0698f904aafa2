#include "spacetime/load.h"

#include "spacetime/time_split.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace kymo::spacetime {
namespace {

namespace rec = recording;

// Bounds against files that name absurd numbers.
constexpr std::size_t kMaxEvents = 256;
constexpr std::size_t kMaxStreams = 1U << 22U;

std::vector<std::string> split_arguments(std::string_view bytes) {
    std::vector<std::string> arguments;
    while (!bytes.empty()) {
        const std::size_t end = std::min(bytes.find('\0'), bytes.size());
        arguments.emplace_back(bytes.substr(0, end));
        bytes.remove_prefix(std::min(end + 1, bytes.size()));
    }
    return arguments;
}

// What the samples of one file need to know of its event list.
struct EventRoles {
    std::optional<std::size_t> task_clock;
    std::optional<std::size_t> system_time;
    std::uint64_t tick_period = 0;

    explicit EventRoles(const std::vector<EventInfo>& events) {
        for (std::size_t i = 0; i < events.size(); ++i) {
            const EventInfo& event = events[i];
            if (event.name == "task-clock" && !task_clock) {
                task_clock = i;
                if (event.mode == rec::EventMode::kPeriod) {
                    tick_period = event.value;
                } else if (event.mode == rec::EventMode::kFrequency && event.value != 0) {
                    tick_period = 1'000'000'000 / event.value;
                }
            } else if (event.name == "system-time" && !system_time) {
                system_time = i;
            }
        }
    }
};

void add_split(std::span<std::int64_t> costs, const Split& split, StreamData& stream) {
    costs[kUser] += split.user;
    costs[kSystem] += split.system;
    costs[kOffCpu] += split.off_cpu;
    stream.paused_ns += split.paused;
}

class Loader {
  public:
    explicit Loader(const rec::File& file) : file_(file) {
        data_.name = file.path().filename().string();
        data_.is_closed = file.header().closed;
        data_.machine = file.header().machine;
        data_.pid = file.header().pid;
    }

    Result<FileData> load() {
        if (auto first = read_descriptions(); !first) {
            return first.error();
        }
        if (auto second = read_samples(); !second) {
            return second.error();
        }
        for (auto& [id, stream] : data_.streams) {
            finish(stream);
        }
        return std::move(data_);
    }

  private:
    // The last word of a stream, kept until its samples have been added up.
    struct End {
        std::uint64_t time = 0;
        std::vector<std::uint64_t> totals;
    };
    struct Running {
        explicit Running(StreamData& of, std::uint64_t begin, std::uint64_t period)
            : stream(&of), splitter(begin, period) {}
        StreamData* stream;
        TimeSplitter splitter;
        std::vector<std::uint64_t> sums;  // of every event's deltas
    };

    StreamData* stream_of(std::uint64_t id) {
        if (id == 0 || id > 0xffffffffULL ||
            (data_.streams.size() >= kMaxStreams && !data_.streams.contains(static_cast<std::uint32_t>(id)))) {
            ++data_.strange_rows;
            return nullptr;
        }
        StreamData& stream = data_.streams[static_cast<std::uint32_t>(id)];
        stream.id = static_cast<std::uint32_t>(id);
        return &stream;
    }

    Result<void> read_descriptions() {
        const auto report = file_.scan(
            rec::on<rec::Run>([&](StreamId, const rec::Run& row) {
                data_.run = {.begin = row.time,
                             .command = split_arguments(row.command),
                             .host = std::string(row.host),
                             .directory = std::string(row.directory),
                             .kernel = std::string(row.kernel),
                             .producer = std::string(row.producer),
                             .processors = row.processors};
            }),
            rec::on<rec::RunEnd>([&](StreamId, const rec::RunEnd& row) {
                data_.run_end = {.end = row.time, .wait_status = row.wait_status, .reason = row.reason};
            }),
            rec::on<rec::Process>([&](StreamId, const rec::Process& row) {
                data_.has_process = true;
                data_.begin = row.time;
                data_.pid = row.pid;
                data_.parent_pid = row.parent_pid;
                data_.executable = std::string(row.executable);
                data_.command = split_arguments(row.command);
                data_.mechanism = row.mechanism;
            }),
            rec::on<rec::ProcessEnd>([&](StreamId, const rec::ProcessEnd& row) {
                data_.has_ended = true;
                data_.totals.assign(row.totals.begin(), row.totals.end());
            }),
            rec::on<rec::Event>([&](StreamId, const rec::Event& row) { add_event(row); }),
            rec::on<rec::Unavailable>([&](StreamId, const rec::Unavailable& row) {
                UnavailableInfo info{std::string(row.what), std::string(row.why), std::string(row.remedy)};
                if (std::find(data_.unavailable.begin(), data_.unavailable.end(), info) == data_.unavailable.end() &&
                    data_.unavailable.size() < 1000) {
                    data_.unavailable.push_back(std::move(info));
                }
            }),
            rec::on<rec::Image>([&](StreamId, const rec::Image& row) {
                data_.images[row.image] = {std::string(row.path), std::string(row.build_id), data_.machine};
            }),
            rec::on<rec::Stream>([&](StreamId, const rec::Stream& row) {
                if (StreamData* stream = stream_of(row.stream)) {
                    stream->is_known = true;
                    stream->tid = row.tid;
                    stream->begin = row.time;
                    stream->end = std::max(stream->end, row.time);
                    stream->creator_stream = static_cast<std::uint32_t>(row.creator_stream);
                    stream->creator_context = static_cast<std::uint32_t>(row.creator_context);
                    stream->mechanism = row.mechanism;
                }
            }),
            rec::on<rec::StreamName>([&](StreamId, const rec::StreamName& row) {
                if (StreamData* stream = stream_of(row.stream)) {
                    stream->name = std::string(row.name);
                }
            }),
            rec::on<rec::StreamEnd>([&](StreamId, const rec::StreamEnd& row) { add_end(row); }),
            rec::on<rec::Switch>([&](StreamId, const rec::Switch& row) {
                FileData::TaskLife& life = life_of(row.tid);
                life.off_cpu_ns += row.duration;
                life.run_queue_ns += row.preempted != 0 ? row.duration : 0;
                ++life.switches;
            }),
            rec::on<rec::Task>([&](StreamId, const rec::Task& row) { add_task(row); }),
            rec::on<rec::ProgramFile>([&](StreamId, const rec::ProgramFile& row) {
                FileData::TaskLife& life = life_of(row.pid);
                life.executable = std::string(row.path);
                life.obstacle = std::string(row.obstacle);
            }),
            rec::on<rec::Rank>([&](StreamId, const rec::Rank& row) {
                data_.rank = {.rank = row.rank, .size = row.size, .host = std::string(row.host)};
            }),
            rec::on<rec::KernelLost>([&](StreamId, const rec::KernelLost& row) { data_.kernel_lost += row.records; }),
            rec::on<rec::ClockPair>([&](StreamId, const rec::ClockPair& row) {
                if (!data_.clock_pair) {
                    data_.clock_pair = row;
                }
            }));
        if (!report) {
            return report.error();
        }
        data_.unknown_tables = report->unknown;
        data_.damaged_places = report->damages;
        data_.missing_bytes = report->missing_bytes;
        return {};
    }

    void add_event(const rec::Event& row) {
        if (row.index >= kMaxEvents) {
            ++data_.strange_rows;
            return;
        }
        data_.events.resize(std::max<std::size_t>(data_.events.size(), row.index + 1));
        data_.events[row.index] = {.name = std::string(row.name),
                                   .unit = std::string(row.unit),
                                   .mode = static_cast<rec::EventMode>(row.mode),
                                   .value = row.value,
                                   .user_only = row.user_only != 0};
    }

    void add_end(const rec::StreamEnd& row) {
        StreamData* stream = stream_of(row.stream);
        if (stream == nullptr) {
            return;
        }
        stream->has_ended = true;
        stream->quality.lost = row.lost;
        stream->quality.throttled = row.throttled;
        stream->quality.merged = row.merged;
        stream->quality.unwritten = row.unwritten;
        stream->quality.monitor_ns = row.monitor_ns;
        stream->quality.kernel_user_ns = row.user_ns;
        stream->quality.kernel_system_ns = row.system_ns;
        ends_[stream->id] = {row.time, {row.totals.begin(), row.totals.end()}};
    }

    // The life that a thread id stands for at this place of the file.
    FileData::TaskLife& life_of(std::uint64_t tid) {
        const auto [known, is_new] = living_.try_emplace(tid, data_.tasks.size());
        if (is_new) {
            data_.tasks.push_back({.pid = tid, .tid = tid});
        }
        return data_.tasks[known->second];
    }

    FileData::TaskLife& new_life(std::uint64_t tid, std::uint64_t time) {
        living_.erase(tid);
        FileData::TaskLife& life = life_of(tid);
        life.begin = time;
        life.has_begun = true;
        return life;
    }

    void add_task(const rec::Task& row) {
        switch (static_cast<rec::TaskChange>(row.change)) {
            case rec::TaskChange::kFork: {
                // A forked process, and a thread, run what their creator runs.
                const FileData::TaskLife creator = life_of(row.parent_tid);
                FileData::TaskLife& life = new_life(row.tid, row.time);
                life.pid = row.pid;
                life.parent_pid = row.parent_pid;
                life.parent_tid = row.parent_tid;
                life.name = row.name.empty() ? creator.name : std::string(row.name);
                life.executable = creator.executable;
                life.obstacle = creator.obstacle;
                break;
            }
            case rec::TaskChange::kExec: {
                FileData::TaskLife& before = life_of(row.tid);
                before.end = row.time;
                before.execs = true;
                const std::uint64_t parent_pid = before.parent_pid;
                const std::uint64_t parent_tid = before.parent_tid;
                FileData::TaskLife& life = new_life(row.tid, row.time);
                life.pid = row.pid;
                life.parent_pid = parent_pid;
                life.parent_tid = parent_tid;
                life.name = row.name;
                life.by_exec = true;
                break;
            }
            case rec::TaskChange::kRename: {
                FileData::TaskLife& life = life_of(row.tid);
                life.pid = row.pid;
                life.name = row.name;
                break;
            }
            case rec::TaskChange::kExit: {
                FileData::TaskLife& life = life_of(row.tid);
                life.pid = row.pid;
                life.end = row.time;
                break;
            }
            default:
                ++data_.strange_rows;
        }
    }

    Result<void> read_samples() {
        const EventRoles roles(data_.events);
        data_.samples_by_event.resize(data_.events.size());
        const auto report = file_.scan(rec::on<rec::Context>([&](StreamId id, const rec::Context& row) {
                                           if (Running* running = running_of(raw(id), roles)) {
                                               add_context(*running->stream, row);
                                           }
                                       }),
                                       rec::on<rec::Sample>([&](StreamId id, const rec::Sample& row) {
                                           if (Running* running = running_of(raw(id), roles)) {
                                               add_sample(*running, row, roles);
                                           }
                                       }));
        if (!report) {
            return report.error();
        }
        return {};
    }

    Running* running_of(std::uint32_t id, const EventRoles& roles) {
        if (last_ != nullptr && last_->stream->id == id) {
            return last_;
        }
        auto found = running_.find(id);
        if (found == running_.end()) {
            StreamData* stream = stream_of(id);
            if (stream == nullptr) {
                return nullptr;
            }
            stream->costs = CostTable(data_.events.size());
            stream->costs.resize(1);
            found = running_.emplace(id, Running(*stream, stream->begin, roles.tick_period)).first;
            found->second.sums.resize(data_.events.size());
        }
        return last_ = &found->second;
    }

    // The event list is one for all streams, but only those measured by thread timers can read system time: in
    // the others its column stays 0.
    bool reads_system_time(const StreamData& stream) const {
        const std::uint64_t mechanism = stream.mechanism != 0 ? stream.mechanism : data_.mechanism;
        return mechanism != static_cast<std::uint64_t>(rec::Mechanism::kPerfEvents);
    }

    void add_context(StreamData& stream, const rec::Context& row) {
        // Numbers rise from 1; some may be missing where space ran out.
        const std::size_t limit = 4 * stream.contexts.size() + 65536;
        if (row.context == 0 || row.context > limit || row.parent >= row.context) {
            ++data_.strange_rows;
            return;
        }
        if (row.context >= stream.contexts.size()) {
            stream.contexts.resize(row.context + 1);
            stream.is_complete.resize(row.context + 1, false);
        }
        stream.contexts[row.context] = {static_cast<std::uint32_t>(row.parent), row.image, row.offset};
    }

    void add_sample(Running& running, const rec::Sample& row, const EventRoles& roles) {
        StreamData& stream = *running.stream;
        if (!stream.is_known && stream.quality.samples == 0) {
            // Its description is lost: time counts from the first sample.
            stream.begin = row.time;
            running.splitter = TimeSplitter(row.time, roles.tick_period);
        }
        std::size_t context = row.context;
        if (context >= stream.contexts.size()) {
            ++data_.strange_rows;
            context = 0;
        }
        if (stream.costs.rows() < stream.contexts.size()) {
            stream.costs.resize(stream.contexts.size());
        }
        const auto costs = stream.costs[context];
        const auto delta = [&](std::size_t event) { return event < row.deltas.size() ? row.deltas[event] : 0; };
        Interval interval{.end = row.time,
                          .is_tick = roles.task_clock && row.event == *roles.task_clock,
                          .after_pause = (row.flags & rec::kAfterPause) != 0};
        if (roles.task_clock) {
            interval.task_clock = delta(*roles.task_clock);
        }
        if (roles.system_time && reads_system_time(stream)) {
            interval.system_time = delta(*roles.system_time);
        }
        add_split(costs, running.splitter.split(interval), stream);
        ++costs[kSamples];
        for (std::size_t event = 0; event < data_.events.size(); ++event) {
            costs[kFirstEvent + event] += static_cast<std::int64_t>(delta(event));
            running.sums[event] += delta(event);
        }
        const std::uint64_t path_end = row.flags & rec::kPathEndMask;
        ++stream.quality.samples;
        if (row.event < data_.samples_by_event.size()) {
            ++data_.samples_by_event[row.event];
        }
        stream.quality.ticks += interval.is_tick ? 1 : 0;
        ++stream.quality.paths[std::min<std::uint64_t>(path_end, rec::kPathEnds - 1)];
        stream.quality.recovered += (row.flags & rec::kRecoveredFrame) != 0 ? 1 : 0;
        if (path_end == static_cast<std::uint64_t>(rec::PathEnd::kComplete)) {
            stream.is_complete[context] = true;
        }
        stream.end = std::max(stream.end, row.time);
    }

    // The remainder, so that the columns add up to the stream's totals exactly.
    void finish(StreamData& stream) {
        const EventRoles roles(data_.events);
        Running* running = running_of(stream.id, roles);
        stream.costs.resize(stream.contexts.size());
        stream.unsampled.assign(kFirstEvent + data_.events.size(), 0);
        for (std::size_t context = stream.contexts.size() - 1; context > 0; --context) {
            if (stream.is_complete[context]) {
                stream.is_complete[stream.contexts[context].parent] = true;
            }
        }
        const auto end = ends_.find(stream.id);
        if (end == ends_.end()) {
            return;
        }
        const auto& totals = end->second.totals;
        const auto rest = [&](std::size_t event) {
            const std::uint64_t total = event < totals.size() ? totals[event] : running->sums[event];
            return total - running->sums[event];
        };
        if (!stream.is_known && stream.quality.samples == 0) {
            stream.begin = end->second.time;
            running->splitter = TimeSplitter(end->second.time, roles.tick_period);
        }
        // Totals below what samples said (a damaged file) leave no time to split.
        const auto time_rest = [&](std::size_t event) {
            return static_cast<std::int64_t>(rest(event)) < 0 ? 0 : rest(event);
        };
        Interval interval{.end = end->second.time};
        if (roles.task_clock) {
            interval.task_clock = time_rest(*roles.task_clock);
        }
        if (roles.system_time && reads_system_time(stream)) {
            interval.system_time = time_rest(*roles.system_time);
        }
        add_split(stream.unsampled, running->splitter.split(interval), stream);
        for (std::size_t event = 0; event < data_.events.size(); ++event) {
            stream.unsampled[kFirstEvent + event] = static_cast<std::int64_t>(rest(event));
        }
        stream.end = std::max(stream.end, end->second.time);
    }

    const rec::File& file_;
    FileData data_;
    std::map<std::uint32_t, Running> running_;
    Running* last_ = nullptr;
    std::map<std::uint32_t, End> ends_;
    std::unordered_map<std::uint64_t, std::size_t> living_;  // thread id → FileData::tasks
};

}  // namespace

Quality& Quality::operator+=(const Quality& other) {
    samples += other.samples;
    ticks += other.ticks;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        paths[i] += other.paths[i];
    }
    recovered += other.recovered;
    lost += other.lost;
    throttled += other.throttled;
    merged += other.merged;
    unwritten += other.unwritten;
    monitor_ns += other.monitor_ns;
    kernel_user_ns += other.kernel_user_ns;
    kernel_system_ns += other.kernel_system_ns;
    return *this;
}

Result<FileData> load_file(const recording::File& file) {
    return Loader(file).load();
}

}  // namespace kymo::spacetime
