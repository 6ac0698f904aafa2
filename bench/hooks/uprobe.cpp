#include "uprobe.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::bench {
namespace {

int bpf(bpf_cmd command, bpf_attr& attributes) {
    return static_cast<int>(syscall(SYS_bpf, command, &attributes, sizeof attributes));
}

std::uint64_t address_of(const void* pointer) {
    return reinterpret_cast<std::uint64_t>(pointer);
}

// key = entry of the map; if ((value = lookup(map, &key))) lock *value += 1; return 0
int load_program(int map, std::int32_t entry) {
    const bpf_insn code[] = {
        {BPF_ST | BPF_MEM | BPF_W, BPF_REG_10, 0, -4, entry},
        {BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_2, BPF_REG_10, 0, 0},
        {BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_2, 0, 0, -4},
        {BPF_LD | BPF_DW | BPF_IMM, BPF_REG_1, BPF_PSEUDO_MAP_FD, 0, map},
        {0, 0, 0, 0, 0},
        {BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem},
        {BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 2, 0},
        {BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_1, 0, 0, 1},
        {BPF_STX | BPF_ATOMIC | BPF_DW, BPF_REG_0, BPF_REG_1, 0, BPF_ADD},
        {BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0},
        {BPF_JMP | BPF_EXIT, 0, 0, 0, 0},
    };
    bpf_attr load{};
    load.prog_type = BPF_PROG_TYPE_KPROBE;
    load.insns = address_of(code);
    load.insn_cnt = sizeof code / sizeof *code;
    load.license = address_of("GPL");
    return bpf(BPF_PROG_LOAD, load);
}

}  // namespace

Uprobes::~Uprobes() {
    for (const int file : files_) {
        close(file);
    }
}

std::string Uprobes::place(const void* function, bool with_program) {
    const auto refused = [](const char* what) { return std::string(what) + ": " + std::strerror(errno); };
    Dl_info place{};
    std::ifstream type_file("/sys/bus/event_source/devices/uprobe/type");
    std::uint32_t type = 0;
    if (!(type_file >> type) || dladdr(function, &place) == 0) {
        return "this kernel has no uprobe events";
    }
    if (with_program) {
        bpf_attr map{};
        map.map_type = BPF_MAP_TYPE_ARRAY;
        map.key_size = 4;
        map.value_size = 8;
        map.max_entries = 2;
        map_ = bpf(BPF_MAP_CREATE, map);
        if (map_ < 0) {
            return refused("eBPF map");
        }
        files_.push_back(map_);
    }
    for (const int at_exit : {0, 1}) {
        perf_event_attr attributes{};
        attributes.size = sizeof attributes;
        attributes.type = type;
        attributes.config = static_cast<std::uint64_t>(at_exit);
        attributes.uprobe_path = address_of("/proc/self/exe");
        attributes.probe_offset = address_of(function) - address_of(place.dli_fbase);
        const int event =
            static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
        if (event < 0) {
            return refused("uprobe");
        }
        files_.push_back(event);
        event_ = at_exit == 0 ? event : event_;
        if (with_program) {
            const int program = load_program(map_, at_exit);
            if (program < 0 || ioctl(event, PERF_EVENT_IOC_SET_BPF, program) != 0) {
                return refused("eBPF program");
            }
            files_.push_back(program);
        }
        ioctl(event, PERF_EVENT_IOC_ENABLE, 0);
    }
    return {};
}

std::uint64_t Uprobes::entries() const {
    std::uint64_t value = 0;
    if (map_ < 0) {
        return read(event_, &value, sizeof value) == sizeof value ? value : 0;
    }
    std::uint32_t key = 0;
    bpf_attr look{};
    look.map_fd = static_cast<std::uint32_t>(map_);
    look.key = address_of(&key);
    look.value = address_of(&value);
    return bpf(BPF_MAP_LOOKUP_ELEM, look) == 0 ? value : 0;
}

}  // namespace kymo::bench
