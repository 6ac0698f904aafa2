// interpreter-lock: threads of one interpreter wait for the lock that lets one of them run at a time.
#include "findings/rule.h"
#include "findings/rules/shared/interpreter.h"
#include "findings/rules/shared/spare.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace kymo::findings {
namespace {

using namespace spacetime;

constexpr std::uint64_t kLeastTurns = 10;
constexpr std::size_t kLeastTakers = 2;

struct Interpreter {
    std::vector<std::uint32_t> targets;
    ByThread waited;
    std::uint64_t count = 0;
    std::int64_t longest = 0;
    std::uint32_t worst = kNone;
    std::int64_t worst_ns = 0;
};

// By process.
std::map<std::uint32_t, Interpreter> find_interpreters(const Evidence& evidence) {
    std::map<std::uint32_t, Interpreter> interpreters;
    for (std::uint32_t i = 0; i < evidence.wait_targets.size(); ++i) {
        const WaitTarget& target = evidence.wait_targets[i];
        if (!is_interpreter_lock(target)) {
            continue;
        }
        Interpreter& interpreter = interpreters[target.process];
        const WaitSum sums = i < evidence.wait_sums.size() ? evidence.wait_sums[i] : WaitSum{};
        interpreter.targets.push_back(i);
        interpreter.count += sums.count;
        interpreter.longest = std::max(interpreter.longest, sums.longest_ns);
        if (interpreter.worst == kNone || sums.ns > interpreter.worst_ns) {
            interpreter.worst = i;
            interpreter.worst_ns = sums.ns;
        }
    }
    for (std::uint32_t thread = 0; thread < evidence.run.threads.size(); ++thread) {
        for (const OccurrenceWait& wait : evidence.run.threads[thread].waits) {
            const WaitTarget& target = evidence.wait_targets[wait.target];
            if (is_interpreter_lock(target)) {
                interpreters[target.process].waited[thread] += static_cast<double>(wait.ns);
            }
        }
    }
    return interpreters;
}

void claim_interpreter_lock(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    for (const auto& [process, interpreter] : find_interpreters(evidence)) {
        if (interpreter.count < kLeastTurns || interpreter.waited.size() < kLeastTakers) {
            continue;
        }
        Claim claim;
        claim.own = at_most(interpreter.waited, room_ns(evidence));
        claim.own_terms = set_of(Term::kWaiting);
        claim.targets = interpreter.targets;
        claim.threads = main_threads(interpreter.waited);
        const program::SourcePlace& place = evidence.wait_targets[interpreter.worst].place;
        claim.node = node_of(evidence, place);
        claim.place = to_place(place);
        claim.title = fmt::format(
            "{} {} {} in all, {}, for Python's interpreter lock (GIL), up to {} at a time: one thread "
            "at a time runs Python code.",
            thread_names(evidence, claim.threads), does(claim.threads, "wait"), in_seconds(sum(interpreter.waited)),
            how_often(interpreter.count), in_seconds(static_cast<double>(interpreter.longest)));
        claim.evidence = {seconds("waiting for the interpreter lock", sum(interpreter.waited) / 1e9),
                          {"waits of 10 µs and more", static_cast<double>(interpreter.count)},
                          seconds("in which processors were idle", idle_processor_ns(evidence) / 1e9)};
        claims->push_back(std::move(claim));
    }
}

}  // namespace

extern const Rule kInterpreterLock{
    .place = 75,
    .kind = "interpreter-lock",
    .contrast = Contrast::kRun,
    .needs = "threads of one CPython process, two or more, wait for its interpreter lock ten times in all, or more",
    .against = "the processors are busy with other threads of the program meanwhile: then waiting costs nothing",
    .look = claim_interpreter_lock,
    .direction =
        "compute in processes instead of threads (multiprocessing, concurrent.futures.ProcessPoolExecutor), in code "
        "that gives the lock up (NumPy, an extension in C, Cython's nogil), or with a free-threaded Python",
    .confirm = "run with one thread instead of several: the run hardly takes longer",
};

}  // namespace kymo::findings
