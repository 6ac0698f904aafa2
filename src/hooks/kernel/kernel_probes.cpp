#include "hooks/kernel/kernel_probes.h"

#include "base/kernel_refusal.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

extern "C" {
extern const unsigned char kymo_probe_object[];  // probe_object.S
extern const unsigned char kymo_probe_object_end[];
}

namespace kymo::hooks {
namespace {

Error refused(const std::string& what, int error) {
    return refused_by_kernel("probes of the kernel: " + what, error,
                             "run kymo as root (or with CAP_BPF and CAP_PERFMON)",
                             error == EMFILE ? "raise ulimit -n, or measure fewer functions"
                                             : "they need Linux 5.15 with eBPF and uprobes");
}

std::uint64_t cookie_of(const Probe& probe) {
    return probe.point | (probe.at_exit ? kAtExit : 0) | (probe.by_return ? kReturned : 0) |
           (probe.return_awaited ? kReturnAwaited : 0);
}

bpf_link* attach_one(const bpf_program* program, const Probe& probe, pid_t process) {
    bpf_uprobe_opts options{};
    options.sz = sizeof options;
    options.bpf_cookie = cookie_of(probe);
    options.retprobe = probe.by_return;
    errno = 0;
    return bpf_program__attach_uprobe_opts(program, process, probe.image.c_str(), probe.in_file, &options);
}

// A file mapped as code, so that the kernel looks at what a probe would stand on.
class MappedCode {
  public:
    explicit MappedCode(const std::filesystem::path& path) {
        const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        struct stat facts{};
        if (file >= 0 && fstat(file, &facts) == 0 && facts.st_size > 0) {
            bytes_ = static_cast<std::size_t>(facts.st_size);
            at_ = mmap(nullptr, bytes_, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
        }
        close(file);
    }
    MappedCode(const MappedCode&) = delete;
    MappedCode& operator=(const MappedCode&) = delete;
    ~MappedCode() {
        if (at_ != MAP_FAILED) {
            munmap(at_, bytes_);
        }
    }

  private:
    void* at_ = MAP_FAILED;
    std::size_t bytes_ = 0;
};

// A probe is two descriptors. The program was forked before, and keeps the limit that there was.
void raise_descriptor_limit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

}  // namespace

struct KernelProbes::State {
    bpf_object* object = nullptr;
    bpf_program* program = nullptr;
    std::vector<bpf_link*> links;
    int settings = -1;  // maps
    int threads = -1;
    int missed = -1;
    ProbeSettings given{};

    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() {
        for (bpf_link* link : links) {
            bpf_link__destroy(link);
        }
        if (object != nullptr) {
            bpf_object__close(object);
        }
    }
    [[nodiscard]] bpf_map* map(const char* name) const { return bpf_object__find_map_by_name(object, name); }
};

KernelProbes::KernelProbes(std::unique_ptr<State> state) : state_(std::move(state)) {}
KernelProbes::KernelProbes(KernelProbes&&) noexcept = default;
KernelProbes::~KernelProbes() = default;

Result<KernelProbes> KernelProbes::load(const Planned& planned,
                                        std::span<const std::pair<std::uint32_t, std::uint32_t>> bindings) {
    if (planned.probes.size() > kMaxProbes) {
        return Error{ErrorKind::kUsage,
                     std::to_string(planned.probes.size()) + " probes of the kernel, it is given at most " +
                         std::to_string(kMaxProbes),
                     "measure fewer functions: names instead of patterns"};
    }
    libbpf_set_print(nullptr);  // what is wrong is told by us
    auto state = std::make_unique<State>();
    const auto size = static_cast<std::size_t>(kymo_probe_object_end - kymo_probe_object);
    state->object = bpf_object__open_mem(kymo_probe_object, size, nullptr);
    if (state->object == nullptr) {
        return refused("their program cannot be read", errno);
    }
    state->program = bpf_object__find_program_by_name(state->object, "kymo_steps_at");
    bpf_map* points = state->map("kymo_points");
    bpf_map* steps = state->map("kymo_steps");
    bpf_map* constants = state->map(".rodata");
    if (state->program == nullptr || points == nullptr || steps == nullptr || constants == nullptr) {
        return refused("their program is not what was built", EINVAL);
    }
    std::vector<ProbePoint> all_points;
    std::vector<cells::Step> all_steps;
    std::uint32_t most = 1;
    for (const std::vector<cells::Step>& each : planned.points) {
        const auto count = static_cast<std::uint32_t>(each.size());
        if (!cells::valid(each.data(), each.size())) {
            return Error{ErrorKind::kUsage, "more than " + std::to_string(cells::kMaxSteps) + " steps at one point",
                         "measure fewer metrics at once"};
        }
        most = std::max(most, count);
        all_points.push_back({static_cast<std::uint32_t>(all_steps.size()), count});
        all_steps.insert(all_steps.end(), each.begin(), each.end());
    }
    const auto room = [](std::size_t count) { return std::max(static_cast<std::uint32_t>(count), 1U); };
    bpf_map__set_max_entries(points, room(all_points.size()));
    bpf_map__set_max_entries(steps, room(all_steps.size()));
    if (bpf_map__set_initial_value(constants, &most, sizeof most) != 0) {
        return refused("their program is not what was built", EINVAL);
    }
    if (const int error = bpf_object__load(state->object); error != 0) {
        return refused("their program is not accepted", -error);
    }
    for (std::uint32_t i = 0; i < all_points.size(); ++i) {
        bpf_map_update_elem(bpf_map__fd(points), &i, &all_points[i], BPF_ANY);
    }
    for (std::uint32_t i = 0; i < all_steps.size(); ++i) {
        bpf_map_update_elem(bpf_map__fd(steps), &i, &all_steps[i], BPF_ANY);
    }
    state->settings = bpf_map__fd(state->map("kymo_settings"));
    state->threads = bpf_map__fd(state->map("kymo_threads"));
    state->missed = bpf_map__fd(state->map("kymo_missed"));
    for (const auto& [timer, cell] : bindings) {
        state->given.bindings[timer % cells::kTaskTimers] = cell;
    }
    struct stat space{};
    if (stat("/proc/self/ns/pid", &space) != 0) {
        return refused("the PID namespace cannot be read", errno);
    }
    state->given.namespace_device = space.st_dev;
    state->given.namespace_inode = space.st_ino;
    raise_descriptor_limit();
    return KernelProbes(std::move(state));
}

Result<void> KernelProbes::try_out(std::span<const Probe> probes,
                                   const std::function<void(const Probe&, int error)>& not_taken) const {
    std::map<std::filesystem::path, MappedCode> mapped;
    for (const Probe& probe : probes) {
        mapped.try_emplace(probe.image, probe.image);
        bpf_link* link = attach_one(state_->program, probe, 0);
        const int error = errno;
        if (link != nullptr) {
            bpf_link__destroy(link);
        } else if (error == EPERM || error == EACCES || error == EMFILE) {
            return refused(probe.name, error);
        } else {
            not_taken(probe, error);
        }
    }
    return {};
}

Result<void> KernelProbes::attach(std::span<const Probe> probes, pid_t process, bool wherever) {
    const std::uint32_t zero = 0;
    state_->given.process = static_cast<std::uint32_t>(process);
    if (bpf_map_update_elem(state_->settings, &zero, &state_->given, BPF_ANY) != 0) {
        return refused("their settings cannot be written", errno);
    }
    for (const Probe& probe : probes) {
        bpf_link* link = attach_one(state_->program, probe, wherever ? -1 : process);
        if (link == nullptr) {
            return refused(probe.name, errno);
        }
        state_->links.push_back(link);
    }
    return {};
}

std::vector<std::uint32_t> KernelProbes::threads() const {
    std::vector<std::uint32_t> threads;
    std::uint32_t next = 0;
    const std::uint32_t* before = nullptr;
    std::uint32_t last = 0;
    while (threads.size() < kProbeThreads && bpf_map_get_next_key(state_->threads, before, &next) == 0) {
        threads.push_back(next);
        last = next;
        before = &last;
    }
    return threads;
}

bool KernelProbes::read(std::uint32_t thread, ProbeThread& values) const {
    // Twice: a timer is running as it was read where both readings say so.
    ProbeThread again;
    if (bpf_map_lookup_elem(state_->threads, &thread, &values) != 0 || values.begin == 0 ||
        bpf_map_lookup_elem(state_->threads, &thread, &again) != 0) {
        return false;
    }
    for (std::uint32_t i = 0; i < cells::kTaskTimers; ++i) {
        if (values.timers[i].since != again.timers[i].since || again.timers[i].depth == 0) {
            values.timers[i].depth = 0;
        }
    }
    return true;
}

void KernelProbes::forget(std::uint32_t thread) const {
    bpf_map_delete_elem(state_->threads, &thread);
}

std::uint64_t KernelProbes::missed() const {
    const std::uint32_t zero = 0;
    std::uint64_t missed = 0;
    bpf_map_lookup_elem(state_->missed, &zero, &missed);
    return missed;
}

}  // namespace kymo::hooks
