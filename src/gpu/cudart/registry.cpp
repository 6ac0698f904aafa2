#include "gpu/cudart/registry.h"

#include "gpu/cudart/device.h"
#include "gpu/fatbin/cubin.h"
#include "gpu/fatbin/fat_binary.h"
#include "gpu/ptx/parse/parse.h"
#include "gpu/ptx/schedule/ptxas.h"

#include <algorithm>
#include <cstring>

namespace kymo::gpu::cudart {
namespace {

// The argument of __cudaRegisterFatBinary.
struct Wrapper {
    std::uint32_t magic;
    std::uint32_t version;
    const std::uint8_t* data;
    void* more;
};
constexpr std::uint32_t kWrapperMagic = 0x4662'43B1;
constexpr std::uint32_t kLinkedVersion = 2;  // device code linked from several files: -rdc=true

Error no_ptx(const std::vector<FatEntry>& entries) {
    std::string code;
    for (const FatEntry& entry : entries) {
        if (entry.kind == FatEntry::Kind::kCubin) {
            code += (code.empty() ? "sm_" : ", sm_") + std::to_string(entry.capability);
        }
    }
    return {ErrorKind::kUnsupported,
            "the program has no PTX inside, only machine code" + (code.empty() ? "" : " for " + code),
            "build it with nvcc -gencode arch=compute_80,code=compute_80 (or plain -arch=sm_80)"};
}

// The machine code of this PTX: the program's own if it was built for the GPU from the same PTX with line
// information, otherwise what ptxas makes of it. If neither is available this is reported, and the schedule is
// estimated.
std::optional<sass::CubinCode> machine_code(Device& device, const std::vector<FatEntry>& entries, const FatEntry& ptx,
                                            const std::string& text, const std::string& name) {
    for (const FatEntry& entry : entries) {
        if (entry.kind != FatEntry::Kind::kCubin || entry.capability != device.capability ||
            ptx.capability != device.capability) {
            continue;
        }
        const auto elf = contents(entry, name);
        if (!elf) {
            break;
        }
        auto code = sass::read_code({reinterpret_cast<const std::uint8_t*>(elf->data()), elf->size()}, name);
        if (code && std::any_of(code->begin(), code->end(), [](const auto& one) { return one.second.has_lines; })) {
            return std::move(*code);
        }
    }
    auto made = ptx::assemble(text, device.capability);
    if (!made) {
        device.job.remark(made.error());
        return std::nullopt;
    }
    return std::move(*made);
}

Result<std::unique_ptr<ptx::LoadedModule>> load_module(Device& device, FatBinary& binary) {
    const std::string name = "the program's fat binary";
    const auto size = fat_binary_bytes({binary.data, kFatHeaderBytes}, name);
    if (!size) {
        return size.error();
    }
    const auto entries = fat_entries({binary.data, static_cast<std::size_t>(*size)}, name);
    if (!entries) {
        return entries.error();
    }
    const auto chosen = choose_ptx(*entries, device.capability);
    if (!chosen) {
        return no_ptx(*entries);
    }
    binary.ptx_capability = (*entries)[*chosen].capability;
    const auto text = contents((*entries)[*chosen], name);
    if (!text) {
        return text.error();
    }
    if (const auto code = choose_cubin(*entries, device.capability)) {
        // Only for the registers a thread: without them they are estimated from the PTX.
        if (const auto elf = contents((*entries)[*code], name)) {
            auto registers = cubin_registers({reinterpret_cast<const std::uint8_t*>(elf->data()), elf->size()}, name);
            if (registers) {
                binary.registers = std::move(*registers);
                binary.code_capability = (*entries)[*code].capability;
            }
        }
    }
    if (device.job.options().machine_code) {
        binary.code = machine_code(device, *entries, (*entries)[*chosen], *text, name);
    }
    const auto module = ptx::parse(*text, "compute_" + std::to_string(binary.ptx_capability) + ".ptx");
    if (!module) {
        return module.error();
    }
    return ptx::LoadedModule::load(*module, device.memory);
}

}  // namespace

Registry& Registry::get() {
    static auto* const registry = new Registry;
    return *registry;
}

FatBinary* Registry::add(const void* wrapper) {
    Wrapper told;
    std::memcpy(&told, wrapper, sizeof(told));
    auto binary = std::make_unique<FatBinary>();
    binary->data = told.data;
    if (told.magic != kWrapperMagic) {
        binary->problem = Error{ErrorKind::kMalformed, "the program registers a fat binary of an unknown kind",
                                "build it with nvcc 12 or 13"};
    } else if (told.version == kLinkedVersion) {
        binary->problem = Error{ErrorKind::kUnsupported,
                                "the program's device code was linked from several files (-rdc=true): its PTX is not "
                                "a whole",
                                "build it without -rdc=true"};
    }
    binaries_.push_back(std::move(binary));
    return binaries_.back().get();
}

void Registry::add_kernel(FatBinary* binary, const void* host, const char* name) {
    auto kernel = std::make_unique<Kernel>();
    kernel->binary = binary;
    kernel->name = name;
    kernels_[host] = std::move(kernel);
}

void Registry::add_symbol(FatBinary* binary, const void* host, const char* name, std::size_t bytes, void** managed) {
    symbols_[host] = {binary, name, bytes, managed};
}

void Registry::remove(FatBinary* binary) {
    std::erase_if(kernels_, [&](const auto& entry) { return entry.second->binary == binary; });
    std::erase_if(symbols_, [&](const auto& entry) { return entry.second.binary == binary; });
    std::erase_if(binaries_, [&](const auto& entry) { return entry.get() == binary; });
}

Kernel* Registry::kernel(const void* host) {
    if (const auto found = kernels_.find(host); found != kernels_.end()) {
        return found->second.get();
    }
    // The interface also accepts results of __cudaGetKernel and cudaGetFuncBySymbol.
    for (const auto& [address, kernel] : kernels_) {
        if (kernel.get() == host) {
            return kernel.get();
        }
    }
    return nullptr;
}

Symbol* Registry::symbol(const void* host) {
    const auto found = symbols_.find(host);
    return found != symbols_.end() ? &found->second : nullptr;
}

void Registry::load_managed(Device& device) {
    for (auto& [host, symbol] : symbols_) {
        if (symbol.managed == nullptr || *symbol.managed != nullptr) {
            continue;
        }
        Status why = Status::kSuccess;
        if (const ptx::LoadedModule* module = load(device, *symbol.binary, why)) {
            if (const auto found = module->symbol(symbol.name)) {
                *symbol.managed = reinterpret_cast<void*>(found->address);
                device.allocations[found->address] = {MemoryKind::kManaged, found->bytes, 0,
                                                      Allocation::Owner::kModule};
            }
        }
    }
}

ptx::LoadedModule* load(Device& device, FatBinary& binary, Status& why) {
    if (!binary.loaded && !binary.problem) {
        auto loaded = load_module(device, binary);
        if (loaded) {
            binary.loaded = std::move(*loaded);
        } else {
            binary.problem = loaded.error();
        }
    }
    if (binary.problem) {
        device.job.problem(*binary.problem);
        why = binary.problem->kind == ErrorKind::kUnsupported ? Status::kNoKernelImage : Status::kInvalidPtx;
        return nullptr;
    }
    return binary.loaded.get();
}

}  // namespace kymo::gpu::cudart
