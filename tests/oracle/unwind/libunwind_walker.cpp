#include "libunwind_walker.h"

#include <libunwind-ptrace.h>
#include <libunwind.h>

namespace kymo::oracle {

struct LibunwindWalker::State {
    MemoryCopy& memory;
    Registers registers{};
    unw_accessors_t accessors{};
    unw_addr_space_t space = nullptr;
    void* upt = nullptr;
};

namespace {

// libunwind's ptrace accessors hand their own argument on to ours, so ours cannot find the state there.
thread_local LibunwindWalker::State* walking = nullptr;

int no_dynamic_code(unw_addr_space_t, unw_word_t*, void*) {
    return -UNW_ENOINFO;
}

int access_memory(unw_addr_space_t, unw_word_t address, unw_word_t* value, int write, void*) {
    return write == 0 && walking->memory.read_word(address, *value) ? 0 : -UNW_EINVAL;
}

// libunwind numbers the registers of x86-64 as DWARF does.
int access_register(unw_addr_space_t, unw_regnum_t number, unw_word_t* value, int write, void*) {
    if (write != 0 || number < 0 || static_cast<unsigned>(number) >= Registers::kCount) {
        return -UNW_EBADREG;
    }
    *value = walking->registers.dwarf[static_cast<unsigned>(number)];
    return 0;
}

int no_floating_register(unw_addr_space_t, unw_regnum_t, unw_fpreg_t*, int, void*) {
    return -UNW_EBADREG;
}
int no_resume(unw_addr_space_t, unw_cursor_t*, void*) {
    return -UNW_EINVAL;
}
int no_name(unw_addr_space_t, unw_word_t, char*, std::size_t, unw_word_t*, void*) {
    return -UNW_ENOINFO;
}

}  // namespace

LibunwindWalker::LibunwindWalker(pid_t process, MemoryCopy& memory) : state_(new State{memory}) {
    state_->accessors = {_UPT_find_proc_info, _UPT_put_unwind_info, no_dynamic_code, access_memory,
                         access_register,     no_floating_register, no_resume,       no_name};
    state_->space = unw_create_addr_space(&state_->accessors, 0);
    state_->upt = _UPT_create(process);
    unw_set_caching_policy(state_->space, UNW_CACHE_GLOBAL);
    unw_set_cache_size(state_->space, 1 << 14, 0);
}

LibunwindWalker::~LibunwindWalker() {
    _UPT_destroy(state_->upt);
    unw_destroy_addr_space(state_->space);
}

void LibunwindWalker::forget() {
    unw_flush_cache(state_->space, 0, 0);
}

CallPath LibunwindWalker::walk(const Registers& registers) {
    walking = state_.get();
    state_->registers = registers;
    CallPath path;
    unw_cursor_t cursor;
    if (const int error = unw_init_remote(&cursor, state_->space, state_->upt); error != 0) {
        path.why = unw_strerror(error);
        return path;
    }
    for (;;) {
        unw_word_t ip = 0;
        unw_word_t sp = 0;
        unw_get_reg(&cursor, UNW_REG_IP, &ip);
        unw_get_reg(&cursor, UNW_REG_SP, &sp);
        if (ip == 0) {
            path.complete = true;
            return path;
        }
        // For libunwind a signal frame is the one a signal interrupted, not the trampoline.
        path.frames.push_back({ip, sp, !path.frames.empty() && unw_is_signal_frame(&cursor) <= 0});
        if (path.frames.size() == kMaxFrames) {
            path.complete = true;
            return path;
        }
        const int step = unw_step(&cursor);
        if (step <= 0) {
            path.complete = step == 0;
            path.why = step == 0 ? "" : unw_strerror(step);
            return path;
        }
    }
}

}  // namespace kymo::oracle
