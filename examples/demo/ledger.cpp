#include "ledger.h"

#include <cstdio>
#include <ctime>
#include <map>
#include <mutex>
#include <pthread.h>
#include <utility>

namespace demo {
namespace {

struct Sum {
    std::int64_t processor_ns = 0;
    std::int64_t wall_ns = 0;
    int calls = 0;
};

std::mutex ledger_lock;
std::map<std::pair<std::string, std::string>, Sum> ledger;  // (scope, thread)
thread_local std::string thread_name = "main";

std::int64_t now(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

}  // namespace

Entry::Entry(const char* scope)
    : scope_(scope), processor_ns_(now(CLOCK_THREAD_CPUTIME_ID)), wall_ns_(now(CLOCK_MONOTONIC)) {}

Entry::~Entry() {
    const std::int64_t processor = now(CLOCK_THREAD_CPUTIME_ID) - processor_ns_;
    const std::int64_t wall = now(CLOCK_MONOTONIC) - wall_ns_;
    const std::lock_guard hold(ledger_lock);
    Sum& sum = ledger[{scope_, thread_name}];
    sum.processor_ns += processor;
    sum.wall_ns += wall;
    sum.calls += 1;
}

void name_thread(const std::string& name) {
    thread_name = name;
    pthread_setname_np(pthread_self(), name.c_str());
}

void print_ledger() {
    std::printf("%-12s %-10s %12s %12s %6s\n", "scope", "thread", "processor s", "waiting s", "calls");
    for (const auto& [key, sum] : ledger) {
        std::printf("%-12s %-10s %12.3f %12.3f %6d\n", key.first.c_str(), key.second.c_str(),
                    static_cast<double>(sum.processor_ns) / 1e9,
                    static_cast<double>(sum.wall_ns - sum.processor_ns) / 1e9, sum.calls);
    }
}

}  // namespace demo
