// io-wait: a thread that has work to do waits for a disk, a pipe or the network.
#include "findings/rule.h"
#include "findings/rules/shared/other_ends.h"
#include "findings/rules/shared/short_children.h"
#include "findings/rules/shared/spare.h"
#include "findings/words.h"
#include "spacetime/profile/wait_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

namespace kymo::findings {
namespace {

using namespace spacetime;
using recording::FileKind;
using recording::WaitKind;

constexpr double kLeastOfLife = 0.02;  // of a thread's life: every machine has less

// Polling and accepting are how programs wait for work; they are never counted as a loss.
bool is_transfer(WaitKind kind) {
    return kind == WaitKind::kRead || kind == WaitKind::kWrite || kind == WaitKind::kSync ||
           kind == WaitKind::kConnect;
}

// By process, ns on processors, or ready. While another process of the run is, a socket may wait for it.
std::map<std::uint32_t, double> busy_ns(const Evidence& evidence) {
    std::map<std::uint32_t, double> busy;
    for (const ThreadFacts& thread : evidence.run.threads) {
        busy[thread.process] += static_cast<double>(processor(thread.total) + thread.total.run_queue);
    }
    return busy;
}

// Waits for what another thread of the process does next, in the order of their work.
bool is_for_a_turn(WaitKind kind) {
    return kind == WaitKind::kCondition || kind == WaitKind::kBarrier || kind == WaitKind::kSemaphore ||
           kind == WaitKind::kFutex || kind == WaitKind::kOmpBarrier || kind == WaitKind::kOmpIdle;
}

struct Turns {
    ByThread waits;       // ns that the thread waits for its turn
    ByThread is_awaited;  // ns that others wait for it, other than for its end
};

// A full pipe is also a wait for a turn: its reader is behind. The time that a process waits for its empty pipes
// is counted for all others that write to pipes, because a recording does not contain which of them is at the
// other end.
Turns turns_of(const Evidence& evidence) {
    Turns turns;
    std::map<std::uint32_t, double> reads_pipes;  // by process
    std::set<std::uint32_t> fills_pipes;          // threads
    for (std::uint32_t thread = 0; thread < evidence.run.threads.size(); ++thread) {
        const ThreadFacts& facts = evidence.run.threads[thread];
        for (const OccurrenceWait& wait : facts.waits) {
            const WaitTarget& target = evidence.wait_targets[wait.target];
            const auto ns = static_cast<double>(wait.ns);
            const bool is_pipe = is_within_run(evidence, target);
            if (is_pipe && target.kind == WaitKind::kRead) {
                reads_pipes[facts.process] += ns;
            }
            const bool is_full = is_pipe && target.kind == WaitKind::kWrite;
            if (is_full) {
                fills_pipes.insert(thread);
            }
            if (is_full || is_for_a_turn(target.kind)) {
                turns.waits[thread] += ns;
            }
            // Who writes into pipes is found below.
            if (target.holder != kNone && target.kind != WaitKind::kJoin && !is_pipe) {
                turns.is_awaited[target.holder] += ns;
            }
        }
    }
    for (const std::uint32_t thread : fills_pipes) {
        const auto own = reads_pipes.find(evidence.run.threads[thread].process);
        turns.is_awaited[thread] += sum(reads_pipes) - (own == reads_pipes.end() ? 0 : own->second);
    }
    return turns;
}

// A thread that waits for its turn has time to spare: with shorter transfers it would wait longer. The transfers cost
// no more than others wait for this thread.
double cost_ns(const Turns& turns, std::uint32_t thread, double waited) {
    constexpr double kSpare = 0.1;  // of what it waits for transfers
    const auto waits = turns.waits.find(thread);
    if (waits == turns.waits.end() || waits->second < kSpare * waited) {
        return waited;
    }
    const auto awaited = turns.is_awaited.find(thread);
    return awaited == turns.is_awaited.end() ? 0 : std::min(waited, awaited->second);
}

struct Spot {
    ByThread waited;
    std::vector<std::uint32_t> targets;
    std::uint64_t count = 0;
};

// By process: the name of its first thread. A program that is started again and again waits in one place, not in as
// many as it has processes.
std::map<std::uint32_t, std::string> program_names(const Evidence& evidence) {
    std::map<std::uint32_t, std::string> names;
    for (const ThreadFacts& thread : evidence.run.threads) {
        if (thread.creator == kNone || !names.contains(thread.process)) {
            names[thread.process] = thread.name;
        }
    }
    return names;
}

// Reads of short-lived children's output: process-churn, not the pipe.
WaitsByTarget waits_for_short_children(const Evidence& evidence) {
    WaitsByTarget all;
    for (const auto& [parent, children] : short_children(evidence.run)) {
        all.merge(waits_for(evidence, parent, children));
    }
    return all;
}

// Empty: the rule's own.
std::string_view direction_of(const WaitTarget& target) {
    const bool is_read = target.kind == WaitKind::kRead;
    switch (recording::file_kind_of(target.kind, target.object)) {
        case FileKind::kFile:
        case FileKind::kDisk:
            return is_read ? "read ahead (readahead(2), posix_fadvise(2), the next block in another thread) and in "
                             "larger "
                             "pieces, or keep what is read often in memory"
                           : "write larger pieces, let another thread write, and ask for the disk's word (fsync) "
                             "once for "
                             "several changes";
        case FileKind::kPipe:
            return is_read ? "the program at the other end of the pipe is not fast enough: look at what it does"
                           : "the program at the other end of the pipe does not read fast enough: look at what it "
                             "does, or "
                             "give it a larger buffer (F_SETPIPE_SZ)";
        default:
            return "";
    }
}

void claim_io_wait(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    using Key = std::tuple<std::string, WaitKind, FileKind, std::string, std::string, std::uint32_t>;
    const std::map<std::uint32_t, std::string> programs = program_names(evidence);
    const WaitsByTarget of_children = waits_for_short_children(evidence);
    std::map<Key, Spot> spots;
    for (std::uint32_t thread = 0; thread < evidence.run.threads.size(); ++thread) {
        const bool serves = waits_for_work(evidence, thread);
        for (const OccurrenceWait& wait : evidence.run.threads[thread].waits) {
            const WaitTarget& target = evidence.wait_targets[wait.target];
            if (is_transfer(target.kind) && !(serves && target.kind == WaitKind::kRead) &&
                !is_within_run(evidence, target)) {
                Spot& spot = spots[{programs.at(evidence.run.threads[thread].process), target.kind,
                                    recording::file_kind_of(target.kind, target.object), target.place.module,
                                    target.place.function, target.place.line}];
                const auto for_child = of_children.find({thread, wait.target});
                spot.waited[thread] += std::max(
                    0.0, static_cast<double>(wait.ns) - (for_child == of_children.end() ? 0 : for_child->second));
                spot.targets.push_back(wait.target);
            }
        }
    }
    const double spare = spare_ns(evidence);
    const std::map<std::uint32_t, double> busy = busy_ns(evidence);
    const double busy_of_all = sum(busy);
    const Turns turns = turns_of(evidence);
    for (auto& [key, spot] : spots) {
        std::sort(spot.targets.begin(), spot.targets.end());
        spot.targets.erase(std::unique(spot.targets.begin(), spot.targets.end()), spot.targets.end());
        for (const std::uint32_t target : spot.targets) {
            spot.count += target < evidence.wait_sums.size() ? evidence.wait_sums[target].count : 0;
        }
        const WaitTarget& target = evidence.wait_targets[spot.targets.front()];
        if (recording::file_kind_of(target.kind, target.object) == FileKind::kSocket) {
            for (auto& [thread, ns] : spot.waited) {
                ns = std::max(0.0, ns - (busy_of_all - busy.at(evidence.run.threads[thread].process)));
            }
        }
        ByThread cost;
        for (const auto& [thread, ns] : spot.waited) {
            cost[thread] = cost_ns(turns, thread, ns);
        }
        const bool is_much = std::any_of(cost.begin(), cost.end(), [&](const auto& waited) {
            const ThreadFacts& thread = evidence.run.threads[waited.first];
            return waited.second >= kLeastOfLife * static_cast<double>(thread.end - thread.begin);
        });
        if (!is_much) {
            continue;
        }
        Claim claim;
        claim.own = at_most(cost, spare);
        claim.own_terms = set_of(Term::kWaiting);
        claim.threads = main_threads(cost);
        claim.node = node_of(evidence, target.place);
        claim.place = to_place(target.place);
        claim.title =
            fmt::format("{} {} {} in {} ({} waits) for a {} to get through.", thread_names(evidence, claim.threads),
                        does(claim.threads, "wait"), in_seconds(sum(spot.waited)), name(*claim.place), spot.count,
                        wait_words(target.kind, target.object));
        claim.evidence = {seconds("waiting", sum(spot.waited) / 1e9),
                          {"waits of 10 µs and more", static_cast<double>(spot.count)},
                          seconds("in which processors were idle", idle_processor_ns(evidence) / 1e9)};
        claim.direction = direction_of(target);
        claim.targets = std::move(spot.targets);
        claims->push_back(std::move(claim));
    }
}

}  // namespace

extern const Rule kIoWait{
    .place = 90,
    .kind = "io-wait",
    .contrast = Contrast::kRun,
    .needs =
        "threads are off the processor for a fiftieth of their lives in read, write, fsync or connect and their kin",
    .against =
        "other threads keep the processors busy meanwhile; or the thread waits for its turn as well (a tenth as "
        "long), or for a full pipe within the run, and nobody waits for it: it reads ahead; or the thread is in "
        "reads, polls and sleep for nine tenths of its life, as a server without requests is; or what it reads is "
        "from "
        "processes that live for some milliseconds (process-churn); or the pipe or socket leads to another process "
        "or thread of the run: that one is waited for; or it is a socket, and other processes of the run work for as "
        "long",
    .look = claim_io_wait,
    .direction =
        "where a program of this run is at the other end (a socket), it is that one that is waited for: look "
        "at what it does; else ask for the next data before working on what is there (read ahead, ask for several at "
        "once), or let another thread do the transfers",
    .confirm =
        "keep the data in memory (a file on /dev/shm, a local stub for the server) and run again: the run becomes "
        "shorter by "
        "what the transfers cost",
};

}  // namespace kymo::findings
