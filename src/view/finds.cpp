#include "view/finds.h"

#include "spacetime/finds/directions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace kymo::view {
namespace {

using spacetime::Finds;
using spacetime::HuntFacts;
using spacetime::Offender;
using spacetime::SourcePlace;
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

std::string place_words(const SourcePlace& place, const std::string& fallback) {
    std::string text = place.function.empty() ? fallback : place.function;
    if (place.line != 0) {
        text += fmt::format("  {}:{}", short_file(place.file), place.line);
    } else if (!place.module.empty()) {
        text += "  " + place.module;
    }
    return text;
}

std::string address_words(const Offender& offender) {
    return fmt::format("{}+0x{:x}", offender.image.path.empty() ? "address " : short_file(offender.image.path),
                       offender.offset);
}

// "0.10 s to 2.31 s, and again 4.0 s to the end"
std::string reign_words(const Style& style, const Offender& offender) {
    constexpr std::size_t kMost = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(kMost, offender.when.size()); ++i) {
        const spacetime::Reign& reign = offender.when[i];
        text += fmt::format("{}{} to {}", i == 0 ? "" : ", again ", duration(style, reign.begin_ns),
                            reign.quiet ? duration(style, reign.end_ns) : "the end");
    }
    if (offender.when.size() > kMost) {
        text += fmt::format(", and {} times more", offender.when.size() - kMost);
    }
    return text;
}

std::string path_words(const Style& style, const Offender& offender) {
    std::string text;
    for (std::size_t i = offender.path.size(); i-- > 0;) {
        const SourcePlace& place = offender.path[i];
        text += fmt::format("{}{}{}", text.empty() ? "" : fmt::format(" {} ", signs(style).from),
                            place.function.empty() ? "?" : place.function,
                            place.line == 0 ? "" : fmt::format(" ({}:{})", short_file(place.file), place.line));
    }
    return text;
}

void add_offender(const Style& style, const Finds& finds, const Offender& offender, std::size_t rank,
                  std::string& out) {
    const std::string share = fmt::format("{} ± {}", percent(offender.share.value), percent(offender.share.error));
    out += fmt::format(
        "  {}. {}  {}\n", rank,
        paint(style, Ink::kHot,
              style.unicode ? share
                            : fmt::format("{} +- {}", percent(offender.share.value), percent(offender.share.error))),
        paint(style, Ink::kName, place_words(offender.place, address_words(offender))));
    // Other keys stand for many instructions, of which one decided.
    const bool is_instruction = finds.hunt.key == recording::HuntKey::kInstruction;
    out += fmt::format("     {}{} {}; found after {} {}; ruled {}; process {}, thread {}\n",
                       is_instruction ? "" : "one instance: ", address_words(offender),
                       precision_of(finds.hunt) == "precise" ? "exactly"
                       : precision_of(finds.hunt) == "skid"  ? "or some instructions before"
                                                             : "at a constant distance",
                       count(static_cast<std::int64_t>(offender.found_after)),
                       offender.found_after == 1 ? "event" : "events", reign_words(style, offender), offender.pid,
                       offender.tid);
    if (offender.data != 0) {
        out += fmt::format("     data address of one instance: 0x{:x}\n", offender.data);
    }
    if (!offender.path.empty()) {
        out += wrap(style, "called from " + path_words(style, offender), 5, 7);
    }
    for (std::size_t i = 0; i < offender.listing.size(); ++i) {
        const program::ListedInstruction& line = offender.listing[i];
        const bool here = line.offset <= offender.offset &&
                          (i + 1 == offender.listing.size() || offender.offset < offender.listing[i + 1].offset);
        const std::string text = fmt::format("     {} {:8x}  {}\n", here ? ">" : " ", line.offset, line.text);
        out += paint(style, here ? Ink::kHot : Ink::kDim, text);
    }
    if (const std::string direction = spacetime::direction_for(finds.hunt.event, offender); !direction.empty()) {
        out += wrap(style, direction, 5, 5);
    }
    out += "\n";
}

Json place_json(const SourcePlace& place) {
    return {{"function", place.function}, {"file", place.file}, {"line", place.line}, {"module", place.module}};
}

}  // namespace

std::string reach_of(const Finds& finds) {
    const HuntFacts& hunt = finds.hunt;
    const auto seen = static_cast<double>(hunt.events) * static_cast<double>(hunt.every);
    if (!finds.hunted || hunt.events_alone <= 0) {
        return {};
    }
    const auto rounded = [](double events) { return count(static_cast<std::int64_t>(std::llround(events))); };
    if (hunt.events == 0) {
        return fmt::format("no {} happened in user mode, or none could be looked at", hunt.event);
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

std::string terminal_finds(const Style& style, const Finds& finds, std::size_t top) {
    if (!finds.hunted) {
        return {};
    }
    const HuntFacts& hunt = finds.hunt;
    std::string out = paint(style, Ink::kHeading, fmt::format("Hunt for {}", hunt.event)) + "\n";
    out +=
        wrap(style,
             fmt::format("Sources ({}) of {} of the events or more are reported with confidence {}, those of {} or "
                         "less are not ({} false reports to expect in the run, at most). {} event{} looked at, {} "
                         "{}, by the {}, {} pair{}{}.",
                         key_of(hunt), percent(hunt.share), percent(hunt.confidence), percent(hunt.refuse),
                         fmt::format("{:.3g}", hunt.false_reports), count(static_cast<std::int64_t>(hunt.events)),
                         hunt.events == 1 ? "" : "s", count(static_cast<std::int64_t>(hunt.captures)),
                         hunt.captures == 1 ? "capture" : "captures",
                         hunt.literal_pair ? "literal pair of counters" : "sequential test", hunt.cells,
                         hunt.cells == 1 ? "" : "s",
                         hunt.engine == spacetime::HuntedBy::kKernel   ? ", in the kernel"
                         : hunt.engine == spacetime::HuntedBy::kReplay ? ", in the recording"
                                                                       : ""),
             2, 2);
    out += "\n";
    std::size_t rank = 0;
    for (const Offender& offender : finds.offenders) {
        if (rank == top) {
            out += fmt::format("  and {} more (--top)\n", finds.offenders.size() - top);
            break;
        }
        add_offender(style, finds, offender, ++rank, out);
    }
    const std::string reach = reach_of(finds);
    if (finds.offenders.empty()) {
        out += wrap(style,
                    reach.empty() ? fmt::format("No source causes as much as {} of the events.", percent(hunt.share))
                                  : "Nothing was found: " + reach + ".",
                    2, 2);
    } else if (!reach.empty()) {
        out += wrap(style, "Others may not have had the time to show: " + reach + ".", 2, 2);
    }
    if (hunt.dropped != 0) {
        out += wrap(style,
                    fmt::format("{} events came while another processor was at the cells, and were passed over.",
                                count(static_cast<std::int64_t>(hunt.dropped))),
                    2, 2);
    }
    if (hunt.overfull != 0) {
        out += wrap(style,
                    fmt::format("{} finds had no place in the hunt's memory: ask for a larger --share.",
                                count(static_cast<std::int64_t>(hunt.overfull))),
                    2, 2);
    }
    if (hunt.by_instruction != 0) {
        out += wrap(style,
                    fmt::format("Of {} events the {} is not known (no symbols, or no debug information): they were "
                                "taken by instruction.",
                                count(static_cast<std::int64_t>(hunt.by_instruction)), key_of(hunt)),
                    2, 2);
    }
    if (hunt.placeless != 0) {
        out += wrap(style,
                    fmt::format("{} events have no address in the recording, and count for none.",
                                count(static_cast<std::int64_t>(hunt.placeless))),
                    2, 2);
    }
    if (hunt.unfinished != 0) {
        out += wrap(style,
                    "A process was killed: its counts and shares are those written last, of half its events or more.",
                    2, 2);
    }
    return out;
}

Json json_finds(const Finds& finds) {
    Json list = Json::array();
    for (const Offender& offender : finds.offenders) {
        Json when = Json::array();
        for (const spacetime::Reign& reign : offender.when) {
            when.push_back(
                {{"begin_s", seconds(reign.begin_ns)}, {"end_s", seconds(reign.end_ns)}, {"quiet", reign.quiet}});
        }
        Json path = Json::array();
        for (const SourcePlace& place : offender.path) {
            path.push_back(place_json(place));
        }
        Json listing = Json::array();
        for (const program::ListedInstruction& line : offender.listing) {
            listing.push_back({{"offset", line.offset}, {"text", line.text}});
        }
        Json place = place_json(offender.place);
        place["image"] = offender.image.path;
        place["offset"] = offender.offset;
        list.push_back({{"place", std::move(place)},
                        {"share", offender.share.value},
                        {"error", offender.share.error},
                        {"precision", precision_of(finds.hunt)},
                        {"event", finds.hunt.event},
                        {"when", std::move(when)},
                        {"found_after", offender.found_after},
                        {"test_events", offender.events},
                        {"test_matches", offender.matches},
                        {"data", offender.data == 0 ? Json(nullptr) : Json(offender.data)},
                        {"pid", offender.pid},
                        {"tid", offender.tid},
                        {"call_path", std::move(path)},
                        {"listing", std::move(listing)},
                        {"direction", spacetime::direction_for(finds.hunt.event, offender)}});
    }
    return list;
}

Json json_hunt(const Finds& finds) {
    if (!finds.hunted) {
        return nullptr;
    }
    const HuntFacts& hunt = finds.hunt;
    return {{"event", hunt.event},
            {"key", key_of(hunt)},
            {"engine", engine_of(hunt)},
            {"test", hunt.literal_pair ? "pair" : "sequential"},
            {"pairs", hunt.cells},
            {"every", hunt.every},
            {"share", hunt.share},
            {"refuse", hunt.refuse},
            {"confidence", hunt.confidence},
            {"false_reports", hunt.false_reports},
            {"precision", precision_of(hunt)},
            {"events", hunt.events},
            {"captures", hunt.captures},
            {"events_to_report", {{"alone", hunt.events_alone}, {"among_many", hunt.events_among_many}}},
            {"dropped", hunt.dropped},
            {"overfull", hunt.overfull},
            {"unfinished", hunt.unfinished},
            {"placeless", hunt.placeless},
            {"by_instruction", hunt.by_instruction},
            {"note", reach_of(finds)}};
}

}  // namespace kymo::view
