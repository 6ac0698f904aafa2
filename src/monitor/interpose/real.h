// The functions that the monitor interposes, as the program would have got them.
//
// Looked up at the first use (libraries may start threads before this one's constructors have run); the pointer is
// then kept. Safe from any thread; the first use of each is not signal-safe (dlsym).
#pragma once

#include <atomic>
#include <dlfcn.h>

namespace kymo::monitor {

template <typename Function>
class Real {
  public:
    constexpr explicit Real(const char* name) : name_(name) {}

    // nullptr if the C library has no such function.
    Function get() {
        void* known = pointer_.load(std::memory_order_acquire);
        if (known == nullptr) {
            known = dlsym(RTLD_NEXT, name_);
            pointer_.store(known, std::memory_order_release);
        }
        return reinterpret_cast<Function>(known);
    }

  private:
    const char* name_;
    std::atomic<void*> pointer_{nullptr};
};

}  // namespace kymo::monitor

// A function that the program must find here and not in the C library.
#define KYMO_INTERPOSE extern "C" __attribute__((visibility("default")))
