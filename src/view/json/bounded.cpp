#include "view/json/bounded.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kymo::view {
namespace {

using Json = nlohmann::ordered_json;
using Weights = std::vector<double>;

double number(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

// The value of each item, if known; otherwise 0.
template <typename Of>
Weights weights(const Json& list, const Of& of) {
    Weights all;
    all.reserve(list.size());
    for (const Json& item : list) {
        all.push_back(of(item));
    }
    return all;
}

Weights in_order(const Json& list) {
    return Weights(list.size(), 0);
}

template <const char* Key>
Weights by(const Json& list) {
    return weights(list, [](const Json& item) { return number(item, Key); });
}

constexpr char kOnProcessor[] = "on_cpu_s";
constexpr char kSeconds[] = "seconds";
constexpr char kTimeShare[] = "time_share";
constexpr char kBlocked[] = "blocked_s";
constexpr char kBytes[] = "bytes";
constexpr char kFaults[] = "faults";
constexpr char kPeakBytes[] = "peak_bytes";

Weights by_length(const Json& list) {
    return weights(list, [](const Json& item) { return number(item, "end_s") - number(item, "begin_s"); });
}

Weights by_value(const Json& list) {
    return weights(list, [](const Json& item) { return item.get<double>(); });
}

Weights by_range(const Json& list) {
    return weights(list, [](const Json& item) { return item[1].get<double>() - item[0].get<double>(); });
}

Weights by_mean_times_count(const Json& list) {
    return weights(list, [](const Json& item) { return number(item, "mean_s") * number(item, "count"); });
}

Weights by_memory(const Json& list) {
    return weights(list, [](const Json& process) {
        const Weights bytes = by<kBytes>(process["areas"]);
        return std::accumulate(bytes.begin(), bytes.end(), 0.0);
    });
}

double sum_of(const Json& terms) {
    double sum = 0;
    for (const Json& term : terms) {
        sum += term.get<double>();
    }
    return sum;
}

// Share of the longest piece's time, waiting included; for heavy code the share of processor time.
Weights by_time(const Json& spaces) {
    Weights all =
        weights(spaces, [](const Json& space) { return space.contains("terms") ? sum_of(space["terms"]) : 0.0; });
    const double longest = all.empty() ? 0 : *std::max_element(all.begin(), all.end());
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i] = spaces[i].contains("terms") && longest > 0 ? all[i] / longest : number(spaces[i], kTimeShare);
    }
    return all;
}

struct Bound {
    std::string_view path;
    std::size_t most;
    Weights (*weigh)(const Json& list) = in_order;  // in_order: those that come first
};

constexpr std::size_t kMostOfOthers = 100;

// Lists by the keys that lead to them. Those without a row here keep their first kMostOfOthers items.
constexpr Bound kBounds[] = {
    {"functions", 150},
    {"lines", 150},
    {"threads", 60, by<kOnProcessor>},
    {"processes", 100, by<kOnProcessor>},
    {"spaces", 80, by_time},
    {"spaces.threads", 30},
    {"same_spaces", 20, by<kTimeShare>},
    {"same_spaces.in_time.threads", 30},
    {"same_spaces.in_time.rows", 10, by_length},
    {"same_spaces.in_time.patterns", 10, by<kSeconds>},
    {"same_spaces.in_time.longest_gaps", 3},
    {"same_spaces.in_time.longest_gaps.filled", 5, by<kSeconds>},
    {"same_spaces.in_time.longest_gap.filled", 5, by<kSeconds>},
    {"intervals.occurrences", 20, by_length},
    {"intervals.gap_s", 20, by_value},
    {"intervals.longest_gaps", 3},
    {"intervals.longest_gaps.filled", 5, by<kSeconds>},
    {"intervals.longest.filled", 5, by<kSeconds>},
    {"patterns", 60, by_mean_times_count},
    {"waits", 60},
    {"waits.waiters", 10},
    {"waits.holders", 10},
    {"blocking", 60},
    {"brief_waits", 60, by<kSeconds>},
    {"findings.when_s", 20, by_range},
    {"findings.threads", 30},
    {"findings.occurrences.list", 20, by_length},
    {"advantages.when_s", 20, by_range},
    {"advantages.threads", 30},
    {"advantages.occurrences.list", 20, by_length},
    {"metrics.objects", 20},
    {"channels", 100, by<kBlocked>},
    {"flows", 100},
    {"memory.processes", 12, by<kPeakBytes>},
    {"address_map", 12, by_memory},
    {"address_map.areas", 20, by<kBytes>},
    {"address_map.page_faults_by_region", 20, by<kFaults>},
};

constexpr std::size_t kMostIntervals = 20;
constexpr std::size_t kMostNodes = 300;

// The `most` heaviest, of equals the first ones.
std::vector<bool> heaviest(const Weights& weights, std::size_t most) {
    std::vector<std::size_t> order(weights.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
    std::vector<bool> kept(weights.size(), false);
    for (std::size_t i = 0; i < std::min(most, order.size()); ++i) {
        kept[order[i]] = true;
    }
    return kept;
}

class Cut {
  public:
    // Of the lists below `path` too.
    void cut(Json& value, const std::string& path) {
        if (value.is_array()) {
            const auto* const bound = std::find_if(std::begin(kBounds), std::end(kBounds),
                                                   [&](const Bound& each) { return each.path == path; });
            const std::size_t most = bound == std::end(kBounds) ? kMostOfOthers : bound->most;
            if (value.size() > most) {
                keep(value, path, heaviest(bound == std::end(kBounds) ? in_order(value) : bound->weigh(value), most));
            }
            for (Json& item : value) {
                cut(item, path);
            }
        } else if (value.is_object()) {
            for (auto& [key, item] : value.items()) {
                // A finding contains others of its form.
                cut(item, key == "also" ? path : fmt::format("{}.{}", path, key));
            }
        }
    }

    // An entry of `intervals` weighs as much as its space.
    void cut_intervals(Json& intervals, const Json& spaces) {
        if (intervals.size() > kMostIntervals) {
            const Weights of_spaces = by_time(spaces);
            keep(intervals, "intervals",
                 heaviest(
                     weights(intervals,
                             [&](const Json& interval) { return of_spaces[interval["space"].get<std::size_t>()]; }),
                     kMostIntervals));
        }
    }

    // A node matters by its share of all processor time or of all time off the processor, whichever is larger.
    void cut_tree(Json& tree) {
        if (tree.size() <= kMostNodes) {
            return;
        }
        const auto processor = [](const Json& costs) { return number(costs, "user_s") + number(costs, "system_s"); };
        constexpr double kNone = std::numeric_limits<double>::min();
        const double all_processor = std::max(processor(tree[0]["total"]), kNone);
        const double all_off = std::max(number(tree[0]["total"], "off_cpu_s"), kNone);
        Weights share = weights(tree, [&](const Json& node) {
            const Json& total = node["total"];
            return std::max(processor(total) / all_processor, number(total, "off_cpu_s") / all_off);
        });
        for (std::size_t i = tree.size(); i-- > 1;) {  // never without its parents
            double& parent = share[tree[i]["parent"].get<std::size_t>()];
            parent = std::max(parent, share[i]);
        }
        const std::vector<bool> kept = heaviest(share, kMostNodes);
        std::map<std::size_t, Json> rest;  // by parent
        for (std::size_t i = 1; i < tree.size(); ++i) {
            const auto parent = tree[i]["parent"].get<std::size_t>();
            if (!kept[i] && kept[parent]) {
                add(rest[parent], tree[i]);
            }
        }
        keep(tree, "call_tree", kept);
        for (auto& [parent, node] : rest) {
            tree.push_back(std::move(node));
        }
    }

    Json counts() const { return left_out_; }

  private:
    void keep(Json& list, const std::string& path, const std::vector<bool>& kept) {
        Json short_list = Json::array();
        for (std::size_t i = 0; i < kept.size(); ++i) {
            if (kept[i]) {
                short_list.push_back(std::move(list[i]));
            }
        }
        const std::size_t left = list.size() - short_list.size();
        left_out_[path] = (left_out_.contains(path) ? left_out_[path].get<std::size_t>() : 0) + left;
        list = std::move(short_list);
    }

    // To the node with the sums of `parent`'s dropped children.
    static void add(Json& rest, const Json& node) {
        if (rest.is_null()) {
            rest = node;
            rest["id"] = nullptr;
            rest["kind"] = "left_out";
            for (const char* key : {"function", "module"}) {
                rest[key] = "";
            }
            rest["inlined"] = false;
            rest["file"] = nullptr;
            rest["line"] = nullptr;
        } else {
            for (auto& [key, value] : rest["total"].items()) {
                const Json& more = node["total"][key];
                constexpr double kNanoseconds = 1e9;
                value =
                    value.is_number_float()
                        ? Json(std::round((value.get<double>() + more.get<double>()) * kNanoseconds) / kNanoseconds)
                        : Json(value.get<std::int64_t>() + more.get<std::int64_t>());
            }
        }
        rest["self"] = rest["total"];
    }

    Json left_out_ = Json::object();
};

}  // namespace

Json bounded(Json report) {
    Cut cut;
    cut.cut_intervals(report["intervals"], report["spaces"]);
    cut.cut_tree(report["call_tree"]);
    for (auto& [key, value] : report.items()) {
        if (key != "call_tree" && key != "left_out") {
            cut.cut(value, key);
        }
    }
    report["left_out"] = cut.counts();
    return report;
}

}  // namespace kymo::view
