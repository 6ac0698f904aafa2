// The notation of simulated programs: a thread's code is a coroutine that says what it does, step by step.
//
//     Program worker(Thread& me, Lock& lock) {
//         for (int item = 0; item < 100; ++item) {
//             co_await score(me);
//             co_await me.lock(lock);
//             ...
//     Program score(Thread& me) {
//         const Frame in = me.in("score");  // is on the call path until it goes out of scope
//         co_await me.work(2'000_us);
//     }
//
// A coroutine outlives the expression that called it: parameters are values, or references to what lives longer than
// the run.
#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <utility>

namespace kymo::findings::simulated {

constexpr std::int64_t operator""_us(unsigned long long value) {
    return static_cast<std::int64_t>(value) * 1'000;
}
constexpr std::int64_t operator""_ms(unsigned long long value) {
    return static_cast<std::int64_t>(value) * 1'000'000;
}

// What a thread does, or a function of it. Begins when it is awaited, or when its thread first runs.
class [[nodiscard]] Program {
  public:
    struct promise_type {
        std::coroutine_handle<> caller;  // none: it is all that its thread does

        Program get_return_object() { return Program(std::coroutine_handle<promise_type>::from_promise(*this)); }
        std::suspend_always initial_suspend() noexcept { return {}; }
        auto final_suspend() noexcept {
            struct Return {
                bool await_ready() noexcept { return false; }
                std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> self) noexcept {
                    const std::coroutine_handle<> caller = self.promise().caller;
                    return caller ? caller : std::noop_coroutine();
                }
                void await_resume() noexcept {}
            };
            return Return{};
        }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };

    Program() = default;
    explicit Program(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
    Program(Program&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Program& operator=(Program&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    ~Program() {
        if (handle_) {
            handle_.destroy();
        }
    }

    std::coroutine_handle<> handle() const { return handle_; }
    bool is_over() const { return handle_.done(); }

    // A call of another function: it goes on here when that one is over.
    auto operator co_await() && noexcept {
        struct Call {
            std::coroutine_handle<promise_type> called;
            bool await_ready() { return false; }
            std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) {
                called.promise().caller = caller;
                return called;
            }
            void await_resume() {}
        };
        return Call{handle_};
    }

  private:
    std::coroutine_handle<promise_type> handle_;
};

}  // namespace kymo::findings::simulated
