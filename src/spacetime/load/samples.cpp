// The second pass over a file: its samples. Streams are shared among several threads; each stream is one thread's.
#include "parallel/loops.h"
#include "recording/reader.h"
#include "spacetime/load/stream_samples.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

namespace kymo::spacetime {
namespace {

namespace rec = recording;

constexpr std::size_t kLeastStates = 4096;  // of a stream
constexpr std::size_t kMostParts = 16;

// Of the streams whose first samples came in one way, in the order in which they are added.
struct PlanOfTails {
    void add(const StreamSamples& stream) {
        tails.push_back(stream.tail());
        period = stream.period();
        stream.add_looks(&looks);
        if (stream.first_sample()) {
            firsts.push_back(*stream.first_sample());
        }
    }
    const TailPlan* next() { return &plans[next_++]; }

    std::vector<Tail> tails;
    std::vector<FirstSample> firsts;
    std::vector<TailLook> looks;
    std::int64_t period = 0;
    std::vector<TailPlan> plans;

  private:
    std::size_t next_ = 0;
};

// All streams of a file. of() may be called by several threads.
class FileSamples {
  public:
    FileSamples(FileData& data, std::size_t most_states)
        : data_(data), groups_(data), most_states_(std::max(most_states, kLeastStates)) {
        data_.samples_by_event.resize(data_.events.size());
    }

    // nullptr: no number of a stream.
    StreamSamples* of(std::uint32_t id) {
        const std::lock_guard lock(mutex_);
        StreamData* stream = data_.stream(id);
        return stream == nullptr ? nullptr : &samples_of(*stream);
    }

    void finish() {
        for (auto& [id, stream] : data_.streams) {
            samples_of(stream).end(&data_);
        }
        finish_tails();
        groups_.finish();
    }

  private:
    void finish_tails() {
        PlanOfTails at_random;
        PlanOfTails at_ticks;
        for (auto& [id, stream] : streams_) {
            if (stream.has_tail() && stream.tail_kind() != TailKind::kUnknown) {
                (stream.tail_kind() == TailKind::kAtTicks ? at_ticks : at_random).add(stream);
            }
        }
        at_random.plans = plan_tails(at_random.tails, at_random.firsts, at_random.looks, at_random.period);
        at_ticks.plans = plan_tails_at_ticks(at_ticks.tails, at_ticks.firsts, at_ticks.period);
        for (auto& [id, stream] : streams_) {
            if (stream.has_tail()) {
                stream.finish(stream.tail_kind() == TailKind::kUnknown   ? nullptr
                              : stream.tail_kind() == TailKind::kAtTicks ? at_ticks.next()
                                                                         : at_random.next());
            }
        }
    }

    StreamSamples& samples_of(StreamData& stream) {
        return streams_.try_emplace(stream.id, stream, data_, groups_.watch_of(stream.id), most_states_)
            .first->second;
    }

    FileData& data_;
    WaitGroups groups_;
    std::size_t most_states_;
    std::mutex mutex_;
    std::map<std::uint32_t, StreamSamples> streams_;
};

}  // namespace

Result<void> read_samples(const recording::File& file, FileData& data, std::size_t most_states) {
    FileSamples samples(data, most_states);
    const auto processors = static_cast<std::size_t>(parallel::workers());
    const std::size_t parts =
        std::clamp<std::size_t>(data.streams.size(), 1, std::min<std::size_t>(processors, kMostParts));
    std::vector<std::optional<Error>> errors(parts);
    parallel::for_each_index(parts, [&](std::size_t part) {
        StreamSamples* last = nullptr;
        const auto report = file.scan_streams([&](StreamId id) { return raw(id) % parts == part; },
                                              rec::on<rec::Sample>([&](StreamId id, const rec::Sample& row) {
                                                  // Rows of stream 0 come to every part.
                                                  if (raw(id) == 0 && part != 0) {
                                                      return;
                                                  }
                                                  if (last == nullptr || last->id() != raw(id)) {
                                                      last = samples.of(raw(id));
                                                  }
                                                  if (last != nullptr) {
                                                      last->add(row);
                                                  }
                                              }));
        if (!report) {
            errors[part] = report.error();
        }
    });
    for (const auto& error : errors) {
        if (error) {
            return *error;
        }
    }
    samples.finish();
    return {};
}

void finish_without_samples(FileData& data) {
    FileSamples(data, kLeastStates).finish();
}

}  // namespace kymo::spacetime
