#include "gpu/runs/program_run.h"

#include "base/own_program.h"
#include "gpu/cudart/running_launch.h"
#include "gpu/fatbin/program_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <unistd.h>

namespace kymo::gpu {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// The folder that the parent and the program's processes share; removed with this object.
class JobFolder {
  public:
    static Result<JobFolder> make() {
        std::error_code error;
        std::string name = (fs::temp_directory_path(error) / "kymo-gpu-XXXXXX").string();
        if (error || mkdtemp(name.data()) == nullptr) {
            return Error{ErrorKind::kNoSpace, name + ": " + std::strerror(errno),
                         "set TMPDIR to a directory with space"};
        }
        return JobFolder(name);
    }
    JobFolder(JobFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    JobFolder(const JobFolder&) = delete;
    JobFolder& operator=(const JobFolder&) = delete;
    JobFolder& operator=(JobFolder&&) = delete;
    ~JobFolder() {
        std::error_code ignored;
        if (!path_.empty()) {
            fs::remove_all(path_, ignored);
        }
    }
    const fs::path& path() const { return path_; }

  private:
    explicit JobFolder(fs::path path) : path_(std::move(path)) {}
    fs::path path_;
};

// The folder with our libcudart: beside the running kymo, as built or as installed.
Result<fs::path> library_folder() {
    const fs::path prefix = own_prefix();
    for (const char* folder : {"lib/cuda", "lib/kymo/cuda"}) {
        if (access((prefix / folder / "libcudart.so.13").c_str(), R_OK) == 0) {
            return prefix / folder;
        }
    }
    return Error{ErrorKind::kNotFound, "Kymo's libcudart.so.13 is not in " + (prefix / "lib/cuda").string(),
                 "install Kymo whole (make install)"};
}

std::vector<std::uint8_t> bytes_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

Result<void> has_ptx(const GpuProgram& program, const std::string& name) {
    std::string machine_code;
    for (const auto& bytes : program.fat_binaries) {
        const auto entries = fat_entries(bytes, name);
        if (!entries) {
            return entries.error();
        }
        if (choose_ptx(*entries, 0)) {
            return {};
        }
        for (const FatEntry& entry : *entries) {
            const std::string one = "sm_" + std::to_string(entry.capability);
            if (machine_code.find(one) == std::string::npos) {
                machine_code += (machine_code.empty() ? "" : ", ") + one;
            }
        }
    }
    return Error{ErrorKind::kNotRunnable,
                 name + " has no PTX inside, only machine code" +
                     (machine_code.empty() ? std::string() : " for " + machine_code),
                 "build it with PTX: nvcc -arch=sm_80, or -gencode arch=compute_80,code=compute_80"};
}

// Checks possible before the program is started. A script, or a program whose kernels are in a library of its own,
// shows only when it runs.
Result<void> can_run(const GpuProgram& program, const std::string& name) {
    if (program.fat_binaries.empty()) {
        return {};
    }
    if (program.runtime.empty()) {
        return Error{ErrorKind::kNotRunnable, name + " has NVIDIA's CUDA runtime linked into it",
                     "link it with nvcc -cudart shared, so that Kymo's can take its place"};
    }
    if (!program.runtime.starts_with("libcudart.so.13") && !program.runtime.starts_with("libcudart.so.12")) {
        return Error{ErrorKind::kNotRunnable, name + " is linked with " + std::string(program.runtime),
                     "build it with nvcc 12 or 13"};
    }
    if (program.is_relocatable) {
        return Error{
            ErrorKind::kNotRunnable,
            name + " is built with -rdc=true: its kernels are linked as machine code, without PTX of the whole",
            "build it without -rdc=true: each source file with all device code that its kernels call"};
    }
    return has_ptx(program, name);
}

std::vector<std::string> environment(const fs::path& job, const fs::path& libraries, const GpuProgram& program) {
    const std::string job_name = "KYMO_GPU_JOB=";
    const std::string path_name = "LD_LIBRARY_PATH=";
    const std::string preload_name = "LD_PRELOAD=";
    std::string path = path_name + libraries.string();
    std::string preload =
        program.has_run_path ? preload_name + (libraries / program.runtime).string() : std::string();
    std::vector<std::string> list;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        if (text.starts_with(path_name)) {
            path += ":" + std::string(text.substr(path_name.size()));
        } else if (text.starts_with(preload_name) && !preload.empty()) {
            preload += ":" + std::string(text.substr(preload_name.size()));
        } else if (!text.starts_with(job_name)) {
            list.emplace_back(text);
        }
    }
    list.push_back(job_name + job.string());
    list.push_back(path);
    if (!preload.empty()) {
        list.push_back(preload);
    }
    return list;
}

std::vector<Json> lines_of(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        if (entry.path().extension() == ".jsonl") {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    std::vector<Json> lines;
    for (const fs::path& file : files) {
        std::ifstream in(file);
        for (std::string line; std::getline(in, line);) {
            Json json = Json::parse(line, nullptr, false);
            if (json.is_object()) {  // not so if a killed process has left an incomplete line
                lines.push_back(std::move(json));
            }
        }
    }
    return lines;
}

}  // namespace

Result<ProgramRun> run_program(const cudart::JobOptions& options, const FoundProgram& program,
                               const StartProgram& start) {
    const std::string& name = program.command.front();
    const std::vector<std::uint8_t> bytes = bytes_of(program.path);
    GpuProgram inside;
    if (auto read = read_program(bytes, name)) {
        inside = std::move(*read);
    }  // otherwise a script
    if (auto can = can_run(inside, name); !can) {
        return can.error();
    }
    const auto libraries = library_folder();
    if (!libraries) {
        return libraries.error();
    }
    const auto folder = JobFolder::make();
    if (!folder) {
        return folder.error();
    }
    {
        std::ofstream job(folder->path() / "job.json");
        job << cudart::to_json(options).dump() << "\n";
        if (!job.flush()) {
            return Error{ErrorKind::kNoSpace, (folder->path() / "job.json").string() + " cannot be written",
                         "set TMPDIR to a directory with space"};
        }
    }
    const auto status = start(program.path, program.command, environment(folder->path(), *libraries, inside));
    if (!status) {
        return status.error();
    }
    ProgramRun run;
    run.exit_status = *status;
    run.lines = lines_of(folder->path());
    run.left = cudart::RunningLaunch::left_in(folder->path());
    return run;
}

}  // namespace kymo::gpu
