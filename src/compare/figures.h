// The amounts by which one run is compared, each under a key that the same thing has in a run of another build.
//
// A function's key is its name, and its library unless that is the program itself: so a renamed program, another
// path and other line numbers are the same function. A call path's key lists its functions; direct recursion is one
// entry. Numbers that compilers append to a function's parts
// (".constprop.0") are left out. Code without a name is one key a library.
//
// Contract: plain values, made once a run. Cost: that of the analysis.
#pragma once

#include "base/result.h"
#include "findings/finding.h"
#include "recording/reader.h"
#include "spacetime/profile/call_tree.h"
#include "spacetime/profile/profile.h"
#include "spacetime/profile/wait_table.h"
#include "team/team.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::compare {

enum class RowKind : std::uint8_t {
    kWhole,     // "wall time", "processor time", "time off processors"
    kFunction,  // processor time in the function itself
    kPath,      // processor time of a call path with all that it calls
    kWait,      // time waited at a place, by kind
    kEvent,     // a count over the whole run
};

struct RowKey {
    RowKind kind = RowKind::kWhole;
    std::string name;  // of a wait: "mutex in f"; of a call path: its functions, kCalls between them
    auto operator<=>(const RowKey&) const = default;
};

inline const RowKey kWallTime{RowKind::kWhole, "wall time"};
inline const RowKey kProcessorTime{RowKind::kWhole, "processor time"};
inline const RowKey kOffTime{RowKind::kWhole, "time off processors"};

// "main › solve › sort"
inline constexpr std::string_view kCalls = " › ";

// The functions of a call path's key, outermost first.
std::vector<std::string> path_parts(std::string_view path);

struct Amount {
    double value = 0;  // ns, or a count
    double error = 0;  // of sampling, one standard deviation; 0: exact
    std::string file;  // where it is declared, or waited; empty: not known
    std::uint32_t line = 0;
    std::map<std::int64_t, double> lines;  // of a function: ns by line, counted from its declaration
};

struct FindingFigures {
    std::string kind;
    std::string place;  // the key of its function
    std::string title;
    double share = 0;
};

struct RunFigures {
    std::string name;  // the recording's
    std::map<RowKey, Amount> rows;
    std::vector<FindingFigures> findings;
    bool is_damaged = false;
};

struct FiguresOptions {
    bool findings = true;
    team::Team* team = nullptr;  // analyses with findings together; only its first process has figures
};

// Error: as analysis::analyse().
Result<RunFigures> figures_of(const recording::Recording& recording, std::string name, const FiguresOptions& options);

// The same from what is known already. Pure.
RunFigures figures_of(const spacetime::Profile& profile, const spacetime::CallTree& tree,
                      const spacetime::WaitTable& waits, const std::vector<findings::Finding>& findings,
                      std::string name);

// The key of each of tree.symbols.functions.
std::vector<std::string> function_keys(const spacetime::Profile& profile, const spacetime::CallTree& tree);

// "sort.constprop.0" → "sort", "f() [clone .cold]" → "f()".
std::string without_clone(std::string_view name);

}  // namespace kymo::compare
