#include "spacetime/evidence/occurrences/occurrence_pass.h"

#include "spacetime/evidence/account/parked.h"
#include "spacetime/evidence/occurrences/loop_progress.h"
#include "spacetime/profile/sample_pass.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

namespace kymo::spacetime {
namespace {

constexpr std::size_t kMostMarks = 1U << 20U;
constexpr std::size_t kMostMarkNames = 1000;
constexpr std::size_t kMostMemoryUses = 4'000'000;  // of all streams: some 200 MB
constexpr std::size_t kLeastMemoryUses = 500;       // of each
constexpr std::uint64_t kLeaving = 50'000;          // ns; from getting a processor to leaving a wait that is over

struct Worker {
    OccurrencePass sums;
    std::size_t marks = 0;
    std::unordered_map<std::string, std::uint32_t> names;
};

struct OccurrenceShared {
    const Profile& profile;
    const KeptNodes& kept;
    const SampledAddresses& addresses;
    const CountedLoops& loops;
    const OperandUses& uses;
    const PathEnds& paths;
    const std::vector<std::vector<std::uint32_t>>& wait_targets;
    const OccurrenceLimits& limits;
    const std::vector<bool> lost;
    const ParkedThreads parked;
    const std::size_t clock;  // event
};

std::uint32_t created_in(const OccurrenceShared& shared, std::uint32_t thread) {
    const ProfileNodeIndex node = shared.profile.threads[thread].creation_node;
    return node == kNone ? kNone : node.in(shared.kept.leaf_of);
}

// The one found last comes first: a thread stays on its processor for many samples.
void add(std::vector<ProcessorSamples>& processors, const ProcessorSamples& more) {
    const auto known = std::find_if(processors.begin(), processors.end(),
                                    [&](const ProcessorSamples& each) { return each.processor == more.processor; });
    if (known == processors.end()) {
        processors.push_back(more);
        std::swap(processors.front(), processors.back());
        return;
    }
    known->samples += more.samples;
    std::iter_swap(processors.begin(), known);
}

class OccurrenceVisitor final : public StreamVisitor {
  public:
    OccurrenceVisitor(const OccurrenceShared& shared, Worker& worker, std::uint32_t thread)
        : shared_(shared),
          worker_(worker),
          thread_(thread),
          process_(shared.profile.threads[thread].process),
          occurrences_(shared.kept, thread, created_in(shared, thread), shared.profile.threads[thread].begin,
                       shared.profile.events.size(), shared.limits, worker.sums.occurrences),
          progress_(shared.loops),
          operands_(shared.uses, thread, std::max(kLeastMemoryUses, kMostMemoryUses / shared.profile.streams.size()),
                    worker.sums.operands),
          pair_sums_(kPairColumns + shared.profile.events.size()) {}

    void piece(const StateInterval& interval, std::uint32_t node, std::uint32_t charged) override {
        const bool is_spinning = interval.state == ThreadState::kSpinning;
        const std::uint32_t target =
            interval.wait == kNone ? kStreamEdge : shared_.wait_targets[thread_][interval.wait];
        occurrences_.piece(interval, is_spinning, known(node), target);
        const bool on_cpu =
            is_spinning || interval.state == ThreadState::kUser || interval.state == ThreadState::kSystem;
        if (interval.state == ThreadState::kReady) {
            worker_.sums.lacking.add(thread_, interval.begin, interval.end);
        }
        if (on_cpu || interval.state == ThreadState::kReady) {
            worker_.sums.ready.add(0, interval.begin, interval.end);
            // Polling in a wait is not work. Lacking a processor is not rest: other threads may cause it.
            if (!is_spinning && !waits_on(interval)) {
                worker_.sums.at_work.add(process_, interval.begin, interval.end);
            }
        }
        const recording::WaitKind kind = shared_.profile.threads[thread_].wait_of(interval);
        if (!shared_.parked.is_parked(thread_, interval.state, kind)) {
            worker_.sums.schedule.add(interval, kind, shared_.paths.awaits_message(charged));
        }
        if (is_spinning || interval.state == ThreadState::kUser) {
            user_ += static_cast<std::int64_t>(interval.end - interval.begin);
        }
    }

    void called(std::int64_t ns, std::uint32_t in) override { occurrences_.called(ns, in); }
    void taken(std::int64_t ns) override { occurrences_.taken(ns); }

    void sample(const recording::Sample& row, std::uint32_t node, std::span<const std::int64_t> deltas) override {
        const auto processor = static_cast<std::uint32_t>(row.processor);
        occurrences_.sample(row.time, known(node), processor, deltas);
        add(worker_.sums.processors[thread_], {processor, 1});
        const std::uint32_t address = node == kNone ? kNone : shared_.addresses.of_node[node];
        const bool is_resumed = (row.flags & recording::kAfterPause) != 0;
        progress_.sample(address, user_, is_resumed);
        operands_.sample(address, address == kNone ? 0 : shared_.addresses.places[address].second, row.time);
        pair_sums_[kPairUser] += std::exchange(user_, 0);
        for (std::size_t i = 0; i < deltas.size(); ++i) {
            pair_sums_[kPairColumns + i] += deltas[i];
        }
        pair_is_broken_ = pair_is_broken_ || is_resumed;
        if (row.event == shared_.clock) {
            end_pair(address, node);
        }
    }

    void registers(const recording::SampleRegisters& row) override {
        const auto between = progress_.registers(row.values);
        if (!between || !between->rounds || shared_.loops.usual_ns[between->loop] <= 0) {
            return;
        }
        occurrences_.progress(between->user, std::llround(static_cast<double>(*between->rounds) *
                                                          shared_.loops.usual_ns[between->loop]));
    }

    void operands(const recording::SampleOperands& row) override { operands_.operands(row); }
    void access(const recording::MemoryAccess& row) override { operands_.access(row); }

    void mark(const recording::Mark& row) override {
        if (++worker_.marks > kMostMarks || worker_.names.size() >= kMostMarkNames) {
            worker_.sums.too_many_marks = true;
            return;
        }
        const auto [name, is_new] = worker_.names.try_emplace(
            std::string(row.name), static_cast<std::uint32_t>(worker_.sums.mark_names.size()));
        if (is_new) {
            worker_.sums.mark_names.emplace_back(row.name);
        }
        worker_.sums.marks[thread_].push_back({row.time, static_cast<recording::MarkKind>(row.kind), name->second});
    }

    void finish() override { occurrences_.finish(); }

  private:
    // From the clock's previous sample to this one. Samples of other events in between only count.
    void end_pair(std::uint32_t address, std::uint32_t node) {
        if (address != kNone && last_address_ != kNone && !pair_is_broken_) {
            ++worker_.sums.pair_ends[node];
            PairTable& pairs = worker_.sums.pairs;
            pairs.add(pairs.row(last_address_, address), 1, pair_sums_);
        }
        last_address_ = address;
        pair_is_broken_ = false;
        std::fill(pair_sums_.begin(), pair_sums_.end(), 0);
    }

    // Time after a thread's last sample is in no code; lost contexts may be anywhere.
    std::uint32_t known(std::uint32_t node) const {
        const bool is_code = node != kNone && shared_.profile.nodes[node].kind == NodeKind::kFrame;
        return is_code && !shared_.lost[node] ? node : kNone;
    }

    // A thread that lacks a processor inside a wait and, once it has one, goes on waiting lacks it only for
    // polling. If the wait ends then, it may have been over at any time before: the thread has work to do.
    bool waits_on(const StateInterval& interval) const {
        return interval.state == ThreadState::kReady && interval.wait != kNone &&
               shared_.profile.threads[thread_].waits[interval.wait].end > interval.end + kLeaving;
    }

    const OccurrenceShared& shared_;
    Worker& worker_;
    std::uint32_t thread_;
    std::uint32_t process_;
    StreamOccurrences occurrences_;
    StreamProgress progress_;
    StreamOperands operands_;
    std::vector<std::int64_t> pair_sums_;
    std::int64_t user_ = 0;
    std::uint32_t last_address_ = kNone;
    bool pair_is_broken_ = false;  // measurement was off in between
};

void merge(OccurrencePass& to, OccurrencePass&& from, std::size_t occurrence_cap) {
    merge(to.operands, std::move(from.operands));
    to.occurrences.merge(std::move(from.occurrences), occurrence_cap);
    to.pairs.merge(from.pairs);
    for (std::size_t node = 0; node < to.pair_ends.size(); ++node) {
        to.pair_ends[node] += from.pair_ends[node];
    }
    to.at_work.merge(std::move(from.at_work));
    to.ready.merge(std::move(from.ready));
    to.lacking.merge(std::move(from.lacking));
    to.schedule.merge(std::move(from.schedule));
    to.too_many_marks = to.too_many_marks || from.too_many_marks;
    for (std::size_t thread = 0; thread < from.processors.size(); ++thread) {
        for (const ProcessorSamples& more : from.processors[thread]) {
            add(to.processors[thread], more);
        }
    }
    std::vector<std::uint32_t> names;
    for (const std::string& name : from.mark_names) {
        const auto known = std::find(to.mark_names.begin(), to.mark_names.end(), name);
        names.push_back(static_cast<std::uint32_t>(known - to.mark_names.begin()));
        if (known == to.mark_names.end()) {
            to.mark_names.push_back(name);
        }
    }
    for (auto& [thread, rows] : from.marks) {
        for (MarkRow& row : rows) {
            row.name = names[row.name];
        }
        to.marks[thread] = std::move(rows);
    }
}

}  // namespace

std::vector<bool> lost_nodes(const Profile& profile, const KeptNodes& kept) {
    std::vector<bool> lost(profile.nodes.size());
    std::vector<bool> dropped(profile.nodes.size());
    for (std::size_t i = 1; i < lost.size(); ++i) {
        const ProfileNode& node = profile.nodes[i];
        dropped[i] = node.kind == NodeKind::kDropped || (node.kind == NodeKind::kFrame && dropped[node.parent]);
        lost[i] = node.kind == NodeKind::kPartial || node.kind == NodeKind::kNoPath || dropped[i] ||
                  (node.kind == NodeKind::kFrame && lost[node.parent]);
    }
    constexpr std::int64_t kFew = 5;  // times as many in all
    std::int64_t samples = 0;
    std::int64_t partial = 0;
    for (std::size_t i = 0; i < lost.size(); ++i) {
        samples += profile.self[i][kSamples];
        partial += lost[i] ? profile.self[i][kSamples] : 0;
    }
    const bool are_few = partial * kFew < samples;
    for (std::size_t i = 0; i < lost.size(); ++i) {
        lost[i] = dropped[i] || (lost[i] && (are_few || kept.leaf_of[i] == kNone));
    }
    return lost;
}

Result<OccurrencePass> run_occurrence_pass(const recording::Recording& recording, const Profile& profile,
                                           const KeptNodes& kept, const SampledAddresses& addresses,
                                           const CountedLoops& loops, const OperandUses& uses, const PathEnds& paths,
                                           const std::vector<std::vector<std::uint32_t>>& wait_targets,
                                           const OccurrenceLimits& limits, team::Team* team) {
    const OccurrenceShared shared{profile,
                                  kept,
                                  addresses,
                                  loops,
                                  uses,
                                  paths,
                                  wait_targets,
                                  limits,
                                  lost_nodes(profile, kept),
                                  ParkedThreads(profile),
                                  clock_event(profile)};
    const auto node_samples = std::make_shared<std::vector<std::uint64_t>>(kept.size());
    for (std::size_t i = 0; i < profile.nodes.size(); ++i) {
        for (std::uint32_t node = kept.leaf_of[i]; node != kNone; node = kept.parent[node]) {
            (*node_samples)[node] += static_cast<std::uint64_t>(std::max<std::int64_t>(profile.self[i][kSamples], 0));
        }
    }
    std::vector<Worker> workers(pass_workers(recording, profile));
    for (Worker& worker : workers) {
        worker.sums.pairs = PairTable(kPairColumns + profile.events.size(), addresses.samples, limits.pair_cap);
        worker.sums.pair_ends.resize(profile.nodes.size());
        worker.sums.at_work = TimeGrid(profile.begin, profile.end, profile.processes.size());
        worker.sums.ready = TimeGrid(profile.begin, profile.end, 1);
        worker.sums.lacking = TimeGrid(profile.begin, profile.end, profile.threads.size());
        worker.sums.schedule = ScheduleGrids(profile.begin, profile.end);
        worker.sums.processors.resize(profile.threads.size());
        worker.sums.operands.rows.resize(uses.uses.size());
        worker.sums.operands.denormals.resize(uses.uses.size());
        worker.sums.occurrences.nodes.resize(kept.size());
        worker.sums.occurrences.patterns = PatternTable(node_samples, limits.pattern_cap);
    }
    const auto done = run_pass(
        recording, profile,
        {.workers = static_cast<std::uint32_t>(workers.size()),
         .make = [&](std::uint32_t worker, std::uint32_t stream) -> std::unique_ptr<StreamVisitor> {
             return std::make_unique<OccurrenceVisitor>(shared, workers[worker], profile.streams[stream].thread);
         },
         .team = team});
    if (!done) {
        return done.error();
    }
    OccurrencePass all = std::move(workers[0].sums);
    const auto add_part = [&](OccurrencePass& to, OccurrencePass&& part) {
        merge(to, std::move(part), limits.occurrence_cap);
    };
    for (std::size_t i = 1; i < workers.size(); ++i) {
        add_part(all, std::move(workers[i].sums));
    }
    team::reduce(team, all, add_part);
    team::broadcast(team, all);
    all.pairs.use_samples(addresses.samples);
    for (std::uint32_t i = 0; i < profile.threads.size(); ++i) {
        const ProfileThread& thread = profile.threads[i];
        if (!thread.is_sampled) {  // of those the kernel's records alone say when they ran
            thread.states.for_each(profile.begin, profile.end, [&](const StateInterval& interval) {
                const recording::WaitKind kind = thread.wait_of(interval);
                if (!shared.parked.is_parked(i, interval.state, kind)) {
                    all.schedule.add(interval, kind, false);
                }
            });
        }
    }
    all.at_work.settle();
    all.ready.settle();
    all.lacking.settle();
    all.schedule.settle();
    return all;
}

}  // namespace kymo::spacetime
