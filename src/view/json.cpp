#include "view/json.h"

#include "base/metric_event.h"
#include "spacetime/profile/quality.h"
#include "spacetime/profile/ranks.h"
#include "view/json_text.h"
#include "view/metric.h"
#include "view/states.h"
#include "view/summary.h"

#include <algorithm>
#include <numeric>
#include <sys/wait.h>

namespace kymo::view {
namespace {

using namespace spacetime;
using Json = nlohmann::ordered_json;

const char* kind_name(NodeKind kind) {
    switch (kind) {
        case NodeKind::kRoot:
            return "root";
        case NodeKind::kProcess:
            return "process";
        case NodeKind::kPartial:
            return "partial";
        case NodeKind::kDropped:
            return "dropped";
        case NodeKind::kNoPath:
            return "no_path";
        case NodeKind::kUnsampled:
            return "unsampled";
        case NodeKind::kUnknownCall:
            return "unknown_call";
        default:
            return "frame";
    }
}

class Writer {
  public:
    Writer(const Profile& profile, const CallTree& tree) : profile_(profile), tree_(tree) {}

    Json report() const {
        Json json;
        json["recording"] = recording();
        json["left_out"] = Json::object();
        // The callers that make these fill them in; here they get their places.
        for (const char* later : {"findings", "advantages", "spaces", "same_spaces", "intervals", "patterns"}) {
            json[later] = Json::array();
        }
        json["threads"] = threads();
        for (const char* later : {"waits", "finds", "metrics"}) {
            json[later] = Json::array();
        }
        json["processes"] = processes();
        json["ranks"] = ranks();
        json["rank_spread"] = rank_spread();
        json["functions"] = functions();
        json["lines"] = lines();
        json["call_tree"] = call_tree();
        json["alarms"] = alarms(profile_);
        json["summary"] = sentences(profile_, tree_);
        json["notes"] = profile_.warnings;
        for (const std::string& warning : tree_.symbols.warnings) {
            json["notes"].push_back(warning);
        }
        return json;
    }

  private:
    Json costs(std::span<const std::int64_t> row) const {
        Json json;
        json["user_s"] = seconds(row[kUser]);
        json["system_s"] = seconds(row[kSystem]);
        json["off_cpu_s"] = seconds(row[kOffCpu]);
        json["samples"] = row[kSamples];
        return json;
    }

    Json event_counts(std::span<const std::int64_t> row) const {
        Json json = Json::object();
        for (std::size_t i = 0; i < profile_.events.size(); ++i) {
            json[profile_.events[i].name] = row[kFirstEvent + i];
        }
        return json;
    }

    Json recording() const {
        Json json;
        json["program"] = profile_.command.empty() ? "" : profile_.command[0];
        json["command"] = profile_.command;
        json["host"] = profile_.host;
        const std::string machine = machines(profile_);
        json["machine"] = machine.empty() ? Json() : Json(machine);
        json["directory"] = profile_.directory;
        json["processors"] = known_or_null(profile_.processors);
        json["start_unix_s"] = known_or_null(static_cast<double>(profile_.started_realtime_ns) / 1e9);
        json["duration_s"] = seconds(static_cast<std::int64_t>(profile_.end - profile_.begin));
        const bool is_end_known =
            profile_.has_run_end && profile_.end_reason != kImportedEnd && profile_.end_reason != kAttachedEnd;
        json["exit_status"] = exit_status(is_end_known, profile_.wait_status);
        json["ending"] = ending(profile_);
        json["processes"] = profile_.processes.size();
        json["threads"] = profile_.threads.size();
        json["ranks"] = profile_.ranks.size();
        const Quality& quality = profile_.quality;
        json["samples"] = quality.samples;
        json["condensed_samples"] = quality.condensed;
        json["lost_samples"] = quality.lost;
        json["throttlings"] = quality.throttled;
        json["merged_samples"] = quality.merged;
        json["unwritten_rows"] = quality.unwritten;
        json["lost_kernel_records"] = profile_.kernel_lost;
        json["own_work_s"] = seconds(profile_.own_work.empty() ? 0 : processor_time(profile_.own_work));
        json["own_work_samples"] = profile_.own_work.empty() ? 0 : profile_.own_work[kSamples];
        json["monitor_s"] = seconds(static_cast<std::int64_t>(quality.monitor_ns));
        const auto rate = sampling_rate(profile_);
        json["rate_asked_hz"] = rate ? Json(rate->asked_hz) : Json(nullptr);
        json["rate_delivered_hz"] = rate ? Json(rate->delivered_hz) : Json(nullptr);
        json["samples_at_tick"] = quality.at_tick;
        Json causes = Json::object();
        for (std::size_t i = 1; i < quality.paths.size(); ++i) {
            if (quality.paths[i] != 0) {
                causes[std::string(path_end_key(static_cast<recording::PathEnd>(i)))] = quality.paths[i];
            }
        }
        json["call_paths"] = {{"complete", complete_paths(quality)},
                              {"partial", partial_paths(quality)},
                              {"recovered", quality.recovered},
                              {"folded", quality.folded},
                              {"by_cause", causes}};
        const auto all = tree_.total[0];
        json["user_s"] = seconds(all[kUser]);
        json["system_s"] = seconds(all[kSystem]);
        json["off_cpu_s"] = seconds(all[kOffCpu]);
        json["events"] = events();
        json["unavailable"] = Json::array();
        for (const UnavailableInfo& info : profile_.unavailable) {
            json["unavailable"].push_back({{"what", info.what}, {"why", info.why}, {"remedy", info.remedy}});
        }
        return json;
    }

    // As in a shell: 128 + n for signal n; null while not known.
    static Json exit_status(bool is_known, std::uint64_t wait_status) {
        const int status = static_cast<int>(wait_status);
        if (!is_known) {
            return nullptr;
        }
        return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }

    Json events() const {
        Json json = Json::array();
        for (std::size_t i = 0; i < profile_.events.size(); ++i) {
            const EventInfo& event = profile_.events[i];
            std::int64_t total = 0;
            bool is_known = false;
            for (const ProfileProcess& process : profile_.processes) {
                if (!process.totals.empty() && !is_metric_event(event.name)) {
                    total += process.totals[i];
                    is_known = true;
                }
            }
            json.push_back(
                {{"name", event.name},
                 {"unit", event.unit},
                 {"mode", mode_name(event.mode)},
                 {"period", event.mode == recording::EventMode::kPeriod ? Json(event.value) : Json(nullptr)},
                 {"frequency_hz", event.mode == recording::EventMode::kFrequency ? Json(event.value) : Json(nullptr)},
                 {"user_only", event.user_only},
                 {"count", tree_.total[0][kFirstEvent + i]},
                 {"process_count", is_known ? Json(total) : Json(nullptr)},
                 {"samples", i < profile_.samples_by_event.size() ? profile_.samples_by_event[i] : 0}});
        }
        return json;
    }

    Json processes() const {
        Json json = Json::array();
        const std::vector<std::vector<std::int64_t>> costs = process_costs(profile_);
        for (std::size_t i = 0; i < profile_.processes.size(); ++i) {
            const ProfileProcess& process = profile_.processes[i];
            const auto time = [&](bool is_known, std::int64_t ns) {
                return is_known ? Json(seconds(ns)) : Json(nullptr);
            };
            const auto text = [](const std::string& words) { return words.empty() ? Json(nullptr) : Json(words); };
            json.push_back({{"pid", process.pid},
                            {"own_pid", process.own_pid != 0 ? process.own_pid : process.pid},
                            {"parent_pid", process.parent_pid},
                            {"name", process.name},
                            {"executable", process.executable},
                            {"command", process.command},
                            {"exec_from", text(process.exec_from)},
                            {"rank", process.rank == kNoRank ? Json(nullptr) : Json(process.rank)},
                            {"monitored", process.is_monitored},
                            {"why_not_monitored", text(process.why_not)},
                            {"ended", process.has_ended},
                            {"begin_s", since_start(process.begin)},
                            {"end_s", since_start(process.end)},
                            {"on_cpu_s", time(process.has_times, processor_time(costs[i]))},
                            {"user_s", time(process.is_monitored, costs[i][kUser])},
                            {"system_s", time(process.is_monitored, costs[i][kSystem])},
                            {"off_cpu_s", time(process.has_times, costs[i][kOffCpu])},
                            {"samples", process.quality.samples}});
        }
        return json;
    }

    Json ranks() const {
        Json json = Json::array();
        for (const ProfileRank& rank : profile_.ranks) {
            json.push_back({{"rank", rank.rank},
                            {"job_ranks", known_or_null(rank.size)},
                            {"host", rank.host},
                            {"duration_s", seconds(static_cast<std::int64_t>(rank.duration_ns))},
                            {"exit_status", exit_status(rank.has_run_end, rank.wait_status)},
                            {"processes", rank.processes},
                            {"threads", rank.threads},
                            {"user_s", seconds(rank.costs[kUser])},
                            {"system_s", seconds(rank.costs[kSystem])},
                            {"off_cpu_s", seconds(rank.costs[kOffCpu])},
                            {"samples", rank.costs[kSamples]}});
        }
        return json;
    }

    Json rank_spread() const {
        Json json = Json::object();
        if (profile_.ranks.empty()) {
            return json;
        }
        for (const auto& [name, column] :
             {std::pair{"user_s", kUser}, {"system_s", kSystem}, {"off_cpu_s", kOffCpu}}) {
            const Spread spread = spread_over_ranks(profile_.ranks, column);
            json[name] = {{"min", seconds(spread.least)},
                          {"mean", spread.mean / 1e9},
                          {"max", seconds(spread.most)},
                          {"min_rank", spread.least_rank},
                          {"max_rank", spread.most_rank}};
        }
        return json;
    }

    double since_start(std::uint64_t time) const { return seconds(static_cast<std::int64_t>(time - profile_.begin)); }

    Json threads() const {
        Json json = Json::array();
        for (const ProfileThread& thread : profile_.threads) {
            Json row;
            row["id"] = json.size();
            row["tid"] = thread.tid;
            row["own_tid"] = thread.own_tid != 0 ? thread.own_tid : thread.tid;
            row["pid"] = profile_.processes[thread.process].pid;
            row["name"] = thread.name;
            row["created_by"] = creation_path(profile_, tree_, thread);
            row["creator_tid"] = thread.creator == kNone ? Json(nullptr) : Json(profile_.threads[thread.creator].tid);
            row["begin_s"] = since_start(thread.begin);
            row["end_s"] = since_start(thread.end);
            row["sampled"] = thread.is_sampled;
            row["ended"] = thread.has_ended;
            row["on_cpu_s"] = seconds(processor_time(thread.costs));
            row["user_s"] = thread.is_sampled ? Json(seconds(thread.costs[kUser])) : Json(nullptr);
            row["system_s"] = thread.is_sampled ? Json(seconds(thread.costs[kSystem])) : Json(nullptr);
            row["off_cpu_s"] = seconds(thread.costs[kOffCpu]);
            row["run_queue_s"] = seconds(thread.run_queue_ns);
            row["states"] = json_states(thread);
            row["paused_s"] = seconds(thread.paused_ns);
            row["switches"] = thread.switches.voluntary + thread.switches.involuntary;
            row["voluntary_switches"] = thread.switches.voluntary;
            row["involuntary_switches"] = thread.switches.involuntary;
            row["switches_from"] = json_figures_from(thread.figures_from);
            row["pace_ticks"] =
                thread.pace.count == 0
                    ? Json(nullptr)
                    : Json(static_cast<double>(thread.pace.ticks) / static_cast<double>(thread.pace.count));
            row["samples"] = thread.costs[kSamples];
            row["lost_samples"] = thread.quality.lost;
            row["events"] = event_counts(thread.costs);
            json.push_back(std::move(row));
        }
        return json;
    }

    Json file_of(std::uint32_t file) const { return file == 0 ? Json(nullptr) : Json(tree_.symbols.files[file]); }

    std::vector<std::size_t> order(const CostTable& table) const {
        std::vector<std::size_t> rows(table.rows());
        std::iota(rows.begin(), rows.end(), std::size_t{0});
        std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
            return processor_time(table[a]) > processor_time(table[b]);
        });
        return rows;
    }

    Json functions() const {
        Json json = Json::array();
        for (const std::size_t row : order(tree_.function_self)) {
            const FunctionCosts& function = tree_.functions[row];
            const program::Function& known = tree_.symbols.functions[function.function];
            json.push_back({{"function", known.name},
                            {"module", known.module},
                            {"file", file_of(known.file)},
                            {"line", known_or_null(known.line)},
                            {"hottest_file", file_of(function.file)},
                            {"hottest_line", known_or_null(function.line)},
                            {"self", costs(tree_.function_self[row])},
                            {"total", costs(tree_.function_total[row])},
                            {"events", event_counts(tree_.function_self[row])}});
        }
        return json;
    }

    Json lines() const {
        Json json = Json::array();
        for (const std::size_t row : order(tree_.line_self)) {
            const LineCosts& line = tree_.lines[row];
            json.push_back({{"file", file_of(line.file)},
                            {"line", known_or_null(line.line)},
                            {"function", tree_.symbols.functions[line.function].name},
                            {"self", costs(tree_.line_self[row])},
                            {"events", event_counts(tree_.line_self[row])}});
        }
        return json;
    }

    // Flat, a parent before its children: trees may be deeper than the nesting that parsers accept.
    Json call_tree() const {
        Json json = Json::array();
        for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
            const CallNode& node = tree_.nodes[i];
            const program::Function& function = tree_.symbols.functions[node.function];
            json.push_back({{"id", i},
                            {"parent", i == 0 ? Json(nullptr) : Json(raw(node.parent))},
                            {"kind", kind_name(node.kind)},
                            {"function", i == 0 ? "" : function.name},
                            {"module", function.module},
                            {"inlined", node.inlined},
                            {"file", file_of(node.file)},
                            {"line", known_or_null(node.line)},
                            {"self", costs(tree_.self[i])},
                            {"total", costs(tree_.total[i])}});
        }
        return json;
    }

    const Profile& profile_;
    const CallTree& tree_;
};

}  // namespace

Json json_report(const Profile& profile, const CallTree& tree) {
    return Writer(profile, tree).report();
}

}  // namespace kymo::view
