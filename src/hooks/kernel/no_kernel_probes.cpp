// Replaces kernel_probes.cpp if Kymo was built without clang or libbpf.
#include "hooks/kernel/kernel_probes.h"

namespace kymo::hooks {

struct KernelProbes::State {};

Result<KernelProbes> KernelProbes::load(const Planned&, std::span<const std::pair<std::uint32_t, std::uint32_t>>) {
    return Error{ErrorKind::kUnsupported, "probes of the kernel: this Kymo was built without clang or libbpf",
                 "apt-get install clang-19 libbpf-dev and build again"};
}
KernelProbes::KernelProbes(std::unique_ptr<State> state) : state_(std::move(state)) {}
KernelProbes::KernelProbes(KernelProbes&&) noexcept = default;
KernelProbes::~KernelProbes() = default;
Result<void> KernelProbes::try_out(std::span<const Probe>, const std::function<void(const Probe&, int)>&) const {
    return {};
}
Result<void> KernelProbes::attach(std::span<const Probe>, pid_t, bool) {
    return {};
}
bool KernelProbes::takes_many() const {
    return false;
}
std::vector<std::uint32_t> KernelProbes::threads() const {
    return {};
}
bool KernelProbes::read(std::uint32_t, ProbeThread&) const {
    return false;
}
void KernelProbes::forget(std::uint32_t) const {}
std::uint64_t KernelProbes::missed() const {
    return 0;
}

}  // namespace kymo::hooks
