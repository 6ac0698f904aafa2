#include "view/page/findings.h"

#include "findings/words.h"
#include "view/counted_occurrences.h"
#include "view/page/tables.h"
#include "view/spaces/space_words.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace kymo::view {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostRanges = 1000;
constexpr std::size_t kMostOccurrences = 100;

Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

// The longest of the occurrences that it counted, in time.
Json occurrences(const spacetime::Evidence& evidence, const findings::Finding& finding,
                 const spacetime::Profile& profile) {
    const CountedOccurrences found = counted_occurrences(evidence, finding);
    Json list = Json::array();
    for (const std::size_t row : longest_counted(evidence, found, kMostOccurrences)) {
        const CountedRow one = counted_row(evidence, found, row);
        list.push_back({one.begin - std::min(one.begin, profile.begin), one.end - one.begin, one.thread, one.number});
    }
    return {{"kind", counted_key(found.kind)},
            {"of", found.node != kNone ? shown_text(telling_name(evidence, found.node)) : std::string()},
            {"count", found.counted.size()},
            {"list", std::move(list)}};
}

Json card(const spacetime::Evidence& evidence, const findings::Finding& finding, const spacetime::Profile& profile,
          const std::vector<std::uint32_t>& calls) {
    Json rows = Json::array();
    for (const findings::EvidenceRow& row : finding.evidence) {
        const bool is_time = findings::is_time(row);
        const double scale = is_time ? 1e9 : 1;
        const std::string name = row.quantity == findings::Quantity::kSecondsOf ? row.event : findings::words_of(row);
        rows.push_back({{"event", shown_text(name)},
                        {"bad", number(row.bad * scale)},
                        {"good", number(row.good * scale)},
                        {"ratio", number(row.ratio)},
                        {"effect", number(row.effect)},
                        {"unit", is_time                                        ? "ns"
                                 : row.quantity == findings::Quantity::kShareOf ? "share"
                                                                                : "number"}});
    }
    Json when = Json::array();
    for (const TimeRange& range : finding.when) {
        if (when.size() < kMostRanges) {
            when.push_back(
                {range.begin - std::min(range.begin, profile.begin), range.end - std::min(range.end, profile.begin)});
        }
    }
    Json also = Json::array();
    for (const findings::Finding& other : finding.also) {
        also.push_back(shown_text(other.title));
    }
    const spacetime::Place& place = finding.place;
    const std::uint32_t call = raw(finding.node) < calls.size() ? finding.node.in(calls) : 0;
    return {{"kind", finding.kind},
            {"title", shown_text(finding.title)},
            {"where", shown_text(place.function.empty() && place.file.empty() ? place.module : place.function)},
            {"file", place.file},
            {"line", place.line_begin},
            {"space", call == 0 ? std::string() : "c" + std::to_string(call)},
            {"when", std::move(when)},
            {"threads", finding.threads},
            {"seconds", finding.is_cost_known ? Json(finding.seconds) : Json(nullptr)},
            {"share", finding.is_cost_known ? Json(finding.share) : Json(nullptr)},
            {"gain", std::isnan(finding.gain_low) ? Json(nullptr) : Json({finding.gain_low, finding.gain_high})},
            {"tested", finding.tested},
            {"confidence", finding.confidence},
            {"evidence", std::move(rows)},
            {"occurrences", occurrences(evidence, finding, profile)},
            {"direction", shown_text(finding.direction)},
            {"confirm", shown_text(finding.confirm)},
            {"also", std::move(also)}};
}

}  // namespace

Json page_findings(const spacetime::Evidence& evidence, const findings::Judgement& judgement,
                   const spacetime::Profile& profile, const std::vector<std::uint32_t>& calls) {
    Json bad = Json::array();
    for (const findings::Finding& finding : judgement.findings) {
        bad.push_back(card(evidence, finding, profile, calls));
    }
    Json good = Json::array();
    for (const findings::Finding& finding : judgement.advantages) {
        good.push_back(card(evidence, finding, profile, calls));
    }
    return {{"bad", std::move(bad)},
            {"good", std::move(good)},
            {"control", {{"rounds", judgement.control.rounds}, {"findings", judgement.control.findings}}}};
}

}  // namespace kymo::view
