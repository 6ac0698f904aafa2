// Mutexes, read-write locks and spin locks, POSIX and C11. Each tries first: a free lock costs one call more than
// without the monitor and no clock reading. Only "busy" takes the slow path; every other result of the try is the
// result of the lock itself (EOWNERDEAD, ENOTRECOVERABLE, EINVAL, EAGAIN), and the lock itself is called if the
// two differ (a deadlock with oneself is "busy" to the try and EDEADLK to the lock).
//
// Unlocking is not interposed: the holder of a lock is read from the lock. glibc keeps the owner's thread id in
// pthread_mutex_t (__data.__owner, for all types but those without an owner, like elided ones) and the writer's in
// pthread_rwlock_t (__data.__cur_writer); both have been part of its ABI since 2.0 and 2.25.

#include "monitor/waits/waits.h"

#include <cerrno>
#include <pthread.h>
#include <threads.h>
#include <time.h>

using namespace kymo::monitor;

namespace {

Real<int (*)(pthread_mutex_t*)> real_mutex_lock{"pthread_mutex_lock"};
Real<int (*)(pthread_mutex_t*)> real_mutex_trylock{"pthread_mutex_trylock"};
Real<int (*)(pthread_mutex_t*, const timespec*)> real_mutex_timedlock{"pthread_mutex_timedlock"};
Real<int (*)(pthread_mutex_t*, clockid_t, const timespec*)> real_mutex_clocklock{"pthread_mutex_clocklock"};
Real<int (*)(pthread_rwlock_t*)> real_rdlock{"pthread_rwlock_rdlock"};
Real<int (*)(pthread_rwlock_t*)> real_tryrdlock{"pthread_rwlock_tryrdlock"};
Real<int (*)(pthread_rwlock_t*, const timespec*)> real_timedrdlock{"pthread_rwlock_timedrdlock"};
Real<int (*)(pthread_rwlock_t*, clockid_t, const timespec*)> real_clockrdlock{"pthread_rwlock_clockrdlock"};
Real<int (*)(pthread_rwlock_t*)> real_wrlock{"pthread_rwlock_wrlock"};
Real<int (*)(pthread_rwlock_t*)> real_trywrlock{"pthread_rwlock_trywrlock"};
Real<int (*)(pthread_rwlock_t*, const timespec*)> real_timedwrlock{"pthread_rwlock_timedwrlock"};
Real<int (*)(pthread_rwlock_t*, clockid_t, const timespec*)> real_clockwrlock{"pthread_rwlock_clockwrlock"};
Real<int (*)(pthread_spinlock_t*)> real_spin_lock{"pthread_spin_lock"};
Real<int (*)(pthread_spinlock_t*)> real_spin_trylock{"pthread_spin_trylock"};
Real<int (*)(mtx_t*)> real_mtx_lock{"mtx_lock"};
Real<int (*)(mtx_t*)> real_mtx_trylock{"mtx_trylock"};
Real<int (*)(mtx_t*, const timespec*)> real_mtx_timedlock{"mtx_timedlock"};

// Looked up before the program begins, so that a lock first taken in a signal handler finds them.
__attribute__((constructor)) void look_up_locks() {
    for (auto* mutex : {&real_mutex_lock, &real_mutex_trylock}) {
        mutex->get();
    }
    for (auto* lock : {&real_rdlock, &real_tryrdlock, &real_wrlock, &real_trywrlock}) {
        lock->get();
    }
    real_spin_lock.get();
    real_spin_trylock.get();
}

// The owner is written a moment after the lock is taken, and cleared a moment before it is free.
template <typename Word>
std::uint64_t settled(const Word& word) {
    constexpr int kLooks = 20;
    for (int look = 0; look < kLooks; ++look) {
        const auto owner = __atomic_load_n(&word, __ATOMIC_RELAXED);
        if (owner != 0) {
            return static_cast<std::uint32_t>(owner);
        }
    }
    return 0;
}

std::uint64_t owner_of(const pthread_mutex_t* mutex) {
    return settled(mutex->__data.__owner);
}

std::uint64_t owner_of(const pthread_rwlock_t* lock) {
    return settled(lock->__data.__cur_writer);
}

// glibc's mtx_t is a pthread_mutex_t under another name.
static_assert(sizeof(mtx_t) >= sizeof(pthread_mutex_t) - 8 && alignof(mtx_t) <= alignof(pthread_mutex_t));
std::uint64_t owner_of(const mtx_t* mutex) {
    return owner_of(reinterpret_cast<const pthread_mutex_t*>(mutex));
}

// In a virtual speed-up, the thread that let this one have the lock is the last that took it: its owner when the wait
// began, or one that has waited for it since. (One that found it free in between is not noted, since that would cost
// every taking of a free lock; then it is the one before.)
template <typename Lock, typename Call>
__attribute__((noinline)) int wait_for_known_owner(WaitKind kind, Lock* lock, std::uint64_t owner, const Call& call) {
    note_waker_is(lock, owner);
    const int result = waited(kind, address_of(lock), owner, call, [=] { return waker_of(lock); });
    if (result == 0) {
        note_taken(lock);
    }
    return result;
}

template <typename Lock, typename Call>
__attribute__((noinline)) int wait_for_lock(WaitKind kind, Lock* lock, const Call& call) {
    const std::uint64_t owner = owner_of(lock);
    return speed_up.on() && owner != 0 ? wait_for_known_owner(kind, lock, owner, call)
                                       : waited(kind, address_of(lock), owner, call);
}

}  // namespace

KYMO_INTERPOSE int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
    const int result = real_mutex_trylock.get()(mutex);
    if (__builtin_expect(result != EBUSY, 1)) {
        return result;
    }
    return wait_for_lock(WaitKind::kMutex, mutex, [=] { return real_mutex_lock.get()(mutex); });
}

KYMO_INTERPOSE int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) noexcept {
    const int result = real_mutex_trylock.get()(mutex);
    if (result != EBUSY) {
        return result;
    }
    return wait_for_lock(WaitKind::kMutex, mutex, [=] { return real_mutex_timedlock.get()(mutex, until); });
}

KYMO_INTERPOSE int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* until) noexcept {
    const auto real = real_mutex_clocklock.get();
    // An unknown clock is refused before the mutex is examined.
    const bool known = clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME;
    const int result = known ? real_mutex_trylock.get()(mutex) : EBUSY;
    if (result != EBUSY) {
        return result;
    }
    return wait_for_lock(WaitKind::kMutex, mutex, [=] { return real(mutex, clock, until); });
}

KYMO_INTERPOSE int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
    const int result = real_tryrdlock.get()(lock);
    if (__builtin_expect(result != EBUSY, 1)) {
        return result;
    }
    return wait_for_lock(WaitKind::kReadLock, lock, [=] { return real_rdlock.get()(lock); });
}

KYMO_INTERPOSE int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
    const int result = real_trywrlock.get()(lock);
    if (__builtin_expect(result != EBUSY, 1)) {
        return result;
    }
    return wait_for_lock(WaitKind::kWriteLock, lock, [=] { return real_wrlock.get()(lock); });
}

// The timed ones check their time argument first, so the lock itself is called at once.
KYMO_INTERPOSE int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* until) noexcept {
    return wait_for_lock(WaitKind::kReadLock, lock, [=] { return real_timedrdlock.get()(lock, until); });
}

KYMO_INTERPOSE int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* until) noexcept {
    return wait_for_lock(WaitKind::kWriteLock, lock, [=] { return real_timedwrlock.get()(lock, until); });
}

KYMO_INTERPOSE int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                                              const timespec* until) noexcept {
    return wait_for_lock(WaitKind::kReadLock, lock, [=] { return real_clockrdlock.get()(lock, clock, until); });
}

KYMO_INTERPOSE int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                                              const timespec* until) noexcept {
    return wait_for_lock(WaitKind::kWriteLock, lock, [=] { return real_clockwrlock.get()(lock, clock, until); });
}

KYMO_INTERPOSE int pthread_spin_lock(pthread_spinlock_t* lock) noexcept {
    const int result = real_spin_trylock.get()(lock);
    if (__builtin_expect(result != EBUSY, 1)) {
        return result;
    }
    return waited(WaitKind::kSpinLock, reinterpret_cast<std::uint64_t>(lock), 0,
                  [=] { return real_spin_lock.get()(lock); });
}

KYMO_INTERPOSE int mtx_lock(mtx_t* mutex) {
    const int result = real_mtx_trylock.get()(mutex);
    if (__builtin_expect(result != thrd_busy, 1)) {
        return result;
    }
    return wait_for_lock(WaitKind::kMutex, mutex, [=] { return real_mtx_lock.get()(mutex); });
}

KYMO_INTERPOSE int mtx_timedlock(mtx_t* mutex, const timespec* until) {
    const int result = real_mtx_trylock.get()(mutex);
    if (result != thrd_busy) {
        return result;
    }
    return wait_for_lock(WaitKind::kMutex, mutex, [=] { return real_mtx_timedlock.get()(mutex, until); });
}
