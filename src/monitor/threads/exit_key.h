// The key of thread-specific data whose destructor detects threads' ends: one of the 1,024 of a process, until the
// program requests the last one.
#pragma once

#include <pthread.h>

namespace kymo::monitor::exit_key {

// The calling thread's value, as pthread_setspecific. False: no key, or no memory. The first call makes it.
bool set(void* value, void (*destructor)(void*));
// The program has asked for a key and there is none left. True: it may ask again. Of threads that live
// now no end is recorded before the process's; for later ones call run_to_its_end() (life.h).
bool give_up();
bool is_given_up();

}  // namespace kymo::monitor::exit_key
