#include "recording/history/condense.h"

#include "recording/decode.h"
#include "recording/delta_bases.h"
#include "recording/encode.h"
#include "recording/record.h"
#include "recording/tables.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace kymo::recording {
namespace {

// As this Kymo describes it.
template <typename Row>
TableSchema own_schema() {
    TableSchema schema{Row::kTableId, Row::kTable, {}};
    Row::columns([&](const char* name, ColumnType type, const char* unit, auto) {
        schema.columns.push_back({name, type, unit});
    });
    return schema;
}

template <typename Visit>
void for_each_condensed(Visit&& visit) {
    visit.template operator()<Sample>();
    visit.template operator()<SampleRegisters>();
    visit.template operator()<SampleOperands>();
    visit.template operator()<KernelTick>();
    visit.template operator()<Wait>();
    visit.template operator()<WaitBrief>();
    visit.template operator()<ExactCalls>();
    visit.template operator()<Switch>();
    visit.template operator()<SwitchBrief>();
    visit.template operator()<Task>();  // is read alone
}

// Decodes rows of one table. What a row's lists point to is valid until the next one.
template <typename Row>
class Decoded {
  public:
    // nullptr: malformed.
    const Row* read(std::uint64_t segment, std::span<const std::uint8_t> body) {
        const RowPlace place{StreamId{0}, segment, false};
        return decoder_.row(place, body.data(), body.data() + body.size()) ? &row_ : nullptr;
    }

  private:
    struct Keep {
        Row* row;
        void operator()(StreamId, const Row& read) const { *row = read; }
    };
    Row row_;
    Keep keep_{&row_};
    RowDecoder<Row, Keep> decoder_{own_schema<Row>(), keep_};
};

struct Place {
    StreamId stream{0};
    std::uint64_t segment = 1;
};

// Calls `each(record, bytes, place)` for every record but stream markers; `bytes` with number and length. False: one
// cannot be read, or `each` said so.
template <typename Each>
bool walk(std::span<const std::uint8_t> payload, StreamId stream, Each&& each) {
    const std::uint8_t* at = payload.data();
    const std::uint8_t* const end = at + payload.size();
    Place place{stream};
    for (Record record; at != end;) {
        const std::uint8_t* const from = at;
        if (!read_record(at, end, record)) {
            return false;
        }
        if (record.number == kStreamTable) {
            const std::uint8_t* number = record.body.data();
            std::uint64_t value = 0;
            if (!detail::read_varint(number, number + record.body.size(), value) || value > UINT32_MAX) {
                return false;
            }
            place = {StreamId{static_cast<std::uint32_t>(value)}, place.segment + 1};
            continue;
        }
        if (!each(record, std::span(from, at), place)) {
            return false;
        }
    }
    return true;
}

class Condenser {
  public:
    Condenser(StreamId stream, const Coarseness& coarseness, ContextRows& contexts, std::uint64_t seed)
        : stream_(stream), coarseness_(coarseness), contexts_(contexts), random_(seed) {}

    bool add(const Record& record, std::span<const std::uint8_t> bytes, std::uint64_t segment) {
        switch (record.number) {
            case Sample::kTableId:
                return take(samples_.read(segment, record.body));
            case SampleRegisters::kTableId:
                return take(registers_.read(segment, record.body));
            case SampleOperands::kTableId:
                return take(operands_.read(segment, record.body));
            case KernelTick::kTableId:
                return take(ticks_.read(segment, record.body));
            case Wait::kTableId:
                return take(waits_.read(segment, record.body));
            case WaitBrief::kTableId:
                return take(briefs_.read(segment, record.body));
            case ExactCalls::kTableId:
                return take(calls_.read(segment, record.body));
            case Task::kTableId:
                if (!end_life(tasks_.read(segment, record.body))) {
                    return false;
                }
                close();
                break;
            case Switch::kTableId:
                return take(switches_.read(segment, record.body));
            case SwitchBrief::kTableId:
                return take(switch_briefs_.read(segment, record.body));
            case Context::kTableId:
            case Join::kTableId:
            case OuterDropped::kTableId:
                break;
            default:
                close();
        }
        copy(bytes, segment);
        return true;
    }

    std::vector<std::uint8_t> finish() && {
        close();
        for (const auto& [kind, brief] : brief_) {
            put(brief);
        }
        for (const auto& [tid, brief] : switch_brief_) {
            put(brief);
        }
        for (const auto& [function, calls] : last_calls_) {
            ExactCalls row = calls.row;
            row.counts = calls.counts;
            row.slowest = calls.slowest;
            put(row);
        }
        return std::move(output_);
    }

  private:
    struct Taken {
        Sample row;  // without its deltas
        std::size_t deltas_begin = 0;
        std::vector<std::uint64_t> registers;
        std::vector<std::uint64_t> operands;
        std::uint64_t denormals = 0;
    };
    // The samples of one event, taken in one way.
    struct Class {
        std::uint64_t event = 0;
        bool at_tick = false;
        std::uint64_t samples = 0;
        std::size_t chosen = 0;
        std::size_t last = 0;
    };
    struct Calls {
        ExactCalls row;
        std::vector<std::uint64_t> counts;
        std::vector<std::uint64_t> slowest;
    };

    bool take(const Sample* row) {
        if (row == nullptr) {
            return false;
        }
        const bool is_alone =
            (row->flags & kAfterPause) != 0 || contexts_.is_rare(ContextRows::Of::kSamples, stream_, row->context);
        if (!block_.empty() && (is_alone || is_alone_ || row->deltas.size() != width_ || block_.size() == kMostRows ||
                                row->time - std::min(row->time, begin_) > coarseness_.longest_span(row->time))) {
            close();
        }
        if (block_.empty() && !has_begin_) {
            begin_ = row->time;
            has_begin_ = true;
        }
        is_alone_ = is_alone;
        width_ = row->deltas.size();
        --contexts_.of(ContextRows::Of::kSamples, stream_, row->context);
        block_.push_back({*row, deltas_.size(), {}, {}, 0});
        deltas_.insert(deltas_.end(), row->deltas.begin(), row->deltas.end());
        return true;
    }

    bool take(const SampleRegisters* row) {
        if (row != nullptr && !block_.empty()) {
            block_.back().registers.assign(row->values.begin(), row->values.end());
        }
        return row != nullptr;
    }

    bool take(const SampleOperands* row) {
        if (row != nullptr && !block_.empty()) {
            block_.back().operands.assign(row->values.begin(), row->values.end());
            block_.back().denormals = row->denormals;
        }
        return row != nullptr;
    }

    bool take(const KernelTick* row) {
        if (row == nullptr) {
            return false;
        }
        ++ticks_seen_;
        if (kept_ticks_.size() < kMostTicks || coarseness_.span == 0) {
            kept_ticks_.push_back(*row);
        } else if (const std::uint64_t place = random(ticks_seen_); place < kMostTicks) {
            kept_ticks_[place] = *row;
        }
        return true;
    }

    bool take(const Wait* row) {
        if (row == nullptr) {
            return false;
        }
        if (row->flags != 0 || row->duration >= coarseness_.shortest_wait ||
            contexts_.is_rare(ContextRows::Of::kWaits, stream_, row->context)) {
            put(*row);
            return true;
        }
        --contexts_.of(ContextRows::Of::kWaits, stream_, row->context);
        WaitBrief brief;
        brief.stream = raw(stream_);
        brief.kind = row->kind;
        brief.count = 1;
        brief.duration = row->duration;
        brief.below = coarseness_.shortest_wait;
        brief.condensed = 1;
        return take(&brief);
    }

    bool take(const WaitBrief* row) {
        if (row == nullptr) {
            return false;
        }
        WaitBrief& sum = brief_[{row->stream, row->kind}];
        sum.stream = row->stream;
        sum.kind = row->kind;
        sum.count += row->count;
        sum.duration += row->duration;
        sum.condensed += row->condensed;
        sum.below = std::max(sum.below, row->below);
        return true;
    }

    // A thread's first one may be its wait for its first processor, which is no switch.
    bool take(const Switch* row) {
        if (row == nullptr) {
            return false;
        }
        if (row->open != 0 || row->duration >= coarseness_.shortest_wait || switched_.insert(row->tid).second) {
            put(*row);
            return true;
        }
        SwitchBrief brief;
        brief.tid = row->tid;
        (row->preempted != 0 ? brief.involuntary : brief.voluntary) = 1;
        (row->preempted != 0 ? brief.involuntary_ns : brief.voluntary_ns) = row->duration;
        brief.below = coarseness_.shortest_wait;
        return take(&brief);
    }

    // A change of a thread's life: its number may be another's from here on.
    bool end_life(const Task* row) {
        if (row == nullptr) {
            return false;
        }
        switched_.erase(row->tid);
        if (const auto brief = switch_brief_.find(row->tid); brief != switch_brief_.end()) {
            put(brief->second);
            switch_brief_.erase(brief);
        }
        return true;
    }

    bool take(const SwitchBrief* row) {
        if (row == nullptr) {
            return false;
        }
        SwitchBrief& sum = switch_brief_[row->tid];
        sum.tid = row->tid;
        sum.voluntary += row->voluntary;
        sum.involuntary += row->involuntary;
        sum.voluntary_ns += row->voluntary_ns;
        sum.involuntary_ns += row->involuntary_ns;
        sum.below = std::max(sum.below, row->below);
        return true;
    }

    bool take(const ExactCalls* row) {
        if (row != nullptr) {
            last_calls_[{row->stream, row->function}] = {
                *row, {row->counts.begin(), row->counts.end()}, {row->slowest.begin(), row->slowest.end()}};
        }
        return row != nullptr;
    }

    // The samples so far become rows.
    void close() {
        std::sort(kept_ticks_.begin(), kept_ticks_.end(),
                  [](const KernelTick& a, const KernelTick& b) { return a.time < b.time; });
        for (const KernelTick& tick : kept_ticks_) {
            put(tick);
        }
        kept_ticks_.clear();
        ticks_seen_ = 0;
        if (block_.empty()) {
            return;
        }
        const std::vector<Class> classes = draw();
        std::vector<std::uint64_t> sums(width_);
        Sample own;
        for (std::size_t i = 0; i < block_.size(); ++i) {
            const Taken& taken = block_[i];
            for (std::size_t event = 0; event < width_; ++event) {
                sums[event] += deltas_[taken.deltas_begin + event];
            }
            own.own_ns += taken.row.own_ns;
            own.own_system_ns += taken.row.own_system_ns;
            own.own_user_ns += taken.row.own_user_ns;
            const auto of = std::find_if(classes.begin(), classes.end(), [i](const Class& c) { return c.last == i; });
            if (of == classes.end()) {
                continue;
            }
            const Taken& chosen = block_[of->chosen];
            Sample row = chosen.row;
            row.time = taken.row.time;
            row.deltas = sums;
            row.own_ns = own.own_ns;
            row.own_system_ns = own.own_system_ns;
            row.own_user_ns = own.own_user_ns;
            row.samples = of->samples > 1 ? of->samples : 0;
            put(row);
            if (!chosen.registers.empty()) {
                SampleRegisters registers;
                registers.values = chosen.registers;
                put(registers);
            }
            if (!chosen.operands.empty()) {
                SampleOperands operands;
                operands.values = chosen.operands;
                operands.denormals = chosen.denormals;
                put(operands);
            }
            ++contexts_.of(ContextRows::Of::kSamples, stream_, row.context);
            std::fill(sums.begin(), sums.end(), 0);
            own = {};
        }
        begin_ = block_.back().row.time;
        block_.clear();
        deltas_.clear();
    }

    std::vector<Class> draw() {
        std::vector<Class> classes;
        for (std::size_t i = 0; i < block_.size(); ++i) {
            const Sample& row = block_[i].row;
            const bool at_tick = (row.flags & kAtTick) != 0;
            auto of = std::find_if(classes.begin(), classes.end(),
                                   [&](const Class& c) { return c.event == row.event && c.at_tick == at_tick; });
            if (of == classes.end()) {
                of = classes.insert(of, Class{row.event, at_tick, 0, i, i});
            }
            of->samples += std::min(samples_of(row), UINT64_MAX - of->samples);
            of->last = i;
            if (random(of->samples) < samples_of(row)) {
                of->chosen = i;
            }
        }
        return classes;
    }

    // Below `end` (SplitMix64: Steele, Lea and Flood, 2014).
    std::uint64_t random(std::uint64_t end) {
        std::uint64_t value = random_ += 0x9E3779B97F4A7C15U;
        value = (value ^ value >> 30U) * 0xBF58476D1CE4E5B9U;
        value = (value ^ value >> 27U) * 0x94D049BB133111EBU;
        return end == 0 ? 0 : (value ^ value >> 31U) % end;
    }

    // Rows that are copied have the differences of their segment, which begins with a marker in the output too.
    void copy(std::span<const std::uint8_t> bytes, std::uint64_t segment) {
        if (segment != segment_) {
            append_marker(output_, stream_);
            bases_.clear();
            segment_ = segment;
        }
        output_.insert(output_.end(), bytes.begin(), bytes.end());
    }

    template <typename Row>
    void put(const Row& row) {
        const RowRecord<Row> record{row};
        std::uint64_t* const bases = bases_.of(Row::kTableId, record.kDeltas);  // so few tables always fit
        const std::size_t body = record.body(bases);
        const std::size_t begin = output_.size();
        output_.resize(begin + varint_bytes(Row::kTableId) + varint_bytes(body) + body);
        std::uint8_t* at = encode_varint(output_.data() + begin, Row::kTableId);
        at = encode_varint(at, body);
        record.write(at, bases);
    }

    static constexpr std::size_t kMostTicks = 2;
    static constexpr std::size_t kMostRows = 1024;  // made one: of as many events, they are compared in pairs

    StreamId stream_;
    const Coarseness& coarseness_;
    ContextRows& contexts_;
    std::uint64_t random_;
    Decoded<Sample> samples_;
    Decoded<SampleRegisters> registers_;
    Decoded<SampleOperands> operands_;
    Decoded<KernelTick> ticks_;
    Decoded<Wait> waits_;
    Decoded<WaitBrief> briefs_;
    Decoded<ExactCalls> calls_;
    Decoded<Switch> switches_;
    Decoded<SwitchBrief> switch_briefs_;
    Decoded<Task> tasks_;

    std::vector<Taken> block_;
    std::vector<std::uint64_t> deltas_;  // of the block
    std::size_t width_ = 0;              // deltas of each of its rows
    std::uint64_t begin_ = 0;            // the row before it
    bool has_begin_ = false;
    bool is_alone_ = false;  // the block is one row, and stays so
    std::vector<KernelTick> kept_ticks_;
    std::uint64_t ticks_seen_ = 0;
    std::map<std::pair<std::uint64_t, std::uint64_t>, WaitBrief> brief_;   // by stream and kind
    std::map<std::pair<std::uint64_t, std::uint64_t>, Calls> last_calls_;  // by stream and function

    std::unordered_set<std::uint64_t> switched_;         // tids
    std::map<std::uint64_t, SwitchBrief> switch_brief_;  // by tid

    std::vector<std::uint8_t> output_;
    DeltaBases bases_;
    std::uint64_t segment_ = 1;
};

}  // namespace

void append_marker(std::vector<std::uint8_t>& rows, StreamId stream) {
    std::uint8_t marker[2 + kMaxVarintBytes] = {kStreamTable, static_cast<std::uint8_t>(varint_bytes(raw(stream)))};
    rows.insert(rows.end(), marker, encode_varint(marker + 2, raw(stream)));
}

bool can_condense(const TableSchema& table) {
    bool can = true;
    for_each_condensed([&]<typename Row>() {
        if (table.name == Row::kTable || table.number == Row::kTableId) {
            can = can && table == own_schema<Row>();
        }
    });
    return can;
}

ChunkRows read_rows(std::span<const std::uint8_t> payload, StreamId stream, std::uint64_t now, ContextRows& contexts,
                    SamplesByAge* samples, WaitsByLength* waits) {
    Decoded<Sample> sample_rows;
    Decoded<Wait> wait_rows;
    Decoded<Switch> switch_rows;
    ChunkRows rows;
    rows.last_stream = stream;
    std::optional<std::uint64_t> before;
    const auto age = [now](std::uint64_t time) { return now - std::min(now, time); };
    const auto one = [&](const Record& record, std::span<const std::uint8_t> bytes, const Place& place) {
        rows.is_of_one = rows.is_of_one && place.stream == stream;
        rows.last_stream = place.stream;
        if (record.number == Sample::kTableId) {
            const Sample* const row = sample_rows.read(place.segment, record.body);
            if (row == nullptr) {
                return false;
            }
            ++contexts.of(ContextRows::Of::kSamples, place.stream, row->context);
            rows.last_time = std::max(rows.last_time, row->time);
            if (samples != nullptr) {
                samples->add(age(row->time), before ? row->time - std::min(row->time, *before) : 0, bytes.size(),
                             samples_of(*row));
            }
            before = row->time;
            return true;
        }
        if (record.number == Wait::kTableId) {
            const Wait* const row = wait_rows.read(place.segment, record.body);
            if (row == nullptr) {
                return false;
            }
            ++contexts.of(ContextRows::Of::kWaits, place.stream, row->context);
            if (waits != nullptr) {
                waits->add(row->duration, bytes.size());
            }
            return true;
        }
        if (record.number == Switch::kTableId) {
            const Switch* const row = switch_rows.read(place.segment, record.body);
            if (row != nullptr && waits != nullptr) {
                waits->add(row->duration, bytes.size());
            }
            return row != nullptr;
        }
        rows.other_bytes += bytes.size();
        return true;
    };
    rows.is_sound = walk(payload, stream, one);
    return rows;
}

std::optional<std::vector<std::uint8_t>> condense(std::span<const std::uint8_t> payload, StreamId stream,
                                                  const Coarseness& coarseness, ContextRows& contexts,
                                                  std::uint64_t seed) {
    Condenser condenser(stream, coarseness, contexts, seed);
    const bool is_sound =
        walk(payload, stream, [&](const Record& record, std::span<const std::uint8_t> bytes, const Place& place) {
            return place.stream == stream && condenser.add(record, bytes, place.segment);
        });
    if (!is_sound) {
        return std::nullopt;
    }
    return std::move(condenser).finish();
}

}  // namespace kymo::recording
