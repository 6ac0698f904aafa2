// Formats of other tools that a recording can be written in (`kymo export --to NAME`): one file each in this folder,
// which ends with its "extern const Export kName{" and is found by that.
#pragma once

#include "base/result.h"
#include "recording/reader.h"

#include <span>
#include <string>
#include <string_view>

namespace kymo::view {

struct ExportOptions {
    bool below_creators = true;  // threads hang below the call path that created them
    std::string weight;          // as view::find_metric() takes it; empty: processor time
};

struct Export {
    std::string_view name;  // of --to
    std::string_view what;  // for --help: what it holds, and who reads it
    // The whole file. Errors: the recording cannot be read or has nothing in it, there is no such weight.
    Result<std::string> (*write)(const recording::Recording& recording, const ExportOptions& options);
};

// All of them, by name.
std::span<const Export* const> exports();

}  // namespace kymo::view
