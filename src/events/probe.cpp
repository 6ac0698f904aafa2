#include "events/probe.h"

#include "base/native.h"
#include "events/attributes.h"
#include "events/tracepoints.h"

#include <array>
#include <cerrno>
#include <fstream>
#include <linux/bpf.h>
#include <sys/resource.h>

namespace kymo::events {
namespace {

namespace fs = std::filesystem;

template <typename Number>
std::optional<Number> read_number(const fs::path& path) {
    Number value{};
    if (std::ifstream(path) >> value) {
        return value;
    }
    return std::nullopt;
}

// 0 or errno.
int try_counter(CounterOpener& opener, perf_event_attr& attr, int processor = -1) {
    const int counter = opener.open(attr, 0, processor, -1);
    if (counter < 0) {
        return -counter;
    }
    opener.close(counter);
    return 0;
}

SessionEvent software(std::uint64_t config) {
    SessionEvent event;
    event.type = PERF_TYPE_SOFTWARE;
    event.config = config;
    return event;
}

bool on_virtual_machine(const fs::path& proc) {
    std::error_code ignored;
    return processor::is_virtual() || fs::exists(proc / "device-tree/hypervisor", ignored);
}

bool under_seccomp(const fs::path& proc) {
    std::ifstream status(proc / "self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("Seccomp:")) {
            return line.find('2') != std::string::npos;
        }
    }
    return false;
}

bool in_container() {
    std::error_code ignored;
    return fs::exists("/.dockerenv", ignored) || fs::exists("/run/.containerenv", ignored) ||
           fs::exists("/run/systemd/container", ignored);
}

// Loads the smallest program there is for performance events: return 0.
int try_ebpf() {
    std::array<bpf_insn, 2> code{};
    code[0].code = BPF_ALU64 | BPF_MOV | BPF_K;
    code[1].code = BPF_JMP | BPF_EXIT;
    static constexpr char kLicense[] = "GPL";
    bpf_attr attr{};
    attr.prog_type = BPF_PROG_TYPE_PERF_EVENT;
    attr.insns = reinterpret_cast<std::uint64_t>(code.data());
    attr.insn_cnt = static_cast<std::uint32_t>(code.size());
    attr.license = reinterpret_cast<std::uint64_t>(kLicense);
    const auto program = static_cast<int>(syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof attr));
    if (program < 0) {
        return errno;
    }
    close(program);
    return 0;
}

// The kernel's release, as far as it matters: 6.18 is 6'018.
unsigned kernel_release(const fs::path& proc) {
    std::ifstream file(proc / "sys/kernel/osrelease");
    unsigned major = 0;
    unsigned minor = 0;
    char point = 0;
    return file >> major >> point >> minor && point == '.' && minor < 1000 ? major * 1000 + minor : 0;
}

void read_limits(Machine& machine, const fs::path& proc) {
    const fs::path kernel = proc / "sys/kernel";
    machine.paranoid = read_number<int>(kernel / "perf_event_paranoid");
    machine.max_sample_rate = read_number<std::uint64_t>(kernel / "perf_event_max_sample_rate").value_or(0);
    machine.buffer_kib = read_number<std::uint64_t>(kernel / "perf_event_mlock_kb").value_or(0);
    rlimit limit{};
    if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0) {
        machine.locked_bytes = limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
    }
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        machine.descriptors = limit.rlim_cur;
        machine.descriptors_hard = limit.rlim_max;
    }
    // Where processors run without the tick, the kernel's account of threads does not go by it.
    std::string tickless;
    std::getline(std::ifstream("/sys/devices/system/cpu/nohz_full"), tickless);
    machine.timers_at_return = kernel_release(proc) >= processor::kTimersAtReturnSince &&
                               tickless.find_first_of("0123456789") == std::string::npos;
    // CPU-time timers are checked once a tick; the coarse clock's resolution is a tick.
    timespec tick{};
    if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) == 0 && tick.tv_sec == 0 && tick.tv_nsec > 0) {
        machine.timer_hz = static_cast<std::uint64_t>(1'000'000'000 / tick.tv_nsec);
    }
}

constexpr const char* kParanoid1 = "sudo sysctl kernel.perf_event_paranoid=1";

}  // namespace

perf_event_attr switch_record_attributes(std::size_t data_bytes, std::uint64_t fault_period) {
    perf_event_attr attr = own_switch_attributes();
    attr.task = 1;
    attr.mmap = 1;       // executable mappings: the first after an exec is the program's file
    attr.mmap_data = 1;  // and others: memory that the program takes from the system
    attr.comm = 1;
    attr.comm_exec = 1;
    attr.inherit = 1;
    attr.disabled = 1;
    attr.enable_on_exec = 1;
    attr.watermark = 1;
    attr.wakeup_watermark = static_cast<std::uint32_t>(data_bytes / 2);
    if (fault_period != 0) {
        attr.config = PERF_COUNT_SW_PAGE_FAULTS;
        attr.sample_period = fault_period;
        attr.sample_type |= PERF_SAMPLE_ADDR;  // other records' trailers stay as they are
        attr.exclude_kernel = 1;
    }
    return attr;
}

Machine probe(CounterOpener& opener, const fs::path& proc) {
    Machine machine;
    read_limits(machine, proc);
    machine.virtual_machine = on_virtual_machine(proc);
    machine.seccomp = under_seccomp(proc);
    machine.container = in_container();
    machine.root = geteuid() == 0;
    machine.processors = static_cast<unsigned>(sysconf(_SC_NPROCESSORS_ONLN));

    SessionEvent clock = software(PERF_COUNT_SW_TASK_CLOCK);
    clock.mode = Mode::kFrequency;
    clock.value = 1000;
    perf_event_attr attr = make_attributes(clock, false);
    machine.perf_error = try_counter(opener, attr);

    attr = make_attributes(clock, true);
    machine.read_lost = try_counter(opener, attr) == 0;

    attr = make_attributes(software(PERF_COUNT_SW_CONTEXT_SWITCHES), false);
    machine.kernel_counting = try_counter(opener, attr) == 0;

    attr = switch_record_attributes(std::size_t{128} * 1024);
    machine.switch_error = try_counter(opener, attr, 0);
    if (machine.switch_error == ENODEV) {  // processor 0 is offline
        machine.switch_error = 0;
    }
    machine.switch_records = machine.switch_error == 0;

    SessionEvent cycles;
    cycles.type = PERF_TYPE_HARDWARE;
    cycles.config = PERF_COUNT_HW_CPU_CYCLES;
    cycles.user_only = true;
    attr = make_attributes(cycles, false);
    machine.hardware_error = try_counter(opener, attr);

    machine.ebpf_error = try_ebpf();
    machine.ebpf = machine.ebpf_error == 0;
    for (const fs::path& folder : tracing_folders()) {
        machine.tracepoints = machine.tracepoints || access((folder / "events/sched").c_str(), R_OK | X_OK) == 0;
    }
    return machine;
}

Machine probe() {
    KernelOpener opener;
    return probe(opener);
}

Refusal why_no_performance_events(const Machine& machine) {
    const std::string in_container =
        "start the container with --cap-add PERFMON (or a seccomp profile that allows perf_event_open)";
    switch (machine.perf_error) {
        case 0:
            return {};
        case ENOSYS:
            return machine.seccomp || machine.paranoid
                       ? Refusal{"a seccomp filter hides perf_event_open", in_container}
                       : Refusal{"this kernel has no performance events", "boot a kernel with CONFIG_PERF_EVENTS=y"};
        case EPERM:
        case EACCES:
            if (machine.paranoid.value_or(0) >= 3 && !machine.root) {
                return {"kernel.perf_event_paranoid is " + std::to_string(*machine.paranoid) +
                            ", which bars ordinary users",
                        "sudo sysctl kernel.perf_event_paranoid=1"};
            }
            if (machine.seccomp || machine.container) {
                return {machine.seccomp ? "a seccomp filter forbids perf_event_open"
                                        : "the container forbids perf_event_open",
                        in_container};
            }
            return {"the system's security policy forbids perf_event_open",
                    "run as root, or give the right: sudo setcap cap_perfmon+ep $(which kymo)"};
        case EMFILE:
            return {"no file descriptor is left", "ulimit -n 65536"};
        case ENOENT:
        case EOPNOTSUPP:
            return {"this kernel cannot sample task-clock", "boot a kernel with CONFIG_PERF_EVENTS=y"};
        default:
            return {"perf_event_open failed with error " + std::to_string(machine.perf_error),
                    "try as root; see perf_event_open(2) for the error"};
    }
}

Refusal why_no_kernel_counting(const Machine& machine) {
    if (!machine.performance_events()) {
        return why_no_performance_events(machine);
    }
    if (machine.paranoid) {
        return {"kernel.perf_event_paranoid is " + std::to_string(*machine.paranoid) +
                    ": ordinary users count user mode only",
                kParanoid1};
    }
    return {"the kernel lets this user count user mode only", "run as root"};
}

Refusal why_no_hardware_counters(const Machine& machine) {
    switch (machine.hardware_error) {
        case 0:
            return {};
        case ENOENT:
        case EOPNOTSUPP:
        case ENODEV:
        case ENXIO:
            return machine.virtual_machine
                       ? Refusal{"this virtual machine has no hardware counters",
                                 "on the host, pass the counters through (QEMU/KVM: -cpu host,pmu=on; clouds: a "
                                 "bare-metal "
                                 "or PMU-enabled instance)"}
                       : Refusal{
                             "the kernel offers no hardware counters for this processor",
                             "boot a kernel with the processor's performance-monitoring driver, and enable it in the "
                             "firmware"};
        default:
            break;
    }
    if (!machine.performance_events()) {
        return why_no_performance_events(machine);
    }
    return {"opening a hardware counter failed with error " + std::to_string(machine.hardware_error),
            "try as root; see perf_event_open(2) for the error"};
}

Refusal why_no_switch_records(const Machine& machine) {
    if (machine.switch_records) {
        return {};
    }
    if (!machine.performance_events()) {
        return why_no_performance_events(machine);
    }
    return {"opening per-processor events failed with error " + std::to_string(machine.switch_error), kParanoid1};
}

}  // namespace kymo::events
