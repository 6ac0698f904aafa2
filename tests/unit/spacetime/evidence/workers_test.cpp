// Recordings made at random, read by one thread and by several: everything that comes of them is the same, bit for
// bit. And what the threads that were waited for did meanwhile is what comparing every wait with every state gives.
#include "made_recording.h"
#include "spacetime/evidence/evidence.h"
#include "spacetime/evidence/make_evidence.h"
#include "spacetime/profile/make_profile.h"
#include "spacetime/profile/sample_pass.h"

#include <gtest/gtest.h>
#include <random>
#include <sstream>
#include <tbb/task_arena.h>

namespace kymo::spacetime {
namespace {

using testing::kMs;
namespace rec = recording;

constexpr std::uint32_t kStreams = 5;
constexpr std::uint64_t kContexts = 12;
constexpr std::uint64_t kPid = 100;

// Threads that stay in a place for some samples and go on, take pages, wait for each other, and lose their processor.
void write_recording(const std::filesystem::path& folder, std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto up_to = [&](std::uint64_t most) { return random() % (most + 1); };
    testing::MadeFile launch(folder / "launch.krec", 99);
    rec::Run run;
    run.command = std::string_view("./app\0", 6);
    run.processors = 2;
    launch.own().append(run);
    testing::MadeFile file(folder / "process-100-0.krec", kPid);
    rec::Process process;
    process.pid = kPid;
    process.executable = "/opt/app";
    process.mechanism = static_cast<std::uint64_t>(rec::Mechanism::kPerfEvents);
    file.own().append(process);
    file.event(0, "task-clock", "ns", rec::EventMode::kPeriod, kMs);
    file.event(1, "page-faults", "", rec::EventMode::kCount, 0);
    for (std::uint64_t image = 1; image <= 2; ++image) {
        rec::Image row;
        row.image = image;
        row.path = image == 1 ? "/nonexistent/app" : "/nonexistent/lib";
        file.own().append(row);
    }
    std::uint64_t last = 0;
    for (std::uint32_t id = 1; id <= kStreams; ++id) {
        rec::Task task;
        task.change = static_cast<std::uint64_t>(rec::TaskChange::kFork);
        task.pid = kPid;
        task.tid = kPid + id - 1;
        launch.own().append(task);
        file.begin_stream(id, 0, kPid + id - 1, "thread", id == 1 ? 0 : 1, id == 1 ? 0 : 1 + up_to(2));
        for (std::uint64_t context = 1; context <= kContexts; ++context) {
            file.context(id, context, context < 3 ? context - 1 : 1 + up_to(context - 2), 1 + context % 2,
                         0x10 * context);
        }
        std::uint64_t now = 0;
        std::uint64_t total = 0;
        std::uint64_t faults = 0;
        std::uint64_t context = 1;
        const std::uint64_t samples = 200 + up_to(400);
        for (std::uint64_t i = 0; i < samples; ++i) {
            context = up_to(5) == 0 ? up_to(kContexts) : context;
            std::uint64_t wall = kMs + up_to(kMs / 50);
            if (up_to(9) == 0) {
                rec::Switch off;
                off.time = now + up_to(kMs / 4);
                off.tid = kPid + id - 1;
                off.duration = 1 + up_to(2 * kMs);
                off.preempted = up_to(1);
                launch.own().append(off);
                wall += off.duration;
            }
            if (up_to(9) == 0) {
                rec::Wait wait;
                wait.time = now + up_to(kMs / 4);
                wait.duration = 1 + up_to(3 * kMs);
                wait.kind = static_cast<std::uint64_t>(rec::WaitKind::kMutex);
                wait.object = 0x1000 + up_to(1);
                wait.context = 1 + up_to(kContexts - 1);
                wait.holder = kPid + up_to(kStreams - 1);
                file.stream(id).append(wait);
                wall += up_to(1) * wait.duration;
            }
            const std::uint64_t in_kernel = up_to(4) == 0 ? up_to(2 * kMs) : 0;
            if (in_kernel != 0 && up_to(1) == 0) {
                rec::KernelTick tick;
                tick.time = now + up_to(wall);
                tick.context = 1 + up_to(kContexts - 1);
                file.stream(id).append(tick);
            }
            now += wall + in_kernel;
            total += kMs + in_kernel;
            const std::uint64_t more = up_to(3) == 0 ? up_to(7) : 0;
            faults += more;
            rec::Sample sample;
            sample.time = now;
            sample.context = context;
            const std::vector<std::uint64_t> deltas{kMs + in_kernel, more};
            sample.deltas = deltas;
            sample.flags = context == 0 ? 2 : 0;
            if (up_to(4) == 0) {  // the monitor worked there, sometimes so that the sample met it
                sample.own_ns = up_to(kMs / 3);
                sample.own_user_ns = up_to(sample.own_ns);
                sample.flags |= up_to(1) == 0 ? rec::kOwnWork : 0;
            }
            file.stream(id).append(sample);
        }
        last = std::max(last, now);
        file.end_stream(id, now + kMs, {total + kMs / 2, faults});
    }
    rec::ProcessEnd end;
    end.time = last + kMs;
    file.own().append(end);
    file.close();
    rec::RunEnd run_end;
    run_end.time = last + 2 * kMs;
    launch.own().append(run_end);
    launch.close();
}

template <typename Values>
void tell(std::ostream& out, const Values& values) {
    for (const auto& value : values) {
        out << value << ' ';
    }
    out << '\n';
}

void tell(std::ostream& out, const TimeTerms& terms) {
    out << terms.user << ' ' << terms.spinning << ' ' << terms.system << ' ' << terms.run_queue << ' '
        << terms.waiting << ' ' << terms.other << '\n';
}

void tell(std::ostream& out, const DurationSums& sums) {
    out << sums.count << ' ' << sums.total << ' ' << sums.shortest << ' ' << sums.longest << '\n';
    tell(out, sums.by_octave);
}

void tell(std::ostream& out, const std::vector<OccurrenceWait>& waits) {
    for (const OccurrenceWait& wait : waits) {
        out << wait.target << ':' << wait.ns << ' ';
    }
    out << '\n';
}

std::string told(const Profile& profile, const Evidence& evidence) {
    std::ostringstream out;
    out << std::hexfloat;
    for (std::size_t i = 0; i < profile.nodes.size(); ++i) {
        out << profile.nodes[i].parent << ' ' << profile.nodes[i].image << ' ' << profile.nodes[i].offset << ": ";
        tell(out, profile.self[i]);
    }
    for (const ProfileThread& thread : profile.threads) {
        tell(out, thread.costs);
        tell(out, thread.states.sums().ns);
    }
    tell(out, profile.samples_by_event);
    for (const auto& [key, group] : profile.waits.groups) {
        out << raw(key.thread) << ' ' << key.object << ' ' << raw(key.holder) << ' ' << group.amount.ns << ' '
            << group.amount.count;
        for (const auto& [holder, ns] : group.meanwhile) {
            out << ' ' << static_cast<int>(holder.kind) << '/' << holder.path.size() << '=' << ns;
        }
        out << '\n';
    }
    for (const SpaceNode& node : evidence.nodes) {
        out << raw(node.parent) << ' ' << node.place.function << ' ' << node.samples << ' ' << node.occurrences << ' '
            << node.median_samples << ' ' << node.weight << ' ' << node.structure << ' ' << node.rounds << ' '
            << raw(node.iteration) << '\n';
        tell(out, node.total);
        tell(out, node.deltas);
        tell(out, node.durations);
        tell(out, node.waits);
        tell(out, node.threads);
        const OccurrenceTable& rows = node.rows;
        tell(out, rows.thread);
        tell(out, rows.begin);
        tell(out, rows.end);
        tell(out, rows.bridged);
        for (const TimeTerms& terms : rows.terms) {
            tell(out, terms);
        }
        tell(out, rows.waits);
        tell(out, rows.deltas);
        tell(out, rows.before);
        tell(out, rows.after);
        tell(out, rows.order);
        tell(out, rows.step);
        tell(out, rows.active_threads);
    }
    for (const SpaceIntervals& intervals : evidence.intervals) {
        out << intervals.node << ' ' << intervals.median_gap_ns << '\n';
        tell(out, intervals.gaps);
        tell(out, intervals.gap_terms);
        for (const LongGap& gap : intervals.longest) {
            out << gap.thread << ' ' << gap.begin << ' ' << gap.end << ' ';
            tell(out, gap.waits);
        }
    }
    for (const CodePattern& pattern : evidence.patterns) {
        out << pattern.before << ' ' << pattern.node << ' ' << pattern.after << ' ' << pattern.samples << '\n';
        tell(out, pattern.durations);
        tell(out, pattern.terms);
    }
    for (const HeavySpace& space : evidence.spaces) {
        out << space.weight << ' ' << space.time_share << ' ' << space.time_low << ' ' << space.occurrences << ' '
            << space.longest_gap_ns << ' ' << raw(space.node) << '\n';
        tell(out, space.deltas);
    }
    for (const WaitSum& sum : evidence.wait_sums) {
        out << sum.ns << ' ' << sum.count << ' ' << sum.longest_ns << '\n';
    }
    tell(out, evidence.run.ready_ns);
    return out.str();
}

class MadeAtRandom : public ::testing::TestWithParam<std::uint32_t> {
  protected:
    void SetUp() override { write_recording(folder_.path(), GetParam()); }
    testing::TemporaryFolder folder_;
};

TEST_P(MadeAtRandom, SeveralWorkersSayWhatOneSays) {
    const auto recording = rec::Recording::open(folder_.path());
    ASSERT_TRUE(recording);
    std::string all[2];
    for (const int workers : {1, 4}) {
        tbb::task_arena arena(workers);
        arena.execute([&] {
            const auto profile = load_profile(*recording);
            ASSERT_TRUE(profile);
            NamedRun named = name_run(*profile);
            const auto evidence = make_evidence(*recording, *profile, named, {.occurrence_cap = 256});
            ASSERT_TRUE(evidence);
            EXPECT_GE(evidence->nodes.size(), 4U);
            all[workers / 4] = told(*profile, *evidence);
        });
    }
    EXPECT_TRUE(all[0] == all[1]);  // of some hundred thousand letters
    EXPECT_GT(all[0].size(), 10'000U);
}

// One stream: time and events by the node that they are charged to.
class Charges final : public StreamVisitor {
  public:
    explicit Charges(CostTable& costs) : costs_(costs) {}
    void piece(const StateInterval& interval, std::uint32_t, std::uint32_t charged) override {
        if (charged == kNone || interval.state == ThreadState::kPaused) {
            return;
        }
        const bool is_user = interval.state == ThreadState::kUser || interval.state == ThreadState::kSpinning;
        costs_[charged][is_user                                  ? kUser
                        : interval.state == ThreadState::kSystem ? kSystem
                                                                 : kOffCpu] += duration_of(interval);
    }
    void sample(const recording::Sample&, std::uint32_t node, std::span<const std::int64_t> deltas) override {
        add(node, deltas);
    }
    void own_work(const recording::Sample&, std::uint32_t node, std::span<const std::int64_t> deltas) override {
        add(node, deltas);
    }

  private:
    void add(std::uint32_t node, std::span<const std::int64_t> deltas) {
        for (std::size_t event = 0; event < deltas.size(); ++event) {
            costs_[node][kFirstEvent + event] += deltas[event];
        }
    }
    CostTable& costs_;
};

// User time outside of waits is shared among samples in sums (own_time.h): there the whole is compared.
TEST_P(MadeAtRandom, TheReplayChargesTimeAndEventsAsTheProfileDoes) {
    const auto recording = rec::Recording::open(folder_.path());
    ASSERT_TRUE(recording);
    const auto profile = load_profile(*recording);
    ASSERT_TRUE(profile);
    CostTable costs(profile->events.size());
    costs.resize(profile->nodes.size());
    ASSERT_TRUE(run_pass(*recording, *profile,
                         {.workers = 1, .moves_taken_time = false, .make = [&](std::uint32_t, std::uint32_t) {
                              return std::make_unique<Charges>(costs);
                          }}));
    std::int64_t user = 0;
    std::int64_t system = 0;
    std::int64_t expected_user = 0;
    for (std::uint32_t node = 0; node < profile->nodes.size(); ++node) {
        if (profile->nodes[node].kind == NodeKind::kUnsampled) {
            continue;
        }
        user += costs[node][kUser];
        system += costs[node][kSystem];
        expected_user += profile->self[node][kUser];
        EXPECT_EQ(costs[node][kSystem], profile->self[node][kSystem]) << "node " << node;
        EXPECT_EQ(costs[node][kOffCpu], profile->self[node][kOffCpu]) << "node " << node;
        for (std::size_t event = 0; event < profile->events.size(); ++event) {
            EXPECT_EQ(costs[node][kFirstEvent + event], profile->self[node][kFirstEvent + event]) << "node " << node;
        }
    }
    EXPECT_EQ(user, expected_user);
    EXPECT_GT(user, 100 * static_cast<std::int64_t>(kMs));
    EXPECT_GT(system, 10 * static_cast<std::int64_t>(kMs));
    EXPECT_GT(profile->own_work[kUser], 0);
}

TEST_P(MadeAtRandom, WhatHoldersDidMeanwhileIsTheOverlapOfWaitsAndStates) {
    const auto recording = rec::Recording::open(folder_.path());
    ASSERT_TRUE(recording);
    const auto profile = load_profile(*recording);
    ASSERT_TRUE(profile);
    using Pair = std::pair<std::uint32_t, std::uint32_t>;  // who waited, for whom: by thread
    std::map<Pair, std::int64_t> expected;
    for (std::uint32_t waiter = 0; waiter < profile->threads.size(); ++waiter) {
        for (const ThreadWait& wait : profile->threads[waiter].waits) {
            const auto holder = static_cast<std::uint32_t>(wait.holder_tid - kPid);
            if (holder == waiter) {
                continue;
            }
            const ThreadStates& states = profile->threads[holder].states;
            for (std::size_t i = 0; i < states.size(); ++i) {
                const StateInterval state = states[i];
                const std::uint64_t from = std::max(state.begin, wait.begin);
                const std::uint64_t to = std::min(state.end, wait.end);
                const bool ran = state.state == ThreadState::kUser || state.state == ThreadState::kSystem;
                // After the last sample the call path is not known.
                if (ran && state.wait == kNone && from < to) {
                    expected[{waiter, holder}] += static_cast<std::int64_t>(to - from);
                }
            }
        }
    }
    std::map<Pair, std::int64_t> found;
    for (const auto& [key, group] : profile->waits.groups) {
        for (const auto& [holder, ns] : group.meanwhile) {
            if (holder.kind == rec::WaitKind{} && ns != 0) {
                found[{raw(key.thread), raw(key.holder)}] += ns;
            }
        }
    }
    EXPECT_GE(found.size(), 10U);
    EXPECT_EQ(found, expected);
}

INSTANTIATE_TEST_SUITE_P(Recordings, MadeAtRandom, ::testing::Range(1U, 7U));

}  // namespace
}  // namespace kymo::spacetime
