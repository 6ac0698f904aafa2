#include "view/pieces.h"

#include "spacetime/profile/sample_pass.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace kymo::view {
namespace {

using namespace spacetime;

bool on_processor(ThreadState state) {
    return state == ThreadState::kUser || state == ThreadState::kSystem;
}

// One thread's pieces.
class ThreadPieces final : public StreamVisitor {
  public:
    // `rest`: the node of time whose place is not known.
    ThreadPieces(const Profile& profile, const PieceOptions& options, std::uint32_t thread, std::uint32_t rest,
                 const OnPiece& on_piece, const OnSample& on_sample)
        : profile_(profile),
          options_(options),
          number_(thread),
          thread_(profile.threads[thread]),
          rest_(rest),
          on_piece_(on_piece),
          on_sample_(on_sample),
          last_(thread_.states.begin()),
          values_(options.events.size()) {}

    void piece(const StateInterval& interval, std::uint32_t, std::uint32_t charged) override {
        since_.push_back({interval, charged});
    }
    void sample(const recording::Sample& row, std::uint32_t node, std::span<const std::int64_t> deltas) override {
        end_at(row.time, node == kNone ? 0 : node, deltas, false);
    }
    void own_work(const recording::Sample& row, std::uint32_t node, std::span<const std::int64_t> deltas) override {
        end_at(row.time, node == kNone ? 0 : node, deltas, true);
    }

    // Behind the last sample. The states are the profile's: they have more of this time than the stream alone
    // (tails.h).
    void finish() override {
        std::fill(values_.begin(), values_.end(), 0);
        for (const Charged& part : std::exchange(since_, {})) {
            thread_.states.for_each(std::max(part.interval.begin, last_), part.interval.end,
                                    [&](const StateInterval& state) { put_tail(state, part.node); });
            last_ = std::max(last_, part.interval.end);
        }
        thread_.states.for_each(last_, thread_.states.end(),
                                [&](const StateInterval& state) { put_tail(state, kNone); });
        last_ = std::max(last_, thread_.states.end());
    }

  private:
    struct Charged {
        StateInterval interval;
        std::uint32_t node = kNone;
    };

    // Since the run's begin, into the range.
    std::uint64_t clip(std::uint64_t time) const {
        const std::uint64_t since = time < profile_.begin ? 0 : time - profile_.begin;
        return std::clamp(since, options_.range.begin, options_.range.end);
    }

    void end_at(std::uint64_t time, std::uint32_t node, std::span<const std::int64_t> deltas, bool is_own_work) {
        for (std::size_t i = 0; i < values_.size(); ++i) {
            values_[i] = static_cast<std::uint64_t>(std::max<std::int64_t>(deltas[options_.events[i]], 0));
        }
        // Counts belong to the time on a processor just before the sample.
        std::size_t counted = since_.size();
        for (std::size_t i = 0; i < since_.size(); ++i) {
            const StateInterval& interval = since_[i].interval;
            if (on_processor(interval.state) && clip(interval.end) > clip(interval.begin)) {
                counted = i;
            }
        }
        for (std::size_t i = 0; i < since_.size(); ++i) {
            put(since_[i].interval, since_[i].node, i == counted, i + 1 == since_.size() ? node : kNone);
        }
        since_.clear();
        last_ = std::max(last_, time);
        if (on_sample_) {
            on_sample_({number_, clip(time), node, is_own_work});
        }
    }

    // Cut where the pieces of the thread's tail begin and end, which have places of their own.
    void put_tail(StateInterval part, std::uint32_t node) {
        auto piece = std::upper_bound(thread_.tail.begin(), thread_.tail.end(), part.begin,
                                      [](std::uint64_t at, const TailPiece& tail) { return at < tail.end; });
        for (; piece != thread_.tail.end() && piece->begin < part.end; ++piece) {
            if (piece->begin > part.begin) {
                put({part.begin, piece->begin, part.state, part.wait}, node, false, kNone);
                part.begin = piece->begin;
            }
            const std::uint64_t end = std::min(piece->end, part.end);
            put({part.begin, end, part.state, part.wait}, piece->context, false, kNone);
            part.begin = end;
        }
        put(part, node, false, kNone);
    }

    void put(const StateInterval& part, std::uint32_t node, bool is_counted, std::uint32_t sampled) {
        const std::uint64_t begin = clip(part.begin);
        const std::uint64_t end = clip(part.end);
        if (begin >= end) {
            return;
        }
        const std::uint32_t call = part.wait == kNone ? 0 : thread_.waits[part.wait].context;
        node = node != kNone ? node : call != 0 ? call : rest_;
        Piece piece{number_, begin, end, part.state, node, part.wait, sampled, {}};
        if (is_counted) {
            piece.events = values_;
        }
        on_piece_(piece);
    }

    const Profile& profile_;
    const PieceOptions& options_;
    std::uint32_t number_;
    const ProfileThread& thread_;
    std::uint32_t rest_;
    const OnPiece& on_piece_;
    const OnSample& on_sample_;
    std::uint64_t last_;  // sample, or piece behind it
    std::vector<std::uint64_t> values_;
    std::vector<Charged> since_;  // the last sample
};

// The node for time after the last sample, by process; the root if there is none.
std::vector<std::uint32_t> rest_nodes(const Profile& profile) {
    std::vector<std::uint32_t> by_process(profile.processes.size());
    for (std::uint32_t node = 0; node < profile.nodes.size(); ++node) {
        if (profile.nodes[node].kind != NodeKind::kUnsampled) {
            continue;
        }
        const ProfileNode& parent = profile.nodes[profile.nodes[node].parent];
        by_process[parent.kind == NodeKind::kProcess ? parent.image : 0] = node;
    }
    return by_process;
}

}  // namespace

Result<void> walk_pieces(const recording::Recording& recording, const Profile& profile, const PieceOptions& options,
                         const OnPiece& on_piece, const OnSample& on_sample) {
    const auto rest = rest_nodes(profile);
    const auto pieces_of = [&](std::uint32_t thread) {
        return std::make_unique<ThreadPieces>(profile, options, thread, rest[profile.threads[thread].process],
                                              on_piece, on_sample);
    };
    const auto walked = run_pass(
        recording, profile,
        {.workers = options.is_parallel ? pass_workers(recording, profile) : 1,
         .moves_taken_time = false,
         .make = [&](std::uint32_t, std::uint32_t stream) { return pieces_of(profile.streams[stream].thread); }});
    if (!walked) {
        return walked.error();
    }
    std::vector<bool> has_stream(profile.threads.size());
    for (const ProfileStream& stream : profile.streams) {
        has_stream[stream.thread] = true;
    }
    for (std::uint32_t thread = 0; thread < profile.threads.size(); ++thread) {
        if (!has_stream[thread]) {
            pieces_of(thread)->finish();
        }
    }
    return {};
}

}  // namespace kymo::view
