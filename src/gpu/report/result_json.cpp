#include "gpu/report/result_json.h"

namespace kymo::gpu {
namespace {

using Json = nlohmann::ordered_json;

Json dim(const Dim3& value) {
    return Json::array({value.x, value.y, value.z});
}

Json known(std::uint32_t line) {
    return line == 0 ? Json() : Json(line);
}

Json stack(const Account& account) {
    Json json = Json::object();
    for (unsigned i = 0; i < kCauses; ++i) {
        if (account.cycles[i] > 0) {
            json[name(static_cast<Cause>(i))] = account.cycles[i];
        }
    }
    return json;
}

Json spent(const std::array<double, kSpent>& cycles) {
    Json json = Json::object();
    for (unsigned i = 0; i < kSpent; ++i) {
        if (cycles[i] > 0) {
            json[name(static_cast<Spent>(i))] = cycles[i];
        }
    }
    return json;
}

}  // namespace

Json to_json(const KernelResult& result) {
    Json json;
    json["name"] = result.kernel;
    json["gpu"] = result.gpu;
    json["model"] = result.model;
    json["partial"] = result.left_out.empty() ? Json() : Json(result.left_out);
    json["waiting_share"] = result.waiting;
    json["grid"] = dim(result.grid);
    json["block"] = dim(result.block);
    json["clock_mhz"] = result.mhz;
    json["cycles"] = result.cycles;
    json["launch_cycles"] = result.launch_cycles;
    json["time_us"] = result.time_us;
    json["warp_instructions"] = result.warp_instructions;
    json["masked_instructions"] = result.masked_instructions;
    json["thread_instructions"] = result.thread_instructions;
    json["ipc"] = result.ipc;
    if (result.model == "basic") {
        json["threads"] = result.threads;
        json["walked_around"] = result.walked_around;
        json["thread_cycles"] = result.thread_cycles;
        json["spent"] = spent(result.spent);
        json["thread_ipc"] = result.thread_ipc;
    } else {
        json["sampling"] = {
            {"ctas", result.ctas}, {"simulated", result.ctas_simulated}, {"error_share", result.sampling_error}};
        json["occupancy"] = {{"theoretical_share", result.occupancy.theoretical},
                             {"achieved_share", result.achieved_occupancy},
                             {"ctas_per_sm", result.occupancy.ctas},
                             {"limit", result.occupancy.limit},
                             {"waves", result.waves},
                             {"tail_idle_share", result.tail_idle}};
        json["l1_hit_share"] = ratio(result.l1_read_hits, result.l1_reads);
        json["dram_gbps"] = result.dram_gbps;
        json["l2_gbps"] = result.l2_gbps;
        json["roofline"] = {{"gflops", result.gflops},
                            {"roof_gflops", result.roof_gflops},
                            {"flops_per_byte", result.flops_per_byte},
                            {"bound", result.bound}};
    }
    json["l2_hit_share"] = ratio(result.memory.l2_read_hits, result.memory.l2_reads);
    json["sectors"] = {{"requests", result.total.requests},       {"l1_reads", result.l1_reads},
                       {"l2_reads", result.memory.l2_reads},      {"l2_writes", result.memory.l2_writes},
                       {"atomics", result.memory.l2_atomics},     {"dram_reads", result.memory.dram_reads},
                       {"dram_writes", result.memory.dram_writes}};
    json["warp_cycles"] = stack(result.total);
    Json instructions = Json::array();
    for (std::size_t i = 0; i < result.by_instruction.size(); ++i) {
        const Account& account = result.by_instruction[i];
        const StaticInstruction& instruction = result.program[i];
        instructions.push_back({{"pc", instruction.pc},
                                {"line", known(instruction.line)},
                                {"opcode", instruction.opcode},
                                {"issued", account.issued},
                                {"lanes", ratio(account.lanes, account.issued)},
                                {"sectors", account.sectors},
                                {"warp_cycles", stack(account)}});
        if (i < result.spent_by_instruction.size()) {
            instructions.back()["spent"] = spent(result.spent_by_instruction[i]);
        }
    }
    json["instructions"] = std::move(instructions);
    json["unknown_opcodes"] = result.unknown_opcodes;
    return json;
}

Json to_json(const Finding& finding, const KernelResult& result) {
    Json json;
    json["kind"] = finding.kind;
    json["title"] = finding.title;
    json["share"] = finding.share;
    json["seconds"] = finding.seconds;
    Json place;
    place["function"] = result.kernel;
    place["line_begin"] = known(finding.line);
    place["line_end"] = known(finding.line);
    place["ranges"] = Json::array({Json::array({finding.pc_begin, finding.pc_end})});
    json["place"] = std::move(place);
    Json evidence = Json::array();
    for (const Evidence& one : finding.evidence) {
        evidence.push_back({{"event", one.event},
                            {"bad", one.bad},
                            {"good", one.good},
                            {"ratio", one.good != 0 ? Json(one.bad / one.good) : Json()}});
    }
    json["evidence"] = std::move(evidence);
    json["direction"] = finding.direction;
    return json;
}

}  // namespace kymo::gpu
