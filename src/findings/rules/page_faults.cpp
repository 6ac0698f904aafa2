// page-faults: a piece of code pays for page faults, again and again.
#include "findings/rule.h"
#include "findings/rules/shared/account_rows.h"
#include "findings/rules/shared/common.h"
#include "findings/rules/shared/faulted_memory.h"
#include "findings/rules/shared/gap_filler.h"
#include "findings/rules/shared/spare.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace kymo::findings {
namespace {

using namespace spacetime;

constexpr double kMoreFaults = 3;             // than elsewhere
constexpr double kSlowFaultNs = 20'000;       // of a minor fault, on a slow virtual machine
constexpr double kSlowHugeFaultNs = 500'000;  // of one that clears a huge page of 2 MiB
constexpr double kLeastKernelShare = 0.3;     // of the excess, in the kernel
constexpr std::uint64_t kLeastFaultingOccurrences = 3;

constexpr std::string_view kPageFaultsDirection =
    "keep the memory between uses instead of giving it back, touch it once before the hot part, or use huge pages "
    "for it";
constexpr std::string_view kPageFaultsConfirm =
    "record again with -e page-faults:period=1 and look at the faults by line; with glibc's allocator, try "
    "MALLOC_TRIM_THRESHOLD_=-1 MALLOC_MMAP_THRESHOLD_=1073741824 in the environment";
constexpr std::string_view kUnclearDirection =
    "if the program gives the memory back and takes it again, keep it; if it keeps it, let the kernel give larger "
    "pages (transparent huge pages), or touch it before the hot part";

// Keeping memory helps where it is given back and taken again, and nowhere else.
void set_direction(const Evidence& evidence, Claim* claim) {
    switch (faulted_memory(evidence)) {
        case FaultedMemory::kAgain:
            break;
        case FaultedMemory::kOnce:
            claim->direction = kKeptMemoryDirection;
            claim->confirm = kKeptMemoryConfirm;
            break;
        case FaultedMemory::kUnknown:
            claim->direction = kUnclearDirection;
            break;
    }
}

// Both halves of the occurrences have a fifth of the faults or more.
bool again_and_again(const SpaceNode& node, CounterIndex faults) {
    std::vector<std::pair<std::uint64_t, std::int64_t>> occurrences;
    occurrences.reserve(node.rows.size());
    for (std::size_t row = 0; row < node.rows.size(); ++row) {
        occurrences.emplace_back(node.rows.begin[row], faults.in(node.rows.deltas_of(row)));
    }
    std::sort(occurrences.begin(), occurrences.end());
    std::int64_t halves[2] = {0, 0};
    for (std::size_t i = 0; i < occurrences.size(); ++i) {
        halves[i * 2 < occurrences.size() ? 0 : 1] += occurrences[i].second;
    }
    return std::min(halves[0], halves[1]) * 4 >= std::max(halves[0], halves[1]);
}

// The smallest node inside that has nearly as many.
NodeIndex holder(const Evidence& evidence, NodeIndex node, CounterIndex faults) {
    constexpr double kNearlyAll = 0.9;
    const auto taken = static_cast<double>(faults.in(node.in(evidence.nodes).deltas));
    for (const NodeIndex child : indices(evidence.nodes)) {
        const SpaceNode& inner = child.in(evidence.nodes);
        const bool is_code = inner.kind != SpaceKind::kIteration && inner.kind != SpaceKind::kMark;
        if (inner.parent == node && is_code && !is_library(inner.place) && !is_tool(evidence, child) &&
            static_cast<double>(faults.in(inner.deltas)) >= kNearlyAll * taken) {
            return holder(evidence, child, faults);
        }
    }
    return node;
}

// The first occurrences of their threads took most of the faults of the slow ones: the others are slow for another
// reason.
bool are_of_first(const Case& subject) {
    const OccurrenceTable& rows = subject.space().rows;
    const CounterIndex faults = counter(*subject.evidence, "page-faults");
    std::int64_t first = 0;
    std::int64_t all = 0;
    for (const std::size_t row : subject.bad_rows) {
        all += faults.in(rows.deltas_of(row));
        first += rows.order[row] == 0 ? faults.in(rows.deltas_of(row)) : 0;
    }
    return first * 5 >= all * 4;
}

void claim_page_faults_of_spaces(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const SpaceNode& node = subject.space();
    const CounterIndex faults = counter(evidence, "page-faults");
    if (faults == kNone || is_library(node.place) || node.occurrences < kLeastFaultingOccurrences ||
        faults.in(node.deltas) <= 0 || !again_and_again(node, faults)) {
        return;
    }
    const auto rate = [&](const Side& side) {
        const auto time = static_cast<double>(processor(side.terms));
        return time > 0 ? static_cast<double>(faults.in(side.deltas)) * 1e9 / time : 0;
    };
    const auto count = static_cast<double>(faults.in(node.deltas));
    // The node that has nearly all of them needs no comparison; another must stand out.
    const bool has_most = count >= 0.9 * static_cast<double>(faults.in(evidence.run.deltas));
    if (!has_most && rate(subject.bad) < kMoreFaults * rate(subject.good)) {
        return;
    }
    Claim claim;
    claim.own = by_thread(node, [](const TimeTerms& terms) { return terms.system; });
    // Time that was taken away undetected looks like the kernel's.
    const auto system = static_cast<double>(std::max<std::int64_t>(1, node.total.system));
    const double unseen = unseen_taken(evidence, taken_in(node.rows));
    const double kernels = std::max(0.0, system - unseen);
    const double bound = std::min(kernels, count * kSlowFaultNs) / system;
    double all = 0;
    for (ThreadTime& time : claim.own) {
        time.ns *= bound;
        all += time.ns;
    }
    claim.own_terms = set_of(Term::kSystem);
    // System time of short stretches is known less well than their user time.
    claim.own_sure = 0.9 * std::max(0.0, 1 - unseen / std::max(1.0, kernels));
    claim.node = holder(evidence, subject.node, faults);
    const SpaceNode& held = claim.node.in(evidence.nodes);
    if (!again_and_again(held, faults)) {  // in several threads, once each
        return;
    }
    // The account tells an inlined function from the one around it.
    const auto* exact =
        main_place(evidence.account, [](const AccountRow& row) { return row.time_class == TimeClass::kPageFaults; });
    const NodeIndex inner = exact == nullptr ? NodeIndex{} : node_of(evidence, *exact);
    std::string where = mostly_at(held, faults);
    if (inner != kNone && inner != claim.node && is_inside(evidence, inner, claim.node)) {
        where = "of " + name(evidence, claim.node);
        claim.node = inner;
        claim.place = to_place(*exact);
    }
    claim.title = fmt::format(
        "{} takes page faults again and again: {} in {} occurrences{}{}. They cost up to {} in the kernel.",
        name(evidence, claim.node), number(static_cast<double>(faults.in(held.deltas))), held.occurrences,
        where.empty() ? ""
        : claim.place ? " "
                      : ", ",
        where, in_seconds(all));
    claim.evidence.push_back({"page-faults a second of processor time", rate(subject.bad), rate(subject.good),
                              rate(subject.good) > 0 ? rate(subject.bad) / rate(subject.good) : kUnknown, kUnknown,
                              kUnknown});
    set_direction(evidence, &claim);
    claims->push_back(std::move(claim));
}

// Whether the faults could be the cause of kLeastKernelShare of the excess, in the kernel. A few faults accompany
// any slow code.
bool can_pay_for(const Case& subject, const Feature& faults) {
    const auto excess = static_cast<double>(subject.excess.total() - subject.excess.terms.run_queue);
    const double most = (faults.bad - faults.good) * static_cast<double>(subject.bad.count) * kSlowHugeFaultNs;
    return subject.excess_share(set_of(Term::kSystem)) >= kLeastKernelShare && most >= kLeastKernelShare * excess;
}

void claim_page_faults_of_occurrences(const Case& subject, std::vector<Claim>* claims) {
    if (!subject.differs("page-faults", kMoreFaults) || !can_pay_for(subject, *subject.feature("page-faults")) ||
        subject.bad.count * 2 > subject.bad.count + subject.good.count || are_first_of_threads(subject) ||
        are_of_first(subject)) {
        return;
    }
    const Feature& faults = *subject.feature("page-faults");
    Claim claim;
    claim.explains = Explains{.terms = set_of(Term::kSystem)};
    claim.feature = "page-faults";
    const std::string where = mostly_at(subject.space(), counter(*subject.evidence, "page-faults"));
    claim.title =
        fmt::format("{} and account{} for {}; they carry {} page faults ({} each){}.", slow_words(subject),
                    subject.bad.count == 1 ? "s" : "", in_seconds(static_cast<double>(subject.excess.total())),
                    faults.good > 0 ? times(faults.bad / faults.good) + " more" : "all the", number(faults.bad),
                    where.empty() ? "" : ", " + where);
    set_direction(*subject.evidence, &claim);
    claims->push_back(std::move(claim));
}

void claim_page_faults_of_gaps(const Case& subject, std::vector<Claim>* claims) {
    if (!subject.differs("page-faults", kMoreFaults) || !can_pay_for(subject, *subject.feature("page-faults"))) {
        return;
    }
    const Feature& faults = *subject.feature("page-faults");
    const Filler filler = main_filler(subject);
    Claim claim;
    claim.explains = Explains{.terms = set_of(Term::kSystem)};
    claim.feature = "page-faults";
    claim.node = filler_node(subject, filler);
    claim.title = fmt::format("{}; {} {} page faults ({}).", long_gap_words(subject, filler),
                              subject.bad.count == 1 ? "it carries" : "they carry",
                              faults.good > 0 ? times(faults.bad / faults.good) + " more" : "all the",
                              number(faults.bad) + (subject.bad.count == 1 ? "" : " each"));
    set_direction(*subject.evidence, &claim);
    claims->push_back(std::move(claim));
}

}  // namespace

extern const Rule kPageFaultsOfSpace{
    .place = 210,
    .kind = "page-faults",
    .contrast = Contrast::kSpace,
    .needs =
        "page faults are counted; the code occurs at least three times, takes faults in both halves of its "
        "occurrences, "
        "and has nine tenths of all faults or three times as many by processor time as the rest of the program",
    .against = "faults only at the beginning: that is a cold start",
    .look = claim_page_faults_of_spaces,
    .direction = kPageFaultsDirection,
    .confirm = kPageFaultsConfirm,
};

extern const Rule kPageFaultsOfGaps{
    .place = 205,
    .kind = "page-faults",
    .contrast = Contrast::kGaps,
    .needs =
        "some gaps between occurrences are clearly longer than the rest and carry at least three times the page "
        "faults, which chance does not explain where it can be tested, and 30 % or more of their excess is time in "
        "the kernel that the faults can account for",
    .against = "more than a third of the gaps are long",
    .look = claim_page_faults_of_gaps,
    .direction = kPageFaultsDirection,
    .confirm = kPageFaultsConfirm,
};

extern const Rule kPageFaultsOfOccurrences{
    .place = 200,
    .kind = "page-faults",
    .contrast = Contrast::kOccurrences,
    .needs =
        "slow occurrences carry at least three times the page faults of the fast ones, which chance does not "
        "explain where it can be tested, and 30 % or more of their excess is time in the kernel "
        "that the faults can account for",
    .against =
        "most occurrences are slow; or the slow ones, or those of them that take the faults, are the first of their "
        "threads: that is a cold start",
    .look = claim_page_faults_of_occurrences,
    .direction = kPageFaultsDirection,
    .confirm = kPageFaultsConfirm,
};

}  // namespace kymo::findings
