// The key of thread-specific data whose destructor detects threads' ends: one of the 1,024 of a process, until the
// program requests the last one.
#pragma once

#include <pthread.h>

namespace kymo::monitor::exit_key {

// The calling thread's value, as pthread_setspecific. False: no key, or no memory. The first call makes it.
bool set(void* value, void (*destructor)(void*));
// The program has requested a key and none is left. True: it may try again. For live threads no end is recorded
// before the process's; for later ones call run_to_its_end() (life.h).
bool give_up();
bool is_given_up();

}  // namespace kymo::monitor::exit_key
