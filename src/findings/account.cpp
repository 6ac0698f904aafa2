#include "findings/account.h"

#include <algorithm>
#include <map>

namespace kymo::findings {
namespace {

using spacetime::OccurrenceTable;
using spacetime::OccurrenceWait;

// The middle half by duration, without waiting for a processor; all of fewer than four.
std::vector<std::size_t> middle_half(const OccurrenceTable& occurrences, std::span<const std::size_t> rows) {
    std::vector<std::size_t> order(rows.begin(), rows.end());
    const auto own_ns = [&](std::size_t row) {
        return occurrences.terms[row].wall() - occurrences.terms[row].run_queue;
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return own_ns(a) < own_ns(b); });
    const std::size_t cut = order.size() < 4 ? 0 : order.size() / 4;
    return {order.begin() + static_cast<std::ptrdiff_t>(cut), order.end() - static_cast<std::ptrdiff_t>(cut)};
}

std::int64_t waited_for(std::span<const OccurrenceWait> waits, std::uint32_t target) {
    std::int64_t ns = 0;
    for (const OccurrenceWait& wait : waits) {
        ns += wait.target == target ? wait.ns : 0;
    }
    return ns;
}

}  // namespace

Excess account(const OccurrenceTable& occurrences, std::span<const std::size_t> slow,
               std::span<const std::size_t> fast) {
    Excess excess;
    excess.rows.assign(slow.begin(), slow.end());
    const std::vector<std::size_t> middle = middle_half(occurrences, fast);
    const auto count = static_cast<std::int64_t>(std::max<std::size_t>(1, middle.size()));
    std::map<std::uint32_t, std::int64_t> usual_waits;
    for (const std::size_t row : middle) {
        excess.usual += occurrences.terms[row];
        for (const OccurrenceWait& wait : occurrences.waits_of(row)) {
            usual_waits[wait.target] += wait.ns;
        }
    }
    for (const TermInfo& info : kTerms) {
        excess.usual.*info.member /= count;
    }
    // The remainders of dividing the waits, target by target, belong to no target: they stay with the term.
    for (const auto& [target, ns] : usual_waits) {
        excess.usual_waits.push_back({target, ns / count});
    }

    std::map<std::uint32_t, std::int64_t> waits;
    for (const OccurrenceWait& usual : excess.usual_waits) {
        waits[usual.target] -= usual.ns * static_cast<std::int64_t>(slow.size());
    }
    for (const std::size_t row : slow) {
        for (const TermInfo& info : kTerms) {
            excess.terms.*info.member += occurrences.terms[row].*info.member - excess.usual.*info.member;
        }
        for (const OccurrenceWait& wait : occurrences.waits_of(row)) {
            waits[wait.target] += wait.ns;
        }
    }
    for (const TermInfo& info : kTerms) {
        std::int64_t rest = excess.terms.*info.member;
        if (info.term == Term::kWaiting) {
            for (const auto& [target, ns] : waits) {
                if (ns != 0) {
                    excess.parts.push_back({info.term, target, ns});
                    rest -= ns;
                }
            }
        }
        if (rest != 0) {
            excess.parts.push_back({info.term, kNone, rest});
        }
    }
    std::stable_sort(excess.parts.begin(), excess.parts.end(),
                     [](const ExcessPart& a, const ExcessPart& b) { return a.ns > b.ns; });
    return excess;
}

std::vector<double> explained(const OccurrenceTable& occurrences, const Excess& excess, const Explains& explains) {
    std::vector<double> result;
    result.reserve(excess.rows.size());
    for (const std::size_t row : excess.rows) {
        std::int64_t ns = 0;
        for (const TermInfo& info : kTerms) {
            if (!has(explains.terms, info.term)) {
                continue;
            }
            if (info.term != Term::kWaiting || explains.all_targets) {
                ns += occurrences.terms[row].*info.member - excess.usual.*info.member;
                continue;
            }
            for (const std::uint32_t target : explains.targets) {
                ns += waited_for(occurrences.waits_of(row), target) - waited_for(excess.usual_waits, target);
            }
        }
        const std::int64_t own = occurrences.terms[row].wall() - excess.usual.wall();
        result.push_back(static_cast<double>(std::clamp<std::int64_t>(ns, 0, std::max<std::int64_t>(0, own))));
    }
    return result;
}

}  // namespace kymo::findings
