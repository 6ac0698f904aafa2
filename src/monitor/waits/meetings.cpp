// Where threads wait for each other: conditions, barriers, semaphores, joins; POSIX and C11. The waker of such a
// wait is the thread that last signalled, arrived or posted before it was over (waker_of).
//
// Most of these are cancellation points, so none of them tries first: a thread whose cancellation is pending must
// be cancelled in them even if they would not wait.

#include "monitor/waits/waits.h"

#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

using namespace kymo::monitor;

namespace {

// glibc for x86-64 has two kinds of condition variables of one name. The older is for programs linked before 2003,
// which are not handled here.
template <typename Function>
class RealCondition {
  public:
    constexpr explicit RealCondition(const char* name) : name_(name), only_(name) {}

    Function get() {
        void* known = pointer_.load(std::memory_order_acquire);
        if (known == nullptr) {
            known = dlvsym(RTLD_NEXT, name_, "GLIBC_2.3.2");
            known = known == nullptr ? reinterpret_cast<void*>(only_.get()) : known;
            pointer_.store(known, std::memory_order_release);
        }
        return reinterpret_cast<Function>(known);
    }

  private:
    const char* name_;
    Real<Function> only_;
    std::atomic<void*> pointer_{nullptr};
};

RealCondition<int (*)(pthread_cond_t*, pthread_mutex_t*)> real_cond_wait{"pthread_cond_wait"};
RealCondition<int (*)(pthread_cond_t*, pthread_mutex_t*, const timespec*)> real_cond_timedwait{
    "pthread_cond_timedwait"};
Real<int (*)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)> real_cond_clockwait{
    "pthread_cond_clockwait"};
RealCondition<int (*)(pthread_cond_t*)> real_cond_signal{"pthread_cond_signal"};
RealCondition<int (*)(pthread_cond_t*)> real_cond_broadcast{"pthread_cond_broadcast"};
Real<int (*)(cnd_t*, mtx_t*)> real_cnd_wait{"cnd_wait"};
Real<int (*)(cnd_t*, mtx_t*, const timespec*)> real_cnd_timedwait{"cnd_timedwait"};
Real<int (*)(cnd_t*)> real_cnd_signal{"cnd_signal"};
Real<int (*)(cnd_t*)> real_cnd_broadcast{"cnd_broadcast"};
Real<int (*)(pthread_barrier_t*)> real_barrier_wait{"pthread_barrier_wait"};
Real<int (*)(sem_t*)> real_sem_wait{"sem_wait"};
Real<int (*)(sem_t*, const timespec*)> real_sem_timedwait{"sem_timedwait"};
Real<int (*)(sem_t*, clockid_t, const timespec*)> real_sem_clockwait{"sem_clockwait"};
Real<int (*)(sem_t*)> real_sem_post{"sem_post"};
Real<int (*)(sem_t*, int*)> real_sem_getvalue{"sem_getvalue"};
Real<int (*)(pthread_t, void**)> real_join{"pthread_join"};
Real<int (*)(pthread_t, void**, const timespec*)> real_timedjoin{"pthread_timedjoin_np"};
Real<int (*)(pthread_t, void**, clockid_t, const timespec*)> real_clockjoin{"pthread_clockjoin_np"};
Real<int (*)(thrd_t, int*)> real_thrd_join{"thrd_join"};

// sem_post is allowed in signal handlers, where look-ups are not.
__attribute__((constructor)) void look_up_semaphores() {
    real_sem_post.get();
    real_sem_wait.get();
    real_sem_getvalue.get();
}

template <typename Object, typename Call>
__attribute__((always_inline)) inline int meet(WaitKind kind, Object* object, const Call& call) {
    return waited(kind, address_of(object), 0, call, [=] { return waker_of(object); });
}

// The thread has the lock again afterwards, whether it was signalled or the time was up.
template <typename Object, typename Lock, typename Call>
__attribute__((always_inline)) inline int meet_without(Lock* lock, Object* condition, const Call& call) {
    const int result = meet(WaitKind::kCondition, condition, call);
    note_taken(lock);
    return result;
}

// glibc (since 2.25) keeps in a barrier's second word how many arrivals the finished rounds had: the same for all
// threads that meet in a round, since it cannot be over before the last of them has read it. So a thread that
// wakes up late does not take an arrival at the next round for the one that freed it.
std::uint64_t round_of(const pthread_barrier_t* barrier) {
    return __atomic_load_n(reinterpret_cast<const std::uint32_t*>(barrier) + 1, __ATOMIC_RELAXED);
}

template <typename Call>
__attribute__((always_inline)) inline int wait_for_semaphore(sem_t* semaphore, const Call& call) {
    int value = 0;
    if (real_sem_getvalue.get()(semaphore, &value) == 0 && value > 0) {
        return call();
    }
    return meet(WaitKind::kSemaphore, semaphore, call);
}

template <typename Call>
__attribute__((always_inline)) inline int wait_for_thread(pthread_t handle, const Call& call) {
    const int tid = waiting_thread() == nullptr ? 0 : thread_id_of(handle);
    return waited(WaitKind::kJoin, static_cast<std::uint64_t>(handle), static_cast<std::uint64_t>(tid), call);
}

}  // namespace

// ---- conditions ------------------------------------------------------------------------------------------

KYMO_INTERPOSE int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
    const auto real = real_cond_wait.get();
    return meet_without(mutex, condition, [=] { return real(condition, mutex); });
}

KYMO_INTERPOSE int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until) {
    const auto real = real_cond_timedwait.get();
    return meet_without(mutex, condition, [=] { return real(condition, mutex, until); });
}

KYMO_INTERPOSE int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                          const timespec* until) {
    const auto real = real_cond_clockwait.get();
    return meet_without(mutex, condition, [=] { return real(condition, mutex, clock, until); });
}

KYMO_INTERPOSE int pthread_cond_signal(pthread_cond_t* condition) noexcept {
    note_waker(condition);
    return real_cond_signal.get()(condition);
}

KYMO_INTERPOSE int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
    note_waker(condition);
    return real_cond_broadcast.get()(condition);
}

KYMO_INTERPOSE int cnd_wait(cnd_t* condition, mtx_t* mutex) {
    const auto real = real_cnd_wait.get();
    return meet_without(mutex, condition, [=] { return real(condition, mutex); });
}

KYMO_INTERPOSE int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* until) {
    const auto real = real_cnd_timedwait.get();
    return meet_without(mutex, condition, [=] { return real(condition, mutex, until); });
}

KYMO_INTERPOSE int cnd_signal(cnd_t* condition) {
    note_waker(condition);
    return real_cnd_signal.get()(condition);
}

KYMO_INTERPOSE int cnd_broadcast(cnd_t* condition) {
    note_waker(condition);
    return real_cnd_broadcast.get()(condition);
}

// ---- barriers and semaphores -------------------------------------------------------------------------------

KYMO_INTERPOSE int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
    const auto real = real_barrier_wait.get();
    const std::uint64_t round = round_of(barrier);
    note_waker(barrier, round);
    return waited(
        WaitKind::kBarrier, address_of(barrier), 0, [=] { return real(barrier); },
        [=] { return waker_of(barrier, round); });
}

KYMO_INTERPOSE int sem_wait(sem_t* semaphore) {
    const auto real = real_sem_wait.get();
    return wait_for_semaphore(semaphore, [=] { return real(semaphore); });
}

KYMO_INTERPOSE int sem_timedwait(sem_t* semaphore, const timespec* until) {
    const auto real = real_sem_timedwait.get();
    return wait_for_semaphore(semaphore, [=] { return real(semaphore, until); });
}

KYMO_INTERPOSE int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
    const auto real = real_sem_clockwait.get();
    return wait_for_semaphore(semaphore, [=] { return real(semaphore, clock, until); });
}

KYMO_INTERPOSE int sem_post(sem_t* semaphore) noexcept {
    note_waker(semaphore);
    return real_sem_post.get()(semaphore);
}

// ---- joins -----------------------------------------------------------------------------------------------

KYMO_INTERPOSE int pthread_join(pthread_t handle, void** result) {
    const auto real = real_join.get();
    return wait_for_thread(handle, [=] { return real(handle, result); });
}

KYMO_INTERPOSE int pthread_timedjoin_np(pthread_t handle, void** result, const timespec* until) {
    const auto real = real_timedjoin.get();
    return wait_for_thread(handle, [=] { return real(handle, result, until); });
}

KYMO_INTERPOSE int pthread_clockjoin_np(pthread_t handle, void** result, clockid_t clock, const timespec* until) {
    const auto real = real_clockjoin.get();
    return wait_for_thread(handle, [=] { return real(handle, result, clock, until); });
}

KYMO_INTERPOSE int thrd_join(thrd_t handle, int* result) {
    const auto real = real_thrd_join.get();
    return wait_for_thread(handle, [=] { return real(handle, result); });
}
