#include "harness.h"

#include "hooked.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::hooks::testing {
namespace {

constexpr const char* kNames[kFunctions] = {"hooked_plain",
                                            "hooked_many_arguments",
                                            "hooked_returns_pair",
                                            "hooked_returns_big",
                                            "hooked_long_double",
                                            "hooked_variadic",
                                            "hooked_recursive",
                                            "hooked_calls",
                                            "hooked_calls_inner",
                                            "hooked_tail_outer",
                                            "hooked_tail_inner",
                                            "hooked_tail_loop",
                                            "hooked_tail_loop_other",
                                            "hooked_jumps",
                                            "hooked_with_global",
                                            "hooked_condition_first",
                                            "hooked_tiny",
                                            "HookedBase::hooked_virtual",
                                            "HookedDerived::hooked_virtual",
                                            "getppid",
                                            "plugin_twice",
                                            "hooked_patchable",
                                            "hooked_foo",
                                            "hooked_bar",
                                            "hooked_send",
                                            "hooked_entry_only"};

cells::Step add(std::uint32_t cell, cells::Operand operand, std::uint64_t constant) {
    cells::Step step;
    step.operation = cells::Operation::kAdd;
    step.target = static_cast<std::uint16_t>(cell);
    step.right = operand;
    step.constant = constant;
    return step;
}

// Skipped where the cell is 0.
std::vector<cells::Step> when_in_foo(cells::Operation operation) {
    cells::Step test;
    test.operation = cells::Operation::kSkipIf;
    test.comparison = cells::Comparison::kEqual;
    test.target = 1;
    test.left = {cells::Source::kCell, cells::Width::k64, HookedThread::kInFoo};
    cells::Step step;
    step.operation = operation;
    step.target = HookedThread::kTimer;
    return {test, step};
}

struct Setup {
    Planned planned;
    std::unique_ptr<std::uint64_t[]> file;
    Hooks hooks;

    Setup() {
        std::vector<Request> requests;
        for (std::uint32_t i = 0; i < kFunctions; ++i) {
            Request request;
            request.function = kNames[i];
            request.entry = {add(32 + 2 * i, {}, 1)};
            if (i != kEntryOnly) {
                request.exit = {add(33 + 2 * i, {}, 1)};
            }
            if (std::getenv("KYMO_TEST_FULLY") != nullptr) {  // more than the trampolines do themselves
                request.entry.push_back(add(HookedThread::kNothing, {}, 0));
                if (i != kEntryOnly) {
                    request.exit.push_back(add(HookedThread::kNothing, {}, 0));
                }
            }
            if (i == kPlain) {
                request.entry.push_back(add(100, {cells::Source::kArgument, cells::Width::kS32, 1}, 0));
                request.exit.push_back(add(101, {cells::Source::kResult, cells::Width::kS32, 0}, 0));
            }
            requests.push_back(request);
            if (i == kFoo) {
                requests.push_back(
                    {{}, kNames[i], {add(HookedThread::kInFoo, {}, 1)}, {add(HookedThread::kInFoo, {}, ~0ULL)}});
            } else if (i == kSend) {
                requests.push_back(
                    {{}, kNames[i], when_in_foo(cells::Operation::kStart), when_in_foo(cells::Operation::kStop)});
            }
        }
        Request line;
        line.file = "unit/hooks/hooked.cpp";
        line.line = hooked_line;
        line.entry = {add(HookedThread::kLine, {}, 1)};
        requests.push_back(line);
        auto images = images_of(std::filesystem::canonical("/proc/self/exe"));
        images->emplace_back(kPluginPath);
        planned = plan({*images, {}}, requests);
        file = std::make_unique<std::uint64_t[]>(planned.file.size() / 8 + 1);
        std::memcpy(file.get(), planned.file.data(), planned.file.size());
        const auto told = [](void*, Problem problem, std::string_view image) {
            std::fprintf(stderr, "%.*s: %s\n", static_cast<int>(image.size()), image.data(), describe(problem));
        };
        if (!hooks.begin({reinterpret_cast<const std::uint8_t*>(file.get()), planned.file.size()}, {},
                         {nullptr, told})) {
            std::abort();
        }
    }
};

Setup& setup() {
    static Setup made;
    return made;
}

}  // namespace

Hooks& hooked() {
    return setup().hooks;
}

const Planned& planned() {
    return setup().planned;
}

HookedThread::HookedThread() : task_{cells_.data(), timers_.data(), &rate_, bindings_.data()} {
    hooked();
    bindings_[kTimer] = kSendInFoo;
    const auto here = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
    constexpr std::uint64_t kBelow = 4ULL << 20U;
    begin_thread(thread_, static_cast<int>(syscall(SYS_gettid)), here - kBelow, here + 16384, &task_);
}

HookedThread::~HookedThread() {
    end_thread(thread_);
}

}  // namespace kymo::hooks::testing
