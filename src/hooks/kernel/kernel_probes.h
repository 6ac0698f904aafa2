// Instrumentation points by the kernel: stops at instructions of a program into which nothing can be preloaded
// (uprobes, uretprobes), and executes the points' steps there on the calling thread's cells.
//
// Needs CAP_BPF and CAP_PERFMON (root), Linux 5.15, and a build with clang and libbpf; every refusal names what is
// missing. Nothing stays in the kernel when this object is gone. One thread. Cost: some microseconds per hit, in
// the program (bench/hooks); of load() some milliseconds; of try_out() and attach() microseconds per probe if
// takes_many(), otherwise some 0.1 s per probe.
#pragma once

#include "base/result.h"
#include "hooks/kernel/probe_state.h"
#include "hooks/plan/planner.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace kymo::hooks {

inline constexpr std::size_t kMaxProbes = 50'000;
inline constexpr std::size_t kMaxSingleProbes = 2000;  // where the kernel takes them one by one (before Linux
                                                       // 6.10)

class KernelProbes {
  public:
    // Loads the steps of a plan's points. `bindings`: of timers to cells. kUnsupported, kPermission, kUsage (too
    // many).
    static Result<KernelProbes> load(const Planned& planned,
                                     std::span<const std::pair<std::uint32_t, std::uint32_t>> bindings);

    KernelProbes(KernelProbes&&) noexcept;
    KernelProbes& operator=(KernelProbes&&) = delete;
    KernelProbes(const KernelProbes&) = delete;
    KernelProbes& operator=(const KernelProbes&) = delete;
    ~KernelProbes();

    // Whether the kernel accepts each of the probes: returns those it refuses, with the reason. (A process that
    // begins later would silently not be stopped there.) kPermission, kUnsupported: it accepts none.
    Result<void> try_out(std::span<const Probe> probes,
                         const std::function<void(const Probe&, int error)>& refused) const;

    // Whether the kernel takes all places of a file at once.
    [[nodiscard]] bool takes_many() const;

    // The process, with all its threads, but not its children; now or when it becomes the program. `wherever`: the
    // kernel stops every process there and lets others continue, which is slower for those; needed because the
    // kernel drops probes of a single process when that gains privileges at its exec (setuid).
    Result<void> attach(std::span<const Probe> probes, pid_t process, bool wherever);

    // Threads that have hit a probe and are not forgotten.
    [[nodiscard]] std::vector<std::uint32_t> threads() const;
    // A thread's present cells; a timer that is just being started may be returned as stopped. False: it has none.
    bool read(std::uint32_t thread, ProbeThread& values) const;
    // Frees its cells: the thread is gone.
    void forget(std::uint32_t thread) const;
    // Hits by threads for which there was no room.
    [[nodiscard]] std::uint64_t missed() const;

  private:
    struct State;
    explicit KernelProbes(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace kymo::hooks
