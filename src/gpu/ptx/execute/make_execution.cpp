#include "gpu/ptx/execute/make_execution.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::gpu::ptx {

Result<void> can_launch(const Function& function, const KernelFacts& facts, const Launch& launch) {
    const Dim3& grid = launch.grid;
    const Dim3& block = launch.block;
    const auto refuse = [&](const std::string& why) {
        return Error{ErrorKind::kUsage, fmt::format("{}: {}", function.name, why), "launch it otherwise"};
    };
    constexpr std::uint32_t kMostHigh = 65'535;
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 0x7FFF'FFFFU || grid.y > kMostHigh ||
        grid.z > kMostHigh) {
        return refuse(fmt::format("no grid of {}×{}×{} CTAs can be launched", grid.x, grid.y, grid.z));
    }
    if (block.x == 0 || block.y == 0 || block.z == 0 || block.x > 1024 || block.y > 1024 || block.z > 64 ||
        block.count() > facts.most_threads) {
        return refuse(fmt::format("a CTA of {}×{}×{} threads cannot be launched: {} at most", block.x, block.y,
                                  block.z, facts.most_threads));
    }
    if (launch.parameters.size() < function.parameter_bytes) {
        return refuse(fmt::format("{} bytes of parameters are given, {} needed", launch.parameters.size(),
                                  function.parameter_bytes));
    }
    const std::uint64_t shared = std::uint64_t{facts.shared_bytes} + launch.dynamic_shared;
    if (shared > kMostShared) {
        return refuse(fmt::format("{} bytes of shared memory a CTA: {} at most", shared, kMostShared));
    }
    return {};
}

namespace {

class CtaExecution : public Execution {
  public:
    CtaExecution(KernelHeader header, Program program, LaunchParts parts, ExecuteOptions options,
                 std::uint64_t kernel_parameters)
        : header_(std::move(header)), program_(std::move(program)), options_(std::move(options)) {
        parts.options = &options_;
        parts.program = options_.trace ? &program_ : nullptr;
        if (options_.trace && options_.values) {
            operands_ = plan_operands(parts.functions, parts.program_begin);
            parts.operands = &operands_;
        }
        parts.launch.parameters.resize(std::max<std::size_t>(parts.launch.parameters.size(), kernel_parameters));
        runner_ = std::make_unique<CtaRunner>(std::move(parts));
    }
    const KernelHeader& header() const override { return header_; }
    const Program& program() const override { return program_; }
    const std::vector<TracedOperand>& operands() const override { return operands_.operands; }
    const Totals& totals() const override { return runner_->totals(); }
    double waiting() const override {
        const Totals& all = runner_->totals();
        return all.warp_instructions != 0
                   ? static_cast<double>(all.waiting_instructions) / static_cast<double>(all.warp_instructions)
                   : 0;
    }
    Fault fault() const override { return runner_->failure().fault; }
    const std::vector<Defect>& defects() const override { return runner_->defects(); }

    Result<std::optional<Cta>> next_cta() override {
        if (next_ < kept_.size()) {
            return std::optional<Cta>(kept_[next_++]);
        }
        if (next_ == header_.grid.count()) {
            return std::optional<Cta>();
        }
        Cta cta;
        if (runner_->failure().fault != Fault::kNone || !runner_->run(index(next_), options_.trace, cta)) {
            return runner_->failure().error;
        }
        ++next_;
        if (options_.keep) {
            kept_.push_back(cta);
        }
        executed_ = next_;
        return std::optional<Cta>(std::move(cta));
    }

    Result<void> rewind() override {
        if (options_.again) {
            next_ = executed_ = 0;
            return {};
        }
        if (executed_ != 0 && !options_.keep) {
            return Error{ErrorKind::kUnsupported,
                         header_.name + ": an executed kernel cannot be executed again: it has changed memory",
                         "write its trace to a file and replay that (kymo gpu trace)"};
        }
        next_ = 0;
        return {};
    }

    Result<void> finish() override {
        Cta unused;
        for (next_ = std::max(next_, executed_); next_ < header_.grid.count(); ++next_) {
            if (!runner_->run(index(next_), false, unused)) {
                return runner_->failure().error;
            }
            executed_ = next_ + 1;
        }
        return {};
    }

  private:
    Dim3 index(std::uint64_t number) const {
        const Dim3& grid = header_.grid;
        return {static_cast<std::uint32_t>(number % grid.x), static_cast<std::uint32_t>(number / grid.x % grid.y),
                static_cast<std::uint32_t>(number / (std::uint64_t{grid.x} * grid.y))};
    }

    KernelHeader header_;
    Program program_;
    ExecuteOptions options_;
    OperandPlan operands_;
    std::unique_ptr<CtaRunner> runner_;
    std::vector<Cta> kept_;
    std::uint64_t next_ = 0;
    std::uint64_t executed_ = 0;
};

}  // namespace

std::unique_ptr<Execution> make_execution(KernelHeader header, Program program, LaunchParts parts,
                                          ExecuteOptions options, std::uint64_t parameter_bytes) {
    return std::make_unique<CtaExecution>(std::move(header), std::move(program), std::move(parts), std::move(options),
                                          parameter_bytes);
}

}  // namespace kymo::gpu::ptx
