#include "spacetime/hunt_results/hunt_rows.h"

#include <algorithm>

namespace kymo::spacetime {
namespace {

namespace rec = recording;

// What is asked; how it went is added up from the ends of all processes.
void take_hunt(HuntFacts& facts, const rec::Hunt& row) {
    facts.event = row.event;
    facts.key = static_cast<rec::HuntKey>(row.key);
    facts.precision = static_cast<rec::HuntPrecision>(row.precision);
    facts.literal_pair = row.form == 1;
    facts.engine =
        row.engine == static_cast<std::uint64_t>(rec::HuntEngine::kKernel) ? HuntedBy::kKernel : HuntedBy::kProgram;
    facts.cells = row.cells;
    facts.every = row.every;
    facts.share = row.share;
    facts.refuse = row.refuse;
    facts.confidence = row.confidence;
    facts.false_reports = row.false_reports;
    facts.events_alone = row.events_alone;
    facts.events_among_many = row.events_among_many;
    facts.all_terminal = row.all_terminal;
    facts.matching_terminal = row.matching_terminal;
    facts.rest = row.rest;
}

}  // namespace

void FileHunt::read_from(const rec::File& file, rec::Handlers& handlers) {
    pid = file.header().pid;
    machine = file.header().machine;
    handlers.on<rec::Run>([this](StreamId, const rec::Run& row) { run_begin = row.time; });
    handlers.on<rec::RunEnd>([this](StreamId, const rec::RunEnd& row) { run_end = row.time; });
    handlers.on<rec::Hunt>([this](StreamId, const rec::Hunt& row) { take_hunt(facts.emplace(), row); });
    handlers.on<rec::Image>([this](StreamId, const rec::Image& row) {
        images[row.image] = {std::string(row.path), std::string(row.build_id)};
    });
    handlers.on<rec::HuntResult>(
        [this](StreamId stream, const rec::HuntResult& row) { results.push_back({row, raw(stream)}); });
    handlers.on<rec::HuntResultEnd>(
        [this](StreamId, const rec::HuntResultEnd& row) { ends.insert_or_assign(row.number, row); });
    handlers.on<rec::ProcessEnd>([this](StreamId, const rec::ProcessEnd& row) {
        last_time = row.time;
        ended = true;
    });
    handlers.on<rec::HuntEnd>([this](StreamId, const rec::HuntEnd& row) { hunt_end = row; });
}

void FileHunt::take_paths(const FileData& file) {
    for (const HuntResultRow& result : results) {
        const auto stream = file.streams.find(result.stream);
        if (stream == file.streams.end()) {
            continue;
        }
        const std::vector<ContextInfo>& known = stream->second.contexts;
        for (std::uint64_t at = result.row.context; at != 0 && at < known.size(); at = known[at].parent) {
            const ContextInfo& context = known[at];
            const bool is_new =
                contexts.try_emplace({result.stream, at}, HuntContext{context.parent, context.image, context.offset})
                    .second;
            if (!is_new) {
                break;
            }
        }
    }
}

program::ImageName FileHunt::name_of(std::uint64_t image) const {
    const auto known = images.find(image);
    return known == images.end() ? program::ImageName{{}, {}, machine}
                                 : program::ImageName{known->second.path, known->second.build_id, machine};
}

std::vector<HuntContext> FileHunt::path_of(std::uint32_t stream, std::uint64_t context) const {
    std::vector<HuntContext> path;
    constexpr std::size_t kDeepest = 4096;  // a damaged file may go round in circles
    while (context != 0 && path.size() < kDeepest) {
        const auto node = contexts.find({stream, context});
        if (node == contexts.end()) {
            break;
        }
        path.push_back(node->second);
        context = node->second.parent;
    }
    std::reverse(path.begin(), path.end());
    return path;
}

void HuntRows::settle() {
    for (const FileHunt& file : files) {
        const rec::HuntEnd& end = file.hunt_end;
        if (end.engine == static_cast<std::uint64_t>(rec::HuntEngine::kKernel)) {
            // One machine for the whole tree of processes: the last word is the largest.
            facts.events = std::max(facts.events, end.events);
            facts.captures = std::max(facts.captures, end.captures);
            facts.overfull = std::max(facts.overfull, end.overfull);
            facts.dropped = std::max(facts.dropped, end.dropped);
        } else {
            facts.events += end.events;
            facts.captures += end.captures;
            facts.overfull += end.overfull;
            facts.dropped += end.dropped;
        }
        facts.unfinished += !file.results.empty() && !file.ended ? 1 : 0;
    }
}

HuntRows hunt_rows(std::vector<FileHunt> files) {
    HuntRows rows;
    for (const FileHunt& file : files) {
        rows.begin = file.run_begin != 0 ? file.run_begin : rows.begin;
        rows.end = file.run_end != 0 ? file.run_end : rows.end;
        rows.hunted = rows.hunted || file.facts.has_value();
        rows.facts = file.facts ? *file.facts : rows.facts;
    }
    rows.files = std::move(files);
    rows.settle();
    return rows;
}

}  // namespace kymo::spacetime
