// The steps that a simulated program takes, and its waits.
#include "machine.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace kymo::findings::simulated {

namespace rec = recording;

namespace {

constexpr double kUneven = 0.01;     // the same work takes so much longer or shorter
constexpr double kInstructions = 3;  // a ns

double normal(Random* random) {
    constexpr double kTwoPi = 6.283185307179586;
    return std::sqrt(-2 * std::log(1 - random->uniform())) * std::cos(kTwoPi * random->uniform());
}

}  // namespace

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
    ++record_.brief[rec::WaitKind::kBarrier].count;  // the last waits for nobody
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

Thread& Thread::start(const std::string& name, Code code, int processor) {
    Thread& made = machine_->add(name, std::move(code), this, false);
    made.only_processor_ = processor;
    return made;
}

Thread& Thread::fork(const std::string& name, Code code) {
    return machine_->add(name, std::move(code), this, true);
}

std::uint64_t Object::number(Machine* machine) {
    if (number_ == 0) {
        number_ = machine->next_object();
    }
    return number_;
}

}  // namespace kymo::findings::simulated
