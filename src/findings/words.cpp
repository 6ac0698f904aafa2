#include "findings/words.h"

#include "program/demangle.h"
#include "spacetime/evidence/telling_caller.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <set>

namespace kymo::findings {
namespace {

using spacetime::Evidence;
using spacetime::Place;

std::string base_name(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

// Two significant digits below 10, none after the point above.
std::string digits(double value) {
    return value < 9.95 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

}  // namespace

std::string at_line(std::string_view file, std::uint32_t line) {
    return file.empty() || line == 0 ? "" : fmt::format("{}:{}", base_name(file), line);
}

std::string name(const Place& place) {
    std::string function = place.function.empty()
                               ? (place.module.empty() ? "code without a name" : "code in " + place.module)
                               : "`" + program::plain_name(place.function) + "`";
    std::string line = at_line(place.file, place.line_begin);
    if (line.empty()) {
        return function;
    }
    if (place.line_end > place.line_begin) {
        line += fmt::format("–{}", place.line_end);
    }
    return fmt::format("{} ({})", function, line);
}

std::string name(const Evidence& evidence, NodeIndex node) {
    if (node == kNone) {
        return "the program";
    }
    const spacetime::SpaceNode& space = node.in(evidence.nodes);
    switch (space.kind) {
        case spacetime::SpaceKind::kMark:
            return fmt::format("the region `{}`", space.mark);
        case spacetime::SpaceKind::kIteration:
            return "a round of " + name(space.place);
        case spacetime::SpaceKind::kLoop:
        case spacetime::SpaceKind::kLoopNest:
            return "the loop in " + name(space.place);
        default:
            return name(space.place);
    }
}

std::string neighbour_name(const Evidence& evidence, std::uint32_t neighbour) {
    if (neighbour == spacetime::kParentItself) {
        return "the code around it";
    }
    if (neighbour >= evidence.nodes.size()) {
        return "anything else";
    }
    const std::string caller = spacetime::telling_caller(evidence, NodeIndex(neighbour));
    const std::string words = name(evidence, NodeIndex(neighbour));
    return caller.empty() ? words : fmt::format("{} called by `{}`", words, program::plain_name(caller));
}

std::string thread_name(const Evidence& evidence, std::uint32_t thread) {
    if (thread >= evidence.run.threads.size()) {
        return "a thread";
    }
    const spacetime::ThreadFacts& facts = evidence.run.threads[thread];
    if (facts.rank) {
        return facts.creator == kNone ? fmt::format("rank {}", *facts.rank)
                                      : fmt::format("`{}` of rank {}", facts.name, *facts.rank);
    }
    return facts.name.empty() ? fmt::format("thread {}", facts.tid)
                              : fmt::format("`{}` (thread {})", facts.name, facts.tid);
}

bool are_ranks(const Evidence& evidence, std::span<const std::uint32_t> threads) {
    return std::all_of(threads.begin(), threads.end(), [&](std::uint32_t thread) {
        return thread < evidence.run.threads.size() && evidence.run.threads[thread].rank &&
               evidence.run.threads[thread].creator == kNone;
    });
}

// If each is in a process of its own, and all have the same name: that name. Else empty.
static std::string one_name_of_processes(const Evidence& evidence, std::span<const std::uint32_t> threads) {
    std::set<std::uint32_t> processes;
    std::string name;
    for (const std::uint32_t thread : threads) {
        if (thread >= evidence.run.threads.size()) {
            return {};
        }
        const spacetime::ThreadFacts& facts = evidence.run.threads[thread];
        if ((!name.empty() && facts.name != name) || !processes.insert(facts.process).second) {
            return {};
        }
        name = facts.name;
    }
    return name;
}

std::string thread_names(const Evidence& evidence, std::span<const std::uint32_t> threads) {
    if (threads.size() == 1) {
        return thread_name(evidence, threads[0]);
    }
    if (are_ranks(evidence, threads)) {
        return fmt::format("{} ranks", threads.size());
    }
    if (const std::string name = one_name_of_processes(evidence, threads); !name.empty()) {
        return fmt::format("{} processes `{}`", threads.size(), name);
    }
    return fmt::format("{} threads", threads.size());
}

std::string does(std::span<const std::uint32_t> threads, std::string_view several) {
    return std::string(several) + (threads.size() == 1 ? "s" : "");
}

std::string target_name(const Evidence& evidence, std::uint32_t target) {
    if (target >= evidence.wait_targets.size()) {
        return "something";
    }
    const spacetime::WaitTarget& wait = evidence.wait_targets[target];
    std::string text = spacetime::wait_words(wait.kind, wait.object);
    if (!wait.place.function.empty()) {
        text += fmt::format(" in `{}`", program::plain_name(wait.place.function));
    }
    if (const std::string line = at_line(wait.place.file, wait.place.line); !line.empty()) {
        text += fmt::format(" ({})", line);
    }
    if (wait.holder < evidence.run.threads.size()) {
        text += (is_synchronisation(wait.kind) ? ", held up by " : ", by ") + thread_name(evidence, wait.holder);
    }
    return text;
}

std::string in_seconds(double ns) {
    const double size = std::abs(ns);
    if (size >= 1e9) {
        return digits(ns / 1e9) + " s";
    }
    if (size >= 1e6) {
        return digits(ns / 1e6) + " ms";
    }
    return digits(ns / 1e3) + " µs";
}

std::string in_percent(double share) {
    return digits(share * 100) + " %";
}

std::string times(double ratio) {
    return digits(ratio) + "×";
}

std::string number(double value) {
    if (std::abs(value) < 99.5) {
        return value == std::round(value) ? fmt::format("{:.0f}", value) : digits(value);
    }
    std::string text = fmt::format("{:.0f}", value);
    for (std::size_t at = text.size(); at > 3 && text[at - 4] != '-';) {
        at -= 3;
        text.insert(at, ",");
    }
    return text;
}

std::string how_often(std::uint64_t count) {
    return count == 1 ? "once" : number(static_cast<double>(count)) + " times";
}

std::string mostly_at(const spacetime::SpaceNode& node, CounterIndex counter) {
    std::int64_t all = 0;
    std::int64_t most = 0;
    const spacetime::LineShare* best = nullptr;
    for (const spacetime::LineShare& line : node.lines) {
        if (raw(counter) < line.deltas.size()) {
            all += counter.in(line.deltas);
            if (line.line != 0 && counter.in(line.deltas) > most) {
                most = counter.in(line.deltas);
                best = &line;
            }
        }
    }
    if (best == nullptr || most * 2 < all) {
        return "";
    }
    const double share = static_cast<double>(most) / static_cast<double>(all);
    return (share > 0.95 ? "all" : in_percent(share)) + " at " + at_line(best->file, best->line);
}

std::string words_of(const EvidenceRow& row) {
    switch (row.quantity) {
        case Quantity::kNumber:
            break;
        case Quantity::kSeconds:
            return row.event.empty() ? "seconds" : "seconds " + row.event;
        case Quantity::kSecondsOf:
            return "seconds of " + row.event;
        case Quantity::kShareOf:
            return "share of " + row.event;
    }
    return row.event;
}

std::string name_of(const Case& subject) {
    const Evidence& evidence = *subject.evidence;
    return subject.same == kNone ? name(evidence, subject.node)
                                 : name(evidence.spaces[evidence.same_spaces[subject.same].members.front()].place);
}

std::string slow_words(const Case& subject) {
    // Of occurrences shorter than the sampling period many are not seen at all.
    return fmt::format("{} of the {} occurrences{} of {} take{} {} longer than the rest ({} against {})",
                       subject.bad.count, subject.bad.count + subject.good.count,
                       subject.space().folded ? " seen" : "", name_of(subject), subject.bad.count == 1 ? "s" : "",
                       times(subject.bad.median_ns / subject.good.median_ns), in_seconds(subject.bad.median_ns),
                       in_seconds(subject.good.median_ns));
}

std::string account_words(const Case& subject) {
    const auto total = static_cast<double>(subject.excess.total());
    std::string text;
    double told = 0;
    for (const ExcessPart& part : subject.excess.parts) {
        const double share = static_cast<double>(part.ns) / total;
        if (total <= 0 || share < 0.1 || told > 0.85) {
            break;
        }
        // More than all: other terms decreased meanwhile.
        text += fmt::format("{}{} of the excess is {}", text.empty() ? "" : ", ", in_percent(std::min(share, 1.0)),
                            words(part.term));
        if (part.target != kNone) {
            text += " (" + target_name(*subject.evidence, part.target) + ")";
        }
        told += share;
    }
    return text;
}

}  // namespace kymo::findings
