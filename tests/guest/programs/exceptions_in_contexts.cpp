// Exceptions thrown, caught, rethrown and carried to other threads on stacks of the program's own making, a switch
// between throw and catch.
#include "../burn.h"

#include <exception>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <ucontext.h>

namespace {

ucontext_t main_context;

struct Fiber {
    ucontext_t context{};
    std::unique_ptr<char[]> stack{new char[131072]};
    int number = 0;
    std::string caught;
    bool ended = false;
};

struct Guard {
    int& count;
    ~Guard() { ++count; }
};

void yield(Fiber& fiber) {
    swapcontext(&fiber.context, &main_context);
}

void thrower(Fiber& fiber, int depth, int& unwound) {
    const Guard guard{unwound};
    if (depth == 0) {
        yield(fiber);
        burn(2);
        throw std::runtime_error("from fiber " + std::to_string(fiber.number));
    }
    thrower(fiber, depth - 1, unwound);
    burn(0);
}

void run(unsigned high, unsigned low) {
    auto& fiber = *reinterpret_cast<Fiber*>((std::uint64_t{high} << 32U) | low);  // NOLINT: makecontext takes ints
    int unwound = 0;
    try {
        try {
            thrower(fiber, 12, unwound);
        } catch (const std::runtime_error&) {
            burn(2);
            throw;
        }
    } catch (const std::exception& error) {
        fiber.caught = error.what() + (", unwound " + std::to_string(unwound));
    }
    yield(fiber);
    fiber.ended = true;
}

void make(Fiber& fiber, int number) {
    fiber.number = number;
    MUST(getcontext(&fiber.context) == 0);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = 131072;
    fiber.context.uc_link = &main_context;
    const auto place = reinterpret_cast<std::uint64_t>(&fiber);
    makecontext(&fiber.context, reinterpret_cast<void (*)()>(run), 2, static_cast<unsigned>(place >> 32U),
                static_cast<unsigned>(place));
}

void resume(Fiber& fiber) {
    MUST(swapcontext(&main_context, &fiber.context) == 0);
    burn(1);
}

Fiber fibers[6];

}  // namespace

int main() {
    for (int i = 0; i < 6; ++i) {
        make(fibers[i], i);
    }
    for (int round = 0; round < 3; ++round) {
        for (Fiber& fiber : fibers) {
            resume(fiber);
        }
    }
    for (const Fiber& fiber : fibers) {
        std::printf("%s, ended %d\n", fiber.caught.c_str(), fiber.ended);
    }
    auto later = std::async(std::launch::async, []() -> int {
        burn(10);
        throw std::out_of_range("in another thread");
    });
    try {
        later.get();
    } catch (const std::out_of_range& error) {
        std::printf("%s\n", error.what());
    }
    return 0;
}
