#include "view/hunt_results.h"

#include "spacetime/hunt_results/directions.h"
#include "view/json_text.h"
#include "view/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace kymo::view {
namespace {

using spacetime::HeavyHitter;
using spacetime::HuntFacts;
using spacetime::HuntResults;
using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 8> kKeys = {"instruction", "image",    "call-site", "data-page",
                                                   "data-line",   "function", "line",      "block"};
constexpr std::array<std::string_view, 3> kPrecisions = {"skid", "constant", "precise"};

std::string_view key_of(const HuntFacts& hunt) {
    const auto key = static_cast<std::size_t>(hunt.key);
    return key < kKeys.size() ? kKeys[key] : "unknown";
}

constexpr std::array<std::string_view, 3> kEngines = {"program", "kernel", "replay"};

std::string_view engine_of(const HuntFacts& hunt) {
    return kEngines[static_cast<std::size_t>(hunt.engine)];
}

std::string_view precision_of(const HuntFacts& hunt) {
    const auto precision = static_cast<std::size_t>(hunt.precision);
    return precision < kPrecisions.size() ? kPrecisions[precision] : "skid";
}

std::string short_file(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string place_words(const program::SourcePlace& place, const std::string& fallback) {
    std::string text = place.function.empty() ? fallback : place.function;
    if (place.line != 0) {
        text += fmt::format("  {}:{}", short_file(place.file), place.line);
    } else if (!place.module.empty()) {
        text += "  " + place.module;
    }
    return text;
}

std::string address_words(const HeavyHitter& hitter) {
    return fmt::format("{}+0x{:x}", hitter.image.path.empty() ? "address " : short_file(hitter.image.path),
                       hitter.offset);
}

// "0.10 s to 2.31 s, and again 4.0 s to the end"
std::string hold_words(const Style& style, const HeavyHitter& hitter) {
    constexpr std::size_t kMost = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(kMost, hitter.when.size()); ++i) {
        const spacetime::Hold& hold = hitter.when[i];
        text += fmt::format("{}{} to {}", i == 0 ? "" : ", again ", duration(style, hold.begin_ns),
                            hold.quiet ? duration(style, hold.end_ns) : "the end");
    }
    if (hitter.when.size() > kMost) {
        text += ", and " + quantity(hitter.when.size() - kMost, "more time");
    }
    return text;
}

std::string path_words(const Style& style, const HeavyHitter& hitter) {
    std::string text;
    for (std::size_t i = hitter.path.size(); i-- > 0;) {
        const program::SourcePlace& place = hitter.path[i];
        text += fmt::format("{}{}{}", text.empty() ? "" : fmt::format(" {} ", signs(style).from),
                            place.function.empty() ? "?" : place.function,
                            place.line == 0 ? "" : fmt::format(" ({}:{})", short_file(place.file), place.line));
    }
    return text;
}

std::string share_words(const Style& style, const pairs::Share& share) {
    return fmt::format("{} {} {}", percent(share.value), style.unicode ? "±" : "+-", percent(share.error));
}

// The address of one instance, how it was found, and the instructions around it.
void add_instance(const Style& style, const HuntResults& results, const HeavyHitter& hitter, bool is_alone,
                  bool is_brief, std::string& out) {
    // Other keys cover many instructions; the address is that of one of them.
    const bool is_instruction = results.hunt.key == recording::HuntKey::kInstruction;
    const std::string text =
        fmt::format("{}{}{} {}; found after {} {}; held that share from {}; process {}, thread {}",
                    is_alone ? "" : share_words(style, hitter.share) + "  ",
                    is_instruction ? "" : "one instance: ", address_words(hitter),
                    precision_of(results.hunt) == "precise" ? "exactly"
                    : precision_of(results.hunt) == "skid"  ? "or some instructions before"
                                                            : "at a constant distance",
                    count(static_cast<std::int64_t>(hitter.found_after)),
                    hitter.found_after == 1 ? "event" : "events", hold_words(style, hitter), hitter.pid, hitter.tid);
    out += wrap(style, text, 5, 7);
    if (is_brief) {
        return;
    }
    if (hitter.data != 0) {
        out += fmt::format("     data address of one instance: 0x{:x}\n", hitter.data);
    }
    if (!hitter.path.empty()) {
        out += wrap(style, "called from " + path_words(style, hitter), 5, 7);
    }
    for (std::size_t i = 0; i < hitter.listing.size(); ++i) {
        const program::ListedInstruction& line = hitter.listing[i];
        const bool here = line.offset <= hitter.offset &&
                          (i + 1 == hitter.listing.size() || hitter.offset < hitter.listing[i + 1].offset);
        const std::string shown = fmt::format("     {} {:8x}  {}", here ? ">" : " ", line.offset, line.text);
        out += paint(style, here ? Ink::kHot : Ink::kDim, cut_end(style, shown, style.width)) + "\n";
    }
}

// A row: the heavy hitters of one line, from `first` on.
void add_row(const Style& style, const HuntResults& results, std::size_t first, bool is_brief, std::string& out) {
    const HeavyHitter& hitter = results.heavy_hitters[first];
    const spacetime::HuntRow& row = results.rows[hitter.row];
    const std::string number = fmt::format("  {}. ", hitter.row + 1);
    const std::string part = share_words(style, row.share);
    const std::string several = row.hitters == 1 ? "" : "  " + quantity(row.hitters, "instruction");
    const std::size_t room = style.width - columns(number) - columns(part) - 2 - columns(several);
    const std::string where = cut_begin(style, place_words(hitter.place, address_words(hitter)), room);
    out += number + paint(style, Ink::kHot, part) + "  " + paint(style, Ink::kName, where) + several + "\n";
    for (std::size_t i = 0; i < row.hitters; ++i) {
        add_instance(style, results, results.heavy_hitters[first + i], row.hitters == 1, is_brief, out);
    }
    if (is_brief) {
        return;
    }
    if (const std::string direction = spacetime::direction_for(results.hunt.event, hitter); !direction.empty()) {
        out += wrap(style, direction, 5, 5);
    }
    out += "\n";
}

Json place_json(const program::SourcePlace& place) {
    return {{"function", place.function},
            {"file", place.file},
            {"line", known_or_null(place.line)},
            {"module", place.module}};
}

std::string test_words(const HuntFacts& hunt) {
    if (!hunt.literal_pair) {
        return "sequential test";
    }
    if (hunt.all_terminal == 0) {
        return "literal pair of counters";
    }
    return fmt::format("literal pair of counters (T1 {} events, T2 {} matches{})",
                       count(static_cast<std::int64_t>(hunt.all_terminal)),
                       count(static_cast<std::int64_t>(hunt.matching_terminal)),
                       hunt.false_reports > 0 ? "; later captures' are stricter" : "");
}

}  // namespace

std::string reach_of(const HuntResults& results) {
    const HuntFacts& hunt = results.hunt;
    const auto seen = static_cast<double>(hunt.events) * static_cast<double>(hunt.every);
    if (!results.hunted || hunt.events_alone <= 0) {
        return {};
    }
    const auto rounded = [](double events) { return count(static_cast<std::int64_t>(std::llround(events))); };
    if (hunt.events == 0) {
        return fmt::format("no {} occurred in user mode, or none could be inspected", hunt.event);
    }
    if (seen < hunt.events_among_many) {
        return fmt::format(
            "{} events are few for a share of {}: one takes {} to {} events to report. Run {:.0f} times as long, or "
            "ask for a larger share (--share) or more of the events (a shorter period)",
            rounded(seen), percent(hunt.share), rounded(hunt.events_alone), rounded(hunt.events_among_many),
            std::ceil(hunt.events_among_many / std::max(seen, 1.0)));
    }
    return {};
}

std::string terminal_hunt_results(const Style& style, const HuntResults& results, std::size_t top, bool is_brief) {
    if (!results.hunted) {
        return {};
    }
    const HuntFacts& hunt = results.hunt;
    std::string out =
        (is_brief ? "\n" : "") + paint(style, Ink::kHeading, fmt::format("Hunt for {}", hunt.event)) + "\n";
    out +=
        wrap(style,
             fmt::format("Sources ({}) of {} of the events or more are reported with confidence {}, those of {} or "
                         "less are not ({}). {} event{} looked at, {} {}, by the {}, {} pair{}{}.",
                         key_of(hunt), percent(hunt.share), percent(hunt.confidence), percent(hunt.refuse),
                         hunt.false_reports > 0
                             ? fmt::format("{:.3g} false reports to expect in the run, at most", hunt.false_reports)
                             : "with the terminals given there is no bound on false reports",
                         count(static_cast<std::int64_t>(hunt.events)), hunt.events == 1 ? "" : "s",
                         count(static_cast<std::int64_t>(hunt.captures)), hunt.captures == 1 ? "capture" : "captures",
                         test_words(hunt), hunt.cells, hunt.cells == 1 ? "" : "s",
                         hunt.engine == spacetime::HuntedBy::kKernel   ? ", in the kernel"
                         : hunt.engine == spacetime::HuntedBy::kReplay ? ", in the recording"
                                                                       : ""),
             2, 2);
    out += "\n";
    std::size_t first = 0;
    for (std::size_t i = 0; i < std::min(top, results.rows.size()); first += results.rows[i].hitters, ++i) {
        add_row(style, results, first, is_brief, out);
    }
    if (results.rows.size() > top) {
        out += fmt::format("  and {} more (--top)\n", results.rows.size() - top);
    }
    const std::string reach = reach_of(results);
    if (results.heavy_hitters.empty()) {
        out += wrap(style,
                    reach.empty() ? fmt::format("No source causes as much as {} of the events.", percent(hunt.share))
                                  : "Nothing was found: " + reach + ".",
                    2, 2);
    } else if (!reach.empty()) {
        out += wrap(style, "Others may not have had the time to show: " + reach + ".", 2, 2);
    }
    if (hunt.dropped != 0) {
        out += wrap(style,
                    quantity(hunt.dropped, "event") + " came while another processor was at the cells: passed over.",
                    2, 2);
    }
    if (hunt.overfull != 0) {
        out += wrap(style,
                    quantity(hunt.overfull, "result") + " did not fit into the hunt's memory: give a larger --share.",
                    2, 2);
    }
    if (hunt.by_instruction != 0) {
        out +=
            wrap(style,
                 fmt::format("Of {} the {} is not known (no symbols, or no debug information): taken by instruction.",
                             quantity(hunt.by_instruction, "event"), key_of(hunt)),
                 2, 2);
    }
    if (hunt.placeless != 0) {
        out += wrap(
            style, quantity(hunt.placeless, "event") + " without an address in the recording: counted for no source.",
            2, 2);
    }
    if (hunt.unfinished != 0) {
        out += wrap(style,
                    "A process was killed: its counts and shares are those written last, of half its events or more.",
                    2, 2);
    }
    return out;
}

Json json_hunt_results(const HuntResults& results) {
    Json list = Json::array();
    for (const HeavyHitter& hitter : results.heavy_hitters) {
        Json when = Json::array();
        for (const spacetime::Hold& hold : hitter.when) {
            when.push_back(
                {{"begin_s", seconds(hold.begin_ns)}, {"end_s", seconds(hold.end_ns)}, {"quiet", hold.quiet}});
        }
        Json path = Json::array();
        for (const program::SourcePlace& place : hitter.path) {
            path.push_back(place_json(place));
        }
        Json listing = Json::array();
        for (const program::ListedInstruction& line : hitter.listing) {
            listing.push_back({{"offset", line.offset}, {"text", line.text}});
        }
        Json place = place_json(hitter.place);
        place["image"] = hitter.image.path;
        place["offset"] = hitter.offset;
        list.push_back({{"place", std::move(place)},
                        {"share", hitter.share.value},
                        {"error", hitter.share.error},
                        {"row",
                         {{"number", hitter.row + 1},
                          {"share", results.rows[hitter.row].share.value},
                          {"error", results.rows[hitter.row].share.error}}},
                        {"precision", precision_of(results.hunt)},
                        {"event", results.hunt.event},
                        {"when", std::move(when)},
                        {"found_after_events", hitter.found_after},
                        {"test_events", hitter.events},
                        {"test_matches", hitter.matches},
                        {"data", known_or_null(hitter.data)},
                        {"pid", hitter.pid},
                        {"tid", hitter.tid},
                        {"call_path", std::move(path)},
                        {"listing", std::move(listing)},
                        {"direction", spacetime::direction_for(results.hunt.event, hitter)}});
    }
    return list;
}

Json json_hunt(const HuntResults& results) {
    if (!results.hunted) {
        return nullptr;
    }
    const HuntFacts& hunt = results.hunt;
    return {{"event", hunt.event},
            {"key", key_of(hunt)},
            {"engine", engine_of(hunt)},
            {"test", hunt.literal_pair ? "pair" : "sequential"},
            {"pairs", hunt.cells},
            {"every", hunt.every},
            {"share", hunt.share},
            {"refuse", hunt.refuse},
            {"confidence", hunt.confidence},
            {"false_reports", hunt.false_reports > 0 ? Json(hunt.false_reports) : Json(nullptr)},
            {"terminals", hunt.all_terminal != 0 ? Json({hunt.all_terminal, hunt.matching_terminal}) : Json(nullptr)},
            {"rest_events", hunt.rest != 0 ? Json(hunt.rest - 1) : Json(nullptr)},
            {"precision", precision_of(hunt)},
            {"events", hunt.events},
            {"captures", hunt.captures},
            {"events_to_report", {{"alone", hunt.events_alone}, {"among_many", hunt.events_among_many}}},
            {"dropped_events", hunt.dropped},
            {"overfull_results", hunt.overfull},
            {"unfinished_processes", hunt.unfinished},
            {"placeless_events", hunt.placeless},
            {"events_by_instruction", hunt.by_instruction},
            {"note", reach_of(results)}};
}

}  // namespace kymo::view
