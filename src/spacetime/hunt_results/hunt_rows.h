// A hunt's rows of one recording, as read from its files or as a replay makes them: what heavy hitters are made of.
//
// Not thread-safe. Costs: a node a call-path context, and a row a result.
#pragma once

#include "program/symbolize.h"
#include "recording/handlers.h"
#include "recording/tables.h"
#include "spacetime/hunt_results/hunt_results.h"
#include "spacetime/load/file_data.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kymo::spacetime {

struct HuntImage {
    std::string path;
    std::string build_id;
};

struct HuntContext {
    std::uint64_t parent = 0;
    std::uint64_t image = 0;
    std::uint64_t offset = 0;
};

struct HuntResultRow {
    recording::HuntResult row;
    std::uint32_t stream = 0;
};

// One file's rows of a hunt. A reader of rows (recording/handlers.h), but for the contexts.
struct FileHunt {
    void read_from(const recording::File& file, recording::Handlers& handlers);
    // The call paths of the results, from what else the file holds.
    void take_paths(const FileData& file);

    std::optional<HuntFacts> facts;  // of the file that says what was asked for
    std::uint64_t run_begin = 0;     // 0: not in this file
    std::uint64_t run_end = 0;
    std::uint64_t pid = 0;
    std::uint16_t machine = 0;
    std::uint64_t last_time = 0;
    std::unordered_map<std::uint64_t, HuntImage> images;
    std::map<std::pair<std::uint32_t, std::uint64_t>, HuntContext> contexts;  // by stream and ContextId
    std::vector<HuntResultRow> results;
    std::unordered_map<std::uint64_t, recording::HuntResultEnd> ends;  // a result's latest word, by its number
    recording::HuntEnd hunt_end;                                       // the latest
    bool ended = false;                                                // the process had its last word

    program::ImageName name_of(std::uint64_t image) const;
    // Outermost first; empty where the context is not known.
    std::vector<HuntContext> path_of(std::uint32_t stream, std::uint64_t context) const;
};

struct HuntRows {
    bool hunted = false;
    HuntFacts facts;
    std::uint64_t begin = 0;  // of the run; 0: not known
    std::uint64_t end = 0;
    std::vector<FileHunt> files;

    // Adds up how it went, over the files.
    void settle();
};

// `files`: the rows of all files of the recording.
HuntRows hunt_rows(std::vector<FileHunt> files);

// Offenders by source and process, their places looked up, ranked by share.
HuntResults make_hunt_results(const HuntRows& rows);

}  // namespace kymo::spacetime
