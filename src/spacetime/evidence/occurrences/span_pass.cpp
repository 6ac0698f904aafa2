#include "spacetime/evidence/occurrences/span_pass.h"

#include "spacetime/evidence/occurrences/code_lives.h"
#include "spacetime/evidence/occurrences/part_runs.h"
#include "spacetime/profile/sample_pass.h"

#include <algorithm>
#include <map>
#include <optional>

namespace kymo::spacetime {
namespace {

struct SpanShared {
    const Profile& profile;
    const SampledAddresses& addresses;
    const PairTable& pairs;
    const std::vector<std::vector<std::uint32_t>>& wait_targets;
    const SpanWork& work;
    const std::size_t occurrence_cap;
    const OccurrenceLimits life_limits;
    const KeptNodes same_groups;
    const bool has_parts;     // some group never holds half of a pair
    const std::size_t clock;  // event
};

class SpanVisitor final : public StreamVisitor {
  public:
    SpanVisitor(const SpanShared& shared, SpanPass& sums, std::uint32_t thread)
        : shared_(shared),
          sums_(sums),
          thread_(thread),
          now_(kFirstCounter + shared.profile.events.size()),
          last_end_(shared.work.of_pairs.spaces, 0),
          is_visited_(shared.work.groups),
          last_span_(shared.work.groups, {0, {}}),
          account_(shared.work.schedule, thread),
          times_(shared.profile.begin, shared.profile.end),
          lives_(shared.same_groups, thread, shared.profile.threads[thread].begin, shared.profile.events.size(),
                 shared.life_limits, sums.lives) {
        if (shared.has_parts) {
            parts_.emplace(thread, shared.work.of_pairs.group_samples.size(), shared.life_limits.occurrence_cap,
                           sums.parts);
            at_pair_ = now_;
        }
    }

    void piece(const StateInterval& interval, std::uint32_t, std::uint32_t charged) override {
        const std::uint32_t target =
            interval.wait == kNone ? kStreamEdge : shared_.wait_targets[thread_][interval.wait];
        lives_.piece(interval, target);
        const PathEnds& paths = shared_.work.paths;
        const ProfileThread& thread = shared_.profile.threads[thread_];
        // A wait's own call path says where; a sample's only where the thread was last seen.
        const bool is_wait = interval.state == ThreadState::kWaiting || interval.state == ThreadState::kSpinning;
        const std::uint32_t at = is_wait && interval.wait != kNone ? thread.waits[interval.wait].context : charged;
        account_.piece(interval, paths.end_of(at), interval.wait == kNone ? kNone : target, thread.wait_of(interval),
                       paths.awaits_message(at));
        times_.piece(interval, paths.ends[paths.end_of(at)].function);
        StateInterval rest = interval;
        // Bounds at its end wait for the sample there.
        while (true) {
            const std::uint64_t next = next_bound();
            if (next <= rest.begin && next != kNever) {
                pass_bound(std::max(next, time_));
                continue;
            }
            if (next >= rest.end) {
                break;
            }
            StateInterval first = rest;
            first.end = next;
            add(first);
            rest.begin = next;
        }
        add(rest);
    }

    void taken(std::int64_t ns) override { now_[kSumTaken] += ns; }

    void sample(const recording::Sample& row, std::uint32_t node, std::span<const std::int64_t> deltas) override {
        const auto processor = static_cast<std::uint32_t>(row.processor);
        now_[kSumMigrations] += has_processor_ && processor != processor_ ? 1 : 0;
        has_processor_ = true;
        processor_ = processor;
        ++now_[kSumSamples];
        for (std::size_t i = 0; i < deltas.size(); ++i) {
            now_[kFirstCounter + i] += deltas[i];
        }
        lives_.sample(deltas);
        pair_is_broken_ = pair_is_broken_ || (row.flags & recording::kAfterPause) != 0;
        if (row.event == shared_.clock) {
            end_pair(node == kNone ? kNone : shared_.addresses.of_node[node], row.time);
        }
    }

    void finish() override {
        lives_.finish();
        account_.finish(&sums_.account);
        times_.finish(&sums_.functions);
        if (parts_) {
            parts_->finish();
        }
        while (next_bound() != kNever) {
            pass_bound(time_);
        }
    }

  private:
    static constexpr std::uint64_t kNever = ~std::uint64_t{0};
    struct Open {
        const Span* span = nullptr;
        std::uint64_t begin = 0;
        std::uint32_t processor = 0;
        SumRow sums;
        std::map<std::uint32_t, std::int64_t> waits;
    };

    void add(const StateInterval& interval) {
        const auto ns = static_cast<std::int64_t>(interval.end - interval.begin);
        now_[column_of(interval.state)] += ns;
        time_ = interval.end;
        if (interval.state == ThreadState::kUser || interval.state == ThreadState::kSpinning) {
            user_ += ns;
        }
        if (interval.state == ThreadState::kWaiting && interval.wait != kNone) {
            for (Open& open : open_) {
                open.waits[shared_.wait_targets[thread_][interval.wait]] += ns;
            }
        }
    }

    const std::vector<Span>& spans() const { return shared_.work.spans[thread_]; }

    std::uint64_t next_bound() const {
        std::uint64_t next = next_span_ < spans().size() ? spans()[next_span_].begin : kNever;
        for (const Open& open : open_) {
            next = std::min(next, open.span->end);
        }
        return next;
    }

    // Ends before begins: a span may begin where the last one ends.
    void pass_bound(std::uint64_t at) {
        for (std::size_t i = 0; i < open_.size(); ++i) {
            if (open_[i].span->end <= at) {
                close(open_[i], at);
                open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
                return;
            }
        }
        if (next_span_ < spans().size() && spans()[next_span_].begin <= at) {
            open_.push_back({&spans()[next_span_], at, processor_, now_, {}});
            ++next_span_;
        } else {  // the stream is over
            for (Open& open : open_) {
                close(open, at);
            }
            open_.clear();
            next_span_ = spans().size();
        }
    }

    void close(Open& open, std::uint64_t end) {
        NodeSums& group = sums_.groups[open.span->group];
        SumRow sums = now_;
        for (std::size_t i = 0; i < sums.size(); ++i) {
            sums[i] -= open.sums[i];
        }
        group.own.resize(now_.size());
        for (std::size_t i = 0; i < sums.size(); ++i) {
            group.own[i] += sums[i];
        }
        for (const auto& [target, ns] : open.waits) {
            group.own_waits[target] += ns;
        }
        SumRow gap;
        if (!is_visited_[open.span->group]) {
            is_visited_[open.span->group] = true;
            group.threads.push_back(thread_);
        } else {
            gap = gap_before(open);
            add_gap(group, open, gap);
        }
        last_span_[open.span->group] = {end, now_};
        ++group.occurrences;
        group.durations.add(end - open.begin);
        group.samples.add(static_cast<std::uint64_t>(sums[kSumSamples]));
        const std::uint64_t rank = OccurrenceSample::rank_of(open.span->group, thread_, open.span->order);
        if (group.sample.takes(rank)) {
            group.sample.add({.rank = rank,
                              .thread = thread_,
                              .order = open.span->order,
                              .begin = open.begin,
                              .end = end,
                              .before = kOutside,
                              .after = kOutside,
                              .processor = open.processor,
                              .ready_before = open.sums[kSumReady],
                              .sums = std::move(sums),
                              .gap = std::move(gap),
                              .waits = sorted_waits(open.waits)},
                             shared_.occurrence_cap);
        }
    }

    // Empty: it began before the last one ended.
    SumRow gap_before(const Open& open) const {
        const auto& [end, sums] = last_span_[open.span->group];
        if (end > open.begin) {
            return {};
        }
        SumRow gap = open.sums;
        for (std::size_t i = 0; i < gap.size(); ++i) {
            gap[i] -= sums[i];
        }
        return gap;
    }

    void add_gap(NodeSums& group, const Open& open, const SumRow& gap) {
        group.gaps.add(open.begin - std::min(last_span_[open.span->group].first, open.begin));
        group.gap_sums.resize(now_.size());
        for (std::size_t i = 0; i < gap.size(); ++i) {
            group.gap_sums[i] += gap[i];
        }
    }

    // From the clock's previous sample to this one, as the second pass counts them.
    void end_pair(std::uint32_t address, std::uint64_t time) {
        std::uint32_t group = kNone;
        std::uint32_t part = kNone;
        if (address != kNone && last_address_ != kNone && !pair_is_broken_) {
            const std::uint32_t row = shared_.pairs.find(last_address_, address);
            if (row != kNone) {
                group = shared_.work.of_pairs.group_of[row];
                part = shared_.work.of_pairs.part_of[row];
            }
            add_pair(row, time);
        }
        lives_.end_pair(time, group, processor_);
        if (parts_) {
            parts_->end_pair(last_time_, time, part, processor_, at_pair_, now_);
            std::copy(now_.begin(), now_.end(), at_pair_.begin());
        }
        last_address_ = address;
        last_time_ = time;
        pair_is_broken_ = false;
        user_ = 0;
    }

    void add_pair(std::uint32_t row, std::uint64_t time) {
        const std::uint64_t span = std::max<std::uint64_t>(1, shared_.profile.end - shared_.profile.begin);
        const std::uint64_t since = time < shared_.profile.begin ? 0 : time - shared_.profile.begin;
        const auto batch =
            static_cast<std::size_t>(std::min<Wide>(kTimeBatches - 1, Wide{since} * kTimeBatches / span));
        sums_.user[batch] += user_;
        if (row == kNone) {
            return;
        }
        for (const auto& [space, share] : shared_.work.of_pairs.spaces_of[row]) {
            SpaceTimes& times = sums_.spaces[space];
            times.user[batch] += user_ * share / 65536;
            std::uint64_t& last = last_end_[space];
            if (last != 0 && last < last_time_) {
                times.longest_gap_ns = std::max(times.longest_gap_ns, last_time_ - last);
            }
            last = time;
        }
    }

    const SpanShared& shared_;
    SpanPass& sums_;
    std::uint32_t thread_;
    SumRow now_;
    std::uint64_t time_ = 0;
    std::size_t next_span_ = 0;
    std::vector<Open> open_;
    std::int64_t user_ = 0;
    std::uint32_t last_address_ = kNone;
    std::uint64_t last_time_ = 0;
    std::uint32_t processor_ = 0;
    bool has_processor_ = false;
    std::vector<std::uint64_t> last_end_;
    std::vector<bool> is_visited_;
    std::vector<std::pair<std::uint64_t, SumRow>> last_span_;
    StreamAccount account_;
    StreamTimes times_;
    CodeLives lives_;
    std::optional<PartRuns> parts_;
    SumRow at_pair_;               // sums at the clock's last sample; if there are parts
    bool pair_is_broken_ = false;  // measurement was off in between
};

SpanPass empty_pass(const SpanWork& work) {
    SpanPass pass;
    pass.groups.resize(work.groups);
    pass.parts.resize(work.of_pairs.group_samples.size());
    pass.lives.nodes.resize(work.of_pairs.group_samples.size());
    pass.spaces.resize(work.of_pairs.spaces);
    return pass;
}

void merge_nodes(std::vector<NodeSums>& to, std::vector<NodeSums>&& more, std::size_t occurrence_cap) {
    OccurrenceSums all;
    all.nodes = std::move(to);
    OccurrenceSums part;
    part.nodes = std::move(more);
    all.merge(std::move(part), occurrence_cap);
    to = std::move(all.nodes);
}

void merge(SpanPass& to, SpanPass&& part, std::size_t occurrence_cap, std::size_t life_cap) {
    merge_nodes(to.groups, std::move(part.groups), occurrence_cap);
    merge_nodes(to.parts, std::move(part.parts), life_cap);
    to.lives.merge(std::move(part.lives), life_cap);
    for (std::size_t space = 0; space < to.spaces.size(); ++space) {
        to.spaces[space].longest_gap_ns =
            std::max(to.spaces[space].longest_gap_ns, part.spaces[space].longest_gap_ns);
        for (std::size_t batch = 0; batch < kTimeBatches; ++batch) {
            to.spaces[space].user[batch] += part.spaces[space].user[batch];
        }
    }
    for (std::size_t batch = 0; batch < kTimeBatches; ++batch) {
        to.user[batch] += part.user[batch];
    }
    to.account.insert(to.account.end(), part.account.begin(), part.account.end());
    merge_entries(&to.account);
    to.functions.insert(to.functions.end(), part.functions.begin(), part.functions.end());
    merge_times(&to.functions);
}

}  // namespace

Result<SpanPass> run_span_pass(const recording::Recording& recording, const Profile& profile,
                               const SampledAddresses& addresses, const PairTable& pairs,
                               const std::vector<std::vector<std::uint32_t>>& wait_targets, const SpanWork& work,
                               const OccurrenceLimits& limits, team::Team* team) {
    OccurrenceLimits life_limits = limits;
    life_limits.occurrence_cap = work.life_cap;
    const SpanShared shared{profile,
                            addresses,
                            pairs,
                            wait_targets,
                            work,
                            limits.occurrence_cap,
                            life_limits,
                            groups_as_nodes(work.of_pairs.group_samples.size()),
                            std::any_of(work.of_pairs.part_of.begin(), work.of_pairs.part_of.end(),
                                        [](std::uint32_t group) { return group != kNone; }),
                            clock_event(profile)};
    std::vector<SpanPass> workers(pass_workers(recording, profile), empty_pass(work));
    const auto samples = std::make_shared<std::vector<std::uint64_t>>(work.of_pairs.group_samples);
    for (SpanPass& worker : workers) {
        worker.lives.patterns = PatternTable(samples, limits.pattern_cap);
    }
    const auto done =
        run_pass(recording, profile,
                 {.workers = static_cast<std::uint32_t>(workers.size()),
                  .make = [&](std::uint32_t worker, std::uint32_t stream) -> std::unique_ptr<StreamVisitor> {
                      return std::make_unique<SpanVisitor>(shared, workers[worker], profile.streams[stream].thread);
                  },
                  .team = team});
    if (!done) {
        return done.error();
    }
    const auto add_part = [&](SpanPass& to, SpanPass&& part) {
        merge(to, std::move(part), limits.occurrence_cap, life_limits.occurrence_cap);
    };
    SpanPass all = std::move(workers[0]);
    for (std::size_t i = 1; i < workers.size(); ++i) {
        add_part(all, std::move(workers[i]));
    }
    team::reduce(team, all, add_part);
    return all;
}

}  // namespace kymo::spacetime
