// A machine that runs simulated programs: processors, a scheduler, a hypervisor that takes time away, and a recorder
// that samples threads as the monitor does and writes a recording.
//
// What it has of a real one: threads share processors in slices of 3 ms, and who slept comes before who computes; who
// is woken gets a processor 5 to some 100 µs later; processors are `speed` times as fast (sleeps and disks are not);
// the hypervisor takes them away for `steal` of the time, some milliseconds each, on the thread's own clock, and says
// so or not. The recorder: a clock of 1 ms a thread that sees user mode alone, late ticks, the
// kernel's tick of 4 ms in calls, recorded waits of 10 µs and more, switch records, page faults and, where a program
// asks for them, instructions. Deterministic by seed. Everything is in ns.
#pragma once

#include "findings/statistics/random.h"
#include "program.h"
#include "recorder.h"
#include "recording/tables.h"

#include <algorithm>
#include <cmath>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::findings::simulated {

inline constexpr double kWakeMean = 20'000;  // ns until who is woken can run, beyond the least
inline constexpr double kCallNs = 2'000;     // the kernel's work in a call that blocks
inline constexpr double kDone = 0.5;         // ns left that are none

inline std::int64_t ceil_ns(double ns) {
    constexpr double kMost = 1e15;
    return static_cast<std::int64_t>(std::ceil(std::clamp(ns, 0.0, kMost)));
}

struct Conditions {
    double speed = 1;
    double steal = 0;  // of each processor's time
    bool tells_steal = true;
    unsigned processors = 2;
    double cause = 1;  // of what is planted, there is so much
    std::uint64_t seed = 0;
};

class Machine;
class Thread;
using Code = std::function<Program(Thread&)>;

// What threads wait for: its number in the recording is that of its first use.
class Object {
  public:
    std::uint64_t number(Machine* machine);

  private:
    std::uint64_t number_ = 0;
};

struct Lock : Object {
    Thread* owner = nullptr;
    std::deque<Thread*> waiting;
};
struct Barrier : Object {
    explicit Barrier(unsigned of) : parties(of) {}
    unsigned parties;
    std::vector<Thread*> waiting;
};
struct Semaphore : Object {
    unsigned count = 0;
    std::deque<Thread*> waiting;
};

// A function on a thread's call path.
class Frame {
  public:
    Frame(Thread* thread, std::string_view function);
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;
    ~Frame();

  private:
    Thread* thread_;
};

class Thread {
  public:
    // ---- what a program says ----

    Frame in(std::string_view function) { return {this, function}; }

    struct Step {
        Thread* thread;
        bool is_over;
        bool await_ready() const { return is_over; }
        void await_suspend(std::coroutine_handle<> here) { thread->here_ = here; }
        void await_resume() const {}
    };
    Step work(std::int64_t ns);  // of a processor of speed 1; in user mode
    // Likewise `times` as many instructions a ns as usual: the same work, slower or faster.
    Step work_at(std::int64_t ns, double instructions);
    Step kernel(std::int64_t ns, std::uint64_t faults = 0);  // in calls, or in page faults
    // So many short calls of a kind, of so long each.
    Step calls(recording::WaitKind kind, std::uint64_t count, std::int64_t ns_each);
    Step map(std::uint64_t bytes);  // takes memory from the system, to the last byte if it is touched
    void unmap(std::uint64_t bytes);
    Step sleep(std::int64_t ns);
    Step disk(std::int64_t ns);         // a read that takes so long
    Step receive(Semaphore& messages);  // from a socket
    Step lock(Lock& lock);
    void unlock(Lock& lock);
    Step arrive(Barrier& barrier);
    Step wait(Semaphore& semaphore);
    void post(Semaphore& semaphore);
    void ask(Semaphore& reply, std::int64_t ns);  // somebody elsewhere posts it after so long
    Step join(Thread& other);
    Step wait_child(Thread& first_thread);
    // Starts a thread of this process, held to `processor` if one is given, or a new process.
    Thread& start(const std::string& name, Code code, int processor = -1);
    Thread& fork(const std::string& name, Code code);

    Machine& machine() { return *machine_; }

  private:
    friend class Machine;
    friend class Frame;
    enum class State { kReady, kRunning, kBlocked, kOver };
    enum class Mode { kUser, kKernel };

    Step compute(Mode mode, double ns);
    double until_sample() const;  // ns
    Step block(recording::WaitKind kind, std::uint64_t object, Thread* holder);

    Machine* machine_ = nullptr;
    ThreadRecord record_;
    const Code* code_ = nullptr;
    Program program_;
    std::coroutine_handle<> here_;  // where it goes on
    bool has_begun_ = false;
    int only_processor_ = -1;
    bool is_recorded_ = true;
    bool is_first_ = true;  // of its process

    State state_ = State::kReady;
    std::int64_t ready_at_ = 0;  // not before
    int processor_ = -1;         // that it is, or was, on
    std::int64_t vruntime_ = 0;  // what it had of processors, for the scheduler

    Mode mode_ = Mode::kUser;
    double left_ = 0;        // ns of the machine's speed
    double rate_ = 0;        // instructions a ns; in the kernel, page faults
    bool met_tick_ = false;  // the kernel's tick found it in a call

    bool waits_ = false;  // in a call that blocks
    recording::Wait wait_;
    Lock* wanted_ = nullptr;
    std::vector<Thread*> joiners_;
};

class Machine {
  public:
    Machine(const Conditions& conditions, Recorder* recorder);

    const Conditions& conditions() const { return conditions_; }
    // What the planted cause takes; so much, or less.
    template <typename Amount>
    Amount cause(Amount amount) const {
        return static_cast<Amount>(static_cast<double>(amount) * conditions_.cause);
    }
    Random& random() { return random_; }
    std::int64_t now() const { return now_; }
    std::uint64_t next_object() { return ++objects_; }

    // The first thread of the program, or (`is_recorded` false) of one that is no part of it. Before run().
    Thread& start(const std::string& name, Code code, bool is_recorded = true);

    // Until all recorded threads are over.
    void run();

  private:
    friend class Thread;
    friend class Frame;

    struct Processor {
        Thread* running = nullptr;
        std::int64_t slice_end = 0;
        bool is_stolen = false;
        std::int64_t steal_changes = std::numeric_limits<std::int64_t>::max();
        std::int64_t stolen = 0;
    };

    Thread& make(Code code);
    Thread& add(const std::string& name, Code code, Thread* creator, bool new_process);
    void go_on(Thread* thread);
    void end(Thread* thread);
    void wake(Thread* thread, Thread* by);
    void post(Semaphore* semaphore, Thread* by);
    void leave(Thread* thread, bool is_ready);
    Thread* next_for(std::size_t processor);
    void put(Thread* thread, std::size_t number);
    void dispatch();
    bool preempt();
    std::int64_t next_event() const;
    void advance(std::int64_t until);
    double drawn(double mean);  // exponential

    Conditions conditions_;
    Recorder* recorder_;
    Random random_;
    std::int64_t now_ = 0;
    std::int64_t least_vruntime_ = 0;  // who slept begins here
    std::uint64_t objects_ = 0;
    std::uint64_t mapped_ = 0;
    std::uint64_t peak_ = 0;
    std::vector<Processor> processors_;
    std::vector<std::unique_ptr<Code>> codes_;  // what they hold lives as long as their coroutines
    std::vector<std::unique_ptr<Thread>> threads_;
    std::vector<Thread*> active_;                      // not over, in the order of their beginning
    std::size_t live_ = 0;                             // recorded threads that are not over
    std::multimap<std::int64_t, Semaphore*> replies_;  // by time
};

}  // namespace kymo::findings::simulated
