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

Result<void> scan(const rec::File& file, HuntRows& rows) {
    FileHunt& here = rows.files.emplace_back();
    here.pid = file.header().pid;
    here.machine = file.header().machine;
    auto report = file.scan(rec::on<rec::Run>([&](StreamId, const rec::Run& row) { rows.begin = row.time; }),
                            rec::on<rec::RunEnd>([&](StreamId, const rec::RunEnd& row) { rows.end = row.time; }),
                            rec::on<rec::Hunt>([&](StreamId, const rec::Hunt& row) {
                                rows.hunted = true;
                                take_hunt(rows.facts, row);
                            }),
                            rec::on<rec::Image>([&](StreamId, const rec::Image& row) {
                                here.images[row.image] = {std::string(row.path), std::string(row.build_id)};
                            }),
                            rec::on<rec::Context>([&](StreamId stream, const rec::Context& row) {
                                here.contexts[{raw(stream), row.context}] = {row.parent, row.image, row.offset};
                            }),
                            rec::on<rec::HuntResult>([&](StreamId stream, const rec::HuntResult& row) {
                                here.results.push_back({row, raw(stream)});
                            }),
                            rec::on<rec::HuntResultEnd>([&](StreamId, const rec::HuntResultEnd& row) {
                                here.ends.insert_or_assign(row.number, row);
                            }),
                            rec::on<rec::ProcessEnd>([&](StreamId, const rec::ProcessEnd& row) {
                                here.last_time = row.time;
                                here.ended = true;
                            }),
                            rec::on<rec::HuntEnd>([&](StreamId, const rec::HuntEnd& row) { here.hunt_end = row; }));
    if (!report) {
        return report.error();
    }
    return {};
}

}  // namespace

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

Result<HuntRows> read_hunt_rows(std::span<const rec::File> files) {
    HuntRows rows;
    for (const rec::File& file : files) {
        if (auto scanned = scan(file, rows); !scanned) {
            return scanned.error();
        }
    }
    rows.settle();
    return rows;
}

}  // namespace kymo::spacetime
