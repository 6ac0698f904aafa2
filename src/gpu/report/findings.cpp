#include "gpu/report/findings.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace kymo::gpu {
namespace {

double of(const Account& account, Cause cause) {
    return account.cycles[static_cast<std::size_t>(cause)];
}

std::string rounded(double value) {
    const double tenth = std::round(value * 10) / 10;
    const std::string text = std::to_string(tenth);
    return text.substr(0, text.find('.') + 2);
}

void place_at(Finding& finding, const StaticInstruction& first, const StaticInstruction& last) {
    finding.pc_begin = first.pc;
    finding.pc_end = last.pc + 16;
    finding.line = first.line;
}

// The stretch of code (instructions one after another, issued mostly with less than two thirds of their lanes) that
// costs most. At stake: the time it takes, times the share of lanes it leaves idle.
void divergence(const KernelResult& result, std::vector<Finding>& found) {
    std::vector<std::size_t> order(result.program.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return result.program[a].pc < result.program[b].pc; });
    const double total = result.total.total_cycles();
    double best = 0;
    double all = 0;
    Finding finding;
    Account here;
    double run = 0;
    std::map<std::uint32_t, double> lost_by_line;  // of the stretch: its line is the one with the highest cost
    std::size_t first = 0;
    const std::uint64_t threads = result.block.count();
    const double most_lanes = threads < kWarpLanes ? static_cast<double>(threads) : kWarpLanes;
    for (std::size_t k = 0; k <= order.size(); ++k) {
        const Account* account = k < order.size() ? &result.by_instruction[order[k]] : nullptr;
        const std::uint64_t active = account != nullptr ? account->issued - account->empty : 0;
        const double lanes = account != nullptr ? ratio(account->lanes, active) : most_lanes;
        if (active != 0 && lanes < most_lanes * 2 / 3) {
            const double lost = account->total_cycles() * (1 - lanes / most_lanes);
            if (run == 0) {
                first = k;
                here = {};
                lost_by_line.clear();
            }
            lost_by_line[result.program[order[k]].line] += lost;
            run += lost;
            all += lost;
            here.add(*account);
            if (run > best) {
                best = run;
                place_at(finding, result.program[order[first]], result.program[order[k]]);
                finding.line = std::max_element(lost_by_line.begin(), lost_by_line.end(), [](auto& a, auto& b) {
                                   return a.second < b.second;
                               })->first;
                finding.evidence = {
                    {"active lanes a warp instruction", ratio(here.lanes, here.issued - here.empty), most_lanes}};
            }
        } else if (account != nullptr && active != 0) {
            run = 0;
        }
    }
    if (best > 0) {
        finding.kind = "divergence";
        finding.share = all / total;
        finding.title = "lanes of a warp take different ways: " + rounded(finding.evidence[0].bad) + " of " +
                        rounded(most_lanes) + " lanes work";
        finding.direction =
            "let neighbouring threads take the same branch: sort or compact the work, or move the condition to whole "
            "warps";
        found.push_back(std::move(finding));
    }
}

// At stake: the memory stalls, times the share of sectors that perfect coalescing would not have needed.
void uncoalesced(const KernelResult& result, std::vector<Finding>& found) {
    const Account& all = result.total;
    if (all.sectors == 0) {
        return;
    }
    std::size_t worst = 0;
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < result.by_instruction.size(); ++i) {
        const Account& account = result.by_instruction[i];
        if (account.sectors > account.fewest_sectors && account.sectors - account.fewest_sectors > most) {
            most = account.sectors - account.fewest_sectors;
            worst = i;
        }
    }
    const double needless = ratio(all.sectors - std::min(all.sectors, all.fewest_sectors), all.sectors);
    const double stalls = of(all, Cause::kMemoryQueue) + of(all, Cause::kL1) + of(all, Cause::kL2) +
                          of(all, Cause::kDram) + of(all, Cause::kAtomic);
    if (most == 0) {
        return;
    }
    const Account& account = result.by_instruction[worst];
    Finding finding;
    finding.kind = "uncoalesced-access";
    finding.share = needless * stalls / all.total_cycles();
    place_at(finding, result.program[worst], result.program[worst]);
    const double sectors = ratio(account.sectors, account.requests);
    const double fewest = ratio(account.fewest_sectors, account.requests);
    finding.title = result.program[worst].opcode + " touches " + rounded(sectors) +
                    " sectors of 32 bytes a warp where " + rounded(fewest) + " would do";
    finding.evidence = {{"sectors a request", sectors, fewest}};
    finding.direction =
        "let neighbouring threads access neighbouring addresses: swap the index order, or stage through shared "
        "memory";
    found.push_back(std::move(finding));
}

// At stake: the cycles that waited for conflicted accesses, times the share of passes that were needless.
void bank_conflicts(const KernelResult& result, std::vector<Finding>& found) {
    std::size_t worst = 0;
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < result.by_instruction.size(); ++i) {
        const Account& account = result.by_instruction[i];
        if (account.shared_passes - account.fewest_passes > most) {
            most = account.shared_passes - account.fewest_passes;
            worst = i;
        }
    }
    if (most == 0) {
        return;
    }
    const Account& all = result.total;
    const Account& account = result.by_instruction[worst];
    Finding finding;
    finding.kind = "bank-conflict";
    const double needless = ratio(all.shared_passes - all.fewest_passes, all.shared_passes);
    finding.share = needless *
                    (of(all, Cause::kBankConflict) + of(all, Cause::kMemoryQueue) + of(all, Cause::kShared)) /
                    all.total_cycles();
    place_at(finding, result.program[worst], result.program[worst]);
    const double passes = ratio(account.shared_passes, account.shared_requests);
    const double fewest = ratio(account.fewest_passes, account.shared_requests);
    finding.title = result.program[worst].opcode + " needs " + rounded(passes) + " passes over shared memory where " +
                    rounded(fewest) + " would do";
    finding.evidence = {{"passes an access", passes, fewest}};
    finding.direction =
        "pad the shared array's rows by one word, or change the layout so that a warp's words lie in different banks";
    found.push_back(std::move(finding));
}

// At stake: the stalls that more warps could have hidden: those of the share of warp places that are empty.
void low_occupancy(const KernelResult& result, std::vector<Finding>& found) {
    constexpr double kLow = 0.25;
    if (result.achieved_occupancy >= kLow || result.cycles <= result.launch_cycles) {
        return;
    }
    const Account& all = result.total;
    const double busy =
        of(all, Cause::kIssue) + of(all, Cause::kDivergence) + of(all, Cause::kNotSelected) + of(all, Cause::kPipe);
    const double running = 1 - result.launch_cycles / result.cycles;
    Finding finding;
    finding.kind = "low-occupancy";
    finding.share = (1 - busy / all.total_cycles()) * (1 - result.achieved_occupancy / kLow) * running;
    if (!result.program.empty()) {
        place_at(finding, result.program.front(), result.program.back());
    }
    const bool small = result.waves < 1;
    finding.title = small ? "the grid fills only " + rounded(result.waves * 100) + " % of the GPU's CTA places"
                          : std::string("few warps fit an SM: limited by ") + result.occupancy.limit;
    finding.evidence = {{"resident warps, share of the SM's", result.achieved_occupancy, kLow},
                        {"waves of CTAs", result.waves, 1}};
    finding.direction =
        small ? "launch more threads: smaller pieces of work a thread, or several problems in one launch"
              : std::string("use fewer ") + result.occupancy.limit + " a CTA so that more CTAs fit";
    found.push_back(std::move(finding));
}

// At stake: SM time that is idle while the last CTAs run.
void tail_wave(const KernelResult& result, std::vector<Finding>& found) {
    const double over = result.waves - std::floor(result.waves);
    if (result.waves <= 1 || over == 0) {
        return;
    }
    Finding finding;
    finding.kind = "tail-wave";
    finding.share = result.tail_idle;
    if (!result.program.empty()) {
        place_at(finding, result.program.front(), result.program.back());
    }
    finding.title = "the last of " + rounded(std::ceil(result.waves)) + " waves of CTAs fills only " +
                    rounded(over * 100) + " % of the GPU";
    finding.evidence = {{"waves of CTAs", result.waves, std::max(1.0, std::floor(result.waves))}};
    finding.direction =
        "choose CTA size and number so that they fill whole waves, or let a fixed number of CTAs loop over the work";
    found.push_back(std::move(finding));
}

}  // namespace

std::vector<Finding> findings(const KernelResult& result) {
    std::vector<Finding> found;
    if (result.model != "full" || result.total.total_cycles() <= 0) {
        return found;
    }
    divergence(result, found);
    uncoalesced(result, found);
    bank_conflicts(result, found);
    low_occupancy(result, found);
    tail_wave(result, found);
    std::erase_if(found, [](const Finding& finding) { return finding.share < kLeastShare; });
    for (Finding& finding : found) {
        finding.seconds = finding.share * result.time_us * 1e-6;
    }
    std::sort(found.begin(), found.end(), [](const Finding& a, const Finding& b) { return a.share > b.share; });
    return found;
}

}  // namespace kymo::gpu
