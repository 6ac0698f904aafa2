// --machine-code: the schedule of kernels executed from PTX is that of their machine code.
#pragma once

#include "cli/verbs.h"
#include "gpu/ptx/joined_code.h"

#include <string>

namespace kymo::cli {

class MachineCode {
  public:
    void add_to(CLI::App& app);
    bool wanted() const { return !whence_.empty(); }
    bool is_auto() const { return whence_ == gpu::ptx::kMadeByPtxas; }
    const std::string& whence() const { return whence_; }  // as gpu::ptx::join_code() has it; empty: not wanted

  private:
    std::string whence_;
};

// A line on stderr: why the schedule of a kernel stays an estimate.
void say_estimated(const Error& why);

}  // namespace kymo::cli
