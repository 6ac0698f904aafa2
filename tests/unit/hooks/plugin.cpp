// Loaded while the test runs. Its constructor calls the function, too, and one of the C library's.
#include <unistd.h>

namespace {
int from_constructor = 0;
}

extern "C" {
#ifdef KYMO_WITHOUT_DEFINITION
int plugin_lacks();
__attribute__((visibility("default"))) int plugin_cannot() {
    return plugin_lacks();
}
#endif
__attribute__((visibility("default"))) int plugin_twice(int a) {
    asm volatile("" ::: "memory");
    return a * 2 + from_constructor;
}
__attribute__((visibility("default"))) int plugin_constructed() {
    return from_constructor;
}
__attribute__((visibility("default"))) int plugin_asks_parent() {
    return getppid();
}
}

namespace {
__attribute__((constructor)) void construct() {
    from_constructor = plugin_twice(21);
    getppid();
}
#ifdef KYMO_TWO_CONSTRUCTORS
__attribute__((constructor)) void construct_more() {
    ++from_constructor;
    getppid();
}
#endif
}  // namespace
