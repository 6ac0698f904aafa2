#include "analysis/run_tables.h"

#include "parallel/loops.h"
#include "recording/handlers.h"
#include "spacetime/load/descriptions.h"
#include "team/members.h"

#include <span>

// What processes of a team send one another of these rows.
namespace kymo::spacetime {

KYMO_MEMBERS(Absence, what, why, remedy)
KYMO_MEMBERS(RunHost, name, processors, is_by_ring, clock_error_ns, gaps)
KYMO_MEMBERS(MetricOfObject, pid, number, key, name, host, rank, begin, value, thread, program)
KYMO_MEMBERS(RunMetric, name, unit, description, kind, type, origin, total_by, per, of_ends, objects, bins, host_bins)
KYMO_MEMBERS(MetricRows, host, host_number, clock_pair, rank, rank_host, processes, begin, end_time, absences,
             metrics, objects, values)
KYMO_MEMBERS(HuntImage, path, build_id)
KYMO_MEMBERS(HuntFacts, event, key, precision, literal_pair, cells, every, share, refuse, confidence, false_reports,
             events_alone, events_among_many, all_terminal, matching_terminal, rest, engine, events, captures,
             overfull, dropped, unfinished, placeless, by_instruction)
KYMO_MEMBERS(FileHunt, facts, run_begin, run_end, pid, machine, last_time, images, contexts, results, ends, hunt_end,
             ended)
KYMO_MEMBERS(LookedFor, is_look, recording, begin, events, left_out)
KYMO_MEMBERS(LookRows, here)
KYMO_MEMBERS(ProcessMemory, pid, host, rank, points, ended)
KYMO_MEMBERS(ExactFunction, name, module, build_id, offset, refused, calls, running, cut, untimed, threads, sum,
             counts, slowest)
KYMO_MEMBERS(ExactRows::CallsOfThread, row, counts, slowest)
KYMO_MEMBERS(ExactRows, pid, tids, threads, functions, earlier)
KYMO_MEMBERS(FlowSum, name, from_pid, from_tid, to_pid, to_tid, count, total_ns, longest_ns, longest_at)
KYMO_MEMBERS(FlowArrow, begin, end, from_pid, from_tid, to_pid, to_tid)
KYMO_MEMBERS(FlowRows, sums, arrows)
KYMO_MEMBERS(AccessesOfCode, levels, data_pages)
KYMO_MEMBERS(AccessesOfLine, sum, threads, first_code)
KYMO_MEMBERS(AccessRows, pid, images, code, lines, levels, data_pages, code_pages, without_code, without_line)
KYMO_MEMBERS(BranchRows, images, branches, ranges, account)
KYMO_MEMBERS(Place, function, file, line_begin, line_end, module, build_id, ranges)

}  // namespace kymo::spacetime

namespace kymo::findings {

KYMO_MEMBERS(EvidenceRow, event, bad, good, ratio, effect, q, quantity)
KYMO_MEMBERS(Finding, kind, title, place, node, when, threads, seconds, share, share_low, gain_low, gain_high,
             is_cost_known, evidence, confidence, tested, direction, confirm, is_compared, also)
KYMO_MEMBERS(RecordedFindings, is_modelled, kernel, findings)

}  // namespace kymo::findings

namespace kymo::analysis {

RunTables read_run(const recording::Recording& recording, const DealtFiles& dealt) {
    const std::span<const recording::File> files = recording.files();
    RunTables run{.descriptions = {},
                  .metrics = std::vector<spacetime::MetricRows>(files.size()),
                  .hunts = std::vector<spacetime::FileHunt>(files.size()),
                  .looks = std::vector<spacetime::LookRows>(files.size()),
                  .memory = std::vector<spacetime::MemoryRows>(files.size()),
                  .exact = std::vector<spacetime::ExactRows>(files.size()),
                  .flows = std::vector<spacetime::FlowRows>(files.size()),
                  .branches = std::vector<spacetime::BranchRows>(files.size()),
                  .accesses = std::vector<spacetime::AccessRows>(files.size()),
                  .findings = std::vector<findings::RecordedFindings>(files.size())};
    for (std::size_t i = 0; i < files.size(); ++i) {
        run.descriptions.emplace_back(spacetime::FileData());
    }
    parallel::for_each_index(files.size(), [&](std::size_t i) {
        if (!dealt.is_own(i)) {
            return;
        }
        spacetime::Descriptions descriptions;
        const auto scanned =
            recording::scan_for(files[i], descriptions, run.metrics[i], run.hunts[i], run.looks[i], run.memory[i],
                                run.exact[i], run.flows[i], run.branches[i], run.accesses[i], run.findings[i]);
        if (!scanned) {  // what came before the error would be taken for all of it
            run.descriptions[i] = scanned.error();
            run.metrics[i] = {};
            run.hunts[i] = {};
            run.looks[i] = {};
            run.memory[i] = {};
            run.exact[i] = {};
            run.flows[i] = {};
            run.branches[i] = {};
            run.accesses[i] = {};
            run.findings[i] = {};
            return;
        }
        run.descriptions[i] = descriptions.take();
        run.hunts[i].take_paths(*run.descriptions[i]);
    });
    team::collect(dealt.team, run.descriptions, dealt.owner, team::For::kAll);
    team::collect(dealt.team, run.looks, dealt.owner, team::For::kAll);
    team::collect(dealt.team, run.metrics, dealt.owner, team::For::kFirst);
    team::collect(dealt.team, run.hunts, dealt.owner, team::For::kFirst);
    team::collect(dealt.team, run.memory, dealt.owner, team::For::kFirst);
    team::collect(dealt.team, run.accesses, dealt.owner, team::For::kFirst);
    team::collect(dealt.team, run.branches, dealt.owner, team::For::kAll);
    team::collect(dealt.team, run.exact, dealt.owner, team::For::kFirst);
    team::collect(dealt.team, run.flows, dealt.owner, team::For::kFirst);
    team::collect(dealt.team, run.findings, dealt.owner, team::For::kFirst);
    return run;
}

}  // namespace kymo::analysis
