// Exceptions thrown out of handlers of the program's own faults (-fnon-call-exceptions), as some language run times
// turn null pointers and divisions by zero into exceptions: from the faulting instruction through the signal's frame.
#include "../burn.h"

#include <csignal>
#include <stdexcept>
#include <thread>

namespace {

struct Guard {
    explicit Guard(int& count) : count_(count) {}
    ~Guard() { ++count_; }
    int& count_;
};

void on_fault(int number) {
    throw std::runtime_error(number == SIGSEGV ? "null" : "division");
}

[[gnu::noinline]] int divide(int left, int right, int depth, int& unwound) {
    const Guard guard(unwound);
    return depth == 0 ? left / right : divide(left, right, depth - 1, unwound) + 1;
}

[[gnu::noinline]] int follow(const volatile int* pointer, int& unwound) {
    const Guard guard(unwound);
    return *pointer;
}

void fault_often(int* caught) {
    static const volatile int* volatile nowhere = nullptr;
    for (int round = 0; round < 100; ++round) {
        int unwound = 0;
        try {
            burn(1);
            volatile const int result =
                round % 2 == 0 ? divide(round, round - round, 20, unwound) : follow(nowhere, unwound);
            MUST(result != result);
        } catch (const std::runtime_error& error) {
            MUST(error.what()[0] == (round % 2 == 0 ? 'd' : 'n') && unwound == (round % 2 == 0 ? 21 : 1));
            ++*caught;
        }
    }
}

}  // namespace

int main() {
    struct sigaction action{};
    action.sa_handler = on_fault;
    action.sa_flags = SA_NODEFER;
    MUST(sigaction(SIGSEGV, &action, nullptr) == 0 && sigaction(SIGFPE, &action, nullptr) == 0);
    int caught[2] = {0, 0};
    std::thread other(fault_often, &caught[1]);
    fault_often(&caught[0]);
    other.join();
    std::printf("%d %d caught\n", caught[0], caught[1]);
}
