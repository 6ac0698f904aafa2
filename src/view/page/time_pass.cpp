#include "view/page/time_pass.h"

#include <algorithm>
#include <iterator>
#include <map>
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
    StreamPass(const Profile& profile, const Leaves& leaves, const TimePassOptions& options, std::uint32_t thread,
               std::vector<std::uint32_t>& point_of, std::span<const std::uint32_t> parents)
        : profile_(profile),
          leaves_(leaves),
          options_(options),
          thread_(profile.threads[thread]),
          point_of_(point_of),
          cells_(options.width, options.events.size()),
          last_(thread_.states.begin()),
          system_places_(thread_.looks, parents, last_) {
        pieces_.begin = clip(last_);
        pieces_.events.resize(options.events.size());
        values_.resize(options.events.size());
    }

    // `columns`: the file's event → index of `values_`, or −1.
    void sample(std::uint64_t time, std::uint32_t node, std::span<const std::uint64_t> deltas,
                std::span<const std::ptrdiff_t> columns, bool is_blind) {
        std::fill(values_.begin(), values_.end(), 0);
        for (std::size_t event = 0; event < deltas.size() && event < columns.size(); ++event) {
            if (columns[event] >= 0) {
                values_[static_cast<std::size_t>(columns[event])] += deltas[event];
            }
        }
        advance(time, leaves_.leaf_of[node], node, is_blind);
    }

    void finish(std::uint32_t rest_node) {
        std::fill(values_.begin(), values_.end(), 0);
        advance(thread_.states.end(), leaves_.leaf_of[rest_node], kNone, thread_.roles.grid_period != 0);
    }

    CellLevel cells() { return cells_.finish(); }
    Pieces pieces() { return std::move(pieces_); }

  private:
    // Since the run's begin, into the range.
    std::uint64_t clip(std::uint64_t time) const {
        const std::uint64_t since = time < profile_.begin ? 0 : time - profile_.begin;
        return std::clamp(since, options_.range.begin, options_.range.end);
    }

    void advance(std::uint64_t to, std::uint32_t leaf, std::uint32_t node, bool is_blind) {
        if (to <= last_) {
            return;
        }
        parts_.clear();
        thread_.states.for_each(last_, to, [&](const StateInterval& part) { cut(part); });
        others_.clear();
        std::copy_if(parts_.begin(), parts_.end(), std::back_inserter(others_),
                     [&](const StateInterval& part) { return tail_piece(part) == nullptr; });
        system_places_.next(others_, node, is_blind);
        last_ = to;
        // What the events counted belongs to the time on a processor just before the sample.
        std::size_t counted = parts_.size();
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            if (on_processor(parts_[i].state) && clip(parts_[i].end) > clip(parts_[i].begin)) {
                counted = i;
            }
        }
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            bool is_counted = i == counted;
            const auto point_at = [&](std::uint64_t end) {
                return i + 1 == parts_.size() && end == parts_[i].end ? node : kNone;
            };
            if (const TailPiece* piece = tail_piece(parts_[i]); piece != nullptr) {
                put(parts_[i], piece->context == kNone ? leaf : leaves_.leaf_of[piece->context], is_counted, kNone);
                continue;
            }
            if (system_places_.each(parts_[i], [&](const StateInterval& part, std::uint32_t at, SystemSource) {
                    put(part, at == kNone ? leaf : leaves_.leaf_of[at], std::exchange(is_counted, false),
                        point_at(part.end));
                })) {
                continue;
            }
            const bool is_elsewhere = node != kNone && is_unknown_absence(parts_[i], !thread_.offs.empty());
            put(parts_[i], is_elsewhere ? leaves_.leaf_of[system_places_.caller_between()] : leaf, is_counted,
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

    // Of the thread's tail, where it says more than samples; else nullptr.
    const TailPiece* tail_piece(const StateInterval& part) const {
        const auto piece = tail_after(part.begin);
        return piece != thread_.tail.end() && piece->begin <= part.begin ? &*piece : nullptr;
    }

    void put(const StateInterval& part, std::uint32_t leaf, bool is_counted, std::uint32_t node) {
        const std::uint64_t begin = clip(part.begin);
        const std::uint64_t end = clip(part.end);
        if (begin >= end) {
            return;
        }
        const std::uint32_t context = part.wait == kNone ? 0 : thread_.waits[part.wait].context;
        if (context != 0) {
            leaf = leaves_.leaf_of[context];
        }
        const std::uint32_t key = cell_key(leaf, static_cast<std::uint32_t>(part.state));
        if (is_counted) {
            cells_.count(begin, end, key, values_);
        }
        cells_.add(begin, end, key);
        if (options_.single_pieces) {
            pieces_.length.push_back(end - begin);
            pieces_.key.push_back(key);
            pieces_.point.push_back(node == kNone ? kNoPoint : point_of_[node]);
            pieces_.wait.push_back(part.wait == kNone ? 0 : part.wait + 1);
            for (std::size_t event = 0; event < values_.size(); ++event) {
                pieces_.events[event].push_back(is_counted ? values_[event] : 0);
            }
        }
    }

    const Profile& profile_;
    const Leaves& leaves_;
    const TimePassOptions& options_;
    const ProfileThread& thread_;
    const std::vector<std::uint32_t>& point_of_;
    ThreadCells cells_;
    Pieces pieces_;
    std::uint64_t last_;
    SystemPlace system_places_;
    std::vector<std::uint64_t> values_;
    std::vector<StateInterval> parts_;
    std::vector<StateInterval> others_;  // of these, those that are no pieces of the thread's tail
};

// The node for time after the last sample, by process; the root where there is none.
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

std::vector<std::uint32_t> number_points(const Profile& profile, std::vector<TimePass::Point>& points) {
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> known;
    std::vector<std::uint32_t> point_of(profile.nodes.size());
    points.emplace_back();
    for (std::uint32_t node = 0; node < profile.nodes.size(); ++node) {
        if (profile.nodes[node].kind != NodeKind::kFrame || profile.self[node][kSamples] == 0) {
            continue;
        }
        const auto [entry, is_new] = known.try_emplace({profile.nodes[node].image, profile.nodes[node].offset},
                                                       static_cast<std::uint32_t>(points.size()));
        if (is_new) {
            points.push_back({profile.nodes[node].image, profile.nodes[node].offset});
        }
        point_of[node] = entry->second;
    }
    return point_of;
}

// The file's own event numbers → index of the counted ones, or −1.
Result<std::vector<std::ptrdiff_t>> event_columns(const rec::File& file, const Profile& profile,
                                                  const TimePassOptions& options) {
    std::vector<std::ptrdiff_t> columns;
    const auto report = file.scan(rec::on<rec::Event>([&](StreamId, const rec::Event& row) {
        if (row.index >= 256) {
            return;
        }
        columns.resize(std::max<std::size_t>(columns.size(), row.index + 1), -1);
        for (std::size_t i = 0; i < options.events.size(); ++i) {
            if (profile.events[options.events[i]].name == row.name) {
                columns[row.index] = static_cast<std::ptrdiff_t>(i);
            }
        }
    }));
    if (!report) {
        return report.error();
    }
    return columns;
}

}  // namespace

Result<TimePass> run_time_pass(const rec::Recording& recording, const Profile& profile, const Leaves& leaves,
                               const TimePassOptions& options) {
    TimePass out;
    std::vector<std::uint32_t> point_of(profile.nodes.size());
    if (options.single_pieces) {
        point_of = number_points(profile, out.points);
    }
    const std::vector<std::uint32_t> parents = parents_of(profile);
    std::vector<CellLevel> by_thread;
    const auto rest = rest_nodes(profile);
    std::vector<bool> is_done(profile.threads.size());
    by_thread.resize(profile.threads.size(), CellLevel(options.width, options.events.size()));
    out.pieces.resize(options.single_pieces ? profile.threads.size() : 0);
    const auto keep = [&](StreamPass& pass, std::uint32_t thread) {
        pass.finish(rest[profile.threads[thread].process]);
        by_thread[thread] = pass.cells();
        if (options.single_pieces) {
            out.pieces[thread] = pass.pieces();
        }
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
                running.emplace(stream.stream, Running{&stream, StreamPass(profile, leaves, options, stream.thread,
                                                                           point_of, parents)});
            }
        }
        if (running.empty()) {
            continue;
        }
        const auto columns = event_columns(recording.files()[file], profile, options);
        if (!columns) {
            return columns.error();
        }
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
                const spacetime::ProgramsEvents programs(roles, row, is_own_work(row, stream.own_contexts),
                                                         row.own_ns);
                events.resize(row.deltas.size());
                for (std::size_t event = 0; event < events.size(); ++event) {
                    events[event] = programs.of(event);
                }
                last->pass.sample(row.time + static_cast<std::uint64_t>(stream.shift_ns),
                                  has_path ? stream.nodes[row.context] : no_path, events, *columns,
                                  is_blind_in_kernel(roles, row));
            }));
        if (!report) {
            return report.error();
        }
        for (auto& [id, entry] : running) {
            keep(entry.pass, entry.stream->thread);
        }
    }
    for (std::uint32_t thread = 0; thread < profile.threads.size(); ++thread) {
        if (!is_done[thread]) {
            StreamPass pass(profile, leaves, options, thread, point_of, parents);
            keep(pass, thread);
        }
    }
    out.finest = join(by_thread, options.width, options.events.size());
    return out;
}

}  // namespace kymo::view
