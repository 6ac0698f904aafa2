// Replaces kernel_pairs.cpp if Kymo was built without clang or libbpf.
#include "hunt/kernel/kernel_pairs.h"

namespace kymo::hunt {

namespace {
Error not_built() {
    return {ErrorKind::kUnsupported, "the kernel's engine: this Kymo was built without clang or libbpf",
            "apt-get install clang-19 libbpf-dev and build again, or hunt with --engine program"};
}
}  // namespace

Result<KernelPairs> KernelPairs::load(const KernelWish&) {
    return not_built();
}
KernelPairs::KernelPairs(KernelPairs&&) noexcept {}
KernelPairs::~KernelPairs() = default;
Result<void> KernelPairs::try_event(const pairs::HuntAttributes&) const {
    return not_built();
}
pairs::KernelEngine KernelPairs::handles() const {
    return {};
}

}  // namespace kymo::hunt
