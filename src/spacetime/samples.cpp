// The second pass over a file: its samples.
#include "spacetime/load.h"
#include "spacetime/wait_groups.h"

#include <algorithm>

namespace kymo::spacetime {
namespace {

namespace rec = recording;

constexpr std::size_t kLeastStates = 4096;  // of a stream

class Samples {
  public:
    Samples(FileData& data, std::size_t most_states)
        : data_(data), groups_(data), most_states_(std::max(most_states, kLeastStates)) {
        data_.samples_by_event.resize(data_.events.size());
    }

    void add(std::uint32_t id, const rec::Sample& row) {
        if (last_ == nullptr || last_->stream->id != id) {
            StreamData* stream = data_.stream(id);
            if (stream == nullptr) {
                return;
            }
            last_ = &running_of(*stream);
        }
        add_sample(*last_, row);
    }

    // The remainders, so that the columns add up to the streams' totals exactly.
    void finish() {
        for (auto& [id, stream] : data_.streams) {
            finish(running_of(stream));
        }
    }

  private:
    struct Running {
        StreamData* stream = nullptr;
        std::optional<StreamTime> time = {};
        std::vector<std::uint64_t> sums = {};  // of every event's deltas
        WaitGroups::Watch* watch = nullptr;    // somebody waited for it
    };

    Running& running_of(StreamData& stream) {
        const auto [entry, is_new] = running_.try_emplace(stream.id);
        if (is_new) {
            entry->second.stream = &stream;
            entry->second.sums.resize(data_.events.size());
            entry->second.watch = groups_.watch_of(stream.id);
            stream.costs = CostTable(data_.events.size());
            stream.costs.resize(stream.contexts.size());
            stream.unsampled.assign(kFirstEvent + data_.events.size(), 0);
        }
        return entry->second;
    }

    // Where its description is lost, time counts from the first that is known of it.
    void start(Running& running, std::uint64_t time) {
        StreamData& stream = *running.stream;
        if (!stream.is_known) {
            stream.begin = time;
        }
        stream.states = ThreadStates(stream.begin);
        stream.states.set_limit(most_states_);
        const std::uint64_t mechanism = stream.mechanism != 0 ? stream.mechanism : data_.mechanism;
        running.time.emplace(EventRoles(data_.events, mechanism), stream.begin, stream.offs, stream.waits);
    }

    void add_sample(Running& running, const rec::Sample& row) {
        StreamData& stream = *running.stream;
        if (!running.time) {
            start(running, row.time);
        }
        auto context = static_cast<std::uint32_t>(row.context);
        if (row.context >= stream.contexts.size()) {
            ++data_.strange_rows;
            context = 0;
        }
        const auto costs = stream.costs[context];
        for (const StateInterval& interval : running.time->add(row)) {
            charge(running, interval, context, costs);
        }
        ++costs[kSamples];
        for (std::size_t event = 0; event < data_.events.size(); ++event) {
            const std::uint64_t delta = event < row.deltas.size() ? row.deltas[event] : 0;
            costs[kFirstEvent + event] += static_cast<std::int64_t>(delta);
            running.sums[event] += delta;
        }
        ++stream.quality.samples;
        if (row.event < data_.samples_by_event.size()) {
            ++data_.samples_by_event[row.event];
            stream.quality.ticks += data_.events[row.event].name == "task-clock" ? 1 : 0;
        }
        const std::uint64_t path_end = row.flags & rec::kPathEndMask;
        ++stream.quality.paths[std::min<std::uint64_t>(path_end, rec::kPathEnds - 1)];
        stream.quality.recovered += (row.flags & rec::kRecoveredFrame) != 0 ? 1 : 0;
        if (path_end == static_cast<std::uint64_t>(rec::PathEnd::kComplete)) {
            stream.is_complete[context] = true;
        }
        stream.end = running.time->last();
    }

    // `context` and `costs`: of the sample that ends the interval.
    void charge(Running& running, const StateInterval& interval, std::uint32_t context,
                std::span<std::int64_t> costs) {
        StreamData& stream = *running.stream;
        stream.states.add(interval);
        const auto ns = static_cast<std::int64_t>(interval.end - interval.begin);
        if (running.watch != nullptr && interval.wait == kNoWait &&
            (interval.state == ThreadState::kUser || interval.state == ThreadState::kSystem)) {
            groups_.ran(*running.watch, interval, context);
        }
        // In a waiting call, what is not the program's own time is that call's.
        const std::uint32_t call = interval.wait == kNoWait ? 0 : stream.waits[interval.wait].context;
        const auto costs_of_call = call != 0 && call < stream.contexts.size() ? stream.costs[call] : costs;
        switch (interval.state) {
            case ThreadState::kUser:
            case ThreadState::kSpinning:
                costs[kUser] += ns;
                break;
            case ThreadState::kSystem:
                costs_of_call[kSystem] += ns;
                break;
            case ThreadState::kReady:
            case ThreadState::kWaiting:
            case ThreadState::kOff:
                costs_of_call[kOffCpu] += ns;
                break;
            case ThreadState::kPaused:
                stream.paused_ns += ns;
                break;
        }
    }

    void finish(Running& running) {
        StreamData& stream = *running.stream;
        for (std::size_t context = stream.contexts.size() - 1; context > 0; --context) {
            if (stream.is_complete[context]) {
                stream.is_complete[stream.contexts[context].parent] = true;
            }
        }
        if (!stream.has_ended) {
            return;
        }
        if (!running.time) {
            start(running, stream.end_time);
        }
        for (const StateInterval& interval : running.time->finish(stream.end_time, stream.totals)) {
            charge(running, interval, 0, stream.unsampled);
        }
        for (std::size_t event = 0; event < data_.events.size(); ++event) {
            const std::uint64_t total = event < stream.totals.size() ? stream.totals[event] : running.sums[event];
            stream.unsampled[kFirstEvent + event] = static_cast<std::int64_t>(total - running.sums[event]);
        }
        stream.end = running.time->last();
    }

    FileData& data_;
    WaitGroups groups_;
    std::size_t most_states_;
    std::map<std::uint32_t, Running> running_;
    Running* last_ = nullptr;
};

}  // namespace

Result<void> read_samples(const recording::File& file, FileData& data, std::size_t most_states) {
    Samples samples(data, most_states);
    const auto report =
        file.scan(rec::on<rec::Sample>([&](StreamId id, const rec::Sample& row) { samples.add(raw(id), row); }));
    if (!report) {
        return report.error();
    }
    samples.finish();
    return {};
}

}  // namespace kymo::spacetime
