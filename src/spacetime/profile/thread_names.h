// Names for threads that have none of their own: the kernel gives a new thread its creator's, so that all threads of
// a program have the same.
#pragma once

#include "spacetime/profile/call_tree.h"
#include "spacetime/profile/profile.h"

namespace kymo::spacetime {

// A thread with its process's name is named after the function that it runs: "worker 1 of cell", the first created
// of several that run `worker`; "serve of cell", the only one. Python's threads are "Python thread 1 of python3".
// If its function has no name the thread keeps its own. Also in profile->waits. Cost: linear in the threads.
void name_threads(const CallTree& tree, Profile* profile);

}  // namespace kymo::spacetime
