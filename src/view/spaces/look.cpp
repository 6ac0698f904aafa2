#include "view/spaces/look.h"

#include "view/spaces/space_json.h"
#include "view/spaces/space_words.h"
#include "view/table.h"
#include "view/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::view {

using namespace spacetime;
using Json = nlohmann::ordered_json;

namespace {

Json events_of(const std::vector<std::string>& counters, const Seen& seen) {
    Json events = Json::object();
    for (std::size_t i = 0; i < counters.size() && i < seen.deltas.size(); ++i) {
        events[counters[i]] = seen.deltas[i];
    }
    return events;
}

// One recording's side. `counts`: there is something to count (not so in a heavy space).
Json side_of(const std::vector<std::string>& counters, const Seen& seen, bool counts) {
    if (!seen.is_seen) {
        return {};
    }
    Json side;
    side["count"] = counts ? Json(seen.count) : Json();
    side["seconds"] = seconds(seen.ns);
    side["longest_s"] = counts ? Json(seconds(static_cast<std::int64_t>(seen.longest_ns))) : Json();
    side["events"] = events_of(counters, seen);
    return side;
}

void add_sides(Json& json, const SecondLook& look, const LookedAt& at, bool counts = true) {
    json["first"] = side_of(look.first_counters, at.first, counts);
    json["second"] = side_of(look.second_counters, at.second, counts);
}

std::string name_of(const Evidence& earlier, const LookedAt& at) {
    if (at.node != kNone) {
        return space_name(at.node.in(earlier.nodes));
    }
    const Place& place = earlier.spaces[at.space].place;
    return place.function.empty() ? place.module : place.function;
}

const Place& place_of(const Evidence& earlier, const LookedAt& at) {
    return at.node != kNone ? at.node.in(earlier.nodes).place : earlier.spaces[at.space].place;
}

// The event's name in an option: without period, frequency and precision.
std::string event_name(const std::string& asked) {
    std::size_t end = asked.size();
    for (const char* modifier : {":period=", ":freq=", ":precise="}) {
        end = std::min(end, asked.find(modifier));
    }
    return asked.substr(0, end);
}

class LookTables {
  public:
    LookTables(const ReportOptions& options, const SecondLook& look, const Evidence& earlier, std::string_view filter)
        : rows_(options.rows(&ShortLimits::others)),
          style_(options.style),
          look_(look),
          earlier_(earlier),
          filter_(filter) {
        for (const std::string& asked : look.asked.events) {
            const std::string name = event_name(asked);
            if (name != "task-clock" && std::find(shown_.begin(), shown_.end(), name) == shown_.end()) {
                shown_.push_back(name);
            }
        }
    }

    std::string all() {
        heading("Second look", fmt::format("at what {} kept; times and events there {} here", look_.asked.recording,
                                           signs(style_).arrow));
        table("space", look_.spaces, [&](const LookedAt& at) { return name_of(earlier_, at); });
        heading("In the gaps between two occurrences", "of the same recordings");
        table("gaps of", look_.intervals, [&](const LookedAt& at) { return name_of(earlier_, at); });
        heading("By neighbours", "before, space, after");
        table("pattern", look_.patterns, [&](const LookedAt& at) {
            const std::string then = " " + std::string(signs(style_).arrow) + " ";
            return neighbour_name(earlier_, at.before, at.node, true) + then + name_of(earlier_, at) + then +
                   neighbour_name(earlier_, at.after, at.node, false);
        });
        if (look_.asked.left_out != 0) {
            out_ += "  " +
                    paint(style_, Ink::kDim,
                          quantity(look_.asked.left_out, "sample") +
                              " of these events lay elsewhere and were only counted") +
                    "\n";
        }
        return std::move(out_);
    }

  private:
    void heading(std::string_view title, std::string_view rest) {
        out_ += "\n" + paint(style_, Ink::kHeading, title) + "  " +
                paint(style_, Ink::kDim, cut_end(style_, rest, style_.width - title.size() - 2)) + "\n";
    }

    static std::int64_t value_of(const std::vector<std::string>& counters, const Seen& seen,
                                 const std::string& name) {
        const auto at =
            static_cast<std::size_t>(std::find(counters.begin(), counters.end(), name) - counters.begin());
        return at < seen.deltas.size() ? seen.deltas[at] : -1;
    }
    std::string both(std::string first, std::string second) const {
        return first + " " + std::string(signs(style_).arrow) + " " + second;
    }
    std::string number(std::int64_t value) const { return value < 0 ? std::string(signs(style_).dot) : count(value); }
    bool is_of_interest(const LookedAt& at) const {
        return at.before != kAnyNeighbour && at.after != kAnyNeighbour && passes(place_of(earlier_, at), filter_);
    }

    template <typename Name>
    void table(const std::string& what, const std::vector<LookedAt>& list, const Name& name) {
        std::vector<const LookedAt*> order;
        for (const LookedAt& at : list) {
            if (is_of_interest(at)) {
                order.push_back(&at);
            }
        }
        const auto rank = [&](const LookedAt* at) {
            return shown_.empty() ? 0 : value_of(look_.second_counters, at->second, shown_.front());
        };
        std::stable_sort(order.begin(), order.end(),
                         [&](const LookedAt* a, const LookedAt* b) { return rank(a) > rank(b); });
        Table table;
        table.headings = {"time"};
        table.headings.insert(table.headings.end(), shown_.begin(), shown_.end());
        table.headings.push_back(what);
        for (std::size_t i = 0; i < order.size() && i < rows_; ++i) {
            const LookedAt& at = *order[i];
            std::vector<Cell> cells = {
                {both(duration(style_, at.first.ns),
                      at.second.is_seen ? duration(style_, at.second.ns) : std::string("not run"))}};
            for (const std::string& event : shown_) {
                cells.push_back({both(number(value_of(look_.first_counters, at.first, event)),
                                      number(value_of(look_.second_counters, at.second, event)))});
            }
            cells.push_back({name(at), Ink::kName});
            cells.push_back({"  " + place_lines(place_of(earlier_, at), style_.unicode), Ink::kDim});
            table.rows.push_back(std::move(cells));
        }
        out_ += render(style_, table);
        if (order.size() > rows_) {
            out_ += "  " +
                    paint(style_, Ink::kDim,
                          fmt::format("{} {} more (--top {})", signs(style_).ellipsis, order.size() - rows_,
                                      order.size())) +
                    "\n";
        }
    }

    std::size_t rows_;
    const Style& style_;
    const SecondLook& look_;
    const Evidence& earlier_;
    std::string_view filter_;
    std::vector<std::string> shown_;  // events' names
    std::string out_;
};

}  // namespace

Json json_second_look(const SecondLook& look, const Evidence* earlier) {
    if (!look.asked.is_look) {
        return {};
    }
    Json json;
    json["recording"] = look.asked.recording;
    json["problem"] = look.problem.empty() ? Json() : Json(look.problem);
    json["asked"] = look.asked.events;
    json["left_out_samples"] = look.asked.left_out;
    json["spaces"] = Json::array();
    json["intervals"] = Json::array();
    json["patterns"] = Json::array();
    if (earlier == nullptr) {
        return json;
    }
    for (const LookedAt& at : look.spaces) {
        Json one;
        const bool is_piece = at.node != kNone;
        one["kind"] = is_piece ? kind_key(at.node.in(earlier->nodes).kind) : "pairs";
        one["name"] = name_of(*earlier, at);
        one["place"] = json_place(place_of(*earlier, at));
        add_sides(one, look, at, is_piece);
        json["spaces"].push_back(std::move(one));
    }
    for (const LookedAt& at : look.intervals) {
        Json one;
        one["space"] = raw(at.node);
        add_sides(one, look, at);
        json["intervals"].push_back(std::move(one));
    }
    for (const LookedAt& at : look.patterns) {
        Json one;
        const auto neighbour = [&](std::uint32_t node, bool is_before) -> Json {
            return {{"space", node < earlier->nodes.size() ? Json(node) : Json()},
                    {"name", neighbour_name(*earlier, node, at.node, is_before)}};
        };
        one["before"] = neighbour(at.before, true);
        one["space"] = raw(at.node);
        one["after"] = neighbour(at.after, false);
        add_sides(one, look, at);
        json["patterns"].push_back(std::move(one));
    }
    return json;
}

std::string terminal_second_look(const ReportOptions& options, const SecondLook& look, const Evidence* earlier,
                                 std::string_view filter) {
    if (!look.asked.is_look) {
        return {};
    }
    if (earlier == nullptr) {
        return "\n" + paint(options.style, Ink::kHeading, "Second look") + "\n" +
               paint(options.style, Ink::kWarning,
                     wrap(options.style,
                          fmt::format("This run was made for {}, which is not available: {}", look.asked.recording,
                                      look.problem),
                          2, 2));
    }
    return LookTables(options, look, *earlier, filter).all();
}

}  // namespace kymo::view
