// The records of a perf.data file. Times are nanoseconds on the file's clock, 0: the record has none. Texts and spans
// are valid during the visitor's call only.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace kymo::import::perf {

// A process, thread or processor that the record does not name.
constexpr std::uint32_t kNotGiven = 0xffff'ffff;

enum class Mode : std::uint8_t { kUnknown, kKernel, kUser, kHypervisor, kGuestKernel, kGuestUser };

// When and where a record was made.
struct Origin {
    std::uint64_t time = 0;
    std::uint32_t pid = kNotGiven;
    std::uint32_t tid = kNotGiven;
    std::uint32_t cpu = kNotGiven;
    std::uint32_t attribute = 0;  // index of the event
    Mode mode = Mode::kUnknown;
};

struct CounterValue {
    std::uint64_t value = 0;
    std::uint64_t id = 0;         // 0: not given
    std::uint64_t lost = 0;       // samples of this event
    std::uint32_t attribute = 0;  // the event with that id, else kNotGiven
};

struct Branch {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    std::uint64_t flags = 0;  // laid out as on a little-endian machine, see the functions below
};

constexpr bool mispredicted(const Branch& branch) {
    return (branch.flags & 1) != 0;
}
constexpr bool predicted(const Branch& branch) {
    return (branch.flags & 2) != 0;
}
constexpr bool in_transaction(const Branch& branch) {
    return (branch.flags & 4) != 0;
}
constexpr bool aborted(const Branch& branch) {
    return (branch.flags & 8) != 0;
}
constexpr std::uint32_t cycles(const Branch& branch) {
    return static_cast<std::uint32_t>(branch.flags >> 4 & 0xffff);
}
constexpr std::uint32_t branch_type(const Branch& branch) {  // PERF_BR_*
    return static_cast<std::uint32_t>(branch.flags >> 20 & 0xf);
}

struct Registers {
    std::uint64_t abi = 0;  // PERF_SAMPLE_REGS_ABI_*; 0: none, and no values
    std::uint64_t mask = 0;
    std::span<const std::uint64_t> values;  // one a bit of the mask, from the lowest
};

// What the event's sample_type does not have is 0 or empty.
struct Sample : Origin {
    std::uint64_t ip = 0;
    std::uint64_t period = 0;  // events since the previous sample; the event's period if the sample has none
    std::uint64_t id = 0;
    std::uint64_t stream_id = 0;
    std::uint64_t address = 0;
    std::uint64_t physical_address = 0;
    std::uint64_t weight = 0;    // the low half if there are three of them
    std::uint16_t weight_2 = 0;  // on x86: cycles from dispatch to retirement
    std::uint16_t weight_3 = 0;
    std::uint64_t data_source = 0;  // as perf_mem_data_src
    std::uint64_t transaction = 0;
    std::uint64_t cgroup = 0;
    std::uint64_t data_page_size = 0;
    std::uint64_t code_page_size = 0;
    bool exact_ip = false;  // the ip is that of the instruction that caused the event
    std::uint64_t time_enabled = 0;
    std::uint64_t time_running = 0;
    std::span<const CounterValue> reads;             // counts since the event began, of a group its leader first
    std::span<const std::uint64_t> callchain;        // innermost first, with PERF_CONTEXT_* before each part
    std::span<const Branch> branches;                // newest first
    std::span<const std::uint64_t> branch_counters;  // one a branch, or none
    Registers user_registers;
    Registers interrupted_registers;
    std::span<const std::uint8_t> raw;         // of a tracepoint: its fields, in the byte order of its machine
    std::span<const std::uint8_t> user_stack;  // from the stack pointer upwards; as much of it as was there
};

struct Mapping : Origin {
    std::uint64_t begin = 0;
    std::uint64_t length = 0;
    std::uint64_t file_offset = 0;
    std::uint32_t protection = 0;  // PROT_*; for older records only whether PROT_EXEC
    std::uint32_t flags = 0;       // MAP_*
    bool executable = false;
    bool kernel = false;                     // the kernel's text or a module, also of a guest
    std::string_view path;                   // "//anon", "[vdso]", "[kernel.kallsyms]_text", …
    std::span<const std::uint8_t> build_id;  // empty: not given; then device and inode may be
    std::uint32_t device_major = 0;
    std::uint32_t device_minor = 0;
    std::uint64_t inode = 0;
    std::uint64_t inode_generation = 0;
};

struct Comm : Origin {
    std::string_view name;
    bool is_exec = false;
};

// `pid` and `tid` are the new, or ended, ones.
struct Fork : Origin {
    std::uint32_t parent_pid = kNotGiven;
    std::uint32_t parent_tid = kNotGiven;
};

struct Exit : Origin {
    std::uint32_t parent_pid = kNotGiven;
    std::uint32_t parent_tid = kNotGiven;
};

struct Switch : Origin {
    bool out = false;
    bool preempted = false;
    std::uint32_t other_pid = kNotGiven;  // the next one if out, else the previous one; of whole processors only
    std::uint32_t other_tid = kNotGiven;
};

struct Lost : Origin {
    std::uint64_t count = 0;
    bool samples = false;  // only samples; else records of any kind
    std::uint64_t id = 0;
};

struct Throttle : Origin {
    bool begins = false;
    std::uint64_t id = 0;
};

// Code that the kernel made or removed, such as of eBPF programs.
struct KernelSymbol : Origin {
    std::uint64_t begin = 0;
    std::uint32_t length = 0;
    std::uint16_t type = 0;  // PERF_RECORD_KSYMBOL_TYPE_*
    bool removed = false;
    std::string_view name;
};

struct Cgroup : Origin {
    std::uint64_t id = 0;
    std::string_view path;
};

struct Namespace {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
};

struct Namespaces : Origin {
    std::span<const Namespace> links;  // by NET_NS_INDEX, …
};

}  // namespace kymo::import::perf
