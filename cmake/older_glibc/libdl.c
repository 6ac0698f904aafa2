// What glibc before 2.34 has in libdl.so.2, for linking alone (cmake/Portable.cmake). In _dl_find_object no version is
// asked for: it is there or it is not.
void dlsym(void) {}
void dlvsym(void) {}
void dlopen(void) {}
void dlerror(void) {}
void dladdr1(void) {}
void _dl_find_object(void) {}
