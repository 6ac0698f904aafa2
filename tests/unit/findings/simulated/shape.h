// A program of the simulated machine whose truth is known.
#pragma once

#include "machine.h"

#include <string_view>
#include <vector>

namespace kymo::findings::simulated {

struct Shape {
    std::string_view name;                      // of a planted one: the kind of finding
    std::vector<std::string_view> places = {};  // that a right finding may name; none: any is right
    unsigned least_processors = 1;              // on fewer, its cause costs nothing
    bool is_sound = false;                      // nothing is wrong with it: it has one version
    bool counts_instructions = false;
    void (*run)(Machine& machine, bool is_bad) = nullptr;
};

// All of shapes/, in the order of their names.
std::vector<Shape>& shapes();

struct Registered {
    explicit Registered(Shape shape) { shapes().push_back(std::move(shape)); }
};

// As many threads as programs with nothing else to go by start.
inline unsigned threads_of(const Machine& machine) {
    constexpr unsigned kMost = 4;
    return std::clamp(machine.conditions().processors, 2U, kMost);
}

// A function that only computes.
inline Program call(Thread& me, std::string_view function, std::int64_t ns) {
    const Frame in = me.in(function);
    co_await me.work(ns);
}

// A main function that starts so many threads, numbered from 0, and joins them.
inline Code main_of(unsigned threads, std::string name, std::function<Program(Thread&, unsigned)> code) {
    return [=](Thread& me) -> Program {
        const Frame in = me.in("main");
        std::vector<Thread*> started;
        std::vector<Code> codes;
        for (unsigned i = 0; i < threads; ++i) {
            started.push_back(
                &me.start(name + "-" + std::to_string(i), [code, i](Thread& self) { return code(self, i); }));
        }
        for (Thread* thread : started) {
            co_await me.join(*thread);
        }
    };
}

}  // namespace kymo::findings::simulated
