// Recordings of other tools, rewritten as recordings of Kymo.
#pragma once

#include "base/result.h"
#include "import/perf/perf_file.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace kymo::import {

struct ImportOptions {
    std::filesystem::path symfs;  // programs and libraries are looked for below it; empty: at their own paths
    std::string producer;         // "kymo 0.1.0"
    perf::Progress progress = {};
    bool (*is_cancelled)() = nullptr;
};

struct ImportReport {
    std::uint64_t samples = 0;          // written
    std::uint64_t processes = 0;        // with samples
    std::uint64_t threads = 0;          // likewise
    std::uint64_t idle = 0;             // samples of processors without a task, which are left out
    std::uint64_t lost = 0;             // records that the kernel had no room for
    std::uint64_t other_registers = 0;  // samples with a copied stack, but of another kind of machine: without paths
    bool cancelled = false;             // the rest of the file was not read
    std::vector<std::string> missing;   // images whose files were not found, or are other ones: their paths
    std::vector<std::string> notices;   // one line each
};

// What a file's beginning looks like; of anything else, what perf record writes. Of standard input nothing is read.
enum class ImportFormat : std::uint8_t { kPerfData, kPerfScript, kPprof, kChromeTrace, kPerfettoTrace };
ImportFormat format_of(const std::filesystem::path& file);

// Writes what `perf record` recorded into `folder`, a new and empty one of this user's. The total of an event by
// function is that of `perf report`, for the code of users; frames in the kernel are left out of call paths. Copied
// stacks (--call-graph dwarf) are unwound with the images' files.
//
// Time. A sample of task-clock or cpu-clock represents its period. Without such an event, one of cycles represents
// the time since its thread's last one, unless that is three times longer than usual; without that either, time is
// not known, and counted as not measured.
//
// Errors: those of perf::read_perf_data(); kNoSpace, kPermission: the recording cannot be written.
// Cost: reads the file twice (perf_file.h); one look-up in a hash table for each frame of each sample.
Result<ImportReport> import_perf_data(const std::filesystem::path& file, const std::filesystem::path& folder,
                                      const ImportOptions& options);

}  // namespace kymo::import
