// A kernel to replay or to execute: a trace's file, or one kernel of a PTX file with its launch.
//
// Contract: one thread.
#pragma once

#include "gpu/gpu_file.h"
#include "gpu/ptx/execute/execute.h"
#include "gpu/trace/whole_launch.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::gpu::ptx {

// Of a .ptx: what to launch, as a user writes it; the errors name the options of kymo gpu run.
struct KernelWords {
    std::string kernel;  // its name; empty: the only one
    std::string grid = "1";
    std::string block = "32";
    std::uint32_t shared = 0;            // dynamic shared memory, bytes a CTA
    std::vector<std::string> arguments;  // parse/arguments.h
    std::string checks;                  // check/check.h
    bool values = false;                 // also what each lane's registers held
    std::string machine_code;            // as join_code() has it; empty: not wanted
};

struct KernelSettings {
    Extent extent = Extent::kWhole;               // of a trace: checked against its launch
    bool warm = false;                            // it will be run twice
    const Gpu* gpu = nullptr;                     // for the machine code; null: it is left out
    std::function<void(std::string_view)> print;  // what the kernel's printf writes
    std::function<void(const Error&)> remark;     // as of join_code()
};

class KernelFile {
  public:
    // Executes nothing yet: the source's user does. Valid as long as this object and until the next open(). Errors:
    // those of reading the file, of the words (kUsage), of join_code() and of LoadedModule::launch().
    Result<std::unique_ptr<KernelSource>> open(const std::filesystem::path& path, const KernelWords& words,
                                               const KernelSettings& settings);

    // Executes the kernel that was opened last to its end, if checks are wanted, while its source is still there.
    // Returns what they have found, after the error that ended it, if any.
    std::vector<Error> finish();

  private:
    std::unique_ptr<DeviceMemory> memory_;
    std::unique_ptr<LoadedModule> module_;
    Execution* execution_ = nullptr;  // of the last .ptx opened; the caller of open() owns it
    bool has_checks_ = false;
};

}  // namespace kymo::gpu::ptx
