// The demonstration program's own account of where its time goes, to hold against what a profiler says.
//
// An Entry measures the processor time (CLOCK_THREAD_CPUTIME_ID) and the wall time of the scope it lives in and books
// them under the scope's name and the thread's. Entries do not nest. Safe on any thread; takes a lock when it ends,
// so it belongs around scopes of a millisecond and more.
#pragma once

#include <cstdint>
#include <string>

namespace demo {

class Entry {
  public:
    explicit Entry(const char* scope);
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry();

  private:
    const char* scope_;
    std::int64_t processor_ns_;
    std::int64_t wall_ns_;
};

// The name under which this thread's entries are booked ("main" until it is set).
void name_thread(const std::string& name);

// One line for each scope and thread: processor time, waiting time, calls.
void print_ledger();

}  // namespace demo
