#include "gpu/runs/real_trace.h"

#include "gpu/trace/compact_trace.h"
#include "gpu/trace/trace_file.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <string_view>
#include <unistd.h>

namespace kymo::gpu {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTracerVariable = "KYMO_NVBIT_TRACER";
constexpr const char* kDriverDevice = "/dev/nvidiactl";
constexpr const char* kHowToBuild =
    "build the tracer of Accel-Sim (github.com/accel-sim/accel-sim-framework, util/tracer_nvbit: ./install_nvbit.sh, "
    "then make), and name its tracer_tool.so with --tracer or in KYMO_NVBIT_TRACER";

bool machine_has_gpu() {
    return access(kDriverDevice, F_OK) == 0;
}

// The tracer's variables, and the tool in front of other preloaded libraries. Source lines are requested unless the
// user sets that.
std::vector<std::string> traced_environment(const fs::path& tracer, const fs::path& folder) {
    const std::string preload_name = "LD_PRELOAD=";
    std::string preload = preload_name + tracer.string();
    std::vector<std::string> list{"TRACE_LINEINFO=1"};
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        if (text.starts_with(preload_name)) {
            preload += ":" + std::string(text.substr(preload_name.size()));
        } else if (text.starts_with("TRACE_LINEINFO=")) {
            list.front() = text;
        } else if (!text.starts_with("CUDA_INJECTION64_PATH=") && !text.starts_with("USER_DEFINED_FOLDERS=") &&
                   !text.starts_with("TRACES_FOLDER=")) {
            list.emplace_back(text);
        }
    }
    list.push_back(preload);
    list.push_back("CUDA_INJECTION64_PATH=" + tracer.string());
    list.emplace_back("USER_DEFINED_FOLDERS=1");
    list.push_back("TRACES_FOLDER=" + folder.string());
    return list;
}

std::vector<std::string> own_variables() {
    std::vector<std::string> list;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        list.emplace_back(*entry);
    }
    return list;
}

std::vector<fs::path> trace_files_of(const fs::path& folder, std::string_view begins, std::string_view ends) {
    std::vector<fs::path> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(begins) && name.ends_with(ends)) {
            found.push_back(entry.path());
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

// kernelslist, or with newer tracers one for each context; not those that are grouped already.
std::vector<fs::path> raw_trace_lists(const fs::path& folder) {
    std::vector<fs::path> lists = trace_files_of(folder, "kernelslist", "");
    std::erase_if(lists, [](const fs::path& list) { return list.extension() == ".g"; });
    return lists;
}

bool names_a_kernel(const fs::path& list) {
    std::ifstream in(list);
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("kernel")) {
            return true;
        }
    }
    return false;
}

Result<void> group_traces(const fs::path& tracer, const fs::path& folder, const StartProgram& start) {
    const fs::path program = tracer.parent_path() / "traces-processing" / "post-traces-processing";
    for (const fs::path& list : raw_trace_lists(folder)) {
        if (access(program.c_str(), X_OK) != 0) {
            return Error{ErrorKind::kNotRunnable,
                         program.string() + " is not there: the traces in " + folder.string() + " are not grouped",
                         "build it (make in the tracer's directory) and run it on " + list.string()};
        }
        const auto status = start(program, {program.string(), list.string()}, own_variables());
        if (!status) {
            return status.error();
        }
        if (*status != 0) {
            return Error{ErrorKind::kNotRunnable,
                         fmt::format("{} {} ended with {}", program.string(), list.string(), *status),
                         "see what it says above"};
        }
    }
    return {};
}

// The list with each text trace in the compact form; the texts are removed.
Result<RealTrace> compacted_traces(const fs::path& list, bool text) {
    const auto commands = open_list(list);
    if (!commands) {
        return commands.error();
    }
    RealTrace made;
    std::string lines;
    for (const ListCommand& command : *commands) {
        if (command.kind == ListCommand::Kind::kCopyToDevice) {
            lines += fmt::format("MemcpyHtoD,0x{:016x},{}\n", command.address, command.bytes);
            continue;
        }
        ++made.launches;
        if (text) {
            continue;
        }
        auto source = open_kernel(command.kernel, Extent::kAsWritten);
        if (!source) {
            return source.error();
        }
        fs::path compact = command.kernel;
        for (const char* ending : {".xz", ".traceg", ".tracez"}) {
            compact = compact.extension() == ending ? fs::path(compact).replace_extension() : compact;
        }
        compact += ".kgt";
        const auto size = write_compact(**source, compact);
        if (!size) {
            return size.error();
        }
        made.instructions += size->instructions;
        lines += compact.filename().string() + "\n";
        std::error_code ignored;
        fs::remove(command.kernel, ignored);
    }
    if (!text) {
        std::ofstream out(list, std::ios::trunc);
        if (!(out << lines).flush()) {
            return Error{ErrorKind::kNoSpace, list.string() + " cannot be written",
                         "check the space left on the disk"};
        }
    }
    return made;
}

}  // namespace

Result<fs::path> find_tracer(const std::string& named) {
    const char* const variable = std::getenv(kTracerVariable);
    const std::string path = !named.empty() ? named : variable != nullptr ? variable : "";
    if (path.empty()) {
        return machine_has_gpu() ? Error{ErrorKind::kNotFound, "no NVBit tracer is named", kHowToBuild}
                                 : Error{ErrorKind::kNotFound,
                                         fmt::format("this machine has no NVIDIA GPU ({} is missing)", kDriverDevice),
                                         "leave --real out: the kernels are then executed without a GPU"};
    }
    std::error_code error;
    fs::path whole = fs::absolute(path, error);
    if (error || access(whole.c_str(), R_OK) != 0) {
        return Error{ErrorKind::kNotFound, path + ": there is no such tracer", kHowToBuild};
    }
    return whole;
}

Result<RealTrace> trace_on_gpu(const fs::path& tracer, bool text, const fs::path& folder, const FoundProgram& program,
                               const StartProgram& start) {
    const auto status = start(program.path, program.command, traced_environment(tracer, folder));
    if (!status) {
        return status.error();
    }
    const std::vector<fs::path> lists = raw_trace_lists(folder);
    if (std::none_of(lists.begin(), lists.end(), names_a_kernel)) {
        return Error{
            ErrorKind::kNotRunnable,
            fmt::format("{} (exit status {}): {}", program.command.front(), *status,
                        lists.empty() ? "the tracer wrote nothing" : "no kernel was traced"),
            machine_has_gpu()
                ? "see whether the tracer fits this driver and GPU, and the program launches kernels"
                : fmt::format("this machine has no NVIDIA GPU ({} is missing): leave --real out", kDriverDevice)};
    }
    if (auto grouped = group_traces(tracer, folder, start); !grouped) {
        return grouped.error();
    }
    std::vector<fs::path> made = trace_files_of(folder, "kernelslist", ".g");
    if (made.size() != 1) {
        return Error{ErrorKind::kNotRunnable,
                     fmt::format("{} lists of traces in {}: one is needed", made.size(), folder.string()),
                     "trace a program that uses one context"};
    }
    const fs::path list = folder / "kernelslist.g";
    std::error_code error;
    fs::rename(made.front(), list, error);
    auto result = compacted_traces(list, text);
    if (!result) {
        return result.error();
    }
    for (const char* ending : {".trace", ".trace.xz"}) {  // grouped traces
        for (const fs::path& raw : trace_files_of(folder, "kernel-", ending)) {
            fs::remove(raw, error);
        }
    }
    for (const fs::path& raw : lists) {
        fs::remove(raw, error);
    }
    result->exit_status = *status;
    return result;
}

}  // namespace kymo::gpu
