// Exceptions: thrown through frames with and without clean-ups, caught and rethrown, thrown out of a constructor, and
// one that nobody on the way names.
#include <stdexcept>
#include <string>
#include <vector>

namespace {

volatile int sink;

struct Guard {
    explicit Guard(int n) : value(n) {}
    ~Guard() { sink = value; }
    int value;
};

struct Fails {
    explicit Fails(int n) : guard(n), text(static_cast<std::size_t>(n) + 40, 'x') {
        if (n > 0) {
            throw std::out_of_range(text);
        }
    }
    Guard guard;
    std::string text;
};

[[gnu::noinline]] void thrower(int n) {
    if (n == 0) {
        throw std::runtime_error("bottom");
    }
    Guard guard(n);
    thrower(n - 1);
    sink = n;
}

[[gnu::noinline]] int rethrower(int n) {
    try {
        thrower(n);
    } catch (const std::logic_error&) {
        return 1;
    } catch (...) {
        sink = n;
        throw;
    }
    return 0;
}

[[gnu::noinline]] void everything(int n) {
    try {
        throw n;
    } catch (int value) {
        sink = value;
    }
    try {
        Fails fails(n);
    } catch (const std::exception& e) {
        sink = e.what()[0];
    }
    try {
        rethrower(3);
    } catch (const std::runtime_error& e) {
        sink = e.what()[0];
    }
}

}  // namespace

extern "C" [[gnu::noinline]] void scenario(int n) {
    everything(n);
}

int main(int argc, char**) {
    everything(argc);  // the first throw looks a lot up that is not of interest here
    scenario(argc);
    return 0;
}
