// What a program has registered before main(): its fat binaries, and the host addresses of its kernels and
// variables. A fat binary is parsed and loaded at the first use of anything in it, because programs link many
// kernels that they never launch.
//
// Contract: registration needs no device and takes the lock itself; everything else is called under
// Device::lock().
#pragma once

#include "gpu/cudart/abi.h"
#include "gpu/ptx/execute/execute.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace kymo::gpu::cudart {

class Device;

// A container in the program and, after its first use, the module on the device.
struct FatBinary {
    const std::uint8_t* data = nullptr;  // null: a form that is not read (see `problem`)
    std::optional<Error> problem;
    std::unique_ptr<ptx::LoadedModule> loaded;
    std::map<std::string, unsigned, std::less<>> registers;  // by kernel, from the machine code
    std::optional<sass::CubinCode> code;  // joined to the PTX kernel by kernel, when first launched
    unsigned ptx_capability = 0;
    unsigned code_capability = 0;  // 0: no machine code
};

struct Kernel {
    FatBinary* binary = nullptr;
    std::string name;
    bool joined = false;               // joining to its machine code was done or tried
    std::uint32_t dynamic_shared = 0;  // the maximum that the program requested; 0: the usual limit
};

struct Symbol {
    FatBinary* binary = nullptr;
    std::string name;
    std::uint64_t bytes = 0;
    void** managed = nullptr;  // where to store the address of a managed variable for the program
};

class Registry {
  public:
    static Registry& get();

    FatBinary* add(const void* wrapper);
    void add_kernel(FatBinary* binary, const void* host, const char* name);
    void add_symbol(FatBinary* binary, const void* host, const char* name, std::size_t bytes, void** managed);
    void remove(FatBinary* binary);

    Kernel* kernel(const void* host);  // null: not registered
    Symbol* symbol(const void* host);
    bool is_empty() const { return binaries_.empty(); }
    // Gives the program the addresses of its managed variables, of all binaries that are not loaded yet.
    void load_managed(Device& device);

  private:
    std::vector<std::unique_ptr<FatBinary>> binaries_;
    std::unordered_map<const void*, std::unique_ptr<Kernel>> kernels_;
    std::unordered_map<const void*, Symbol> symbols_;
};

// The module, parsed and loaded; null: it cannot be. The reason has then been reported to the job, and `why` is
// the status to return.
ptx::LoadedModule* load(Device& device, FatBinary& binary, Status& why);

}  // namespace kymo::gpu::cudart
