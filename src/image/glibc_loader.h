// Whether a program names glibc's dynamic loader, which can load the monitor.
#pragma once

namespace kymo::image {

// `path`: from PT_INTERP. By its name (ld-linux-x86-64.so.2, ld64.so.1), or because it leads to this machine's
// loader (a symbolic or a hard link of another name, as /usr/bin/ld.so). A copy with another name is not
// recognised. Usable in signal handlers; keeps errno.
bool is_glibc_loader(const char* path);

}  // namespace kymo::image
