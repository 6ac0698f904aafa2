#include "monitor/threads/registry.h"

#include "image/arena.h"
#include "monitor/sampling/signal_entry.h"

#include <new>

namespace kymo::monitor {

constinit Registry threads;

thread_local ThreadState* kymo_current_thread = nullptr;

ThreadState* this_thread() {
    return kymo_current_thread;
}

ThreadState* Registry::take_state() {
    {
        const Locked locked(lock_);
        if (ThreadState* thread = spare_; thread != nullptr) {
            spare_ = thread->next;
            return thread;
        }
    }
    void* pages = image::map_pages(sizeof(ThreadState));
    return pages == nullptr ? nullptr : new (pages) ThreadState;
}

void Registry::give_back(ThreadState* thread) {
    const Locked locked(lock_);
    thread->next = spare_;
    spare_ = thread;
}

void Registry::add(ThreadState& thread) {
    thread.stream = StreamId{next_stream_.fetch_add(1)};
    const Locked locked(lock_);
    thread.previous = nullptr;
    thread.next = live_;
    if (live_ != nullptr) {
        live_->previous = &thread;
    }
    live_ = &thread;
}

void Registry::remove(ThreadState& thread) {
    const Locked locked(lock_);
    (thread.previous == nullptr ? live_ : thread.previous->next) = thread.next;
    if (thread.next != nullptr) {
        thread.next->previous = thread.previous;
    }
}

bool Registry::is_alone(const ThreadState& thread) const {
    const Locked locked(lock_);
    return live_ == &thread && thread.next == nullptr;
}

void Registry::forget_all(ThreadState* own) {
    const auto spare = [this](ThreadState* thread) {
        thread->busy.store(0);
        thread->next = spare_;
        spare_ = thread;
    };
    for (ThreadState* thread = live_; thread != nullptr;) {
        ThreadState* next = thread->next;
        if (thread != own) {
            spare(thread);
        }
        thread = next;
    }
    if (own != nullptr) {
        spare(own);  // the first to be reused, because its pages exist
    }
    live_ = nullptr;
    next_stream_.store(1);
}

}  // namespace kymo::monitor
