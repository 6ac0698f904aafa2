#include "view/pieces.h"

#include "spacetime/load/system_place.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace kymo::view {
namespace {

using namespace spacetime;
namespace rec = recording;

bool on_processor(ThreadState state) {
    return state == ThreadState::kUser || state == ThreadState::kSystem;
}

// One stream's samples, in the order of time.
class StreamPass {
  public:
    StreamPass(const Profile& profile, const PieceOptions& options, std::uint32_t thread,
               std::span<const std::uint32_t> parents, const OnPiece& on_piece)
        : profile_(profile),
          options_(options),
          number_(thread),
          thread_(profile.threads[thread]),
          on_piece_(on_piece),
          last_(thread_.states.begin()),
          system_places_(thread_.looks, parents, last_),
          values_(options.events.size()) {}

    // `columns`: the file's event → index of `values_`, or −1.
    void sample(std::uint64_t time, std::uint32_t node, std::span<const std::uint64_t> deltas,
                std::span<const std::ptrdiff_t> columns, bool is_blind) {
        std::fill(values_.begin(), values_.end(), 0);
        for (std::size_t event = 0; event < deltas.size() && event < columns.size(); ++event) {
            if (columns[event] >= 0) {
                values_[static_cast<std::size_t>(columns[event])] += deltas[event];
            }
        }
        advance(time, node, node, is_blind);
    }

    void finish(std::uint32_t rest_node) {
        std::fill(values_.begin(), values_.end(), 0);
        advance(thread_.states.end(), rest_node, kNone, thread_.roles.grid_period != 0);
    }

    // Since the run's begin, into the range.
    std::uint64_t clip(std::uint64_t time) const {
        const std::uint64_t since = time < profile_.begin ? 0 : time - profile_.begin;
        return std::clamp(since, options_.range.begin, options_.range.end);
    }

  private:
    // `sampled`: the node of the sample that ends the stretch; kNone: none does.
    void advance(std::uint64_t to, std::uint32_t node, std::uint32_t sampled, bool is_blind) {
        if (to <= last_) {
            return;
        }
        parts_.clear();
        thread_.states.for_each(last_, to, [&](const StateInterval& part) { cut(part); });
        others_.clear();
        std::copy_if(parts_.begin(), parts_.end(), std::back_inserter(others_),
                     [&](const StateInterval& part) { return tail_piece(part) == nullptr; });
        system_places_.next(others_, sampled, is_blind);
        last_ = to;
        // Counts belong to the time on a processor just before the sample.
        std::size_t counted = parts_.size();
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            if (on_processor(parts_[i].state) && clip(parts_[i].end) > clip(parts_[i].begin)) {
                counted = i;
            }
        }
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            bool is_counted = i == counted;
            const auto point_at = [&](std::uint64_t end) {
                return i + 1 == parts_.size() && end == parts_[i].end ? sampled : kNone;
            };
            if (const TailPiece* piece = tail_piece(parts_[i]); piece != nullptr) {
                put(parts_[i], piece->context == kNone ? node : piece->context, is_counted, kNone);
                continue;
            }
            if (system_places_.each(parts_[i], [&](const StateInterval& part, std::uint32_t at, SystemSource) {
                    put(part, at == kNone ? node : at, std::exchange(is_counted, false), point_at(part.end));
                })) {
                continue;
            }
            const bool is_elsewhere = sampled != kNone && is_unknown_absence(parts_[i], !thread_.offs.empty());
            put(parts_[i], is_elsewhere ? system_places_.caller_between() : node, is_counted,
                point_at(parts_[i].end));
        }
    }

    // The first piece of the thread's tail that ends after a time.
    std::vector<TailPiece>::const_iterator tail_after(std::uint64_t time) const {
        return std::upper_bound(thread_.tail.begin(), thread_.tail.end(), time,
                                [](std::uint64_t at, const TailPiece& piece) { return at < piece.end; });
    }

    // At the ends of the pieces of the thread's tail.
    void cut(StateInterval part) {
        for (auto piece = tail_after(part.begin); piece != thread_.tail.end() && piece->begin < part.end; ++piece) {
            for (const std::uint64_t at : {piece->begin, piece->end}) {
                if (at > part.begin && at < part.end) {
                    parts_.push_back({part.begin, at, part.state, part.wait});
                    part.begin = at;
                }
            }
        }
        parts_.push_back(part);
    }

    // Of the thread's tail, if that is more exact than samples; else nullptr.
    const TailPiece* tail_piece(const StateInterval& part) const {
        const auto piece = tail_after(part.begin);
        return piece != thread_.tail.end() && piece->begin <= part.begin ? &*piece : nullptr;
    }

    void put(const StateInterval& part, std::uint32_t node, bool is_counted, std::uint32_t sampled) {
        const std::uint64_t begin = clip(part.begin);
        const std::uint64_t end = clip(part.end);
        if (begin >= end) {
            return;
        }
        const std::uint32_t context = part.wait == kNone ? 0 : thread_.waits[part.wait].context;
        Piece piece{number_, begin, end, part.state, context != 0 ? context : node, part.wait, sampled, {}};
        if (is_counted) {
            piece.events = values_;
        }
        on_piece_(piece);
    }

    const Profile& profile_;
    const PieceOptions& options_;
    std::uint32_t number_;
    const ProfileThread& thread_;
    const OnPiece& on_piece_;
    std::uint64_t last_;
    SystemPlace system_places_;
    std::vector<std::uint64_t> values_;
    std::vector<StateInterval> parts_;
    std::vector<StateInterval> others_;  // of these, those that are not in the thread's tail
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

// The file's own event numbers → index of the counted ones, or −1.
std::vector<std::ptrdiff_t> event_columns(const ProfileStream& stream, const PieceOptions& options) {
    std::vector<std::ptrdiff_t> columns;
    columns.reserve(stream.columns.size());
    for (const std::size_t event : stream.columns) {
        const auto found = std::find(options.events.begin(), options.events.end(), event);
        columns.push_back(found == options.events.end() ? -1 : found - options.events.begin());
    }
    return columns;
}

}  // namespace

Result<void> walk_pieces(const rec::Recording& recording, const Profile& profile, const PieceOptions& options,
                         const OnPiece& on_piece, const OnSample& on_sample) {
    const std::vector<std::uint32_t> parents = parents_of(profile);
    const auto rest = rest_nodes(profile);
    std::vector<bool> is_done(profile.threads.size());
    const auto finish = [&](StreamPass& pass, std::uint32_t thread) {
        pass.finish(rest[profile.threads[thread].process]);
        is_done[thread] = true;
    };
    for (std::uint32_t file = 0; file < recording.files().size(); ++file) {
        struct Running {
            const ProfileStream* stream;
            StreamPass pass;
        };
        std::unordered_map<std::uint32_t, Running> running;
        for (const ProfileStream& stream : profile.streams) {
            if (stream.file == file) {
                running.emplace(stream.stream,
                                Running{&stream, StreamPass(profile, options, stream.thread, parents, on_piece)});
            }
        }
        if (running.empty()) {
            continue;
        }
        const std::vector<std::ptrdiff_t> columns = event_columns(*running.begin()->second.stream, options);
        std::uint32_t last_id = 0;
        Running* last = nullptr;
        std::vector<std::uint64_t> events;  // of one row, the program's
        const auto report =
            recording.files()[file].scan(rec::on<rec::Sample>([&](StreamId id, const rec::Sample& row) {
                if (last == nullptr || last_id != raw(id)) {
                    const auto found = running.find(raw(id));
                    if (found == running.end()) {
                        return;
                    }
                    last_id = raw(id);
                    last = &found->second;
                }
                const ProfileStream& stream = *last->stream;
                const bool has_path = row.context != 0 && row.context < stream.nodes.size();
                const std::uint32_t no_path = stream.no_path == kNone ? 0 : stream.no_path;
                const spacetime::EventRoles& roles = profile.threads[stream.thread].roles;
                const bool is_own = is_own_work(row, stream.own_contexts);
                const spacetime::ProgramsEvents programs(roles, row, is_own, row.own_ns);
                events.resize(row.deltas.size());
                for (std::size_t event = 0; event < events.size(); ++event) {
                    events[event] = programs.of(event);
                }
                const std::uint64_t time = row.time + static_cast<std::uint64_t>(stream.shift_ns);
                const std::uint32_t node = has_path ? stream.nodes[row.context] : no_path;
                last->pass.sample(time, node, events, columns, is_blind_in_kernel(roles, row));
                if (on_sample) {
                    on_sample({stream.thread, last->pass.clip(time), node, is_own});
                }
            }));
        if (!report) {
            return report.error();
        }
        for (auto& [id, entry] : running) {
            finish(entry.pass, entry.stream->thread);
        }
    }
    for (std::uint32_t thread = 0; thread < profile.threads.size(); ++thread) {
        if (!is_done[thread]) {
            StreamPass pass(profile, options, thread, parents, on_piece);
            finish(pass, thread);
        }
    }
    return {};
}

}  // namespace kymo::view
