#include "gpu/gpu_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace kymo::gpu {
namespace {

Error bad(const std::string& file, const std::string& what) {
    return {ErrorKind::kMalformed, file + ": " + what,
            "gpus/schema.json describes the file; gpus/a100-pcie.json is one"};
}

std::string shown(double value) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}

void launch_parameters(std::vector<Parameter>& list, const std::string& which, LaunchCosts& launch) {
    list.push_back({which + ".clock", "MHz", 1, 1e5, &launch.mhz});
    list.push_back({which + ".fixed", "cycles", 0, 1e7, &launch.fixed_cycles});
    list.push_back({which + ".cta", "cycles", 0, 1e5, &launch.cta_cycles});
    list.push_back({which + ".cta_start", "cycles", 0, 1e6, &launch.cta_start_cycles});
    list.push_back({which + ".warp_start", "cycles", 0, 1e5, &launch.warp_start_cycles});
}

// What cannot be modelled although each number is in bounds.
Result<void> consistent(const std::string& file, const Gpu& gpu) {
    if (gpu.sm_warps < gpu.sm_schedulers) {
        return bad(file, "sm.warps is less than sm.schedulers");
    }
    if (gpu.l2_far_latency < gpu.l2_latency) {
        return bad(file, "l2.far_latency is less than l2.latency");
    }
    if (gpu.l1_latency > gpu.l2_latency || gpu.l2_latency > gpu.dram_latency) {
        return bad(file, "l1.latency, l2.latency and dram.latency are not in this order");
    }
    return {};
}

}  // namespace

std::vector<Parameter> parameters(Gpu& gpu) {
    std::vector<Parameter> list = {
        {"sm.count", "", 1, 4096, &gpu.sms},
        {"sm.capability", "", 1, 99, &gpu.capability},
        {"sm.schedulers", "", 1, 8, &gpu.sm_schedulers},
        {"sm.warps", "", 1, 128, &gpu.sm_warps},
        {"sm.ctas", "", 1, 128, &gpu.sm_ctas},
        {"sm.registers", "", 1024, 1 << 24, &gpu.sm_registers},
        {"sm.register_granularity", "", 1, 4096, &gpu.register_granularity},
        {"sm.shared", "bytes", 0, 1 << 24, &gpu.sm_shared_bytes},
        {"sm.shared_reserved", "bytes", 0, 65536, &gpu.shared_reserved},
        {"sm.shared_granularity", "bytes", 1, 65536, &gpu.shared_granularity},
        {"sm.unified", "bytes", 0, 1 << 24, &gpu.unified_bytes},
    };
    launch_parameters(list, "boost", gpu.boost);
    launch_parameters(list, "profiled", gpu.profiled);
    for (unsigned i = 0; i < kOpClasses; ++i) {
        const auto op_class = static_cast<OpClass>(i);
        if (op_class == OpClass::kMemory || op_class == OpClass::kBarrier || op_class == OpClass::kExit ||
            op_class == OpClass::kBranch) {
            continue;
        }
        const std::string name = gpu::name(op_class);
        list.push_back({"latency." + name, "cycles", 1, 10000, &gpu.latency[i]});
        list.push_back({"interval." + name, "cycles", 1, 1000, &gpu.interval[i]});
    }
    const std::vector<Parameter> rest = {
        {"latency.predicate", "cycles", 1, 1000, &gpu.predicate_latency},
        {"latency.branch", "cycles", 1, 1000, &gpu.taken_branch},
        {"latency.barrier", "cycles", 1, 10000, &gpu.barrier_latency},
        {"interval.memory", "cycles", 1, 1000, &gpu.interval[static_cast<std::size_t>(OpClass::kMemory)]},
        {"l1.size", "bytes", 0, 1 << 24, &gpu.l1_size},
        {"l1.ways", "", 1, 256, &gpu.l1_ways},
        {"l1.latency", "cycles", 1, 10000, &gpu.l1_latency},
        {"l1.sectors_per_cycle", "", 0.25, 64, &gpu.l1_sectors_per_cycle},
        {"l1.misses", "", 1, 65536, &gpu.l1_misses},
        {"shared.latency", "cycles", 1, 10000, &gpu.shared_latency},
        {"shared.atomic", "cycles", 1, 10000, &gpu.shared_atomic_cycles},
        {"constant.size", "bytes", 64, 1 << 24, &gpu.constant_size},
        {"constant.latency", "cycles", 1, 10000, &gpu.constant_latency},
        {"constant.miss_latency", "cycles", 1, 10000, &gpu.constant_miss_latency},
        {"l2.size", "bytes", 4096, 1e12, &gpu.l2_size},
        {"l2.ways", "", 1, 256, &gpu.l2_ways},
        {"l2.slices", "", 1, 4096, &gpu.l2_slices},
        {"l2.latency", "cycles", 1, 100000, &gpu.l2_latency},
        {"l2.far_latency", "cycles", 1, 100000, &gpu.l2_far_latency},
        {"l2.bandwidth", "GB/s", 1, 1e7, &gpu.l2_bandwidth},
        {"l2.write_bandwidth", "GB/s", 1, 1e7, &gpu.l2_write_bandwidth},
        {"l2.atomic", "cycles", 0, 10000, &gpu.atomic_cycles},
        {"noc.bytes", "bytes/cycle", 1, 100000, &gpu.noc_bytes},
        {"dram.size", "bytes", 1 << 20, 1e15, &gpu.dram_size},
        {"dram.latency", "cycles", 1, 100000, &gpu.dram_latency},
        {"dram.bandwidth", "GB/s", 0.1, 1e6, &gpu.dram_bandwidth},
        {"dram.channels", "", 1, 4096, &gpu.dram_channels},
        {"dram.access", "bytes", 32, 128, &gpu.dram_access_bytes},
    };
    list.insert(list.end(), rest.begin(), rest.end());
    return list;
}

Result<Gpu> parse_gpu(std::string_view text, const std::string& file) {
    const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    if (json.is_discarded() || !json.is_object()) {
        return bad(file, "is not a JSON object");
    }
    Gpu gpu;
    const auto word = [&](const char* key, std::string& into) {
        if (const auto found = json.find(key); found != json.end() && found->is_string()) {
            into = found->get<std::string>();
            return true;
        }
        return false;
    };
    if (!word("name", gpu.name) || gpu.name.empty() || !word("full_name", gpu.full_name)) {
        return bad(file, "\"name\" and \"full_name\" must be texts");
    }
    (void)word("note", gpu.note);
    const auto sources = json.find("sources");
    if (sources == json.end() || !sources->is_object()) {
        return bad(file, "\"sources\" must be an object of texts");
    }
    const auto values = json.find("parameters");
    if (values == json.end() || !values->is_object()) {
        return bad(file, "\"parameters\" must be an object");
    }
    auto list = parameters(gpu);
    for (const Parameter& parameter : list) {
        const auto found = values->find(parameter.name);
        if (found == values->end() || !found->is_object()) {
            return bad(file, "parameters[\"" + parameter.name + "\"] is missing");
        }
        const std::string where = "parameters[\"" + parameter.name + "\"]";
        const auto value = found->find("value");
        if (value == found->end() || !value->is_number()) {
            return bad(file, where + ".value must be a number");
        }
        const auto number = value->get<double>();
        if (!(number >= parameter.least && number <= parameter.most)) {
            return bad(file, where + " = " + shown(number) + ": expected " + shown(parameter.least) + " to " +
                                 shown(parameter.most));
        }
        const std::string unit = found->contains("unit") && (*found)["unit"].is_string()
                                     ? (*found)["unit"].get<std::string>()
                                     : std::string();
        if (unit != parameter.unit) {
            return bad(file, where + ".unit must be \"" + parameter.unit + "\"");
        }
        const auto source = found->find("source");
        if (source == found->end() || !source->is_string() || !sources->contains(source->get<std::string>())) {
            return bad(file, where + ".source must be a key of \"sources\"");
        }
        *parameter.value = number;
    }
    for (const auto& [key, ignored] : values->items()) {
        if (std::none_of(list.begin(), list.end(), [&](const Parameter& known) { return known.name == key; })) {
            return bad(file, "parameters[\"" + key + "\"] is not known");
        }
    }
    if (auto sound = consistent(file, gpu); !sound) {
        return sound.error();
    }
    return gpu;
}

Result<Gpu> load_gpu(const std::string& name) {
    std::string known;
    for (const BuiltInGpu& gpu : built_in_gpus()) {
        if (name == gpu.name) {
            return parse_gpu(gpu.json, name);
        }
        known += (known.empty() ? "" : ", ") + std::string(gpu.name);
    }
    if (name.find('/') == std::string::npos && !name.ends_with(".json")) {
        return Error{ErrorKind::kNotFound, "no GPU named '" + name + "'",
                     "known are " + known + "; or give a file's path"};
    }
    std::ifstream in(name, std::ios::binary);
    if (!in) {
        return Error{ErrorKind::kNotFound, name + ": cannot be read", "known without a file are " + known};
    }
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    return parse_gpu(text, name);
}

Result<void> set_parameter(Gpu& gpu, std::string_view setting) {
    const std::size_t equal = setting.find('=');
    const std::string name(setting.substr(0, equal));
    auto list = parameters(gpu);
    const auto found =
        std::find_if(list.begin(), list.end(), [&](const Parameter& known) { return known.name == name; });
    if (equal == std::string_view::npos || found == list.end()) {
        std::string group;
        for (const Parameter& known : list) {
            if (known.name.starts_with(name.substr(0, name.find('.')))) {
                group += (group.empty() ? "" : ", ") + known.name;
            }
        }
        return Error{ErrorKind::kUsage, "no GPU parameter '" + name + "'",
                     group.empty() ? "write NAME=VALUE or NAME=FACTORx, as l2.size=2x" : "there are " + group};
    }
    std::string_view text = setting.substr(equal + 1);
    const bool factor = text.ends_with("x");
    if (factor) {
        text.remove_suffix(1);
    }
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) {
        return Error{ErrorKind::kUsage, std::string(setting) + ": no number after '='",
                     "write NAME=VALUE or NAME=FACTORx, as l2.size=2x"};
    }
    const double value = factor ? *found->value * number : number;
    if (!(value >= found->least && value <= found->most)) {
        return Error{ErrorKind::kUsage, std::string(setting) + ": " + shown(value) + " is out of bounds",
                     name + " is " + shown(found->least) + " to " + shown(found->most) + " " + found->unit};
    }
    *found->value = value;
    return consistent("with " + std::string(setting), gpu);
}

}  // namespace kymo::gpu
