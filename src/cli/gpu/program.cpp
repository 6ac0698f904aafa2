#include "cli/gpu/program.h"

#include "cli/verbs.h"
#include "gpu/runs/program_run.h"
#include "launch/child_run.h"
#include "launch/program.h"

#include <cstdlib>

namespace kymo::cli {
namespace {

Result<gpu::FoundProgram> find_command(const std::vector<std::string>& command, launch::Fitness fitness) {
    const char* const path = std::getenv("PATH");
    const auto program = launch::find_program(command.front(), path != nullptr ? path : "", fitness);
    if (!program) {
        return program.error();
    }
    return gpu::FoundProgram{program->path, command};
}

}  // namespace

Result<gpu::ProgramRun> run_gpu_program(const gpu::cudart::JobOptions& options,
                                        const std::vector<std::string>& command) {
    const auto program = find_command(command, launch::Fitness::kForMonitor);
    return program ? gpu::run_program(options, *program, launch::run_child) : program.error();
}

Result<gpu::RealTrace> trace_gpu_program(const std::filesystem::path& tracer, bool text,
                                         const std::filesystem::path& folder,
                                         const std::vector<std::string>& command) {
    const auto program = find_command(command, launch::Fitness::kAny);
    return program ? gpu::trace_on_gpu(tracer, text, folder, *program, launch::run_child) : program.error();
}

int tell_problems(const gpu::ProgramRun& run, const std::string& program) {
    int code = run.exit_status;
    for (const Error& problem : gpu::ProgramReport(run).problems(program)) {
        const int of_problem = fail(problem);
        code = code == 0 ? of_problem : code;
    }
    return code;
}

}  // namespace kymo::cli
