#include "machine.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace kymo::findings::simulated {

namespace rec = recording;

namespace {

constexpr std::int64_t kSlice = 3'000'000;
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max() / 2;
constexpr double kWakeLeast = 5'000;  // ns until who is woken can run
constexpr double kWakeMean = 20'000;  // and what comes on top
constexpr double kWakeMost = 300'000;
constexpr double kCallNs = 2'000;  // the kernel's work in a call that blocks
constexpr double kStolenMean = 3e6;
constexpr double kUneven = 0.01;     // the same work takes so much longer or shorter
constexpr double kInstructions = 3;  // a ns
constexpr double kDone = 0.5;        // ns left that are none

std::int64_t ceil_ns(double ns) {
    constexpr double kMost = 1e15;
    return static_cast<std::int64_t>(std::ceil(std::clamp(ns, 0.0, kMost)));
}

double normal(Random* random) {
    constexpr double kTwoPi = 6.283185307179586;
    return std::sqrt(-2 * std::log(1 - random->uniform())) * std::cos(kTwoPi * random->uniform());
}

}  // namespace

// ---- what a program says ----

Frame::Frame(Thread* thread, std::string_view function) : thread_(thread) {
    thread->record_.path.push_back(thread->machine_->recorder_->function(function));
}

Frame::~Frame() {
    thread_->record_.path.pop_back();
}

Thread::Step Thread::compute(Mode mode, double ns) {
    mode_ = mode;
    left_ = ns / machine_->conditions_.speed * std::exp(kUneven * normal(&machine_->random_));
    rate_ = mode == Mode::kUser ? kInstructions * machine_->conditions_.speed : 0;
    return {this, left_ < kDone};
}

Thread::Step Thread::work(std::int64_t ns) {
    return compute(Mode::kUser, static_cast<double>(ns));
}

Thread::Step Thread::work_at(std::int64_t ns, double instructions) {
    const Step step = compute(Mode::kUser, static_cast<double>(ns));
    rate_ *= instructions;
    return step;
}

Thread::Step Thread::kernel(std::int64_t ns, std::uint64_t faults) {
    const Step step = compute(Mode::kKernel, static_cast<double>(ns));
    rate_ = static_cast<double>(faults) / left_;
    return step;
}

double Thread::until_sample() const {
    if (mode_ == Mode::kUser) {
        return record_.due - record_.clock;
    }
    return rate_ > 0 ? (record_.fault_due - record_.faults) / rate_ : std::numeric_limits<double>::max() / 4;
}

Thread::Step Thread::calls(rec::WaitKind kind, std::uint64_t count, std::int64_t ns_each) {
    const Step step = compute(Mode::kKernel, static_cast<double>(count) * static_cast<double>(ns_each));
    Brief& brief = record_.brief[kind];
    brief.count += count;
    brief.ns += static_cast<std::int64_t>(left_);
    return step;
}

Thread::Step Thread::map(std::uint64_t bytes) {
    machine_->recorder_->mapping(record_, machine_->now_, bytes);
    machine_->mapped_ += bytes;
    machine_->peak_ = std::max(machine_->peak_, machine_->mapped_);
    return kernel(5'000);
}

void Thread::unmap(std::uint64_t bytes) {
    machine_->mapped_ -= bytes;
}

Thread::Step Thread::block(rec::WaitKind kind, std::uint64_t object, Thread* holder) {
    wait_ = rec::Wait{};
    wait_.time = static_cast<std::uint64_t>(machine_->now_);
    wait_.kind = static_cast<std::uint64_t>(kind);
    wait_.object = object;
    wait_.holder = holder != nullptr ? holder->record_.tid : 0;
    waits_ = true;
    machine_->leave(this, false);
    return {this, false};
}

Thread::Step Thread::sleep(std::int64_t ns) {
    const Step step = block(rec::WaitKind::kSleep, 0, nullptr);
    state_ = State::kReady;
    ready_at_ = machine_->now_ + ns + ceil_ns(machine_->drawn(kWakeMean));
    return step;
}

Thread::Step Thread::disk(std::int64_t ns) {
    constexpr std::uint64_t kFile = std::uint64_t{8} << rec::kFileKindBit | 5U;
    const Step step = block(rec::WaitKind::kRead, kFile, nullptr);
    state_ = State::kReady;
    ready_at_ = machine_->now_ + ns + ceil_ns(machine_->drawn(kWakeMean));
    return step;
}

Thread::Step Thread::receive(Semaphore& messages) {
    constexpr std::uint64_t kSocket = std::uint64_t{12} << rec::kFileKindBit | 6U;
    if (messages.count > 0) {
        --messages.count;
        return kernel(static_cast<std::int64_t>(kCallNs));
    }
    messages.waiting.push_back(this);
    return block(rec::WaitKind::kRead, kSocket, nullptr);
}

Thread::Step Thread::lock(Lock& lock) {
    if (lock.owner == nullptr) {
        lock.owner = this;
        return {this, true};
    }
    wanted_ = &lock;
    lock.waiting.push_back(this);
    return block(rec::WaitKind::kMutex, lock.number(machine_), lock.owner);
}

void Thread::unlock(Lock& lock) {
    lock.owner = nullptr;
    if (!lock.waiting.empty()) {
        Thread* next = lock.waiting.front();
        lock.waiting.pop_front();
        machine_->wake(next, nullptr);
    }
}

Thread::Step Thread::arrive(Barrier& barrier) {
    if (barrier.waiting.size() + 1 < barrier.parties) {
        barrier.waiting.push_back(this);
        return block(rec::WaitKind::kBarrier, barrier.number(machine_), nullptr);
    }
    for (Thread* other : std::exchange(barrier.waiting, {})) {
        machine_->wake(other, this);
    }
    return {this, true};
}

Thread::Step Thread::wait(Semaphore& semaphore) {
    if (semaphore.count > 0) {
        --semaphore.count;
        return {this, true};
    }
    semaphore.waiting.push_back(this);
    return block(rec::WaitKind::kSemaphore, semaphore.number(machine_), nullptr);
}

void Thread::post(Semaphore& semaphore) {
    machine_->post(&semaphore, this);
}

void Thread::ask(Semaphore& reply, std::int64_t ns) {
    machine_->replies_.emplace(machine_->now_ + ns, &reply);
}

Thread::Step Thread::join(Thread& other) {
    if (other.state_ == State::kOver) {
        return {this, true};
    }
    other.joiners_.push_back(this);
    return block(rec::WaitKind::kJoin, other.record_.tid, &other);
}

Thread::Step Thread::wait_child(Thread& first_thread) {
    if (first_thread.state_ == State::kOver) {
        return {this, true};
    }
    first_thread.joiners_.push_back(this);
    return block(rec::WaitKind::kChild, 0, nullptr);
}

Thread& Thread::start(std::string name, Code code, int processor) {
    Thread& made = machine_->add(std::move(name), std::move(code), this, false);
    made.only_processor_ = processor;
    return made;
}

Thread& Thread::fork(std::string name, Code code) {
    return machine_->add(std::move(name), std::move(code), this, true);
}

std::uint64_t Object::number(Machine* machine) {
    if (number_ == 0) {
        number_ = machine->next_object();
    }
    return number_;
}

// ---- the machine ----

Machine::Machine(const Conditions& conditions, Recorder* recorder)
    : conditions_(conditions), recorder_(recorder), random_(conditions.seed), processors_(conditions.processors) {
    for (Processor& processor : processors_) {
        if (conditions.steal > 0) {
            processor.steal_changes = ceil_ns(drawn(kStolenMean * (1 - conditions.steal) / conditions.steal));
        }
    }
}

double Machine::drawn(double mean) {
    return mean * -std::log(1 - random_.uniform());
}

Thread& Machine::start(std::string name, Code code, bool is_recorded) {
    Thread& thread = make(std::move(code));
    thread.is_recorded_ = is_recorded;
    if (is_recorded) {
        ++live_;
        recorder_->begin_process(&thread.record_, 99, now_);
        recorder_->begin_thread(&thread.record_, nullptr, name, now_);
    }
    return thread;
}

Thread& Machine::make(Code code) {
    codes_.push_back(std::make_unique<Code>(std::move(code)));
    threads_.push_back(std::make_unique<Thread>());
    Thread& thread = *threads_.back();
    thread.machine_ = this;
    thread.code_ = codes_.back().get();
    thread.vruntime_ = least_vruntime_;
    active_.push_back(&thread);
    return thread;
}

Thread& Machine::add(std::string name, Code code, Thread* creator, bool new_process) {
    Thread& thread = make(std::move(code));
    thread.is_recorded_ = creator->is_recorded_;
    thread.ready_at_ = now_ + ceil_ns(kWakeLeast + std::min(kWakeMost, drawn(kWakeMean)));
    if (thread.is_recorded_) {
        ++live_;
        if (new_process) {
            recorder_->begin_process(&thread.record_, recorder_->pid_of(creator->record_), now_);
        }
        recorder_->begin_thread(&thread.record_, &creator->record_, name, now_);
    }
    thread.is_first_ = new_process;
    return thread;
}

void Machine::wake(Thread* thread, Thread* by) {
    thread->state_ = Thread::State::kReady;
    thread->ready_at_ = now_ + ceil_ns(kWakeLeast + std::min(kWakeMost, drawn(kWakeMean)));
    if (by != nullptr) {
        thread->wait_.holder = by->record_.tid;
    }
}

void Machine::post(Semaphore* semaphore, Thread* by) {
    if (semaphore->waiting.empty()) {
        ++semaphore->count;
        return;
    }
    Thread* next = semaphore->waiting.front();
    semaphore->waiting.pop_front();
    wake(next, by);
}

void Machine::leave(Thread* thread, bool is_ready) {
    Processor& processor = processors_[static_cast<std::size_t>(thread->processor_)];
    processor.running = nullptr;
    thread->state_ = is_ready ? Thread::State::kReady : Thread::State::kBlocked;
    thread->ready_at_ = now_;
    if (thread->is_recorded_) {
        recorder_->leaves(&thread->record_, now_, thread->processor_, is_ready);
    }
}

// The thread has done what it was at: what comes next, until that takes time.
void Machine::go_on(Thread* thread) {
    if (thread->wanted_ != nullptr) {  // woken, but another may have been faster
        Lock& lock = *thread->wanted_;
        if (lock.owner != nullptr) {
            lock.waiting.push_front(thread);
            leave(thread, false);
            return;
        }
        lock.owner = thread;
        thread->wanted_ = nullptr;
    }
    if (thread->waits_) {
        thread->waits_ = false;
        thread->wait_.duration = static_cast<std::uint64_t>(now_) - thread->wait_.time;
        if (thread->is_recorded_) {
            recorder_->wait(&thread->record_, thread->wait_);
        }
    } else if (thread->met_tick_ && thread->is_recorded_) {
        recorder_->kernel_tick(&thread->record_, now_);
    }
    thread->met_tick_ = false;
    if (!thread->has_begun_) {
        thread->has_begun_ = true;
        thread->program_ = (*thread->code_)(*thread);
        thread->here_ = thread->program_.handle();
    }
    thread->here_.resume();
    if (thread->program_.is_over()) {
        end(thread);
    }
}

void Machine::end(Thread* thread) {
    processors_[static_cast<std::size_t>(thread->processor_)].running = nullptr;
    thread->state_ = Thread::State::kOver;
    for (Thread* joiner : thread->joiners_) {
        wake(joiner, nullptr);
    }
    active_.erase(std::find(active_.begin(), active_.end(), thread));
    if (thread->is_recorded_) {
        --live_;
        recorder_->end_thread(&thread->record_, now_);
        if (thread->is_first_) {
            recorder_->end_process(thread->record_.process, now_);
        }
    }
}

Thread* Machine::next_for(std::size_t processor) {
    Thread* best = nullptr;
    bool is_here = false;  // `best` was on this processor last
    for (Thread* thread : active_) {
        const bool may_run = thread->state_ == Thread::State::kReady && thread->ready_at_ <= now_ &&
                             (thread->only_processor_ < 0 || thread->only_processor_ == static_cast<int>(processor));
        if (!may_run) {
            continue;
        }
        const bool was_here = thread->processor_ == static_cast<int>(processor);
        if (best == nullptr || (was_here && !is_here) ||
            (was_here == is_here && thread->vruntime_ < best->vruntime_)) {
            best = thread;
            is_here = was_here;
        }
    }
    return best;
}

void Machine::put(Thread* thread, std::size_t number) {
    Processor& processor = processors_[number];
    processor.running = thread;
    processor.slice_end = now_ + kSlice;
    thread->state_ = Thread::State::kRunning;
    thread->processor_ = static_cast<int>(number);
    thread->record_.ready_ns += now_ - std::min(now_, thread->ready_at_);
    least_vruntime_ = std::max(least_vruntime_, thread->vruntime_ - kSlice);
    thread->vruntime_ = std::max(thread->vruntime_, least_vruntime_);
    if (thread->is_recorded_) {
        recorder_->returns(&thread->record_, now_, static_cast<int>(number));
    }
    if (thread->waits_) {
        thread->mode_ = Thread::Mode::kKernel;
        thread->rate_ = 0;
        thread->left_ = kCallNs / conditions_.speed;
    }
}

void Machine::dispatch() {
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (std::size_t i = 0; i < processors_.size(); ++i) {
            if (processors_[i].running == nullptr) {
                if (Thread* next = next_for(i); next != nullptr) {
                    put(next, i);
                    is_changed = true;
                }
            }
        }
        for (Processor& processor : processors_) {
            if (processor.running != nullptr && processor.running->left_ < kDone && !processor.is_stolen) {
                go_on(processor.running);
                is_changed = true;
            }
        }
        is_changed = preempt() || is_changed;
    }
}

// Who waits for a processor and had less of them than one that runs takes its place, if that has had its slice, or
// far more.
bool Machine::preempt() {
    constexpr std::int64_t kFarMore = 1'000'000;
    for (Thread* thread : active_) {
        if (thread->state_ != Thread::State::kReady || thread->ready_at_ > now_) {
            continue;
        }
        Thread* victim = nullptr;
        for (std::size_t i = 0; i < processors_.size(); ++i) {
            Thread* running = processors_[i].running;
            if (running == nullptr ||
                (thread->only_processor_ >= 0 && thread->only_processor_ != static_cast<int>(i))) {
                continue;
            }
            const std::int64_t more = running->vruntime_ - std::max(thread->vruntime_, least_vruntime_);
            const bool is_due = (more >= 0 && now_ >= processors_[i].slice_end) || more >= kFarMore;
            if (is_due && (victim == nullptr || running->vruntime_ > victim->vruntime_)) {
                victim = running;
            }
        }
        if (victim != nullptr) {
            const auto place = static_cast<std::size_t>(victim->processor_);
            leave(victim, true);
            put(thread, place);
            return true;
        }
    }
    return false;
}

std::int64_t Machine::next_event() const {
    std::int64_t next = replies_.empty() ? kNever : std::max(now_ + 1, replies_.begin()->first);
    bool is_queued = false;
    for (const Thread* thread : active_) {
        if (thread->state_ == Thread::State::kReady) {
            is_queued = is_queued || thread->ready_at_ <= now_;
            next = thread->ready_at_ > now_ ? std::min(next, thread->ready_at_) : next;
        }
    }
    for (const Processor& processor : processors_) {
        if (processor.steal_changes > now_) {
            next = std::min(next, processor.steal_changes);
        }
        const Thread* thread = processor.running;
        if (thread == nullptr || processor.is_stolen) {
            continue;
        }
        next = std::min(next, now_ + std::max<std::int64_t>(1, ceil_ns(thread->left_)));
        if (thread->is_recorded_) {
            next = std::min(next, now_ + std::max<std::int64_t>(1, ceil_ns(thread->until_sample())));
        }
        if (is_queued) {
            next = std::min(next, std::max(now_ + 100'000, processor.slice_end));
        }
    }
    return next;
}

void Machine::advance(std::int64_t until) {
    const auto ns = static_cast<double>(until - now_);
    for (Processor& processor : processors_) {
        Thread* thread = processor.running;
        if (thread == nullptr) {
            continue;
        }
        ThreadRecord& record = thread->record_;
        record.clock += ns;
        thread->vruntime_ += until - now_;
        if (processor.is_stolen) {
            processor.stolen += until - now_;
            continue;
        }
        thread->left_ -= ns;
        if (thread->mode_ == Thread::Mode::kKernel) {
            record.system += ns;
            record.faults += thread->rate_ * ns;
            thread->met_tick_ = thread->met_tick_ || until / kTick != now_ / kTick;
        } else {
            record.instructions += thread->rate_ * ns;
        }
    }
    now_ = until;
    while (!replies_.empty() && replies_.begin()->first <= now_) {
        post(replies_.begin()->second, nullptr);
        replies_.erase(replies_.begin());
    }
    for (std::size_t i = 0; i < processors_.size(); ++i) {
        Processor& processor = processors_[i];
        Thread* thread = processor.running;
        if (processor.steal_changes <= now_) {
            const double mean =
                processor.is_stolen ? kStolenMean * (1 - conditions_.steal) / conditions_.steal : kStolenMean;
            processor.is_stolen = !processor.is_stolen;
            processor.steal_changes = now_ + std::max<std::int64_t>(1, ceil_ns(drawn(mean)));
        }
        if (thread == nullptr || processor.is_stolen || !thread->is_recorded_) {
            continue;
        }
        recorder_->look(&thread->record_, now_, static_cast<int>(i), thread->mode_ == Thread::Mode::kKernel);
    }
}

void Machine::run() {
    while (true) {
        dispatch();
        if (live_ == 0) {
            break;
        }
        const std::int64_t next = next_event();
        if (next >= kNever) {
            throw std::logic_error("all threads of the program wait for each other");
        }
        advance(next);
    }
    std::int64_t stolen = 0;
    for (const Processor& processor : processors_) {
        stolen += processor.stolen;
    }
    recorder_->end(now_, peak_, conditions_.tells_steal ? std::optional(stolen) : std::nullopt);
}

}  // namespace kymo::findings::simulated
