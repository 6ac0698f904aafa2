// Instrumentation points by the kernel: stops at instructions of a program into which nothing can be preloaded
// (uprobes, uretprobes), and does the points' steps there on the calling thread's cells.
//
// Needs CAP_BPF and CAP_PERFMON (root), Linux 5.15, and a build that had clang and libbpf; every refusal says which.
// Nothing stays in the kernel when this object is gone. One thread. Cost: some microseconds a hit, in the program
// (bench/hooks); of load() some milliseconds; of try_out() and attach() microseconds a probe where takes_many(), else
// some 0.1 s a probe.
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
inline constexpr std::size_t kMaxSingleProbes = 2000;  // where the kernel is asked for each alone (before Linux 6.10)

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

    // Whether the kernel takes each of the probes: of those it does not, told with the reason. (A process that begins
    // later would simply not be stopped there.) kPermission, kUnsupported: it takes none.
    Result<void> try_out(std::span<const Probe> probes,
                         const std::function<void(const Probe&, int error)>& refused) const;

    // Whether the kernel is given all places of a file at once.
    [[nodiscard]] bool takes_many() const;

    // The process, with all its threads, but not its children; now or when it becomes the program. `wherever`: the
    // kernel is to stop every process there and let others go on, which is slower for those, because it forgets
    // probes of a process alone when that gains rights at its exec (setuid).
    Result<void> attach(std::span<const Probe> probes, pid_t process, bool wherever);

    // Those that have come to a probe and are not forgotten.
    [[nodiscard]] std::vector<std::uint32_t> threads() const;
    // A thread's cells as they are now; a timer that is being started just then may be told as stopped. False: it has
    // none.
    bool read(std::uint32_t thread, ProbeThread& values) const;
    // Its cells are not needed any more: the thread is gone.
    void forget(std::uint32_t thread) const;
    // Hits by threads that found no room.
    [[nodiscard]] std::uint64_t missed() const;

  private:
    struct State;
    explicit KernelProbes(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace kymo::hooks
