// What several formats need of a recording: all of its facts, and the names that they share.
//
// Times in exports are nanoseconds since the run's begin. A call path is that of the report: names as there, the
// monitor's own work left out, time in a wait with the call that waits.
#pragma once

#include "base/result.h"
#include "findings/finding.h"
#include "recording/reader.h"
#include "spacetime/profile/call_tree.h"
#include "spacetime/profile/profile.h"
#include "view/exports/export.h"
#include "view/pieces.h"

#include <string>
#include <string_view>
#include <vector>

namespace kymo::view {

struct ExportRun {
    const recording::Recording* recording = nullptr;  // outlives it
    spacetime::Profile profile;
    spacetime::CallTree tree;
    findings::Judgement judgement;  // empty if not requested
    std::uint64_t duration = 0;     // until the last thing known of a thread

    const std::vector<spacetime::ProfileThread>& threads() const { return profile.threads; }
    // Of a time of the profile's clock: ns since the run's begin.
    std::uint64_t since_begin(std::uint64_t time) const { return time < profile.begin ? 0 : time - profile.begin; }
    // When a finding is, since the run's begin: over the whole run if it has no times.
    std::vector<TimeRange> times_of(const findings::Finding& finding) const;
    // The call node (of the innermost frame) of a profile node.
    spacetime::CallNodeIndex call_node(std::uint32_t node) const { return tree.node_of[node]; }
    const program::Function& function_of(spacetime::CallNodeIndex node) const;
    const std::string& file_of(spacetime::CallNodeIndex node) const;
    std::uint32_t line_of(spacetime::CallNodeIndex node) const;

    // The caller, skipping nodes of processes: for formats that separate threads by process anyway.
    spacetime::CallNodeIndex caller_of(spacetime::CallNodeIndex node) const;

    // Fit to be shown, as names of functions and threads are (base/clean_text.h).
    static std::string command_text(const std::vector<std::string>& command);
    std::string thread_name(std::uint32_t thread) const;    // never empty
    std::string process_name(std::uint32_t process) const;  // never empty
};

// Whether the run's findings are loaded, too: they take longer than all the rest.
enum class Findings : std::uint8_t { kNone, kAll };

// Error: as analysis::analyse().
Result<ExportRun> load_export_run(const recording::Recording& recording, const ExportOptions& options,
                                  Findings findings);

// walk_pieces() over the whole run, except stretches in which measurement was off or the monitor worked.
Result<void> walk_run(const ExportRun& run, const std::vector<std::size_t>& events, const OnPiece& on_piece,
                      const OnSample& on_sample = {});

// "user", "system", "spinning", "ready", "waiting", "off".
std::string_view state_word(spacetime::ThreadState state);
inline bool is_on_processor(spacetime::ThreadState state) {
    return state == spacetime::ThreadState::kUser || state == spacetime::ThreadState::kSystem ||
           state == spacetime::ThreadState::kSpinning;
}
// The wait that a piece lies in; null: none.
const spacetime::ThreadWait* wait_of(const ExportRun& run, const Piece& piece);

// A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

}  // namespace kymo::view
