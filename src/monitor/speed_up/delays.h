// The accounts of a virtual speed-up: what every thread has been delayed by, and still has to be.
//
// The method is that of Coz (C. Curtsinger and E. D. Berger, "Coz: Finding Code that Counts with Causal Profiling",
// SOSP 2015): code is made faster, as far as the rest of the program can tell, by making everything else slower. Each
// time a thread is found in the code, all others pause for the time that it would have saved. At the end these pauses
// are subtracted.
//
// Here a thread's account is `paid`: by how much its clock is behind that of the same thread in the faster program.
// `total` is the largest of them. Three rules:
//   - A thread that is found in the code has saved time: save(). Two threads that are in it at a time save at the
//   same
//     time, so each gets its own, and the total is the largest, not the sum.
//   - A thread that has paid less than the total pauses for the difference: due() and pay(). It does so in its next
//     sample, and before it wakes another thread.
//   - A thread that has waited for another one goes on when that one let it, in the faster program too, or when it
//     would have come there itself, if that is later: from then on it has paid what the other has, be that more or
//     less, but no more than it had and has waited for: follow(). (Coz counts all delays of the wait as paid, and has
//     every thread pay before it unlocks. Unlocking is not interposed here, waits/locks.cpp: what a thread still owes
//     then, the thread that it wakes owes as well.) After a wait for something outside of the program a thread owes
//     what it has missed, for the outside is not slowed.
// A thread begins with its creator's account. The run's delay is what the thread that ends the process has paid.
//
// Times in ns. Contract: any number of threads; an Account belongs to its thread. No lock, no system call; a few
// nanoseconds each.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace kymo::monitor {

class Delays {
  public:
    struct Account {
        std::uint64_t paid = 0;
        std::uint64_t ahead = 0;  // paused longer than was due: taken off the next pause
    };

    // A shorter pause is not worth the call: it is added to the next one. The kernel's timers are late by as much.
    static constexpr std::uint64_t kLeastPause = 50'000;

    std::uint64_t total() const { return total_.load(std::memory_order_relaxed); }

    // The thread has saved that much by what it has just done.
    void save(Account& own, std::uint64_t ns) {
        own.paid += ns;
        std::uint64_t known = total();
        while (known < own.paid && !total_.compare_exchange_weak(known, own.paid, std::memory_order_relaxed)) {
        }
    }

    // How long the thread has to pause now; 0: not, or not yet.
    std::uint64_t due(const Account& own) const {
        const std::uint64_t before = own.paid + own.ahead;
        const std::uint64_t now = total();
        return now < before + kLeastPause ? 0 : now - before;
    }

    // The thread has paused for `took`, of which `due` were due.
    static void pay(Account& own, std::uint64_t due, std::uint64_t took) {
        own.paid += own.ahead + (took < due ? took : due);
        own.ahead = took < due ? 0 : took - due;
    }

    // The thread has waited that long, and was woken by one that has paid that much.
    static void follow(Account& own, std::uint64_t waited, std::uint64_t waker_paid) {
        const std::uint64_t most = own.paid + own.ahead + waited;
        own = {waker_paid < most ? waker_paid : most, 0};
    }

    // What each thread has paid, for those that it wakes. A thread that shares its place with another (of the same
    // process, 4,096 thread ids away) may be taken for it.
    void publish(int tid, const Account& own) { place_of(tid).store(own.paid, std::memory_order_relaxed); }
    std::uint64_t paid_by(int tid) const {
        return places_[static_cast<std::uint32_t>(tid) % kPlaces].load(std::memory_order_relaxed);
    }

    // In a forked child, which has accounts of its own.
    void forget() {
        total_.store(0, std::memory_order_relaxed);
        for (auto& place : places_) {
            place.store(0, std::memory_order_relaxed);
        }
    }

  private:
    static constexpr std::size_t kPlaces = 4096;

    std::atomic<std::uint64_t>& place_of(int tid) { return places_[static_cast<std::uint32_t>(tid) % kPlaces]; }

    std::atomic<std::uint64_t> total_{0};
    std::atomic<std::uint64_t> places_[kPlaces]{};
};

}  // namespace kymo::monitor
