#include "view/findings.h"

#include "findings/words.h"
#include "program/demangle.h"
#include "view/counted_occurrences.h"
#include "view/counted_table.h"
#include "view/json_text.h"
#include "view/spaces/space_json.h"
#include "view/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::view {
namespace {

using findings::Control;
using findings::EvidenceRow;
using findings::Finding;
using spacetime::Evidence;

constexpr std::size_t kMostTimes = 6;
constexpr std::size_t kMostAlso = 3;
constexpr std::size_t kMostListed = 100;  // occurrences of a finding, as data
constexpr double kAllSure = 0.995;
constexpr std::size_t kShortTitleLines = 2;  // its kind and share among them; the direction has one more

std::string paragraph(const Style& style, std::string_view text, std::size_t indent) {
    return wrap(style, with_signs(style, std::string(text)), indent, indent);
}

std::string at_stake(const Finding& finding) {
    return finding.is_cost_known ? fmt::format("{} of the run", percent(finding.share)) : "cost not known";
}

std::string times_words(const Evidence& evidence, const Finding& finding) {
    if (finding.when.empty()) {
        return "";
    }
    std::string text = "At ";
    for (std::size_t i = 0; i < std::min(kMostTimes, finding.when.size()); ++i) {
        const TimeRange& range = finding.when[i];
        const std::uint64_t begin = range.begin - std::min(range.begin, evidence.run.begin);
        text += fmt::format("{}{:.2f}", i == 0 ? "" : ", ", static_cast<double>(begin) / 1e9);
    }
    text += " s";
    if (finding.when.size() > kMostTimes) {
        text += " and " + quantity(finding.when.size() - kMostTimes, "more time");
    }
    return text + ".";
}

std::string evidence_words(const Finding& finding) {
    std::string text;
    for (const EvidenceRow& row : finding.evidence) {
        const bool is_time = findings::is_time(row);
        const auto value = [&](double x) { return is_time ? findings::in_seconds(x * 1e9) : findings::number(x); };
        if (std::isnan(row.bad) || std::isnan(row.good) || row.event.empty()) {
            continue;
        }
        text += fmt::format("{}{} {} against {}", text.empty() ? "" : "; ",
                            row.quantity == findings::Quantity::kSecondsOf ? row.event : findings::words_of(row),
                            value(row.bad), value(row.good));
    }
    return text.empty() ? text : "Evidence: " + text + ".";
}

std::string sure_words(const Finding& finding) {
    if (finding.tested) {
        const double chance = 1 - finding.confidence;
        return chance > 0 ? fmt::format("tested: 1 in {} by chance", findings::number(std::round(1 / chance)))
                          : std::string("tested");
    }
    if (!finding.is_cost_known) {
        return "counted directly";
    }
    return finding.share_low > kAllSure * finding.share
               ? std::string("measured directly")
               : fmt::format("measured directly: {} at least", percent(finding.share_low));
}

// As much of a text as `room` columns hold: its first sentence, else its first words without a parenthesis that is
// not closed.
std::string shortened(const Style& style, std::string_view text, std::size_t room) {
    if (columns(text) <= room) {
        return std::string(text);
    }
    const std::size_t sentence = text.find(". ");
    if (sentence != std::string_view::npos && columns(text.substr(0, sentence + 1)) <= room) {
        return std::string(text.substr(0, sentence + 1));
    }
    const std::string_view ellipsis = signs(style).ellipsis;
    if (room <= columns(ellipsis) + 1) {
        return std::string(ellipsis);
    }
    std::string cut = cut_end(style, text, room - 1);
    cut.resize(cut.size() - ellipsis.size());
    cut.erase(std::min(cut.rfind(' '), cut.size()));
    const std::size_t open = cut.rfind('(');
    if (open != std::string::npos && open > cut.size() / 2 && cut.find(')', open) == std::string::npos) {
        cut.erase(open);
    }
    cut.erase(cut.find_last_not_of(" ,;:") + 1);
    return cut + " " + std::string(ellipsis);
}

// The most columns that a text takes in `lines` lines when it is broken at spaces.
std::size_t room_of(const Style& style, std::size_t lines, std::size_t indent) {
    constexpr std::size_t kBroken = 8;  // lost at the end of a line, on average
    return lines * (style.width - indent) - (lines - 1) * kBroken;
}

// `head` and as much of `text` as at most `most` lines hold, whatever the words are.
std::string first_lines(const Style& style, const std::string& head, std::string_view text, std::size_t most,
                        std::size_t indent, std::size_t hanging) {
    const std::size_t all = room_of(style, most, hanging);
    std::string out;
    for (std::size_t room = all - std::min(all, columns(head)); room > 0; --room) {
        out = wrap(style, head + shortened(style, text, room), indent, hanging);
        if (static_cast<std::size_t>(std::count(out.begin(), out.end(), '\n')) <= most) {
            break;
        }
    }
    return out;
}

void add(std::string* out, const std::string& text) {
    *out += text;
    if (!text.empty() && text.back() != '\n') {
        *out += '\n';
    }
}

// The same, shorter.
std::string sure_note(const Finding& finding) {
    if (finding.tested) {
        const double chance = 1 - finding.confidence;
        return chance > 0 ? fmt::format(" (1 in {} by chance)", findings::number(std::round(1 / chance))) : "";
    }
    const bool is_all_sure = !finding.is_cost_known || finding.share_low > kAllSure * finding.share;
    return is_all_sure ? "" : fmt::format(" ({} at least)", percent(finding.share_low));
}

std::string head_of(const Style& style, const Finding& finding, std::size_t number) {
    return paint(style, Ink::kHot, fmt::format("{}. {} ", number, finding.kind)) + at_stake(finding) + " (" +
           sure_words(finding) + ")\n";
}

void add_finding(const Style& style, const Evidence& evidence, const Finding& finding, std::size_t number,
                 std::string* out) {
    *out += head_of(style, finding, number);
    add(out, paragraph(style, finding.title, 3));
    if (finding.node != kNone && !finding.node.in(evidence.nodes).path.empty()) {
        const auto& path = finding.node.in(evidence.nodes).path;
        std::string text;
        for (const std::string& function : path) {
            text += (text.empty() ? "" : std::string(" ") + std::string(signs(style).then) + " ") +
                    program::plain_name(function);
        }
        add(out, paint(style, Ink::kDim, "   " + cut_begin(style, text, style.width - 3)));
    }
    for (const std::string& text : {evidence_words(finding), times_words(evidence, finding)}) {
        if (!text.empty()) {
            add(out, paragraph(style, text, 3));
        }
    }
    if (!finding.direction.empty()) {
        add(out, paragraph(style, "Direction: " + finding.direction + ".", 3));
    }
    if (!finding.confirm.empty()) {
        add(out, paragraph(style, "To confirm: " + finding.confirm + ".", 3));
    }
    if (!std::isnan(finding.gain_low)) {
        add(out,
            paragraph(style,
                      fmt::format("Expect the run to be {} to {} shorter without it.",
                                  findings::in_percent(finding.gain_low), findings::in_percent(finding.gain_high)),
                      3));
    }
    for (std::size_t i = 0; i < std::min(kMostAlso, finding.also.size()); ++i) {
        const Finding& also = finding.also[i];
        add(out, paragraph(style, fmt::format("Also {} ({}): {}", also.kind, at_stake(also), also.title), 3));
    }
    *out += '\n';
}

std::string control_line(const findings::Judgement& judgement) {
    const Control& control = judgement.control;
    if (control.rounds == 0) {
        return "";
    }
    const auto compared = std::count_if(judgement.findings.begin(), judgement.findings.end(),
                                        [](const Finding& finding) { return finding.is_compared; });
    std::string text = fmt::format(
        "Control: {} of slow with fast occurrences, of neighbours, gaps and returning waits, by {} in all, gave {} "
        "finding{} in this run, and {} on average with their labels shuffled ({} rounds).",
        quantity(control.comparisons, "comparison"),
        quantity(control.features, "event count or other figure", "event counts and other figures"),
        compared == 0 ? "no" : std::to_string(compared), compared == 1 ? "" : "s",
        control.findings == 0 ? "none" : fmt::format("{:.1f}", control.findings), control.rounds);
    const std::size_t sums = judgement.findings.size() - static_cast<std::size_t>(compared);
    if (sums != 0) {
        const std::string which = compared == 0 ? (sums == 1 ? "The" : fmt::format("All {}", sums))
                                                : (sums == 1 ? "The other" : fmt::format("The other {}", sums));
        text += " " + which +
                (sums == 1 ? " finding is a sum of what was measured: chance has no part in it."
                           : " findings are sums of what was measured: chance has no part in them.");
    }
    return text;
}

nlohmann::ordered_json json_number(double value) {
    return std::isnan(value) || std::isinf(value) ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(value);
}

nlohmann::ordered_json json_finding_place(const spacetime::Place& place) {
    nlohmann::ordered_json json;
    json["function"] = place.function;
    json["file"] = place.file;
    json["line_begin"] = known_or_null(place.line_begin);
    json["line_end"] = known_or_null(place.line_end);
    json["module"] = place.module;
    json["ranges"] = nlohmann::ordered_json::array();
    for (const spacetime::ByteRange& range : place.ranges) {
        json["ranges"].push_back({range.begin, range.end});
    }
    return json;
}

nlohmann::ordered_json json_counted(const Evidence& evidence, const Finding& finding) {
    const CountedOccurrences occurrences = counted_occurrences(evidence, finding);
    nlohmann::ordered_json json;
    json["kind"] = counted_key(occurrences.kind);
    json["space"] = occurrences.node != kNone ? nlohmann::ordered_json(raw(occurrences.node)) : nullptr;
    json["count"] = occurrences.counted.size();
    json["others"] = occurrences.others.size();
    json["list"] = nlohmann::ordered_json::array();
    for (const std::size_t row : longest_counted(evidence, occurrences, kMostListed)) {
        const CountedRow one = counted_row(evidence, occurrences, row);
        json["list"].push_back({{"number", one.number},
                                {"thread", one.thread},
                                {"begin_s", seconds(one.begin - std::min(one.begin, evidence.run.begin))},
                                {"end_s", seconds(one.end - std::min(one.end, evidence.run.begin))},
                                {"terms", json_terms(one.terms)},
                                {"before", json_neighbour(evidence, one.before, occurrences.node, true)},
                                {"after", json_neighbour(evidence, one.after, occurrences.node, false)},
                                {"events", json_events(evidence, one.deltas)}});
    }
    return json;
}

nlohmann::ordered_json json_finding(const Evidence& evidence, const Finding& finding) {
    nlohmann::ordered_json json;
    json["kind"] = finding.kind;
    json["title"] = finding.title;
    const auto known = [&](double value) {
        return finding.is_cost_known ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
    };
    json["share"] = known(finding.share);
    json["share_low"] = known(finding.share_low);
    json["gain_low"] = json_number(finding.gain_low);
    json["gain_high"] = json_number(finding.gain_high);
    json["seconds"] = known(finding.seconds);
    json["confidence"] = finding.confidence;
    json["tested"] = finding.tested;
    json["compared"] = finding.is_compared;
    json["place"] = json_finding_place(finding.place);
    json["path"] = finding.node != kNone ? nlohmann::ordered_json(finding.node.in(evidence.nodes).path)
                                         : nlohmann::ordered_json::array();
    json["threads"] = nlohmann::ordered_json::array();
    for (const std::uint32_t thread : finding.threads) {
        const spacetime::ThreadFacts& facts = evidence.run.threads[thread];
        json["threads"].push_back({{"tid", facts.tid},
                                   {"name", facts.name},
                                   {"rank", facts.rank ? nlohmann::ordered_json(*facts.rank) : nullptr}});
    }
    json["when_s"] = nlohmann::ordered_json::array();
    const auto second = [&](std::uint64_t time) {
        return static_cast<double>(time - std::min(time, evidence.run.begin)) / 1e9;
    };
    for (const TimeRange& range : finding.when) {
        json["when_s"].push_back({second(range.begin), second(range.end)});
    }
    json["evidence"] = nlohmann::ordered_json::array();
    for (const EvidenceRow& row : finding.evidence) {
        json["evidence"].push_back({{"event", findings::words_of(row)},
                                    {"bad", json_number(row.bad)},
                                    {"good", json_number(row.good)},
                                    {"ratio", json_number(row.ratio)},
                                    {"effect", json_number(row.effect)},
                                    {"q", json_number(row.q)}});
    }
    json["direction"] = finding.direction;
    json["confirm"] = finding.confirm;
    json["occurrences"] = json_counted(evidence, finding);
    json["also"] = json_findings(evidence, finding.also);
    return json;
}

std::string_view no_findings(const findings::Judgement& judgement) {
    return judgement.is_withheld ? "None are drawn from a damaged recording." : "Nothing stands out.";
}

}  // namespace

std::string terminal_findings(const Style& style, const Evidence& evidence, const findings::Judgement& judgement,
                              std::size_t top) {
    std::string out = paint(style, Ink::kHeading, "Findings") + "\n";
    if (judgement.findings.empty()) {
        add(&out, paragraph(style, no_findings(judgement), 2));
        out += '\n';
    }
    for (std::size_t i = 0; i < std::min(top, judgement.findings.size()); ++i) {
        add_finding(style, evidence, judgement.findings[i], i + 1, &out);
    }
    if (judgement.findings.size() > top) {
        add(&out, fmt::format("  {} {} more", signs(style).ellipsis, judgement.findings.size() - top));
    }
    if (!judgement.advantages.empty()) {
        out += paint(style, Ink::kHeading, "What is good") + "\n";
        for (std::size_t i = 0; i < std::min(top, judgement.advantages.size()); ++i) {
            const Finding& good = judgement.advantages[i];
            add(&out, paragraph(style, good.title, 2));
            if (!good.direction.empty()) {
                add(&out, paragraph(style, "Direction: " + good.direction + ".", 4));
            }
        }
        out += '\n';
    }
    if (const std::string control = control_line(judgement); !control.empty()) {
        add(&out, paragraph(style, control, 0));
    }
    return out;
}

std::string terminal_short_findings(const Style& style, const findings::Judgement& judgement, std::size_t top) {
    std::string out = paint(style, Ink::kHeading, "Findings") + "\n";
    if (judgement.findings.empty()) {
        add(&out, paragraph(style, no_findings(judgement), 2));
    }
    const std::size_t shown = std::min(top, judgement.findings.size());
    for (std::size_t i = 0; i < shown; ++i) {
        const Finding& finding = judgement.findings[i];
        const std::string head =
            fmt::format("{}. {} {}{}:", i + 1, finding.kind, at_stake(finding), sure_note(finding));
        const std::string text =
            first_lines(style, head + " ", with_signs(style, finding.title), kShortTitleLines, 0, 3);
        out += paint(style, Ink::kHot, std::string_view(text).substr(0, head.size())) + text.substr(head.size());
        if (!finding.direction.empty()) {
            const std::string arrow = std::string(signs(style).arrow) + " ";
            out += first_lines(style, arrow, with_signs(style, finding.direction), 1, 3, 5);
        }
    }
    if (judgement.findings.size() > shown) {
        std::string rest;
        for (std::size_t i = shown; i < judgement.findings.size(); ++i) {
            const Finding& finding = judgement.findings[i];
            rest += fmt::format("{}{}{}", i == shown ? "" : ", ", finding.kind,
                                finding.is_cost_known ? " " + percent(finding.share) : "");
        }
        const std::string head =
            fmt::format("{} {} more: ", signs(style).ellipsis, judgement.findings.size() - shown);
        out += first_lines(style, head, rest, 1, 0, 3);
    }
    return out;
}

std::string terminal_finding(const Style& style, const Evidence& evidence, const findings::Judgement& judgement,
                             std::size_t number, std::size_t top) {
    std::string out;
    add_finding(style, evidence, judgement.findings[number - 1], number, &out);
    out.pop_back();  // the table begins with an empty line
    return out + terminal_counted(style, evidence, judgement.findings[number - 1], top);
}

nlohmann::ordered_json json_findings(const Evidence& evidence, const std::vector<Finding>& found) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const Finding& finding : found) {
        json.push_back(json_finding(evidence, finding));
    }
    return json;
}

nlohmann::ordered_json json_control(const Control& control) {
    return {{"rounds", control.rounds},
            {"comparisons", control.comparisons},
            {"features", control.features},
            {"findings_by_chance", control.findings}};
}

}  // namespace kymo::view
