// Formats of other tools that a recording can be written in (`kymo export --to NAME`): one file each in this folder,
// which ends with its "extern const Export kName{" and is found by that.
#pragma once

#include "base/result.h"
#include "recording/reader.h"
#include "view/exports/output.h"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace kymo::view {

struct ExportOptions {
    bool below_creators = true;  // threads hang below the call path that created them
    std::string weight;          // as view::find_metric() takes it; empty: processor time
};

struct Export {
    std::string_view name;    // of --to
    std::string_view what;    // for --help: what it holds, and which program reads it
    bool is_binary = false;   // nothing for a terminal
    bool has_weight = false;  // ExportOptions::weight chooses what is counted; others hold all of it
    // One of the two is set. Errors: the recording cannot be read or is empty, there is no such weight, no space.
    Result<void> (*write)(const recording::Recording& recording, const ExportOptions& options, Output& out) = nullptr;
    // For output that is not a byte stream: writes a new file or directory at a path where nothing exists. The
    // caller removes what an error leaves behind.
    Result<void> (*write_at)(const recording::Recording& recording, const ExportOptions& options,
                             const std::filesystem::path& path) = nullptr;
};

// All of them, by name.
std::span<const Export* const> exports();

}  // namespace kymo::view
