// Binds each thread of a program to a processor of its own, from outside: the program is not changed for it.
#pragma once

#include <sys/types.h>

namespace kymo::confirm {

// Binds the threads of this process's children, as they appear, by turns to the processors that this process may use,
// until this object ends. A thread may run elsewhere for its first milliseconds; one that binds itself otherwise is
// bound again. Grandchildren are left alone.
//
// It is done by a child process, so that no thread here takes the signals of the program's end. Cost: a look into
// /proc each millisecond for a second, then each ten.
class BoundThreads {
  public:
    BoundThreads();
    ~BoundThreads();
    BoundThreads(const BoundThreads&) = delete;
    BoundThreads& operator=(const BoundThreads&) = delete;

  private:
    pid_t helper_ = -1;
};

}  // namespace kymo::confirm
