#include "view/spaces/exact_table.h"

#include "program/demangle.h"
#include "view/table.h"
#include "view/text.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <utility>
#include <vector>

namespace kymo::view {

using spacetime::ExactCalls;
using spacetime::ExactFunction;
using spacetime::SlowOccurrence;
using Json = nlohmann::ordered_json;

namespace {

constexpr double kHalfOfCalls = 0.5;
constexpr double kMostOfCalls = 0.99;
constexpr std::size_t kSlowestShown = 10;

std::string function_name(const ExactFunction& function) {
    return function.name.empty() ? fmt::format("{}+{:#x}", function.module, function.offset)
                                 : program::plain_name(function.name);
}

bool is_asked_for(const ExactFunction& function, std::string_view filter) {
    return function.name.find(filter) != std::string::npos || function.module.find(filter) != std::string::npos;
}

// Calls without a duration: those with no known end, and those without a clock.
std::string without_duration(const ExactFunction& function) {
    std::string text;
    const auto add = [&](std::uint64_t number, std::string_view what) {
        if (number != 0) {
            text +=
                fmt::format("{}{} {}", text.empty() ? "  " : ", ", count(static_cast<std::int64_t>(number)), what);
        }
    };
    add(function.cut, "cut short");
    add(function.running, "not ended");
    add(function.untimed, "too short to time");
    return text;
}

class ExactTables {
  public:
    ExactTables(const ReportOptions& options, const ExactCalls& exact, std::uint64_t begin, std::string_view filter)
        : options_(options), style_(options.style), exact_(exact), begin_(begin) {
        for (const ExactFunction& function : exact.functions) {
            if (is_asked_for(function, filter)) {
                (function.refused.empty() ? counted_ : refused_).push_back(&function);
            }
        }
    }

    std::string all() {
        const std::string earlier = std::filesystem::path(exact_.earlier).filename().string();
        out_ += "\n" + paint(style_, Ink::kHeading, "Exact occurrences") + "  " +
                paint(style_, Ink::kDim, "every call of the functions around what " + earlier + " kept") + "\n";
        functions();
        slowest();
        refused();
        return std::move(out_);
    }

  private:
    std::string time(std::uint64_t ns) const {  // a dot only for nothing at all
        return ns > 0 && ns < 1000 ? fmt::format("{} ns", ns) : duration(style_, ns);
    }

    void functions() {
        Table table;
        table.headings = {"calls", "total", "median", "99 %", "longest", "function"};
        for (std::size_t i = 0; i < std::min(counted_.size(), options_.top); ++i) {
            const ExactFunction& function = *counted_[i];
            table.rows.push_back({{count(static_cast<std::int64_t>(function.calls))},
                                  {time(function.sum)},
                                  {time(function.quantile(kHalfOfCalls))},
                                  {time(function.quantile(kMostOfCalls))},
                                  {time(function.longest())},
                                  {function_name(function), Ink::kName},
                                  {"  " + function.module + without_duration(function), Ink::kDim}});
        }
        out_ += render(style_, table);
        more(counted_.size(), options_.top);
    }

    void slowest() {
        std::vector<std::pair<const SlowOccurrence*, const ExactFunction*>> order;
        for (const ExactFunction* function : counted_) {
            for (const SlowOccurrence& slow : function->slowest) {
                if (function->timed() > function->threads) {  // if each thread calls it once none is the slowest
                    order.emplace_back(&slow, function);
                }
            }
        }
        if (order.empty()) {
            return;
        }
        std::stable_sort(order.begin(), order.end(),
                         [](const auto& a, const auto& b) { return a.first->duration > b.first->duration; });
        out_ += "\n" + paint(style_, Ink::kHeading, "The slowest of them") + "  " +
                paint(style_, Ink::kDim, "when they began, and how much of them was on a processor") + "\n";
        Table table;
        table.headings = {"at", "lasted", "processor", "thread", "function"};
        for (std::size_t i = 0; i < std::min({order.size(), options_.top, kSlowestShown}); ++i) {
            const auto& [slow, function] = order[i];
            const double share = slow->processor_share();
            table.rows.push_back({{fmt::format("{:.4f} s", seconds(slow->begin - std::min(slow->begin, begin_)))},
                                  {time(slow->duration)},
                                  {share < 0 ? std::string(signs(style_).dot) : percent(share)},
                                  {std::to_string(slow->tid)},
                                  {function_name(*function), Ink::kName}});
        }
        out_ += render(style_, table);
    }

    void refused() {
        std::map<std::string, std::vector<std::string>> by_reason;
        for (const ExactFunction* function : refused_) {
            by_reason[function->refused].push_back(function_name(*function));
        }
        for (const auto& [reason, names] : by_reason) {
            std::string text = "not counted: ";
            for (std::size_t i = 0; i < std::min(names.size(), options_.top); ++i) {
                text += (i == 0 ? "" : ", ") + names[i];
            }
            text += names.size() > options_.top ? fmt::format(" and {} more", names.size() - options_.top) : "";
            out_ += paint(style_, Ink::kDim, wrap(style_, text + ": " + reason, 2, 4));
        }
    }

    void more(std::size_t all, std::size_t shown) {
        if (all > shown) {
            out_ += "  " +
                    paint(style_, Ink::kDim,
                          fmt::format("{} {} more (--top {})", signs(style_).ellipsis, all - shown, all)) +
                    "\n";
        }
    }

    const ReportOptions& options_;
    const Style& style_;
    const ExactCalls& exact_;
    std::uint64_t begin_;
    std::vector<const ExactFunction*> counted_;
    std::vector<const ExactFunction*> refused_;
    std::string out_;
};

Json slow_json(const SlowOccurrence& slow, std::uint64_t begin) {
    Json json;
    json["pid"] = slow.pid;
    json["tid"] = slow.tid;
    json["begin_s"] = seconds(slow.begin - std::min(slow.begin, begin));
    json["duration_s"] = seconds(slow.duration);
    const double share = slow.processor_share();
    json["processor_share"] = share < 0 ? Json() : Json(share);
    const auto counted = [&](std::uint64_t value) { return slow.is_counted ? Json(value) : Json(); };
    json["counted_early_s"] = slow.is_counted ? Json(seconds(slow.early)) : Json();
    json["voluntary_switches"] = counted(slow.voluntary);
    json["involuntary_switches"] = counted(slow.involuntary);
    json["minor_faults"] = counted(slow.minor_faults);
    json["major_faults"] = counted(slow.major_faults);
    return json;
}

Json exact_function_json(const ExactFunction& function, std::uint64_t begin) {
    Json json;
    json["name"] = function.name;
    json["module"] = function.module;
    json["offset"] = function.offset;
    json["refused"] = function.refused.empty() ? Json() : Json(function.refused);
    json["calls"] = function.calls;
    json["running_calls"] = function.running;
    json["cut_calls"] = function.cut;
    json["untimed_calls"] = function.untimed;
    json["threads"] = function.threads;
    json["total_s"] = seconds(function.sum);
    json["median_s"] = seconds(function.quantile(kHalfOfCalls));
    json["p99_s"] = seconds(function.quantile(kMostOfCalls));
    json["longest_s"] = seconds(function.longest());
    json["histogram_ns"] = Json::array();
    for (std::size_t bucket = 0; bucket < function.counts.size(); ++bucket) {
        if (function.counts[bucket] != 0) {
            json["histogram_ns"].push_back({bucket_begin(bucket), function.counts[bucket]});
        }
    }
    json["slowest"] = Json::array();
    for (const SlowOccurrence& slow : function.slowest) {
        json["slowest"].push_back(slow_json(slow, begin));
    }
    return json;
}

}  // namespace

std::string terminal_exact(const ReportOptions& options, const ExactCalls& exact, std::uint64_t begin,
                           std::string_view filter) {
    return exact.functions.empty() ? std::string() : ExactTables(options, exact, begin, filter).all();
}

Json json_exact(const ExactCalls& exact, std::uint64_t begin) {
    Json json;
    json["recording"] = exact.earlier;
    json["functions"] = Json::array();
    for (const ExactFunction& function : exact.functions) {
        json["functions"].push_back(exact_function_json(function, begin));
    }
    return json;
}

}  // namespace kymo::view
