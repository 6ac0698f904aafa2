// A rule: from a case to a claim about the program, with its requirements and counter-evidence.
//
// One file each (rules/), found automatically: CONTRIBUTING.md describes how to add one. Rules are pure functions:
// they see one case (and through it the whole evidence) and return their claims; the engine (judge.h) tests,
// bounds, ranks and joins all alike.
#pragma once

#include "findings/cases/case.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::findings {

// A rule's claim. At stake is either a part of the case's excess (`explains`: of kOccurrences and kNeighbours),
// which the engine adds up and bounds, or sums of its own (`own`), exact over the evidence.
struct Claim {
    std::string title;  // plain words, one or a few sentences

    std::optional<Explains> explains = {};
    std::vector<ThreadTime> own = {};  // ns by thread
    double shorter_ns = 0;             // with `own`: what the run could be shorter by; 0: the thread's that lost most
    bool is_cost_known = true;         // false: neither `explains` nor `own` (Finding::is_cost_known)
    double own_sure = 1;               // part of `own` that is sure after the error of measuring
    std::vector<double> own_parts = {};  // if `own` adds up from many occasions: ns each, for the bootstrap
    TermSet own_terms = kAllTerms;       // the kind of time that `own` is

    // Default: the case's node, its bad occurrences' times, its threads.
    NodeIndex node;
    std::optional<spacetime::Place> place = {};
    bool is_part = false;  // `place` lies in `node`, but not in any of the nodes inside it
    std::vector<TimeRange> when = {};
    std::vector<std::uint32_t> threads = {};
    std::vector<std::uint32_t> targets = {};  // the wait targets concerned, ascending: joins claims on one wait

    std::vector<EvidenceRow> evidence = {};  // the engine adds the account of the excess and the clear features
    std::string_view feature = {};           // the claim rests on this feature's test: its q is the claim's
    std::string direction = {};              // default: the rule's
    std::string confirm = {};                // default: the rule's
};

struct Rule {
    // Of claims on the same time with equal stakes the one of the lower place is shown: more specific
    // rules have lower ones.
    int place = 0;
    std::string_view kind;  // docs/findings.md
    Contrast contrast = Contrast::kRun;
    Contrast of_code = contrast;  // examines these cases of groups of same code spaces as well
    std::string_view needs;       // preconditions, in words: what `look` requires
    std::string_view against;     // counter-evidence required absent, in words
    // Adds a claim for each thing in the case that meets the preconditions and has no counter-evidence.
    void (*look)(const Case& subject, std::vector<Claim>* claims) = nullptr;
    std::string_view direction;  // one sentence
    std::string_view confirm;    // an experiment the user can run
    // Reports what happened, not why: shown only if no other rule explains at least half as much of the same time.
    bool is_exclusive = false;  // its time, in one function, is that of no other such rule (rows of the account)
    bool is_generic = false;
    // The least part of the time at stake that a repair is expected to save, where that is less than is usual for
    // such time: 1: it is not. Of two ranks that share work evenly, each takes half of what the other waited.
    double least_gain = 1;
    // Of work dealt out in parts: shown where the loop over the parts is, not inside a part.
    bool is_of_parts = false;
    bool is_advantage = false;
    // Reports what others took from the program: what compares times, untested, may be their doing and yields to it.
    bool is_others_doing = false;
};

// All rules, by place: every "extern const Rule kName{" of rules/*.cpp.
std::span<const Rule* const> rules();

}  // namespace kymo::findings
