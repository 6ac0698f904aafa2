// The state of this process while it is measured, which every entry point checks first: whether it is measured,
// whether it is this process, by which session; and the monitor's descriptors.
//
// Until set_running() and after the end (phase not kRunning) no entry point affects the program.
#pragma once

#include "events/session.h"
#include "monitor/clock.h"
#include "monitor/process/descriptors.h"
#include "monitor/process/kernel_numbers.h"

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>

namespace kymo::monitor {

enum class Phase : std::uint32_t { kOff = 0, kRunning = 1, kFinishing = 2 };

class Process {
  public:
    enum class End : std::uint8_t { kExit = 0, kImmediateExit = 1, kExec = 2 };

    // Loads the session. False: none for this process.
    bool begin(int argc, char** argv, std::uint64_t stack_end);
    void set_running() { phase_.store(Phase::kRunning, std::memory_order_release); }
    // False: another thread is finishing, or has finished.
    bool begin_finishing();
    void set_off() { phase_.store(Phase::kOff, std::memory_order_release); }
    void after_fork();

    Phase phase() const { return phase_.load(std::memory_order_acquire); }
    bool running() const { return phase() == Phase::kRunning; }
    // False in a vfork child, which shares this memory but is another process.
    bool is_this_process() const;
    // It is a forked child, and has not executed another program since.
    bool is_forked() const { return is_forked_; }

    // Measurement is off at the program's request.
    bool paused() const { return paused_.load(std::memory_order_acquire) != 0; }
    void set_paused(bool paused);
    std::uint64_t resumes() const { return resumes_.load(std::memory_order_acquire); }

    int pid() const { return pid_; }
    const KernelNumbers& kernel_numbers() const { return kernel_numbers_; }
    std::uint64_t start_time() const { return start_time_; }
    std::uint64_t main_stack_end() const { return main_stack_end_; }
    // argv[0]; nullptr: there is none.
    const char* program() const { return argc_ > 0 ? argv_[0] : nullptr; }
    // The command line, each argument ended by a NUL, as far as there is room.
    std::string_view arguments(std::span<char> room) const;

    const events::Session& session() const { return session_; }
    Descriptors& descriptors() { return descriptors_; }

  private:
    bool load_session();

    KernelNumbers kernel_numbers_;

    std::atomic<Phase> phase_{Phase::kOff};
    std::atomic<std::uint32_t> paused_{0};
    std::atomic<std::uint64_t> resumes_{0};
    int pid_ = 0;
    bool is_forked_ = false;
    int argc_ = 0;
    char** argv_ = nullptr;
    std::uint64_t start_time_ = 0;
    std::uint64_t main_stack_end_ = 0;
    events::Session session_;
    Descriptors descriptors_;
};

extern Process process;

}  // namespace kymo::monitor
