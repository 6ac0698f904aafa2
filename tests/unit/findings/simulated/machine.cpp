#include "machine.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace kymo::findings::simulated {

namespace {

constexpr std::int64_t kSlice = 3'000'000;
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max() / 2;
constexpr double kWakeLeast = 5'000;  // ns until who is woken can run
constexpr double kWakeMost = 300'000;
constexpr double kStolenMean = 3e6;

}  // namespace

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

Thread& Machine::start(const std::string& name, Code code, bool is_recorded) {
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

Thread& Machine::add(const std::string& name, Code code, Thread* creator, bool new_process) {
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
        for (const Processor& processor : processors_) {
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
