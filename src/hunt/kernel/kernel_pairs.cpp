#include "hunt/kernel/kernel_pairs.h"

#include "base/kernel_refusal.h"
#include "events/attributes.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <cerrno>
#include <cstring>
#include <linux/perf_event.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

extern "C" {
extern const unsigned char kymo_pairs_object[];  // kernel_object.S
extern const unsigned char kymo_pairs_object_end[];
}

namespace kymo::hunt {
namespace {

Error refused(const char* what, int error) {
    return refused_by_kernel(std::string("the kernel's engine: ") + what, error,
                             "run as root (or with CAP_BPF and CAP_PERFMON), or hunt with --engine program",
                             "it needs Linux 5.12 with eBPF; --engine program needs neither");
}

}  // namespace

Result<KernelPairs> KernelPairs::load(const KernelWish& wish) {
    libbpf_set_print(nullptr);  // errors are reported by Kymo
    KernelPairs made;
    const auto size = static_cast<std::size_t>(kymo_pairs_object_end - kymo_pairs_object);
    made.object_ = bpf_object__open_mem(kymo_pairs_object, size, nullptr);
    if (made.object_ == nullptr) {
        return refused("its program cannot be read", errno);
    }
    if (const int error = bpf_object__load(made.object_); error != 0) {
        return refused("its program is not accepted", -error);
    }
    const bpf_program* program = bpf_object__find_program_by_name(made.object_, "kymo_hunt");
    const bpf_map* map = bpf_object__find_map_by_name(made.object_, "kymo_state");
    if (program == nullptr || map == nullptr) {
        return refused("its program is not what was built", EINVAL);
    }
    made.program_ = bpf_program__fd(program);
    made.map_ = bpf_map__fd(map);
    void* at = mmap(nullptr, sizeof(pairs::Shared), PROT_READ | PROT_WRITE, MAP_SHARED, made.map_, 0);
    if (at == MAP_FAILED) {
        return refused("its state cannot be mapped", errno);
    }
    made.state_ = static_cast<pairs::Shared*>(at);
    made.state_->key = wish.key;
    made.state_->signal = wish.signal;
    pairs::start(made.state_->machine, wish.rule, wish.seed);
    return made;
}

KernelPairs::KernelPairs(KernelPairs&& other) noexcept
    : object_(std::exchange(other.object_, nullptr)),
      state_(std::exchange(other.state_, nullptr)),
      program_(std::exchange(other.program_, -1)),
      map_(std::exchange(other.map_, -1)) {}

KernelPairs::~KernelPairs() {
    if (state_ != nullptr) {
        munmap(state_, sizeof *state_);
    }
    if (object_ != nullptr) {
        bpf_object__close(object_);
    }
}

Result<void> KernelPairs::try_event(const pairs::HuntAttributes& attributes) const {
    perf_event_attr attr{};
    attr.size = sizeof attr;
    attr.type = attributes.type;
    attr.config = attributes.config;
    attr.config1 = attributes.config1;
    attr.config2 = attributes.config2;
    attr.sample_period = attributes.period;
    attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR;
    attr.precise_ip = attributes.precise & 3U;
    attr.disabled = 1;
    attr.exclude_hv = 1;
    attr.exclude_kernel = attributes.user_only ? 1 : 0;
    const int counter = events::open_counter(attr, 0, -1, -1);
    if (counter < 0) {
        return refused("the event cannot be opened", errno);
    }
    const int error = ioctl(counter, PERF_EVENT_IOC_SET_BPF, program_) == 0 ? 0 : errno;
    close(counter);
    if (error != 0) {
        return refused("the event takes no eBPF program", error);
    }
    return {};
}

pairs::KernelEngine KernelPairs::handles() const {
    return {static_cast<std::uint32_t>(getpid()), static_cast<std::uint32_t>(program_),
            static_cast<std::uint32_t>(map_)};
}

}  // namespace kymo::hunt
