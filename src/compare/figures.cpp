#include "compare/figures.h"

#include "analysis/analysis.h"
#include "spacetime/profile/make_profile.h"
#include "spacetime/profile/wait_table.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <unordered_map>

namespace kymo::compare {
namespace {

using namespace spacetime;

constexpr double kLeastPath = 0.001;  // of processor time

std::string_view base_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

// Makes the keys of one run.
class Keys {
  public:
    explicit Keys(const Profile& profile) {
        for (const ProfileProcess& process : profile.processes) {
            programs_.emplace(base_name(process.executable));
        }
    }

    std::string of(const program::Function& function) const {
        return of(function.name, function.module, function.source <= program::NameSource::kPlt);
    }
    // Of a place whose function's name may be empty.
    std::string of(const std::string& name, const std::string& module) const {
        return of(name, module, !name.empty() && !name.starts_with(module + "+0x"));
    }
    bool has_one_program() const { return programs_.size() == 1; }

  private:
    std::string of(const std::string& name, const std::string& module, bool is_named) const {
        // A single program's name is redundant; with several it distinguishes them.
        const bool is_own = programs_.size() == 1 && programs_.contains(module);
        const std::string where = is_own ? std::string() : module;
        if (!is_named) {
            return "[code without a name" + (is_own ? std::string("]") : where.empty() ? "]" : " in " + where + "]");
        }
        const std::string plain = without_clone(name);
        return where.empty() ? plain : plain + " (" + where + ")";
    }

    std::set<std::string, std::less<>> programs_;
};

void add_functions(RunFigures& run, const Profile& profile, const CallTree& tree, const Keys& keys) {
    const auto period = static_cast<double>(clock_period(profile));
    std::map<std::uint32_t, Amount*> by_function;
    for (std::size_t i = 0; i < tree.functions.size(); ++i) {
        const std::uint32_t number = tree.functions[i].function;
        const program::Function& function = tree.symbols.functions[number];
        Amount& amount = run.rows[{RowKind::kFunction, keys.of(function)}];
        const auto ns = static_cast<double>(processor_time(tree.function_self[i]));
        amount.value += ns;
        // Samples are random: the number of periods in the time, give or take its square root.
        amount.error = std::sqrt(std::max(amount.value, 0.0) * period);
        if (amount.file.empty()) {
            amount.file = tree.symbols.files[function.file];
            amount.line = function.line;
        }
        by_function[number] = &amount;
    }
    for (std::size_t i = 0; i < tree.lines.size(); ++i) {
        const program::Function& function = tree.symbols.functions[tree.lines[i].function];
        const auto found = by_function.find(tree.lines[i].function);
        if (found != by_function.end() && tree.lines[i].line != 0 && tree.lines[i].file == function.file) {
            found->second->lines[static_cast<std::int64_t>(tree.lines[i].line) - function.line] +=
                static_cast<double>(processor_time(tree.line_self[i]));
        }
    }
}

// The name of a node in call paths; "" for a process of a recording with one program, which needs no name.
std::string path_part(const CallTree& tree, const CallNode& node, const Keys& keys) {
    const program::Function& function = tree.symbols.functions[node.function];
    if (node.kind == NodeKind::kFrame) {
        return keys.of(function);
    }
    if (node.kind != NodeKind::kProcess) {
        return function.name;  // "[no call path]"
    }
    if (keys.has_one_program()) {
        return "";
    }
    // "process 17 (make)", "rank 2 (make 17)": process numbers differ between runs, and ranks are alike.
    const std::size_t called = function.name.find('(');
    if (called == std::string::npos) {
        return "[process]";
    }
    const std::string name = function.name.substr(called);
    return function.name.starts_with("rank ") ? name.substr(0, name.rfind(' ')) + ")" : name;
}

bool ends_in(std::string_view path, std::string_view part) {
    return path == part || (path.ends_with(part) && path.substr(0, path.size() - part.size()).ends_with(kCalls));
}

// Leaves out paths below kLeastPath, together with their callees.
void add_paths(RunFigures& run, const Profile& profile, const CallTree& tree, const Keys& keys) {
    const auto period = static_cast<double>(clock_period(profile));
    const double least = kLeastPath * static_cast<double>(processor_time(tree.total[0]));
    std::unordered_map<std::size_t, std::string> paths{{0, ""}};
    for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
        const CallNode& node = tree.nodes[i];
        const auto ns = static_cast<double>(processor_time(tree.total[i]));
        const auto above = paths.find(raw(node.parent));
        if (ns <= 0 || ns < least || above == paths.end()) {
            continue;
        }
        const std::string part = path_part(tree, node, keys);
        const std::string& outer = above->second;
        if (part.empty() || ends_in(outer, part)) {  // its time is in its caller's row
            paths.emplace(i, std::string(outer));
            continue;
        }
        std::string path = outer.empty() ? part : outer + std::string(kCalls) + part;
        Amount& amount = run.rows[{RowKind::kPath, path}];
        amount.value += ns;
        amount.error = std::sqrt(amount.value * period);
        if (amount.file.empty() && node.kind == NodeKind::kFrame) {
            amount.file = tree.symbols.files[node.file];
            amount.line = node.line;
        }
        paths.emplace(i, std::move(path));
    }
}

void add_waits(RunFigures& run, const WaitTable& waits, const Keys& keys) {
    for (const WaitRow& row : waits.rows) {
        const std::string kind(wait_kind_words(row.kind));
        Amount& amount = run.rows[{RowKind::kWait, kind + " in " + keys.of(row.place.function, row.place.module)}];
        amount.value += static_cast<double>(row.amount.ns);
        amount.file = row.place.file;
        amount.line = row.place.line;
    }
}

void add_whole(RunFigures& run, const Profile& profile, const CallTree& tree) {
    const auto total = tree.total[0];
    run.rows[kProcessorTime].value = static_cast<double>(processor_time(total));
    run.rows[kOffTime].value = static_cast<double>(total[kOffCpu]);
    if (profile.end > profile.begin) {
        run.rows[kWallTime].value = static_cast<double>(profile.end - profile.begin);
    }
    for (std::size_t event = 0; event < profile.events.size(); ++event) {
        if (profile.events[event].unit != "ns") {
            run.rows[{RowKind::kEvent, profile.events[event].name}].value =
                static_cast<double>(total[kFirstEvent + event]);
        }
    }
}

}  // namespace

std::vector<std::string> function_keys(const Profile& profile, const CallTree& tree) {
    const Keys keys(profile);
    std::vector<std::string> all;
    all.reserve(tree.symbols.functions.size());
    for (const program::Function& function : tree.symbols.functions) {
        all.push_back(keys.of(function));
    }
    return all;
}

std::vector<std::string> path_parts(std::string_view path) {
    std::vector<std::string> parts;
    for (std::size_t at = path.find(kCalls); at != std::string_view::npos; at = path.find(kCalls)) {
        parts.emplace_back(path.substr(0, at));
        path.remove_prefix(at + kCalls.size());
    }
    parts.emplace_back(path);
    return parts;
}

std::string without_clone(std::string_view name) {
    if (const std::size_t clone = name.find(" [clone"); clone != std::string_view::npos) {
        name = name.substr(0, clone);
    }
    // ".constprop.0", ".part.1", ".isra.2.cold": words and numbers behind the name, in any number.
    for (std::size_t dot = name.rfind('.'); dot != std::string_view::npos && dot != 0; dot = name.rfind('.')) {
        const std::string_view last = name.substr(dot + 1);
        const bool is_number = !last.empty() && std::all_of(last.begin(), last.end(), [](unsigned char letter) {
            return std::isdigit(letter) != 0;
        });
        static constexpr std::string_view kWords[] = {"constprop", "part", "isra", "cold", "lto_priv", "localalias"};
        if (!is_number && std::find(std::begin(kWords), std::end(kWords), last) == std::end(kWords)) {
            break;
        }
        name = name.substr(0, dot);
    }
    return std::string(name);
}

RunFigures figures_of(const Profile& profile, const CallTree& tree, const WaitTable& waits,
                      const std::vector<findings::Finding>& findings, std::string name) {
    RunFigures run;
    run.name = std::move(name);
    const Keys keys(profile);
    for (const findings::Finding& one : findings) {
        run.findings.push_back({one.kind, keys.of(one.place.function, one.place.module), one.title, one.share});
    }
    add_whole(run, profile, tree);
    add_functions(run, profile, tree, keys);
    add_paths(run, profile, tree, keys);
    add_waits(run, waits, keys);
    run.is_damaged = profile.is_damaged;
    return run;
}

Result<RunFigures> figures_of(const recording::Recording& recording, std::string name,
                              const FiguresOptions& options) {
    if (options.findings) {
        const auto analysis = analysis::analyse(recording, {.spaces = {.team = options.team}});
        if (!analysis) {
            return analysis.error();
        }
        if (!team::is_first(options.team)) {
            return RunFigures{};
        }
        return figures_of(analysis->profile, analysis->named.tree, analysis->named.waits,
                          analysis->judgement.findings, std::move(name));
    }
    const auto profile = load_profile(recording);
    if (!profile) {
        return profile.error();
    }
    return figures_of(*profile, make_call_tree(*profile), make_wait_table(profile->waits), {}, std::move(name));
}

}  // namespace kymo::compare
