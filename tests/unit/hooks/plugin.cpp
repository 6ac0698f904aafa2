// Loaded while the test runs. Its constructor calls the function, too.
namespace {
int from_constructor = 0;
}

extern "C" {
__attribute__((visibility("default"))) int plugin_twice(int a) {
    asm volatile("" ::: "memory");
    return a * 2 + from_constructor;
}
__attribute__((visibility("default"))) int plugin_constructed() {
    return from_constructor;
}
}

namespace {
__attribute__((constructor)) void construct() {
    from_constructor = plugin_twice(21);
}
}  // namespace
