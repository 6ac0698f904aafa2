#include "gpu/cudart/launch.h"

#include "gpu/cudart/registry.h"
#include "gpu/cudart/running_launch.h"
#include "gpu/model/full_model.h"
#include "gpu/ptx/readable_name.h"
#include "gpu/report/findings.h"
#include "gpu/report/result_json.h"
#include "gpu/report/timeline.h"
#include "gpu/trace/compact_trace.h"
#include "gpu/trace/text_writer.h"

#include <cstdio>
#include <cstring>
#include <fstream>

namespace kymo::gpu::cudart {
namespace {

using Json = nlohmann::ordered_json;

Status status_of(ptx::Fault fault) {
    switch (fault) {
        case ptx::Fault::kOutOfBounds:
            return Status::kIllegalAddress;
        case ptx::Fault::kMisaligned:
            return Status::kMisaligned;
        case ptx::Fault::kAssertion:
            return Status::kAssertion;
        case ptx::Fault::kStuck:
            return Status::kTimeout;
        case ptx::Fault::kNone:
        case ptx::Fault::kTrap:
        case ptx::Fault::kUnsupported:
            break;
    }
    return Status::kLaunchFailure;
}

// The launch as input of the models, with the register count of the machine code if there is any.
class Modelled : public KernelSource {
  public:
    Modelled(ptx::Execution& execution, unsigned registers) : execution_(execution), header_(execution.header()) {
        header_.registers = registers != 0 ? registers : header_.registers;
    }
    const KernelHeader& header() const override { return header_; }
    const Program& program() const override { return execution_.program(); }
    const std::vector<TracedOperand>& operands() const override { return execution_.operands(); }
    Result<std::optional<Cta>> next_cta() override { return execution_.next_cta(); }
    Result<void> rewind() override { return execution_.rewind(); }
    double waiting() const override { return execution_.waiting(); }

  private:
    ptx::Execution& execution_;
    KernelHeader header_;
};

std::vector<std::uint8_t> packed(const ptx::Function& function, void** arguments) {
    std::vector<std::uint8_t> bytes(function.parameter_bytes);
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        const ptx::Parameter& parameter = function.parameters[i];
        std::memcpy(bytes.data() + parameter.offset, arguments[i], parameter.bytes);
    }
    return bytes;
}

// The file of a kernel's source line: functions of headers are inlined, so a kernel has lines of several.
std::string file_of(const ptx::Module& module, std::string_view kernel, std::uint32_t line) {
    const ptx::Function* const function = module.function(kernel);
    if (function != nullptr && line != 0) {
        for (const ptx::Instruction& instruction : function->instructions) {
            if (instruction.place.source_line == line && instruction.place.file < module.files.size()) {
                return module.files[instruction.place.file];
            }
        }
    }
    return {};
}

std::filesystem::path numbered(const std::filesystem::path& output, std::uint64_t number) {
    return number == 1 ? output
                       : output.parent_path() /
                             (output.stem().string() + "-" + std::to_string(number) + output.extension().string());
}

Result<void> model(Device& device, KernelSource& execution, const ptx::Module& module) {
    const JobOptions& options = device.job.options();
    std::unique_ptr<Timeline> timeline;
    std::filesystem::path recording;
    if (!options.recording.empty()) {
        const auto fits = occupancy(device.gpu, execution.header());
        if (!fits) {
            return fits.error();
        }
        recording = numbered(options.recording, device.launches);
        auto made = Timeline::create(recording, execution.header(), device.gpu, device.costs(),
                                     fits->ctas * fits->warps_per_cta,
                                     options.period != 0 ? options.period : Timeline::kPeriod);
        if (!made) {
            return made.error();
        }
        timeline = std::move(*made);
    }
    FullOptions full;
    full.observer = timeline.get();
    full.exact = options.exact;
    full.memory = options.profiled ? nullptr : &device.caches;  // a profiler flushes caches before each kernel
    auto result = run_full(device.gpu, device.costs(), execution, full);
    if (!result) {
        return result.error();
    }
    result->kernel = ptx::readable_name(result->kernel);
    device.now_us += result->time_us;
    if (!device.job.has_parent()) {
        return {};
    }
    auto found = findings(*result);
    if (timeline) {
        if (auto done = timeline->finish(*result, found); !done) {
            device.job.problem(done.error());
        }
    }
    Json line = {{"kernel", to_json(*result)}, {"findings", Json::array()}};
    for (const Finding& finding : found) {
        line["findings"].push_back(to_json(finding, *result));
        line["findings"].back()["place"]["file"] = file_of(module, execution.header().name, finding.line);
    }
    if (timeline) {
        line["recording"] = recording.string();
        line["samples"] = timeline->samples();
    }
    device.job.tell(line);
    return {};
}

// The launch into a folder of traces, with its line in the list that names them in order.
Result<void> write_trace(Device& device, KernelSource& execution) {
    const JobOptions& options = device.job.options();
    const std::string name = "kernel-" + std::to_string(device.launches) + (options.text_traces ? ".traceg" : ".kgt");
    const std::filesystem::path path = options.traces / name;
    Json line = {{"kernel", ptx::readable_name(execution.header().name)}, {"file", path.string()}};
    if (options.text_traces) {
        const auto size = write_text(execution, path);
        if (!size) {
            return size.error();
        }
        line["instructions"] = size->instructions;
    } else {
        const auto size = write_compact(execution, path);
        if (!size) {
            return size.error();
        }
        line["instructions"] = size->instructions;
        line["bytes"] = size->bytes;
    }
    std::ofstream list(options.traces / "kernelslist.g", std::ios::app);
    list << name << "\n";
    if (!list.flush()) {
        return Error{ErrorKind::kNoSpace, (options.traces / "kernelslist.g").string() + " cannot be written",
                     "check the space left on the disk"};
    }
    device.job.tell({{"trace", line}});
    return {};
}

// Before the kernel's first launch.
void join_machine_code(Device& device, Kernel& kernel, ptx::LoadedModule& module) {
    if (kernel.joined || !kernel.binary->code) {
        return;
    }
    kernel.joined = true;
    const auto found = kernel.binary->code->find(kernel.name);
    if (found == kernel.binary->code->end()) {
        return;
    }
    if (auto used = module.use_machine_code(kernel.name, found->second); !used) {
        device.job.remark(used.error());
    }
}

}  // namespace

Status launch(Device& device, Kernel* kernel, Dim3 grid, Dim3 block, void** arguments, std::size_t shared_bytes) {
    if (kernel == nullptr) {
        return Status::kInvalidDeviceFunction;
    }
    Status why = Status::kSuccess;
    ptx::LoadedModule* module = load(device, *kernel->binary, why);
    if (module == nullptr) {
        return why;
    }
    const ptx::Function* function = module->module().function(kernel->name);
    if (function == nullptr || !function->is_kernel) {
        device.job.problem({ErrorKind::kUnsupported,
                            ptx::readable_name(kernel->name) + " is not in the PTX for compute_" +
                                std::to_string(kernel->binary->ptx_capability),
                            "build all architectures from the same sources"});
        return Status::kInvalidDeviceFunction;
    }
    const std::size_t allowed = std::max<std::size_t>(kUsualShared, kernel->dynamic_shared + function->shared_bytes);
    if (shared_bytes + function->shared_bytes > allowed) {
        return Status::kInvalidValue;
    }
    join_machine_code(device, *kernel, *module);
    ++device.launches;
    ptx::ExecuteOptions execute;
    if (const auto checks = ptx::checks_from(device.job.options().checks)) {
        execute.checks = *checks;
    }
    execute.print = [](std::string_view text) { (void)std::fwrite(text.data(), 1, text.size(), stdout); };
    const RunningLaunch running(device.job, ptx::readable_name(kernel->name), device.launches, grid);
    execute.values = device.job.options().values;
    execute.patience = std::chrono::seconds(1);
    execute.at = [&running](const Dim3& cta, std::string_view place) { running.at(cta, place); };
    auto execution = module->launch(
        kernel->name, {grid, block, static_cast<std::uint32_t>(shared_bytes), packed(*function, arguments)}, execute);
    if (!execution) {
        if (execution.error().kind == ErrorKind::kUsage) {
            return Status::kInvalidConfiguration;
        }
        device.job.problem(execution.error());
        return Status::kInvalidPtx;
    }
    const auto registers = kernel->binary->registers.find(kernel->name);
    Modelled source(**execution, registers != kernel->binary->registers.end() ? registers->second : 0);
    if (const auto fits = occupancy(device.gpu, source.header()); !fits) {
        device.job.problem(fits.error());
        return Status::kOutOfResources;
    }
    const bool traces = !device.job.options().traces.empty();
    const auto done = traces ? write_trace(device, source) : model(device, source, module->module());
    if (!done && (*execution)->fault() == ptx::Fault::kNone) {
        // The model or the disk failed; the program still needs its results.
        device.job.problem(done.error());
        (void)(*execution)->finish();
    }
    for (const ptx::Defect& defect : (*execution)->defects()) {
        device.job.problem(error_of(defect));
    }
    if ((*execution)->fault() != ptx::Fault::kNone) {
        device.job.problem(done ? Error{ErrorKind::kInternal, ptx::readable_name(kernel->name) + " failed", ""}
                                : done.error());
        device.failed = status_of((*execution)->fault());
    }
    return Status::kSuccess;
}

bool launch_attributes_served(Device& device, const LaunchConfig& config) {
    constexpr int kCooperative = 2;
    constexpr int kClusterDimension = 4;
    for (unsigned i = 0; i < config.attribute_count; ++i) {
        const LaunchAttribute& attribute = config.attributes[i];
        const auto& dim = attribute.value.dim;
        const bool cooperative = attribute.id == kCooperative && attribute.value.number != 0;
        const bool clusters = attribute.id == kClusterDimension && std::uint64_t{dim[0]} * dim[1] * dim[2] > 1;
        if (cooperative || clusters) {
            device.job.problem({ErrorKind::kUnsupported,
                                cooperative ? "cooperative launches (grid-wide barriers) are not served"
                                            : "thread block clusters are not served",
                                "CTAs are executed one after another; docs/gpu-programs.md lists what is supported"});
            return false;
        }
    }
    return true;
}

std::optional<KernelShape> shape_of(Device& device, Kernel& kernel, Status& why) {
    ptx::LoadedModule* module = load(device, *kernel.binary, why);
    if (module == nullptr) {
        return std::nullopt;
    }
    const auto facts = module->facts(kernel.name);
    if (!facts) {
        device.job.problem(facts.error());
        why = Status::kInvalidDeviceFunction;
        return std::nullopt;
    }
    KernelShape shape;
    shape.header.name = kernel.name;
    const auto registers = kernel.binary->registers.find(kernel.name);
    shape.header.registers = registers != kernel.binary->registers.end() ? registers->second : facts->registers;
    shape.header.shared_bytes = facts->shared_bytes;
    shape.local_bytes = facts->local_bytes;
    shape.most_threads = facts->most_threads;
    shape.ptx_version = module->module().target;
    shape.binary_version = device.capability;
    return shape;
}

}  // namespace kymo::gpu::cudart
