// Record locks (fcntl F_SETLK, lockf) of this process. The process loses such a lock when it closes any descriptor
// of the file, even another one: a file on which the program holds one must not even be opened.
#pragma once

namespace kymo::image {

// Whether this process holds one on the file of that path, by /proc/locks. Two small calls and a file of some
// lines; usable in signal handlers; errno is kept. If it cannot be known (too many locks on the machine, /proc
// absent): no.
bool holds_record_lock(int folder, const char* path);

}  // namespace kymo::image
