#include "spacetime/profile/sample_pass.h"

#include "parallel/deal.h"
#include "parallel/loops.h"
#include "spacetime/load/sample_time.h"
#include "spacetime/load/time_place.h"
#include "spacetime/profile/taken_time.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <vector>

namespace kymo::spacetime {
namespace {

namespace rec = recording;

// By node: the one below it for calls that are not known; the node itself if the profile has no such.
std::vector<std::uint32_t> unknown_calls_of(const Profile& profile) {
    std::vector<std::uint32_t> calls(profile.nodes.size());
    std::iota(calls.begin(), calls.end(), 0U);
    for (std::uint32_t node = 0; node < profile.nodes.size(); ++node) {
        if (profile.nodes[node].kind == NodeKind::kUnknownCall) {
            calls[profile.nodes[node].parent] = node;
        }
    }
    return calls;
}

// By number of `streams` (of the profile, ascending): the worker that reads it. Streams of one file stay together
// where the file is a small part of the whole: reading a stream is a walk through its file.
std::vector<std::uint32_t> deal_streams(const Profile& profile, std::span<const std::uint32_t> streams,
                                        std::uint32_t workers) {
    constexpr std::uint64_t kSmall = 4;  // files to a worker
    const auto weight = [&](std::uint32_t stream) {
        return profile.threads[profile.streams[stream].thread].quality.samples;
    };
    std::vector<std::uint64_t> of_file;
    std::uint64_t all = 0;
    for (const std::uint32_t stream : streams) {
        const std::uint32_t file = profile.streams[stream].file;
        of_file.resize(std::max<std::size_t>(of_file.size(), file + 1));
        of_file[file] += weight(stream);
        all += weight(stream);
    }
    std::vector<std::uint64_t> weights;
    std::vector<std::size_t> piece_of;
    for (std::size_t i = 0; i < streams.size(); ++i) {
        const std::uint32_t file = profile.streams[streams[i]].file;
        const bool is_same_file = i != 0 && profile.streams[streams[i - 1]].file == file;
        if (is_same_file && of_file[file] * kSmall * workers <= all) {
            weights.back() += weight(streams[i]);
        } else {
            weights.push_back(weight(streams[i]));
        }
        piece_of.push_back(weights.size() - 1);
    }
    const std::vector<std::uint32_t> dealt = parallel::deal(weights, workers);
    std::vector<std::uint32_t> worker_of;
    worker_of.reserve(piece_of.size());
    for (const std::size_t piece : piece_of) {
        worker_of.push_back(dealt[piece]);
    }
    return worker_of;
}

// By stream of the profile: the worker of this process that reads it; kNone: another process does.
std::vector<std::uint32_t> own_workers(const Profile& profile, const SamplePass& pass) {
    std::vector<std::uint32_t> streams(profile.streams.size());
    std::iota(streams.begin(), streams.end(), 0U);
    const team::Share own = team::share_of(pass.team);
    if (own.size > 1) {
        const auto process_of = deal_streams(profile, streams, own.size);
        std::erase_if(streams, [&](std::uint32_t stream) { return process_of[stream] != own.rank; });
    }
    const auto dealt = deal_streams(profile, streams, pass.workers);
    std::vector<std::uint32_t> worker_of(profile.streams.size(), kNone);
    for (std::size_t i = 0; i < streams.size(); ++i) {
        worker_of[streams[i]] = dealt[i];
    }
    return worker_of;
}

class PartPass {
  public:
    // `parents`: of the profile's nodes. `unknown_calls`: unknown_calls_of(profile). `worker_of`: own_workers().
    PartPass(const rec::Recording& recording, const Profile& profile, std::span<const std::uint32_t> parents,
             std::span<const std::uint32_t> unknown_calls, std::span<const std::uint32_t> worker_of,
             const SamplePass& pass, std::uint32_t worker)
        : recording_(recording),
          profile_(profile),
          parents_(parents),
          unknown_calls_(unknown_calls),
          worker_of_(worker_of),
          pass_(pass),
          worker_(worker),
          deltas_(profile.events.size()) {}

    Result<void> run() {
        std::uint32_t stream = 0;
        for (std::uint32_t file = 0; file < recording_.files().size(); ++file) {
            running_.clear();
            last_ = nullptr;
            for (; stream < profile_.streams.size() && profile_.streams[stream].file == file; ++stream) {
                if (worker_of_[stream] == worker_) {
                    start(stream);
                }
            }
            if (running_.empty()) {
                continue;
            }
            const auto report = recording_.files()[file].scan_streams(
                [&](StreamId id) { return running_.contains(raw(id)); },
                rec::on<rec::Sample>([&](StreamId id, const rec::Sample& row) { add(raw(id), row); }),
                rec::on<rec::SampleRegisters>([&](StreamId id, const rec::SampleRegisters& row) {
                    if (Running* running = running_of(raw(id))) {
                        running->visitor->registers(row);
                    }
                }),
                rec::on<rec::SampleOperands>([&](StreamId id, const rec::SampleOperands& row) {
                    if (Running* running = running_of(raw(id))) {
                        running->visitor->operands(row);
                    }
                }),
                rec::on<rec::MemoryAccess>([&](StreamId id, const rec::MemoryAccess& row) {
                    if (Running* running = running_of(raw(id))) {
                        running->visitor->access(row);
                    }
                }),
                rec::on<rec::Mark>([&](StreamId id, const rec::Mark& row) {
                    if (Running* running = running_of(raw(id))) {
                        rec::Mark moved = row;
                        moved.time += static_cast<std::uint64_t>(running->stream->shift_ns);
                        running->visitor->mark(moved);
                    }
                }));
            if (!report) {
                return report.error();
            }
            for (auto& [id, running] : running_) {
                finish(running);
            }
        }
        return {};
    }

  private:
    struct Running {
        const ProfileStream* stream = nullptr;
        std::unique_ptr<StreamVisitor> visitor;
        std::optional<StreamTime> time;
        std::optional<TimePlace> places;
        std::optional<SystemPlace> system_places;
        std::span<const TakenTime> taken;  // still to come
        bool has_all_events = false;       // its file's events are the profile's, in their order
        bool has_switch_records = false;
        // The node above all of the stream's call paths. Whatever is not below it is no call path of the stream's:
        // its parents' indices are smaller.
        std::uint32_t top = 0;
        std::uint32_t no_path = kNone;  // the stream's
    };

    void start(std::uint32_t index) {
        auto visitor = pass_.make(worker_, index);
        if (visitor == nullptr) {
            return;
        }
        const ProfileStream& stream = profile_.streams[index];
        const ProfileThread& thread = profile_.threads[stream.thread];
        Running& running = running_[stream.stream];
        running.stream = &stream;
        running.visitor = std::move(visitor);
        running.time.emplace(thread.roles, thread.begin, thread.offs, thread.waits);
        if (pass_.moves_taken_time) {
            running.taken = thread.taken;
        }
        running.has_switch_records = !thread.offs.empty();
        running.top = stream.nodes.empty() ? 0 : stream.nodes[0];
        running.no_path = stream.no_path;
        running.places.emplace(thread.waits, parents_);
        running.system_places.emplace(thread.looks, parents_, thread.begin);
        std::vector<std::size_t> all(profile_.events.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        running.has_all_events = stream.columns == all;
    }

    Running* running_of(std::uint32_t id) {
        if (last_ == nullptr || last_->stream->stream != id) {
            const auto found = running_.find(id);
            last_ = found == running_.end() ? nullptr : &found->second;
        }
        return last_;
    }

    void add(std::uint32_t id, const rec::Sample& row) {
        Running* const running = running_of(id);
        if (running == nullptr) {
            return;
        }
        const ProfileStream& stream = *running->stream;
        rec::Sample moved = row;
        moved.time += static_cast<std::uint64_t>(stream.shift_ns);
        const bool is_own = is_own_work(row, stream.own_contexts);
        const std::uint32_t at = row.context < stream.nodes.size() ? stream.nodes[row.context] : running->top;
        const std::uint32_t node = charged_at(*running, at);
        std::span<const StateInterval> intervals = running->time->add(moved, is_own);
        std::int64_t taken = 0;
        for (; !running->taken.empty() && running->taken.front().time <= moved.time;
             running->taken = running->taken.subspan(1)) {
            taken += running->taken.front().ns;
        }
        if (taken != 0) {
            intervals_.assign(intervals.begin(), intervals.end());
            taken -= take_out(taken, &intervals_);
            intervals = intervals_;
        }
        pieces(*running, intervals, at, is_blind_in_kernel(profile_.threads[stream.thread].roles, row));
        if (taken != 0) {
            running->visitor->taken(taken);
        }
        moved.event = row.event < stream.columns.size() ? stream.columns[row.event] : profile_.events.size();
        const auto deltas = deltas_of(*running, row, is_own);
        if (is_own) {
            running->visitor->own_work(moved, node, deltas);
        } else {
            running->visitor->sample(moved, node, deltas);
        }
    }

    std::span<const std::int64_t> deltas_of(const Running& running, const rec::Sample& row, bool is_own) {
        const std::uint64_t own_ns = running.time->own_work_ns();
        const bool is_in_order = running.has_all_events && row.deltas.size() == deltas_.size();
        if (is_in_order && !is_own && own_ns == 0) {
            return {reinterpret_cast<const std::int64_t*>(row.deltas.data()), row.deltas.size()};
        }
        const ProgramsEvents programs(profile_.threads[running.stream->thread].roles, row, is_own, own_ns);
        if (is_in_order) {
            for (std::size_t i = 0; i < deltas_.size(); ++i) {
                deltas_[i] = static_cast<std::int64_t>(programs.of(i));
            }
            return deltas_;
        }
        const std::vector<std::size_t>& columns = running.stream->columns;
        std::fill(deltas_.begin(), deltas_.end(), 0);
        for (std::size_t i = 0; i < row.deltas.size() && i < columns.size(); ++i) {
            deltas_[columns[i]] += static_cast<std::int64_t>(programs.of(i));
        }
        return deltas_;
    }

    static std::uint32_t charged_at(const Running& running, std::uint32_t at) {
        return at != kNone && at <= running.top ? running.no_path : at;
    }
    // The node of calls that are not known but for their caller; kNone: nothing is known of them.
    std::uint32_t unknown_call(const Running& running, std::uint32_t caller) const {
        return caller == kNone ? kNone : unknown_calls_[std::max(caller, running.top)];
    }

    void pieces(Running& running, std::span<const StateInterval> intervals, std::uint32_t sampled, bool is_blind) {
        running.places->next(intervals, sampled);
        running.system_places->next(intervals, sampled, is_blind);
        for (const StateInterval& interval : intervals) {
            const auto place = [&] { return charged_at(running, running.places->of(interval)); };
            // That no tick has seen a call here does not mean that the thread has left its occurrence.
            if (running.system_places->each(
                    interval, [&](const StateInterval& part, std::uint32_t at, SystemSource source) {
                        const std::uint32_t seen = charged_at(running, at);
                        running.visitor->piece(part, source == SystemSource::kSeen ? seen : place(),
                                               source == SystemSource::kUnknown ? unknown_call(running, at) : seen);
                        if (source == SystemSource::kNear && at != kNone) {
                            running.visitor->called(duration_of(part), at);
                        }
                    })) {
                continue;
            }
            const std::uint32_t node = place();
            const bool is_elsewhere = interval.state == ThreadState::kOff && sampled != kNone &&
                                      is_unknown_absence(interval, running.has_switch_records);
            running.visitor->piece(
                interval, node, is_elsewhere ? unknown_call(running, running.system_places->caller_between()) : node);
        }
    }

    void finish(Running& running) {
        if (running.stream->end_time > running.time->last()) {
            const ProfileThread& thread = profile_.threads[running.stream->thread];
            const StateInterval lost{running.time->last(), running.stream->end_time, ThreadState::kPaused, kNone};
            auto tail = running.time->finish(running.stream->end_time, running.stream->totals);
            // Of rows that were not written nothing is known.
            tail = thread.quality.unwritten != 0 ? std::span(&lost, 1) : tail;
            pieces(running, tail, kNone, thread.roles.grid_period != 0);
        }
        running.visitor->finish();
        running.visitor.reset();
    }

    const rec::Recording& recording_;
    const Profile& profile_;
    std::span<const std::uint32_t> parents_;
    std::span<const std::uint32_t> unknown_calls_;
    std::span<const std::uint32_t> worker_of_;
    const SamplePass& pass_;
    std::uint32_t worker_;
    std::unordered_map<std::uint32_t, Running> running_;
    Running* last_ = nullptr;
    std::vector<std::int64_t> deltas_;
    std::vector<StateInterval> intervals_;
};

}  // namespace

std::uint32_t pass_workers(const recording::Recording&, const Profile& profile) {
    const auto processors = static_cast<std::size_t>(parallel::workers());
    return static_cast<std::uint32_t>(
        std::clamp<std::size_t>(profile.streams.size(), 1, std::min<std::size_t>(processors, 16)));
}

Result<void> run_pass(const recording::Recording& recording, const Profile& profile, const SamplePass& pass) {
    const std::vector<std::uint32_t> parents = parents_of(profile);
    const std::vector<std::uint32_t> unknown_calls = unknown_calls_of(profile);
    const std::vector<std::uint32_t> worker_of = own_workers(profile, pass);
    std::vector<std::optional<Error>> errors(pass.workers);
    parallel::for_each_index(pass.workers, [&](std::uint32_t worker) {
        if (auto result = PartPass(recording, profile, parents, unknown_calls, worker_of, pass, worker).run();
            !result) {
            errors[worker] = result.error();
        }
    });
    const auto failed = std::find_if(errors.begin(), errors.end(),
                                     [](const std::optional<Error>& error) { return error.has_value(); });
    return team::agree(pass.team, failed == errors.end() ? Result<void>() : Result<void>(**failed));
}

}  // namespace kymo::spacetime
