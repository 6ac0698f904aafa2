// A program under ptrace, one thread of which is stepped instruction by instruction.
//
// Contract: all calls from the thread that called start() (ptrace is per thread). The program dies with this object.
// Its addresses are randomised if ours are not and the other way round, so that its images do not lie where ours do.
// Threads that are not being stepped run freely. Signals meant for the program reach it.
#pragma once

#include "base/result.h"
#include "call_path.h"

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <sys/types.h>
#include <vector>

namespace kymo::oracle {

enum class Step {
    kInstruction,  // one instruction was executed
    kSignal,       // instead of executing one, the thread entered a signal handler
    kNewThread,    // a thread was started, and is now the one stepped (see follow_new_threads)
    kEnded,        // the stepped thread or the whole program is gone
};

class TracedProcess {
  public:
    // kPermission: the system does not allow tracing. Output of the program goes to /dev/null.
    static Result<std::unique_ptr<TracedProcess>> start(const std::vector<std::string>& arguments);
    ~TracedProcess();
    TracedProcess(const TracedProcess&) = delete;
    TracedProcess& operator=(const TracedProcess&) = delete;

    // Process address of a function of the program itself, by its symbol table.
    Result<std::uint64_t> address_of(const std::string& symbol) const;
    // Lets the program run until a thread is about to execute the instruction at `address`; that thread is then the
    // one stepped.
    Result<void> run_to(std::uint64_t address);
    void follow_new_threads(bool yes) { follow_ = yes; }
    Step step();

    pid_t process() const { return process_; }
    pid_t thread() const { return thread_; }
    const Registers& registers() const { return registers_; }

  private:
    TracedProcess() = default;
    bool fetch_registers();
    pid_t await_new_thread(pid_t creator);
    void resume_other(pid_t thread, int status);

    std::string program_;
    pid_t process_ = 0;
    pid_t thread_ = 0;
    bool alive_ = false;
    bool follow_ = false;
    std::set<pid_t> known_;    // threads whose first stop is over
    std::set<pid_t> stopped_;  // threads seen stopped before their creation was reported
    Registers registers_;
};

}  // namespace kymo::oracle
