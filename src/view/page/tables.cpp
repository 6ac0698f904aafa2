#include "view/page/tables.h"

#include "spacetime/profile/own_code.h"
#include "spacetime/profile/quality.h"
#include "view/summary.h"
#include "view/text.h"
#include "view/threads/created_with.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace kymo::view {
namespace {

using namespace spacetime;
using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestText = 2000;
constexpr std::size_t kMostCreatedWith = 2000;  // threads; some 400 bytes each

Json cost_row(std::span<const std::int64_t> costs) {
    Json row = Json::array();
    for (const std::int64_t cost : costs) {
        row.push_back(cost);
    }
    return row;
}

std::int64_t since(const Profile& profile, std::uint64_t time) {
    return static_cast<std::int64_t>(time - profile.begin);
}

// By function of the tree's symbols. Functions above main without a name are start-up code too: of a stripped C
// library.
std::vector<bool> start_up_functions(const CallTree& tree) {
    std::vector<bool> is_known;
    is_known.reserve(tree.symbols.functions.size());
    for (const program::Function& function : tree.symbols.functions) {
        is_known.push_back(is_start_up(function.name));
    }
    std::vector<bool> is_found = is_known;
    for (const CallNode& node : tree.nodes) {
        if (node.kind != NodeKind::kFrame || tree.symbols.functions[node.function].name != "main") {
            continue;
        }
        for (const CallNode* above = &node.parent.in(tree.nodes); above->kind == NodeKind::kFrame;
             above = &above->parent.in(tree.nodes)) {
            const program::NameSource source = tree.symbols.functions[above->function].source;
            if (!is_known[above->function] && source != program::NameSource::kFrame &&
                source != program::NameSource::kAddress) {
                break;
            }
            is_found[above->function] = true;
        }
    }
    return is_found;
}

}  // namespace

std::string shown_text(std::string_view text) {
    if (text.size() <= kLongestText) {
        return std::string(text);
    }
    const std::size_t half = kLongestText / 2;
    return fmt::format("{} … {}", text.substr(0, half), text.substr(text.size() - half));
}

std::uint32_t NameTable::function(std::uint32_t index) {
    Slot& slot = functions_[index];
    if (slot.number == kNone) {
        slot.number = static_cast<std::uint32_t>(function_order_.size());
        function_order_.push_back(index);
        file(tree_.symbols.functions[index].file);
    }
    return slot.number;
}

std::uint32_t NameTable::file(std::uint32_t index) {
    Slot& slot = files_[index];
    if (slot.number == kNone) {
        slot.number = static_cast<std::uint32_t>(file_order_.size());
        file_order_.push_back(index);
    }
    return slot.number;
}

std::uint32_t NameTable::ranks() {
    function_order_.push_back(kNone);
    return static_cast<std::uint32_t>(function_order_.size() - 1);
}

void NameTable::write(Blob& blob) const {
    const std::vector<bool> is_own = own_functions(profile_, tree_.symbols);
    const std::vector<bool> starts = start_up_functions(tree_);
    Json functions = Json::array();
    for (const std::uint32_t index : function_order_) {
        if (index == kNone) {
            functions.push_back(
                Json::array({quantity(profile_.ranks.size(), "rank"), "", 0, 0, false, false, false}));
            continue;
        }
        const program::Function& function = tree_.symbols.functions[index];
        functions.push_back({shown_text(function.name), shown_text(function.module), files_[function.file].number,
                             function.line, function.source == program::NameSource::kDebugInfo,
                             static_cast<bool>(is_own[index]), static_cast<bool>(starts[index])});
    }
    blob.json["functions"] = std::move(functions);
    Json files = Json::array();
    for (const std::uint32_t index : file_order_) {
        files.push_back(shown_text(tree_.symbols.files[index]));
    }
    blob.json["files"] = std::move(files);
    Json images = Json::array();
    for (const ImageInfo& image : profile_.images) {
        images.push_back(image.path.empty() ? "[generated code]" : shown_text(image.path));
    }
    blob.json["images"] = std::move(images);
}

void write_run(const Profile& profile, const CallTree& tree, Blob& blob) {
    Json run;
    run["command"] = Json::array();
    for (const std::string& argument : profile.command) {
        run["command"].push_back(shown_text(argument));
    }
    run["host"] = shown_text(profile.host);
    run["directory"] = shown_text(profile.directory);
    run["start_unix_ns"] = std::to_string(profile.started_realtime_ns);
    run["duration"] = since(profile, profile.end);
    run["processors"] = profile.processors;
    run["ending"] = ending(profile);
    run["samples"] = profile.quality.samples;
    run["lost"] = profile.quality.lost + profile.quality.throttled + profile.quality.unwritten;
    run["kernel_lost"] = profile.kernel_lost;
    const std::uint64_t complete = complete_paths(profile.quality);
    const std::uint64_t partial = partial_paths(profile.quality);
    run["complete_paths"] =
        complete + partial == 0 ? 1.0 : static_cast<double>(complete) / static_cast<double>(complete + partial);
    if (const auto rate = sampling_rate(profile)) {
        run["asked_hz"] = rate->asked_hz;
        run["delivered_hz"] = rate->delivered_hz;
    }
    blob.json["run"] = std::move(run);

    Json events = Json::array();
    for (const EventInfo& event : profile.events) {
        events.push_back({{"name", event.name}, {"unit", event.unit}, {"mode", mode_name(event.mode)}});
    }
    blob.json["events"] = std::move(events);

    Json unavailable = Json::array();
    for (const UnavailableInfo& info : profile.unavailable) {
        unavailable.push_back({shown_text(info.what), shown_text(info.why), shown_text(info.remedy)});
    }
    blob.json["unavailable"] = std::move(unavailable);
    blob.json["sentences"] = sentences(profile, tree);
    Json notes = Json::array();
    for (const auto* warnings : {&profile.warnings, &tree.symbols.warnings}) {
        for (const std::string& warning : *warnings) {
            notes.push_back(shown_text(warning));
        }
    }
    blob.json["notes"] = std::move(notes);
}

void write_threads(const Profile& profile, const CallTree& tree, const Names& names, Blob& blob) {
    Json processes = Json::array();
    std::map<std::uint64_t, int> host_of;  // by rank
    std::map<std::string, int> hosts;
    Json host_names = Json::array();
    for (const ProfileRank& rank : profile.ranks) {
        const auto [host, is_new] = hosts.try_emplace(rank.host, static_cast<int>(hosts.size()));
        if (is_new) {
            host_names.push_back(shown_text(rank.host));
        }
        host_of[rank.rank] = host->second;
    }
    for (const ProfileProcess& process : profile.processes) {
        const auto host = host_of.find(process.rank);
        processes.push_back({{"pid", process.pid},
                             {"name", shown_text(process.name)},
                             {"rank", process.rank == kNoRank ? Json(nullptr) : Json(process.rank)},
                             {"host", host == host_of.end() ? -1 : host->second}});
    }
    blob.json["rank_hosts"] = std::move(host_names);
    blob.json["processes"] = std::move(processes);
    Json threads = Json::array();
    for (const ProfileThread& thread : profile.threads) {
        Json created = Json::array();
        for (const std::string& frame : creation_path(profile, tree, thread)) {
            created.push_back(shown_text(frame));
        }
        Json state = Json::array();
        if (threads.size() < kMostCreatedWith) {
            for (const std::string& line : created_with_lines(profile, names, thread)) {
                state.push_back(shown_text(line));
            }
        }
        const Filling life = thread.states.filling(thread.states.begin(), thread.states.end());
        threads.push_back({{"process", thread.process},
                           {"tid", thread.tid},
                           {"name", shown_text(thread.name)},
                           {"begin", since(profile, thread.begin)},
                           {"end", since(profile, thread.end)},
                           {"creator", thread.creator == kNone ? Json(nullptr) : Json(thread.creator)},
                           {"created", std::move(created)},
                           {"created_with", std::move(state)},
                           {"sampled", thread.is_sampled},
                           {"states", life.states.ns},
                           {"costs", cost_row(thread.costs)}});
    }
    blob.json["threads"] = std::move(threads);
}

void write_own_lines(const std::vector<OwnLine>& own, Blob& blob) {
    std::vector<std::uint32_t> leaf;
    std::vector<std::uint32_t> line;
    std::vector<std::int64_t> ns;
    for (const OwnLine& one : own) {
        leaf.push_back(one.leaf);
        line.push_back(one.line);
        ns.push_back(one.ns);
    }
    blob.varints("own.leaf", leaf);
    blob.varints("own.line", line);
    blob.signed_varints("own.ns", ns);
}

void write_tree(const CallTree& tree, const Leaves& leaves, NameTable& names, Blob& blob) {
    std::vector<std::uint32_t> function;
    std::vector<std::uint32_t> file;
    std::vector<std::uint32_t> line;
    std::vector<std::uint32_t> kind;
    // Self costs of the kept nodes: their own and those of the dropped ones below them.
    std::vector<std::vector<std::int64_t>> self(tree.self.columns(), std::vector<std::int64_t>(leaves.nodes.size()));
    for (std::uint32_t node = 0; node < tree.nodes.size(); ++node) {
        const auto costs = tree.self[node];
        for (std::size_t column = 0; column < costs.size(); ++column) {
            self[column][leaves.kept[node]] += costs[column];
        }
    }
    for (const CallNodeIndex node : leaves.nodes) {
        const CallNode& call = node.in(tree.nodes);
        const bool is_ranks = leaves.ranks != 0 && function.size() == leaves.ranks;
        function.push_back(is_ranks ? names.ranks() : names.function(call.function));
        file.push_back(names.file(call.file));
        line.push_back(call.line);
        kind.push_back(static_cast<std::uint32_t>(call.kind) << 1U | (call.inlined ? 1U : 0U));
    }
    blob.varints("node.parent", leaves.parents);
    blob.varints("node.function", function);
    blob.varints("node.file", file);
    blob.varints("node.line", line);
    blob.varints("node.kind", kind);
    for (std::size_t column = 0; column < self.size(); ++column) {
        blob.signed_varints("node.self." + std::to_string(column), self[column]);
    }

    std::vector<std::uint32_t> of_node;
    std::vector<std::uint32_t> of_line;
    for (const Leaf& leaf : leaves.leaves) {
        of_node.push_back(leaf.node);
        of_line.push_back(leaf.line);
    }
    blob.varints("leaf.node", of_node);
    blob.varints("leaf.line", of_line);

    std::vector<std::uint32_t> line_function;
    std::vector<std::uint32_t> line_file;
    std::vector<std::uint32_t> line_number;
    std::vector<std::uint32_t> line_image;
    std::vector<std::uint64_t> line_first;
    std::vector<std::uint64_t> line_last;
    for (const LeafLine& place : leaves.lines) {
        line_function.push_back(names.function(place.function));
        line_file.push_back(names.file(place.file));
        line_number.push_back(place.line);
        line_image.push_back(place.image);
        line_first.push_back(place.first);
        line_last.push_back(place.last);
    }
    blob.varints("line.function", line_function);
    blob.varints("line.file", line_file);
    blob.varints("line.number", line_number);
    blob.varints("line.image", line_image);
    blob.deltas("line.first", line_first);
    blob.deltas("line.last", line_last);
    blob.json["kinds"] = {"frame",   "root",    "process",   "partial",
                          "no path", "dropped", "unsampled", "unknown call"};  // NodeKind
}

}  // namespace kymo::view
