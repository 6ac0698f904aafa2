#include "spacetime/load/descriptions.h"

#include "recording/tables/metrics.h"
#include "recording/tables/processor.h"
#include "spacetime/load/arguments.h"
#include "spacetime/load/numbers.h"
#include "spacetime/load/short_processes.h"

#include <algorithm>
#include <string_view>

namespace kymo::spacetime {
namespace {

namespace rec = recording;

// Bounds against files that name absurd numbers.
constexpr std::size_t kMaxEvents = 256;
constexpr std::size_t kMaxShort = std::size_t{1} << 20U;
constexpr std::size_t kMaxUnavailable = 1000;

}  // namespace

void Descriptions::read_from(const rec::File& file, rec::Handlers& handlers) {
    data_.name = file.path().filename().string();
    data_.has_writer = file.header().has_writer;
    data_.machine = file.header().machine;
    data_.pid = file.header().pid;
    is_excerpt_ = file.excerpt() != 0;
    read_run(handlers);
    read_process(handlers);
    read_streams(handlers);
    read_contexts(handlers);
    read_hosts(handlers);
}

void Descriptions::end(const rec::ScanReport& report) {
    data_.unknown_tables = report.unknown;
    const auto has = [&](std::string_view name) {
        return std::any_of(report.tables.begin(), report.tables.end(),
                           [&](const rec::TableRows& table) { return table.name == name; });
    };
    data_.has_registers = has(rec::SampleRegisters::kTable);
    data_.has_operands = has(rec::SampleOperands::kTable);
    data_.has_accesses = has(rec::MemoryAccess::kTable);
    data_.excerpt_of = is_excerpt_ ? report.rows(rec::Sample::kTable) : 0;
    data_.damaged_places = report.damages;
    data_.missing_bytes = report.missing_bytes;
    data_.tasks = lives_.take();
    count_lost_joins();
    find_own_contexts();
}

template <typename Call>
void Descriptions::with_stream(std::uint64_t id, const Call& call) {
    if (StreamData* const stream = data_.stream(id)) {
        call(*stream);
    }
}

// What the parent wrote.
void Descriptions::read_run(rec::Handlers& handlers) {
    handlers.on<rec::Run>([this](StreamId, const rec::Run& row) {
        data_.run = {.begin = row.time,
                     .command = split_arguments(row.command),
                     .host = std::string(row.host),
                     .directory = std::string(row.directory),
                     .kernel = std::string(row.kernel),
                     .producer = std::string(row.producer),
                     .processors = row.processors};
    });
    handlers.on<rec::RunEnd>([this](StreamId, const rec::RunEnd& row) {
        data_.run_end = {
            .end = row.time, .wait_status = row.wait_status, .reason = row.reason, .peak_bytes = row.peak_bytes};
    });
    handlers.on<rec::Mapping>([this](StreamId, const rec::Mapping& row) { ++data_.mappings[{row.pid, row.tid}]; });
    handlers.on<rec::Switch>([this](StreamId, const rec::Switch& row) { lives_.add(row); });
    handlers.on<rec::SwitchBrief>([this](StreamId, const rec::SwitchBrief& row) {
        lives_.add(row);
        data_.condensed_switches += row.voluntary + row.involuntary;
    });
    handlers.on<rec::Task>([this](StreamId, const rec::Task& row) { data_.strange_rows += lives_.add(row) ? 0 : 1; });
    handlers.on<rec::ProgramFile>([this](StreamId, const rec::ProgramFile& row) { lives_.add(row); });
    handlers.on<rec::ShortProcess>([this](StreamId, const rec::ShortProcess& row) { add_short(row); });
    handlers.on<rec::KernelLost>([this](StreamId, const rec::KernelLost& row) { data_.kernel_lost += row.records; });
    handlers.on<rec::Rank>([this](StreamId, const rec::Rank& row) {
        data_.rank = {.rank = row.rank, .size = row.size, .host = std::string(row.host)};
    });
    handlers.on<rec::ClockPair>([this](StreamId, const rec::ClockPair& row) {
        if (!data_.clock_pair) {
            data_.clock_pair = row;
        }
    });
}

void Descriptions::read_process(rec::Handlers& handlers) {
    handlers.on<rec::Process>([this](StreamId, const rec::Process& row) {
        data_.has_process = true;
        data_.begin = row.time;
        set_pid(&data_, row.pid, row.kernel_pid);
        data_.entry = row.entry;
        data_.parent_pid = row.parent_pid;
        data_.executable = std::string(row.executable);
        data_.command = split_arguments(row.command);
        data_.mechanism = row.mechanism;
    });
    handlers.on<rec::ProcessEnd>([this](StreamId, const rec::ProcessEnd& row) {
        data_.has_ended = true;
        data_.totals = totals_of(row);
    });
    handlers.on<rec::Event>([this](StreamId, const rec::Event& row) { add_event(row); });
    handlers.on<rec::Unavailable>([this](StreamId, const rec::Unavailable& row) {
        UnavailableInfo info{std::string(row.what), std::string(row.why), std::string(row.remedy)};
        if (std::find(data_.unavailable.begin(), data_.unavailable.end(), info) == data_.unavailable.end() &&
            data_.unavailable.size() < kMaxUnavailable) {
            data_.unavailable.push_back(std::move(info));
        }
    });
    handlers.on<rec::Image>([this](StreamId, const rec::Image& row) {
        data_.images[row.image] = {std::string(row.path), std::string(row.build_id), data_.machine, row.content};
    });
}

void Descriptions::read_streams(rec::Handlers& handlers) {
    handlers.on<rec::Stream>([this](StreamId, const rec::Stream& row) { add_stream(row); });
    handlers.on<rec::StreamName>([this](StreamId, const rec::StreamName& row) {
        with_stream(row.stream, [&](StreamData& stream) { stream.name = std::string(row.name); });
    });
    handlers.on<rec::StreamEnd>([this](StreamId, const rec::StreamEnd& row) { add_end(row); });
    handlers.on<rec::Wait>([this](StreamId id, const rec::Wait& row) { add_wait(raw(id), row); });
    handlers.on<rec::WaitBrief>([this](StreamId, const rec::WaitBrief& row) { add_brief(row); });
    handlers.on<rec::KernelTick>([this](StreamId id, const rec::KernelTick& row) {
        with_stream(raw(id), [&](StreamData& stream) {
            stream.looks.push_back({row.time, static_cast<std::uint32_t>(row.context)});
        });
    });
}

void Descriptions::read_contexts(rec::Handlers& handlers) {
    handlers.on<rec::Context>([this](StreamId id, const rec::Context& row) {
        with_stream(raw(id), [&](StreamData& stream) { add_context(stream, row); });
    });
    handlers.on<rec::Join>([this](StreamId id, const rec::Join& row) {
        with_stream(raw(id), [&](StreamData& stream) { add_join(stream, row); });
    });
    handlers.on<rec::OuterDropped>([this](StreamId id, const rec::OuterDropped& row) {
        with_stream(raw(id), [&](StreamData& stream) { add_outer_dropped(stream, row); });
    });
}

// Recordings of hosts have neither processes nor threads.
void Descriptions::read_hosts(rec::Handlers& handlers) {
    handlers.on<rec::MetricObject>([this](StreamId, const rec::MetricObject& row) {
        data_.is_of_hosts = data_.is_of_hosts || row.number == rec::kAllObjects;
    });
    handlers.on<rec::MetricValue>(
        [this](StreamId, const rec::MetricValue& row) { data_.last_metric = std::max(data_.last_metric, row.time); });
}

void Descriptions::add_stream(const rec::Stream& row) {
    if (StreamData* stream = data_.stream(row.stream)) {
        stream->is_known = true;
        stream->tid = rec::number_of(row.tid, row.kernel_tid);
        stream->own_tid = row.tid;
        stream->begin = row.time;
        stream->end = std::max(stream->end, row.time);
        stream->creator_stream = static_cast<std::uint32_t>(row.creator_stream);
        stream->creator_context = static_cast<std::uint32_t>(row.creator_context);
        stream->created_with = created_with(row, data_.machine);
        stream->mechanism = row.mechanism;
        stream->first_period = row.first_period_ns;
        stream->tick = row.tick_ns;
    }
}

// Of one process the last row holds.
void Descriptions::add_short(const rec::ShortProcess& row) {
    const auto key = std::pair(row.pid, row.time);
    if (row.end < row.time || (short_.size() >= kMaxShort && !short_.contains(key))) {
        ++data_.strange_rows;
        return;
    }
    const auto [known, is_new] = short_.try_emplace(key, data_.short_processes.size());
    if (is_new) {
        data_.short_processes.emplace_back();
    }
    data_.short_processes[known->second] = file_of(row, data_);
}

// Of the samples of an excerpt there are no totals.
template <typename End>
std::vector<std::uint64_t> Descriptions::totals_of(const End& row) const {
    return is_excerpt_ ? std::vector<std::uint64_t>() : std::vector(row.totals.begin(), row.totals.end());
}

void Descriptions::add_event(const rec::Event& row) {
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

void Descriptions::add_join(StreamData& stream, const rec::Join& row) {
    if (row.context == 0 || row.context >= stream.contexts.size() || stream.contexts[row.context].parent != 0 ||
        row.stream > 0xffffffffULL || row.joined > 0xffffffffULL) {
        ++data_.strange_rows;
        return;
    }
    stream.joins[static_cast<std::uint32_t>(row.context)] = {static_cast<std::uint32_t>(row.stream),
                                                             static_cast<std::uint32_t>(row.joined)};
}

void Descriptions::add_outer_dropped(StreamData& stream, const rec::OuterDropped& row) {
    if (row.context == 0 || row.context >= stream.contexts.size() || stream.contexts[row.context].parent != 0) {
        ++data_.strange_rows;
        return;
    }
    stream.outer_dropped.insert(static_cast<std::uint32_t>(row.context));
}

// What is Kymo's in the program: the wrappers of MPI's calls; in recordings of earlier monitors the monitor, too.
void Descriptions::find_own_contexts() {
    std::set<std::uint64_t> own;
    for (const auto& [id, image] : data_.images) {
        const std::string_view name = std::string_view(image.path).substr(image.path.rfind('/') + 1);
        if (name == "libkymo-monitor.so" || name == "libkymo-mpi.so") {
            own.insert(id);
        }
    }
    for (auto& [id, stream] : data_.streams) {
        for (std::size_t i = 1; i < stream.contexts.size() && !own.empty(); ++i) {
            if (own.contains(stream.contexts[i].image) && !stream.joins.contains(static_cast<std::uint32_t>(i))) {
                stream.own_contexts.resize(stream.contexts.size());
                stream.own_contexts[i] = true;
            }
        }
    }
}

// Joins may lie before what they refer to.
void Descriptions::count_lost_joins() {
    for (const auto& [id, stream] : data_.streams) {
        for (const auto& [context, join] : stream.joins) {
            const auto found = data_.streams.find(join.first);
            const bool is_known = found != data_.streams.end() && join.second < found->second.contexts.size();
            data_.strange_rows += is_known ? 0 : 1;
        }
    }
}

void Descriptions::add_context(StreamData& stream, const rec::Context& row) {
    // Numbers rise from 1; some may be missing where space ran out or a chunk is damaged: but of the whole file
    // no more than stand in a proportion to those that are there.
    ++context_rows_;
    const std::uint64_t size = stream.contexts.size();
    const std::uint64_t missing = row.context > size ? row.context - size : 0;
    if (row.context == 0 || missing > 65536 + 4 * context_rows_ - missing_contexts_ || row.parent >= row.context) {
        ++data_.strange_rows;
        return;
    }
    missing_contexts_ += missing;
    if (row.context >= size) {
        stream.contexts.resize(row.context + 1);
        stream.is_complete.resize(row.context + 1, false);
    }
    stream.contexts[row.context] = {static_cast<std::uint32_t>(row.parent), row.image, row.offset};
}

void Descriptions::add_wait(std::uint64_t id, const rec::Wait& row) {
    StreamData* stream = data_.stream(id);
    if (stream == nullptr || !is_wait_kind(row.kind) || row.duration > ~row.time) {
        ++data_.waits.strange_rows;
        return;
    }
    stream->waits.push_back({.begin = row.time,
                             .end = row.time + row.duration,
                             .kind = static_cast<rec::WaitKind>(row.kind),
                             .object = row.object,
                             .holder_tid = row.holder,
                             .context = static_cast<std::uint32_t>(row.context),
                             .flags = row.flags});
}

void Descriptions::add_brief(const rec::WaitBrief& row) {
    StreamData* stream = data_.stream(row.stream);
    if (stream == nullptr || !is_wait_kind(row.kind)) {
        ++data_.waits.strange_rows;
        return;
    }
    stream->brief_waits[static_cast<rec::WaitKind>(row.kind)] +=
        {.ns = static_cast<std::int64_t>(row.duration), .count = row.count};
    data_.waits.brief_below_ns = std::max(data_.waits.brief_below_ns, row.below);
    data_.waits.condensed += row.condensed;
}

void Descriptions::add_end(const rec::StreamEnd& row) {
    StreamData* stream = data_.stream(row.stream);
    if (stream == nullptr) {
        return;
    }
    stream->has_ended = true;
    stream->end_time = row.time;
    stream->totals = totals_of(row);
    stream->quality.lost = row.lost;
    stream->quality.throttled = row.throttled;
    stream->quality.merged = row.merged;
    stream->quality.unwritten = row.unwritten;
    stream->quality.monitor_ns = row.monitor_ns;
    stream->quality.kernel_user_ns = row.user_ns;
    stream->quality.kernel_system_ns = row.system_ns;
    stream->own_at_end = {row.own_ns, row.own_system_ns, row.own_user_ns};
    stream->pace = {.count = row.paces, .ticks = row.pace_ticks};
    if ((row.asked & rec::kAskedSwitches) != 0) {
        stream->kernel_switches = {.voluntary = row.voluntary, .involuntary = row.involuntary};
    }
    if ((row.asked & rec::kAskedRunDelay) != 0) {
        stream->run_delay_ns = row.run_delay_ns;
    }
}

Result<FileData> read_descriptions(const rec::File& file) {
    Descriptions descriptions;
    if (const auto scanned = rec::scan_for(file, descriptions); !scanned) {
        return scanned.error();
    }
    return descriptions.take();
}

}  // namespace kymo::spacetime
