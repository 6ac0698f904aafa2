// Controls the kernel's engine from outside: loads the eBPF program, makes its state, and holds both during the
// hunt.
//
// Needs CAP_BPF and CAP_PERFMON (root), Linux 5.12, and a build with clang and libbpf. Every refusal names what is
// missing. Nothing stays in the kernel once this object and the counters it is attached to are gone.
#pragma once

#include "base/result.h"
#include "pairs/hunt_file.h"
#include "pairs/shared.h"

#include <cstdint>

struct bpf_object;

namespace kymo::hunt {

struct KernelWish {
    pairs::Rule rule;
    std::uint32_t key = 0;     // recording::HuntKey
    std::uint32_t signal = 0;  // sent to the thread of a result; 0: none
    std::uint32_t seed = 1;
};

class KernelPairs {
  public:
    // kUnsupported, kPermission.
    static Result<KernelPairs> load(const KernelWish& wish);

    KernelPairs(KernelPairs&& other) noexcept;
    KernelPairs& operator=(KernelPairs&&) = delete;
    KernelPairs(const KernelPairs&) = delete;
    KernelPairs& operator=(const KernelPairs&) = delete;
    ~KernelPairs();

    // Whether the kernel accepts the program for this event: opens a counter on the calling thread and closes it.
    Result<void> try_event(const pairs::HuntAttributes& attributes) const;

    // Where a process with access to this one finds the program and the state.
    [[nodiscard]] pairs::KernelEngine handles() const;
    [[nodiscard]] int program() const { return program_; }
    [[nodiscard]] const pairs::Shared& state() const { return *state_; }

  private:
    KernelPairs() = default;
    bpf_object* object_ = nullptr;
    pairs::Shared* state_ = nullptr;
    int program_ = -1;
    int map_ = -1;
};

}  // namespace kymo::hunt
