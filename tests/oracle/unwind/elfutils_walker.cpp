#include "elfutils_walker.h"

#include <cstdio>
#include <cstdlib>
#include <dwarf.h>

namespace kymo::oracle {

namespace {

char* debug_information_path = nullptr;

const Dwfl_Callbacks kFind = {
    .find_elf = dwfl_linux_proc_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = nullptr,
    .debuginfo_path = &debug_information_path,
};

}  // namespace

ElfutilsWalker::ElfutilsWalker(pid_t process, MemoryCopy& memory) : process_(process), memory_(memory) {
    attach();
}

ElfutilsWalker::~ElfutilsWalker() {
    dwfl_end(dwfl_);
}

void ElfutilsWalker::forget_images() {
    dwfl_end(dwfl_);
    attach();
}

void ElfutilsWalker::attach() {
    static const Dwfl_Thread_Callbacks kThread = {
        .next_thread = next_thread,
        .get_thread = nullptr,
        .memory_read = read_memory,
        .set_initial_registers = set_registers,
        .detach = nullptr,
        .thread_detach = nullptr,
    };
    dwfl_ = dwfl_begin(&kFind);
    dwfl_linux_proc_report(dwfl_, process_);
    dwfl_report_end(dwfl_, nullptr, nullptr);
    dwfl_attach_state(dwfl_, nullptr, process_, &kThread, this);
}

pid_t ElfutilsWalker::next_thread(Dwfl*, void* self, void** thread) {
    if (*thread != nullptr) {
        return 0;
    }
    *thread = self;
    return static_cast<ElfutilsWalker*>(self)->process_;
}

bool ElfutilsWalker::read_memory(Dwfl*, Dwarf_Addr address, Dwarf_Word* word, void* self) {
    return static_cast<ElfutilsWalker*>(self)->memory_.read_word(address, *word);
}

bool ElfutilsWalker::set_registers(Dwfl_Thread* thread, void* self) {
    const Registers& registers = static_cast<ElfutilsWalker*>(self)->registers_;
    return dwfl_thread_state_registers(thread, 0, Registers::kCount, registers.dwarf.data());
}

int ElfutilsWalker::on_frame(Dwfl_Frame* frame, void* argument) {
    auto& self = *static_cast<ElfutilsWalker*>(argument);
    Dwarf_Addr pc = 0;
    bool is_activation = false;
    Dwarf_Word sp = 0;
    if (!dwfl_frame_pc(frame, &pc, &is_activation)) {
        return -1;
    }
    if (pc == 0) {
        return DWARF_CB_ABORT;
    }
    dwfl_frame_reg(frame, Registers::kStackPointer, &sp);
    self.path_.frames.push_back({pc, sp, !is_activation});
    return self.path_.frames.size() == kMaxFrames ? DWARF_CB_ABORT : DWARF_CB_OK;
}

CallPath ElfutilsWalker::walk(const Registers& registers) {
    registers_ = registers;
    path_ = {};
    const int result = dwfl_getthread_frames(dwfl_, process_, on_frame, this);
    path_.complete = result == 0 || result == DWARF_CB_ABORT;
    if (!path_.complete) {
        const char* message = dwfl_errmsg(-1);
        path_.why = message == nullptr ? "unknown" : message;
    }
    // elfutils also calls the trampoline of a signal an activation, not only the frame that the signal interrupted.
    for (std::size_t i = 1; i + 1 < path_.frames.size(); i++) {
        path_.frames[i].is_return |= !path_.frames[i + 1].is_return;
    }
    return std::move(path_);
}

std::string ElfutilsWalker::function_at(std::uint64_t address) const {
    Dwfl_Module* module = dwfl_addrmodule(dwfl_, address);
    const char* name = module == nullptr ? nullptr : dwfl_module_addrname(module, address);
    return name == nullptr ? "" : name;
}

bool ElfutilsWalker::is_described(std::uint64_t address) const {
    Dwfl_Module* module = dwfl_addrmodule(dwfl_, address);
    if (module == nullptr) {
        return false;
    }
    for (const auto& find : {dwfl_module_eh_cfi, dwfl_module_dwarf_cfi}) {
        Dwarf_Addr bias = 0;
        Dwarf_Frame* frame = nullptr;
        Dwarf_CFI* information = find(module, &bias);
        if (information != nullptr && dwarf_cfi_addrframe(information, address - bias, &frame) == 0) {
            std::free(frame);
            return true;
        }
    }
    return false;
}

std::string ElfutilsWalker::describe(std::uint64_t address) const {
    Dwfl_Module* module = dwfl_addrmodule(dwfl_, address);
    if (module == nullptr) {
        return "(no image)";
    }
    Dwarf_Addr begin = 0;
    const std::string file = dwfl_module_info(module, nullptr, &begin, nullptr, nullptr, nullptr, nullptr, nullptr);
    GElf_Off offset = 0;
    GElf_Sym symbol;
    const char* name = dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
    char text[64];
    std::snprintf(text, sizeof text, "+0x%llx",
                  static_cast<unsigned long long>(name == nullptr ? address - begin : offset));
    const std::string base = file.substr(file.rfind('/') + 1);
    return name == nullptr ? base + text : name + std::string(text) + " (" + base + ")";
}

}  // namespace kymo::oracle
