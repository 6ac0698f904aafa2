// Record locks (fcntl F_SETLK, lockf) of this process's own. Such a lock is gone as soon as the process closes any
// descriptor of its file, whoever has opened that: a file on which the program holds one must not even be opened.
#pragma once

namespace kymo::image {

// Whether this process holds one on the file of that path, by /proc/locks. Two small calls and a file of some lines;
// usable in signal handlers; errno is kept. Where it cannot be known (too many locks on the machine, /proc absent):
// no.
bool holds_record_lock(int folder, const char* path);

}  // namespace kymo::image
