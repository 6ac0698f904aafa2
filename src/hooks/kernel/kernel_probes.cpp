#include "hooks/kernel/kernel_probes.h"

#include "base/descriptor.h"
#include "base/kernel_refusal.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
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

// Errors that every other probe would cause as well.
bool is_everywhere(int error) {
    return error == EPERM || error == EACCES || error == EMFILE;
}

// Linux 6.6 has links of many places, and from 6.10 on stops all threads of a process at them.
constexpr int kManyFrom[] = {6, 10};

bool kernel_is_from(const int (&version)[2]) {
    utsname name{};
    int major = 0;
    int minor = 0;
    return uname(&name) == 0 && std::sscanf(name.release, "%d.%d", &major, &minor) == 2 &&
           std::pair(major, minor) >= std::pair(version[0], version[1]);
}

// The part of union bpf_attr for such a link; the headers of the build system may be older.
struct ManyPlaces {
    std::uint32_t program;
    std::uint32_t target = 0;
    std::uint32_t attach_type = 48;  // BPF_TRACE_UPROBE_MULTI
    std::uint32_t flags = 0;
    std::uint64_t path;
    std::uint64_t offsets;
    std::uint64_t reference_counters = 0;
    std::uint64_t cookies;
    std::uint32_t count;
    std::uint32_t at_returns;  // BPF_F_UPROBE_MULTI_RETURN
    std::uint32_t process;     // 0: every one
    std::uint32_t reserved = 0;
};
constexpr ManyPlaces kManyPlaces{
    .program = 0, .path = 0, .offsets = 0, .cookies = 0, .count = 0, .at_returns = 0, .process = 0};

// A descriptor; < 0: errno has the reason.
int link_of(const ManyPlaces& places) {
    errno = 0;
    return static_cast<int>(syscall(SYS_bpf, BPF_LINK_CREATE, &places, sizeof places));
}

template <typename T>
std::uint64_t address_of(const T* data) {
    return reinterpret_cast<std::uint64_t>(data);
}

// Of one file, all at entries or all at returns.
int link_many(int program, std::span<const Probe*> probes, pid_t process) {
    std::vector<std::uint64_t> offsets;
    std::vector<std::uint64_t> cookies;
    for (const Probe* probe : probes) {
        offsets.push_back(probe->in_file);
        cookies.push_back(cookie_of(*probe));
    }
    ManyPlaces places = kManyPlaces;
    places.program = static_cast<std::uint32_t>(program);
    places.path = address_of(probes.front()->image.c_str());
    places.offsets = address_of(offsets.data());
    places.cookies = address_of(cookies.data());
    places.count = static_cast<std::uint32_t>(probes.size());
    places.at_returns = probes.front()->by_return ? 1 : 0;
    places.process = static_cast<std::uint32_t>(process);
    return link_of(places);
}

// A kernel that supports such links checks the path and refuses a folder with EBADF.
bool takes_many_places(int program) {
    const std::uint64_t offset = 1;
    ManyPlaces places = kManyPlaces;
    places.program = static_cast<std::uint32_t>(program);
    places.path = address_of("/");
    places.offsets = address_of(&offset);
    places.count = 1;
    const int link = link_of(places);
    if (link >= 0) {
        close(link);
    }
    return link < 0 && errno == EBADF;
}

bpf_link* attach_one(const bpf_program* program, const Probe& probe, pid_t process) {
    bpf_uprobe_opts options{};
    options.sz = sizeof options;
    options.bpf_cookie = cookie_of(probe);
    options.retprobe = probe.by_return;
    errno = 0;
    return bpf_program__attach_uprobe_opts(program, process, probe.image.c_str(), probe.in_file, &options);
}

// A file mapped as code, to examine the instructions under a probe.
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

// All points' steps, one after the other.
struct Steps {
    std::vector<ProbePoint> points;
    std::vector<cells::Step> steps;
    std::uint32_t most = 1;

    void add(const std::vector<cells::Step>& of_point) {
        const auto count = static_cast<std::uint32_t>(of_point.size());
        most = std::max(most, count);
        points.push_back({static_cast<std::uint32_t>(steps.size()), count});
        steps.insert(steps.end(), of_point.begin(), of_point.end());
    }
};

using OnRefusal = std::function<Result<void>(const Probe&, int error)>;

}  // namespace

struct KernelProbes::State {
    bpf_object* object = nullptr;
    bpf_program* program = nullptr;
    bool takes_many = false;       // of places, in one link
    std::vector<bpf_link*> links;  // of one place each
    std::vector<int> many;         // links of many places
    int settings = -1;             // maps
    int threads = -1;
    int missed = -1;
    ProbeSettings given{};

    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() {
        detach();
        unload();
    }
    void detach() {
        for (bpf_link* link : links) {
            bpf_link__destroy(link);
        }
        for (const int link : many) {
            close(link);
        }
        links.clear();
        many.clear();
    }
    void unload() {
        if (object != nullptr) {
            bpf_object__close(object);
            object = nullptr;
        }
    }
    [[nodiscard]] bpf_map* map(const char* name) const { return bpf_object__find_map_by_name(object, name); }

    Result<void> load(const Steps& steps);
    Result<void> attach(std::span<const Probe> probes, pid_t process, const OnRefusal& not_taken);
    Result<void> attach_many(std::span<const Probe*> probes, pid_t process, const OnRefusal& not_taken);
};

// Loads the program with the steps, again if it was loaded before.
Result<void> KernelProbes::State::load(const Steps& steps) {
    unload();
    const auto size = static_cast<std::size_t>(kymo_probe_object_end - kymo_probe_object);
    object = bpf_object__open_mem(kymo_probe_object, size, nullptr);
    if (object == nullptr) {
        return refused("their program cannot be read", errno);
    }
    program = bpf_object__find_program_by_name(object, "kymo_steps_at");
    bpf_map* all_points = map("kymo_points");
    bpf_map* all_steps = map("kymo_steps");
    bpf_map* constants = map(".rodata");
    if (program == nullptr || all_points == nullptr || all_steps == nullptr || constants == nullptr) {
        return refused("their program is not what was built", EINVAL);
    }
    if (takes_many) {
        bpf_program__set_expected_attach_type(program, static_cast<bpf_attach_type>(kManyPlaces.attach_type));
    }
    const auto room = [](std::size_t count) { return std::max(static_cast<std::uint32_t>(count), 1U); };
    bpf_map__set_max_entries(all_points, room(steps.points.size()));
    bpf_map__set_max_entries(all_steps, room(steps.steps.size()));
    if (bpf_map__set_initial_value(constants, &steps.most, sizeof steps.most) != 0) {
        return refused("their program is not what was built", EINVAL);
    }
    if (const int error = bpf_object__load(object); error != 0) {
        return refused("their program is not accepted", -error);
    }
    for (std::uint32_t i = 0; i < steps.points.size(); ++i) {
        bpf_map_update_elem(bpf_map__fd(all_points), &i, &steps.points[i], BPF_ANY);
    }
    for (std::uint32_t i = 0; i < steps.steps.size(); ++i) {
        bpf_map_update_elem(bpf_map__fd(all_steps), &i, &steps.steps[i], BPF_ANY);
    }
    settings = bpf_map__fd(map("kymo_settings"));
    threads = bpf_map__fd(map("kymo_threads"));
    missed = bpf_map__fd(map("kymo_missed"));
    return {};
}

KernelProbes::KernelProbes(std::unique_ptr<State> state) : state_(std::move(state)) {}
KernelProbes::KernelProbes(KernelProbes&&) noexcept = default;
KernelProbes::~KernelProbes() = default;

Result<KernelProbes> KernelProbes::load(const Planned& planned,
                                        std::span<const std::pair<std::uint32_t, std::uint32_t>> bindings) {
    libbpf_set_print(nullptr);  // errors are reported by Kymo
    Steps steps;
    for (const std::vector<cells::Step>& each : planned.points) {
        if (!cells::valid(each.data(), each.size(), 0)) {
            return Error{ErrorKind::kUsage, "more than " + std::to_string(cells::kMaxSteps) + " steps at one point",
                         "measure fewer metrics at once"};
        }
        steps.add(each);
    }
    auto state = std::make_unique<State>();
    state->takes_many = kernel_is_from(kManyFrom);
    auto loaded = state->load(steps);
    if (state->takes_many && (!loaded || !takes_many_places(bpf_program__fd(state->program)))) {
        state->takes_many = false;
        loaded = state->load(steps);
    }
    if (!loaded) {
        return loaded.error();
    }
    const std::size_t most = state->takes_many ? kMaxProbes : kMaxSingleProbes;
    if (planned.probes.size() > most) {
        return Error{ErrorKind::kUsage,
                     std::to_string(planned.probes.size()) + " probes of the kernel, it is given at most " +
                         std::to_string(most),
                     "measure fewer functions: names instead of patterns"};
    }
    for (const auto& [timer, cell] : bindings) {
        state->given.bindings[timer % cells::kTaskTimers] = cell;
    }
    struct stat space{};
    if (stat("/proc/self/ns/pid", &space) != 0) {
        return refused("the PID namespace cannot be read", errno);
    }
    state->given.namespace_device = space.st_dev;
    state->given.namespace_inode = space.st_ino;
    allow_many_descriptors();  // a probe takes two; the program was forked before
    return KernelProbes(std::move(state));
}

// Links for the probes, `process` 0: of every process. Those that the kernel refuses are found by bisection.
Result<void> KernelProbes::State::attach_many(std::span<const Probe*> probes, pid_t process,
                                              const OnRefusal& not_taken) {
    if (const int link = link_many(bpf_program__fd(program), probes, process); link >= 0) {
        many.push_back(link);
        return {};
    }
    const int error = errno;
    if (is_everywhere(error)) {
        return refused(probes.front()->name, error);
    }
    if (probes.size() == 1) {
        return not_taken(*probes.front(), error);
    }
    const std::size_t half = probes.size() / 2;
    if (auto first = attach_many(probes.first(half), process, not_taken); !first) {
        return first;
    }
    return attach_many(probes.subspan(half), process, not_taken);
}

Result<void> KernelProbes::State::attach(std::span<const Probe> probes, pid_t process, const OnRefusal& not_taken) {
    if (takes_many) {
        std::map<std::pair<std::filesystem::path, bool>, std::vector<const Probe*>> of_one_kind;
        for (const Probe& probe : probes) {
            of_one_kind[{probe.image, probe.by_return}].push_back(&probe);
        }
        for (auto& [kind, each] : of_one_kind) {
            if (auto attached = attach_many(each, process, not_taken); !attached) {
                return attached;
            }
        }
        return {};
    }
    for (const Probe& probe : probes) {
        if (bpf_link* link = attach_one(program, probe, process == 0 ? -1 : process); link != nullptr) {
            links.push_back(link);
            continue;
        }
        const int error = errno;
        auto told = is_everywhere(error) ? Result<void>(refused(probe.name, error)) : not_taken(probe, error);
        if (!told) {
            return told;
        }
    }
    return {};
}

Result<void> KernelProbes::try_out(std::span<const Probe> probes,
                                   const std::function<void(const Probe&, int error)>& not_taken) const {
    std::map<std::filesystem::path, MappedCode> mapped;
    for (const Probe& probe : probes) {
        mapped.try_emplace(probe.image, probe.image);
    }
    const auto tried = state_->attach(probes, 0, [&](const Probe& probe, int error) -> Result<void> {
        not_taken(probe, error);
        return {};
    });
    state_->detach();
    return tried;
}

bool KernelProbes::takes_many() const {
    return state_->takes_many;
}

Result<void> KernelProbes::attach(std::span<const Probe> probes, pid_t process, bool wherever) {
    const std::uint32_t zero = 0;
    state_->given.process = static_cast<std::uint32_t>(process);
    if (bpf_map_update_elem(state_->settings, &zero, &state_->given, BPF_ANY) != 0) {
        return refused("their settings cannot be written", errno);
    }
    return state_->attach(probes, wherever ? 0 : process,
                          [](const Probe& probe, int error) -> Result<void> { return refused(probe.name, error); });
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
    // Read twice: a timer counts as running only if both readings agree.
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
