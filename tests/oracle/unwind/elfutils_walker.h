// The second oracle: elfutils' libdwfl over the same copy of stack and registers. It also names addresses for the
// report.
#pragma once

#include "call_path.h"
#include "judge.h"
#include "memory_copy.h"

#include <elfutils/libdwfl.h>
#include <string>

namespace kymo::oracle {

class ElfutilsWalker : public Names {
  public:
    ElfutilsWalker(pid_t process, MemoryCopy& memory);
    ~ElfutilsWalker() override;
    ElfutilsWalker(const ElfutilsWalker&) = delete;
    ElfutilsWalker& operator=(const ElfutilsWalker&) = delete;

    CallPath walk(const Registers& registers);
    void forget_images();  // the process has mapped or unmapped code

    std::string function_at(std::uint64_t address) const override;
    std::string describe(std::uint64_t address) const override;
    bool is_described(std::uint64_t address) const override;

  private:
    void attach();
    static pid_t next_thread(Dwfl* dwfl, void* self, void** thread);
    static bool read_memory(Dwfl* dwfl, Dwarf_Addr address, Dwarf_Word* word, void* self);
    static bool set_registers(Dwfl_Thread* thread, void* self);
    static int on_frame(Dwfl_Frame* frame, void* self);

    pid_t process_;
    MemoryCopy& memory_;
    Dwfl* dwfl_ = nullptr;
    Registers registers_{};
    CallPath path_;
};

}  // namespace kymo::oracle
