#include "monitor/threads/exit_key.h"

#include "monitor/interpose/real.h"

#include <atomic>
#include <cerrno>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

namespace kymo::monitor {
namespace exit_key {
namespace {

pthread_key_t key;
std::atomic<bool> is_made{false};
std::atomic<bool> is_given{false};
std::atomic<int> users{0};  // threads that use the key at this moment

Real<int (*)(pthread_key_t*, void (*)(void*))> real_key_create{"pthread_key_create"};
Real<int (*)(tss_t*, tss_dtor_t)> real_tss_create{"tss_create"};

}  // namespace

bool set(void* value, void (*destructor)(void*)) {
    users.fetch_add(1);
    bool is_set = false;
    if (!is_given.load()) {
        // Before there is a thread, so that only one makes it.
        if (!is_made.load()) {
            is_made.store(real_key_create.get()(&key, destructor) == 0);
        }
        is_set = is_made.load() && pthread_setspecific(key, value) == 0;
    }
    users.fetch_sub(1);
    return is_set;
}

bool give_up() {
    if (!is_made.load() || is_given.exchange(true)) {
        return false;
    }
    while (users.load() != 0) {
        syscall(SYS_sched_yield);
    }
    pthread_key_delete(key);
    return true;
}

bool is_given_up() {
    return is_given.load();
}

}  // namespace exit_key
}  // namespace kymo::monitor

using namespace kymo::monitor;

KYMO_INTERPOSE int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) {
    const auto real = exit_key::real_key_create.get();
    const int error = real(key, destructor);
    return error == EAGAIN && exit_key::give_up() ? real(key, destructor) : error;
}

KYMO_INTERPOSE int tss_create(tss_t* key, tss_dtor_t destructor) {
    const auto real = exit_key::real_tss_create.get();
    const int error = real(key, destructor);
    return error == thrd_error && exit_key::give_up() ? real(key, destructor) : error;
}
