// Run-time tax: a family of library functions takes much of the processor time beneath the program's own code; or
// slow work: instructions of one family take it in that code itself. One kind for each family of the table
// (spacetime/evidence/account/families.h).
#include "findings/rule.h"
#include "findings/rules/shared/account_rows.h"
#include "findings/rules/shared/allocator.h"
#include "findings/words.h"
#include "program/flow/repeated/math_functions.h"
#include "spacetime/profile/wait_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace kymo::findings {
namespace {

using namespace spacetime;

constexpr double kLeastTax =
    0.1;  // of the run's main part and of the processor time: below it is what using a library costs
constexpr double kSure = 0.9;  // names decide, and a call's family may be another's (an allocation inside a copy)
constexpr double kLeastCopied = 3;      // times the copying: more time than this in memory is not for copies
constexpr double kLeastSlow = 0.2;      // of slow instructions: most code has some
constexpr double kLeastSorting = 0.5;   // programs sort for good reasons as well
constexpr double kLeastTogether = 0.5;  // of a family's time: one change does not help in all places
constexpr double kSureOfWork = 0.7;     // the instruction behind one may be slow for another reason

struct Tax {
    std::int64_t ns = 0;
    std::int64_t shorter_ns = 0;
    std::int64_t processor_ns = 0;  // of all classes
    std::int64_t waited_ns = 0;     // see waited_ns()
    ByThread threads;
    const AccountRow* most = nullptr;
    std::size_t places = 0;
    std::set<std::pair<std::string, std::string>> functions;  // module and function of each place
};

// "std::vector<int>::vector": a constructor.
bool is_constructor(std::string_view function) {
    const std::size_t last = function.rfind("::");
    if (last == std::string_view::npos || last == 0) {
        return false;
    }
    std::string_view type = function.substr(0, last);
    if (type.ends_with('>')) {
        type = type.substr(0, type.find('<'));
    }
    const std::size_t before = type.rfind("::");
    return (before == std::string_view::npos ? type : type.substr(before + 2)) == function.substr(last + 2);
}

// "std::vector<int>::~vector": "vector"; empty: no destructor.
std::string destroyed_by(std::string_view function) {
    const std::size_t last = function.rfind("::~");
    return last == std::string_view::npos ? std::string() : std::string(function.substr(last + 3));
}

// "std::vector<int>::vector": "vector".
std::string constructed_by(std::string_view constructor) {
    return std::string(constructor.substr(constructor.rfind("::") + 2));
}

using Line = std::tuple<std::string, std::string, std::uint32_t>;  // module, function, line

Line line_of(const AccountRow& row) {
    return {row.place.module, row.place.function, row.place.line};
}

// Where containers are copied whole: copying what is in them takes a third of the time of their memory, or more.
// Memory is taken and released there because they are copied, and the copies are destroyed in the same function.
struct Copies {
    std::set<Line> lines;
    std::set<std::tuple<std::string, std::string, std::string>> classes;  // module, function, class

    bool contain(const AccountRow& row) const {
        return lines.contains(line_of(row)) ||
               classes.contains({row.place.module, row.place.function, destroyed_by(row.detail)});
    }
};

Copies copies_of(const Account& account) {
    struct Times {
        std::int64_t copying = 0;
        std::int64_t memory = 0;
    };
    std::map<Line, Times> lines;
    Copies copies;
    for (const AccountRow& row : account.rows) {
        if (row.time_class == TimeClass::kRunTime && row.family == TaxFamily::kCopying &&
            is_constructor(row.detail)) {
            lines[line_of(row)].copying += row.ns;
            copies.classes.insert({row.place.module, row.place.function, constructed_by(row.detail)});
        } else if (row.time_class == TimeClass::kRunTime && row.family == TaxFamily::kAllocation) {
            lines[line_of(row)].memory += row.ns;
        }
    }
    for (const auto& [line, times] : lines) {
        if (times.memory > 0 &&
            kLeastCopied * static_cast<double>(times.copying) >= static_cast<double>(times.memory)) {
            copies.lines.insert(line);
        }
    }
    return copies;
}

// For locks, and by polling. Who waits for tasks where it makes them waits for the making: the tasks are as short.
std::int64_t waited_ns(const Account& account, const Tax& tax, TaxFamily family) {
    const auto is_own_wait = [&](const AccountRow& row) {
        return family == TaxFamily::kTasks && row.detail == wait_kind_words(recording::WaitKind::kOmpTasks) &&
               tax.functions.contains({row.place.module, row.place.function});
    };
    std::int64_t ns = 0;
    for (const AccountRow& row : account.rows) {
        const bool is_wait = row.time_class == TimeClass::kLockWait || row.time_class == TimeClass::kSpinning;
        ns += is_wait && !is_own_wait(row) ? row.ns : 0;
    }
    return ns;
}

Tax tax_of(const Account& account, TaxFamily family) {
    Tax tax;
    const bool is_either = family == TaxFamily::kCopying || family == TaxFamily::kAllocation;
    const Copies copies = is_either ? copies_of(account) : Copies();
    const auto family_of = [&](const AccountRow& row) {
        return row.family == TaxFamily::kAllocation && copies.contain(row) ? TaxFamily::kCopying : row.family;
    };
    for (const AccountRow& row : account.rows) {
        tax.processor_ns += is_processor_time(row) ? row.ns : 0;
        if ((row.time_class != TimeClass::kRunTime && row.time_class != TimeClass::kWork) ||
            family_of(row) != family) {
            continue;
        }
        tax.ns += row.ns;
        tax.shorter_ns += row.shorter_ns;
        ++tax.places;
        tax.functions.emplace(row.place.module, row.place.function);
        for (const AccountTime& part : row.threads) {
            tax.threads[part.thread] += static_cast<double>(part.ns);
        }
        // Copying names itself, not the memory that it takes.
        const auto weight = [&](const AccountRow& of) { return std::pair(of.family == family, of.ns); };
        if (tax.most == nullptr || weight(row) > weight(*tax.most)) {
            tax.most = &row;
        }
    }
    tax.waited_ns = waited_ns(account, tax, family);
    return tax;
}

// Of other kinds: locks that are held by others, threads that are made all the time.
bool is_another_kind(const Tax& tax, TaxFamily family) {
    return (family == TaxFamily::kLocking && tax.waited_ns > tax.ns) ||
           ((family == TaxFamily::kAtomics || family == TaxFamily::kFalseSharing) &&
            main_threads(tax.threads).size() < 2) ||
           (family == TaxFamily::kTasks && (is_timed_call(*tax.most) || tax.most->detail == "pthread_create" ||
                                            tax.most->detail == "pthread_join" || tax.waited_ns > tax.ns));
}

// The time of an access with a stride is that of page faults where there are as many of them: known, or beneath the
// resolution of the clocks that tell the kernel's time from the program's.
bool are_page_faults(const Evidence& evidence, NodeIndex node, std::int64_t ns) {
    constexpr double kFaultNs = 3000;  // of one, with the accesses to its page
    const CounterIndex faults = counter(evidence, "page-faults");
    return node != kNone && faults != kNone &&
           static_cast<double>(faults.in(node.in(evidence.nodes).deltas)) * kFaultNs >= static_cast<double>(ns);
}

// `called`: its place, in words.
std::string repeating_words(const AccountRow& row, const std::string& called) {
    // Of a library's functions of mathematics, whose names it need not have.
    const std::string_view function = program::math_function(row.detail);
    if (!function.empty() || row.detail.empty()) {
        return fmt::format("{} calls {} again and again with the same few arguments", called,
                           function.empty() ? "functions of mathematics" : fmt::format("`{}`", function));
    }
    const bool is_recurrence = called.starts_with(fmt::format("`{}`", row.detail));
    return is_recurrence
               ? fmt::format("{} calls itself twice and more in one call, with few different arguments", called)
               : fmt::format("`{}` calls {} again and again with the same few arguments", row.detail, called);
}

template <TaxFamily kFamily>
void claim_tax(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const Tax tax = tax_of(evidence.account, kFamily);
    const double shorter = static_cast<double>(tax.shorter_ns) * info_of(kFamily).saves;
    const bool is_measured = is_of_operands(kFamily) || is_of_branches(kFamily);
    // Searches are of either: calls of the library, and loops of the program's own.
    const bool is_work = tax.most != nullptr && tax.most->time_class == TimeClass::kWork;
    const double least = kFamily == TaxFamily::kSorting ? kLeastSorting
                         : is_work && !is_measured      ? kLeastSlow
                                                        : kLeastTax;
    if (tax.most == nullptr || tax.most->place.function.empty() || shorter < least * main_part_ns(evidence) ||
        static_cast<double>(tax.ns) < least * static_cast<double>(tax.processor_ns) ||
        is_another_kind(tax, kFamily) || (kFamily == TaxFamily::kAllocation && keeps_memory(evidence))) {
        return;
    }
    const TaxInfo& info = info_of(kFamily);
    Claim claim;
    claim.node = node_of(evidence, tax.most->place);
    if (kFamily == TaxFamily::kStridedAccess && are_page_faults(evidence, claim.node, tax.most->ns)) {
        return;
    }
    claim.place = to_place(tax.most->place);
    claim.own = at_most(tax.threads, duration_ns(evidence));
    const bool is_called = !is_work;
    claim.own_terms = set_of(Term::kUser, Term::kSystem);
    claim.shorter_ns = shorter;
    claim.threads = main_threads(tax.threads);
    const double part = static_cast<double>(tax.most->ns) / static_cast<double>(tax.ns);
    claim.own_sure = (is_called || is_measured ? kSure : kSureOfWork) * std::max(part, kLeastTogether);
    const std::string share = in_percent(static_cast<double>(tax.ns) / static_cast<double>(tax.processor_ns));
    claim.title = kFamily == TaxFamily::kRepeated
                      ? fmt::format("{} of the processor time computes again what was computed before: {}.", share,
                                    repeating_words(*tax.most, name(*claim.place)))
                      : fmt::format("{} of the processor time is {}{}, {} of it {} {}.", share, info.words,
                                    tax.most->detail.empty() ? "" : fmt::format(" (`{}`)", tax.most->detail),
                                    tax.places == 1 ? "all" : in_percent(part), is_called ? "called in" : "in",
                                    name(*claim.place));
    claim.evidence = {seconds_of(std::string(info.words), static_cast<double>(tax.ns) / 1e9)};
    claims->push_back(std::move(claim));
}

constexpr std::string_view kNeeds =
    "a tenth of the processor time, and of what the run could be shorter by, is in functions of one family of "
    "run-time libraries, called from the program's own code";
constexpr std::string_view kSortNeeds =
    "half of the processor time, and of what the run could be shorter by, is in the libraries' sorting, or in "
    "what "
    "it calls to compare, where the program's own code sorts";
constexpr std::string_view kAgainst =
    "a function without a name, and one of no family in the table, count for nothing; waiting for locks is not "
    "taking them";
constexpr std::string_view kWorkNeeds =
    "a fifth of the processor time, and of what the run could be shorter by, is at instructions of one family in the "
    "program's own code, or at the ones behind them; of atomic instructions, two threads and more are there";
constexpr std::string_view kOperandNeeds =
    "a tenth of the processor time, and of what the run could be shorter by, is at instructions of the program's own "
    "code whose operands, in half or more of the samples that have them, are denormal numbers, or lie in a cache "
    "line that another thread of the process changes at the same time at other bytes";
constexpr std::string_view kRepeatedNeeds =
    "a fifth of the processor time, and of what the run could be shorter by, is in functions that change no memory "
    "(or in the C library's functions of mathematics), called in a loop that counts its rounds with at most eight "
    "different arguments, or by themselves twice and more "
    "with their own arguments plus constants";
constexpr std::string_view kRepeatedAgainst =
    "the loop may change memory that the function, or the making of its arguments, reads, or does not use the "
    "result; "
    "code that cannot be decoded, and other functions of other load images, count for nothing";
constexpr std::string_view kBranchNeeds =
    "a tenth of the processor time, and of what the run could be shorter by, is in the program's own code that in "
    "the branch stacks of the samples took twice as long behind mispredicted branches, or longer: half or more of "
    "its "
    "cycles are what it took longer there than behind predicted ones; without branch stacks: in innermost loops with "
    "three tenths of their samples and more at the first two instructions behind jumps that stay in the loop either "
    "way, on two sides of each, where even work would have fifteen hundredths less";
constexpr std::string_view kBranchAgainst =
    "code that was met in the stacks behind mispredicted branches, or behind predicted ones, less than twenty times, "
    "and stacks without cycles, count for nothing; without stacks, loops with fewer than a hundred samples, and "
    "jumps "
    "to a load, a division or a call, at which a processor waits in any case";
constexpr std::string_view kWorkAgainst =
    "code that cannot be decoded counts for nothing, nor do instructions of libraries, nor does access to memory "
    "that "
    "is touched for the first time (page faults)";

// `kind`: where another rule has the same defect.
template <TaxFamily kFamily>
constexpr Rule tax_rule(int place, std::string_view kind = info_of(kFamily).key) {
    Rule rule;
    rule.place = place;
    rule.kind = kind;
    rule.needs = kFamily == TaxFamily::kRepeated  ? kRepeatedNeeds
                 : kFamily == TaxFamily::kSorting ? kSortNeeds
                 : is_of_operands(kFamily)        ? kOperandNeeds
                 : is_of_branches(kFamily)        ? kBranchNeeds
                 : is_of_instructions(kFamily)    ? kWorkNeeds
                                                  : kNeeds;
    rule.against = kFamily == TaxFamily::kRepeated ? kRepeatedAgainst
                   : is_of_branches(kFamily)       ? kBranchAgainst
                   : is_of_instructions(kFamily)   ? kWorkAgainst
                                                   : kAgainst;
    rule.is_exclusive = true;
    rule.look = claim_tax<kFamily>;
    rule.direction = info_of(kFamily).direction;
    rule.confirm = info_of(kFamily).confirm;
    return rule;
}

}  // namespace

extern const Rule kTaskTax{tax_rule<TaxFamily::kTasks>(301)};
extern const Rule kExceptionTax{tax_rule<TaxFamily::kExceptions>(302)};
extern const Rule kRegexTax{tax_rule<TaxFamily::kRegex>(303)};
extern const Rule kFormatTax{tax_rule<TaxFamily::kFormatting>(304)};
extern const Rule kOutputTax{tax_rule<TaxFamily::kInputOutput>(305)};
extern const Rule kStringTax{tax_rule<TaxFamily::kStrings>(306)};
extern const Rule kHashTax{tax_rule<TaxFamily::kHashing>(307)};
extern const Rule kLockTax{tax_rule<TaxFamily::kLocking>(308)};
extern const Rule kReferenceTax{tax_rule<TaxFamily::kReferenceCounts>(309)};
extern const Rule kClockTax{tax_rule<TaxFamily::kClock>(310)};
extern const Rule kCopyTax{tax_rule<TaxFamily::kCopying>(311)};
extern const Rule kShiftTax{tax_rule<TaxFamily::kShifting>(317)};
extern const Rule kSortTax{tax_rule<TaxFamily::kSorting>(331)};
extern const Rule kSerialTax{tax_rule<TaxFamily::kSerialising>(327)};
extern const Rule kFillTax{tax_rule<TaxFamily::kFilling>(325)};
extern const Rule kAllocationTax{tax_rule<TaxFamily::kAllocation>(312, "allocation-churn")};
// None of kScalarLoop: how much vectors save depends on whether the data comes from the caches.
extern const Rule kScalarWork{tax_rule<TaxFamily::kNotVectorised>(321)};
extern const Rule kDivisionWork{tax_rule<TaxFamily::kDivision>(313)};
extern const Rule kAtomicWork{tax_rule<TaxFamily::kAtomics>(314)};
extern const Rule kFalseSharingWork{tax_rule<TaxFamily::kFalseSharing>(319)};
extern const Rule kDenormalWork{tax_rule<TaxFamily::kDenormals>(320)};
extern const Rule kBranchWork{tax_rule<TaxFamily::kBranches>(322)};
extern const Rule kStridedWork{tax_rule<TaxFamily::kStridedAccess>(315)};
extern const Rule kSerialSumWork{tax_rule<TaxFamily::kSerialSum>(318)};
extern const Rule kChainedWork{tax_rule<TaxFamily::kPointerChasing>(316)};
extern const Rule kRepeatedWork{tax_rule<TaxFamily::kRepeated>(323)};

}  // namespace kymo::findings
