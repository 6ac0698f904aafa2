#include "view/waits.h"

#include "program/demangle.h"
#include "spacetime/profile/profile.h"
#include "view/json_text.h"
#include "view/table.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::view {
namespace {

using namespace spacetime;
using Json = nlohmann::ordered_json;
using recording::WaitKind;

std::string thread_name(const Waits& waits, WaitThreadIndex thread, std::uint64_t tid) {
    if (thread == kNone || thread.in(waits.threads).name.empty()) {
        return fmt::format("thread {}", tid);
    }
    return fmt::format("{} {}", thread.in(waits.threads).name, tid);
}

std::string thread_name(const Waits& waits, WaitThreadIndex thread) {
    return thread_name(waits, thread, thread.in(waits.threads).tid);
}

std::string place_words(const program::SourcePlace& place) {
    if (place.function.empty()) {
        return "an unknown place";
    }
    if (place.line == 0) {
        return program::plain_name(place.function);
    }
    return fmt::format("{} {}:{}", program::plain_name(place.function), place.file.substr(place.file.rfind('/') + 1),
                       place.line);
}

std::string object_words(WaitKind kind, std::uint64_t object) {
    if (is_synchronisation(kind)) {
        return kind == WaitKind::kJoin ? std::string(wait_kind_words(kind))
                                       : fmt::format("{} {:#x}", wait_kind_words(kind), object);
    }
    const bool has_descriptor =
        kind != WaitKind::kSleep && kind != WaitKind::kChild && kind != WaitKind::kSignal && object != 0;
    if (!has_descriptor) {
        return std::string(wait_kind_words(kind));
    }
    const std::string_view file = file_kind_words(recording::file_kind_of(kind, object));
    return fmt::format("{} of {}{}{}", wait_kind_words(kind), file, file.empty() ? "" : " ",
                       recording::descriptor_of(object));
}

std::string doing_words(WaitKind doing, const program::SourcePlace& place) {
    return doing == WaitKind{} ? fmt::format("running {}", place_words(place))
                               : fmt::format("in {} at {}", wait_kind_words(doing), place_words(place));
}

void heading(std::string& out, const Style& style, std::string_view title, std::string_view rest) {
    out += "\n" + paint(style, Ink::kHeading, title) + "  " + paint(style, Ink::kDim, rest) + "\n";
}

void more(std::string& out, const Style& style, std::size_t shown, std::size_t all) {
    if (shown < all) {
        out +=
            "  " +
            paint(style, Ink::kDim, fmt::format("{} {} more (--top {})", signs(style).ellipsis, all - shown, all)) +
            "\n";
    }
}

Json json_place(const program::SourcePlace& place) {
    if (place.function.empty()) {
        return nullptr;
    }
    return {{"function", place.function},
            {"module", place.module},
            {"file", place.file},
            {"line_begin", known_or_null(place.line)},
            {"line_end", known_or_null(place.line)}};
}

Json json_thread(const Waits& waits, WaitThreadIndex thread, std::uint64_t tid) {
    if (thread == kNone) {
        return {{"tid", tid}, {"name", ""}};
    }
    return {{"tid", tid}, {"name", thread.in(waits.threads).name}};
}

Json json_thread(const Waits& waits, WaitThreadIndex thread) {
    return json_thread(waits, thread, thread.in(waits.threads).tid);
}

Json json_holder(const Waits& waits, const WaitHolder& holder) {
    Json json = json_thread(waits, holder.thread, holder.tid);
    json["place"] = json_place(holder.place);
    json["doing"] = holder.seen_ns == 0 ? Json(nullptr) : Json(wait_kind_key(holder.doing));
    json["place_seconds"] = seconds(holder.place_ns);
    json["seen_seconds"] = seconds(holder.seen_ns);
    json["seconds"] = seconds(holder.amount.ns);
    json["count"] = holder.amount.count;
    return json;
}

}  // namespace

std::string terminal_waits(const Style& style, const Waits& waits, const WaitTable& table, std::size_t top,
                           bool is_short) {
    std::string out;
    if (!table.rows.empty()) {
        heading(out, style, "Waiting", "in wrapped calls, by object and place");
        Table lines;
        lines.headings = {"time", "waits", "longest", "for what, where, held by whom"};
        const std::size_t shown = std::min(top, table.rows.size());
        for (std::size_t i = 0; i < shown; ++i) {
            const WaitRow& row = table.rows[i];
            lines.rows.push_back({{duration(style, row.amount.ns)},
                                  {count(static_cast<std::int64_t>(row.amount.count))},
                                  {duration(style, row.amount.longest_ns)},
                                  {object_words(row.kind, row.object), Ink::kName},
                                  {fmt::format(" in {}", place_words(row.place))}});
            if (!row.holders.empty()) {
                const WaitHolder& holder = row.holders.front();
                std::string whom =
                    fmt::format("  {} {}", signs(style).from, thread_name(waits, holder.thread, holder.tid));
                if (holder.seen_ns != 0) {
                    whom += ", " + doing_words(holder.doing, holder.place);
                }
                if (row.holders.size() > 1) {
                    whom += fmt::format(", and {} more", row.holders.size() - 1);
                }
                lines.rows.push_back({{""}, {""}, {""}, {whom, Ink::kDim}});
            }
        }
        out += render(style, lines);
        more(out, style, shown, table.rows.size());
    }
    if (!table.blockings.empty() && !is_short) {
        heading(out, style, "Who blocks whom", "time that a thread kept another waiting");
        Table lines;
        lines.headings = {"time", "waits", "who"};
        const std::size_t shown = std::min(top, table.blockings.size());
        for (std::size_t i = 0; i < shown; ++i) {
            const Blocking& blocking = table.blockings[i];
            std::string rest = fmt::format(" kept {} waiting ({})", thread_name(waits, blocking.waiter),
                                           wait_kind_words(blocking.kind));
            if (!blocking.place.function.empty()) {
                rest += ", " + doing_words(blocking.doing, blocking.place);
            }
            lines.rows.push_back({{duration(style, blocking.amount.ns)},
                                  {count(static_cast<std::int64_t>(blocking.amount.count))},
                                  {thread_name(waits, blocking.holder), Ink::kName},
                                  {rest}});
        }
        out += render(style, lines);
        more(out, style, shown, table.blockings.size());
    }
    return out;
}

Json json_waits(const Waits& waits, const WaitTable& table) {
    Json json = Json::array();
    for (const WaitRow& row : table.rows) {
        Json waiters = Json::array();
        for (const WaitThreadIndex waiter : row.waiters) {
            waiters.push_back(json_thread(waits, waiter));
        }
        Json holders = Json::array();
        for (const WaitHolder& holder : row.holders) {
            holders.push_back(json_holder(waits, holder));
        }
        const std::string_view file = file_kind_words(recording::file_kind_of(row.kind, row.object));
        json.push_back({{"object", is_synchronisation(row.kind) ? Json(fmt::format("{:#x}", row.object))
                                   : row.object != 0 ? Json(std::to_string(recording::descriptor_of(row.object)))
                                                     : Json(nullptr)},
                        {"object_type", file.empty() ? Json(nullptr) : Json(file)},
                        {"kind", wait_kind_key(row.kind)},
                        {"place", json_place(row.place)},
                        {"holder", holders.empty() ? Json(nullptr) : holders.front()},
                        {"seconds", seconds(row.amount.ns)},
                        {"count", row.amount.count},
                        {"longest_s", seconds(row.amount.longest_ns)},
                        {"open_waits", row.amount.open},
                        {"abandoned_waits", row.amount.abandoned},
                        {"pid", row.pid},
                        {"waiters", std::move(waiters)},
                        {"holders", std::move(holders)}});
    }
    return json;
}

Json json_blocking(const Waits& waits, const WaitTable& table) {
    Json json = Json::array();
    for (const Blocking& blocking : table.blockings) {
        json.push_back(
            {{"holder", json_thread(waits, blocking.holder)},
             {"waiter", json_thread(waits, blocking.waiter)},
             {"kind", wait_kind_key(blocking.kind)},
             {"place", json_place(blocking.place)},
             {"doing", blocking.place.function.empty() ? Json(nullptr) : Json(wait_kind_key(blocking.doing))},
             {"seconds", seconds(blocking.amount.ns)},
             {"count", blocking.amount.count}});
    }
    return json;
}

Json json_brief_waits(const Waits& waits) {
    Json json = Json::array();
    for (const auto& [key, amount] : waits.brief) {
        Json entry = json_thread(waits, key.first);
        entry["kind"] = wait_kind_key(key.second);
        entry["seconds"] = seconds(amount.ns);
        entry["count"] = amount.count;
        json.push_back(std::move(entry));
    }
    return json;
}

}  // namespace kymo::view
