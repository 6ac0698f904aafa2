// include/kymo/hunt.h: a program that hunts in itself.
//
// Each participating thread has a counter that signals it at every overflow (no buffer: the signal's own context
// has the address). The handler steps the hunt's machine under a try-lock: an event that finds it taken is
// skipped, so no thread ever waits. Hunts are in a fixed table and their descriptors in another, so that the
// handler, which may run at any time, never follows a dangling pointer; a stopped hunt's place is reused.
#include "events/attributes.h"
#include "events/names.h"
#include "kymo/hunt.h"
#include "pairs/design/wish.h"
#include "pairs/shared.h"
#include "unwind/native.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <string>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace {

using namespace kymo;

constexpr int kMostHunts = 8;
constexpr int kMostCounters = 4096;
constexpr unsigned kKeptResults = 32;

thread_local std::string last_error;

struct Counter {
    std::atomic<kymo_hunt*> hunt{nullptr};
    std::atomic<int> descriptor{-1};
    int thread = 0;
};
Counter counters[kMostCounters];

int thread_id() {
    return static_cast<int>(syscall(SYS_gettid));
}

std::uint64_t interrupted_at(const void* context) {
    return unwind::native::registers_from(*static_cast<const ucontext_t*>(context)).pc;
}

}  // namespace

struct kymo_hunt {
    std::atomic<bool> used{false};
    std::atomic<bool> live{false};
    std::atomic_flag busy = ATOMIC_FLAG_INIT;
    events::SessionEvent event;
    int signal = 0;
    int notify = 0;
    kymo_hunt_function found = nullptr;
    void* context = nullptr;
    pairs::Shared state;
    kymo_hunt_result results[kKeptResults] = {};
    std::atomic<unsigned> made{0};
    unsigned taken = 0;
};

namespace {

kymo_hunt hunts[kMostHunts];

void hand_over(kymo_hunt& hunt, const kymo_hunt_result& result) {
    if (hunt.found != nullptr) {
        hunt.found(&result, hunt.context);
    }
    if (hunt.notify != 0) {
        syscall(SYS_tgkill, getpid(), result.thread, hunt.notify);
    }
}

void take_event(kymo_hunt& hunt, std::uint64_t pc) {
    if (!hunt.live.load(std::memory_order_acquire) || hunt.busy.test_and_set(std::memory_order_acquire)) {
        return;
    }
    kymo_hunt_result result{};
    const pairs::Verdict verdict = pairs::step(hunt.state.machine, pc);
    if (verdict.turn != pairs::Turn::kNothing) {
        const pairs::News& news = *pairs::add_news(hunt.state, verdict);
        result.address = reinterpret_cast<const void*>(news.key);
        result.events = news.events;
        result.matches = news.matches;
        result.seen = news.seen;
        result.share = news.events > 1 && news.matches > 0
                           ? static_cast<double>(news.matches - 1) / static_cast<double>(news.events - 1)
                           : static_cast<double>(news.matches);
        result.thread = thread_id();
        result.quiet = verdict.turn == pairs::Turn::kQuiet ? 1 : 0;
        hunt.results[hunt.made.load(std::memory_order_relaxed) % kKeptResults] = result;
        hunt.made.fetch_add(1, std::memory_order_release);
    }
    hunt.busy.clear(std::memory_order_release);
    if (verdict.turn != pairs::Turn::kNothing) {
        hand_over(hunt, result);
    }
}

void on_event(int, siginfo_t* info, void* context) {
    const int error = errno;
    if (info->si_code > 0) {
        for (const Counter& counter : counters) {
            if (counter.descriptor.load(std::memory_order_acquire) == info->si_fd) {
                if (kymo_hunt* hunt = counter.hunt.load(std::memory_order_acquire)) {
                    take_event(*hunt, interrupted_at(context));
                }
                break;
            }
        }
    }
    errno = error;
}

Counter* free_counter() {
    for (Counter& counter : counters) {
        int none = -1;
        if (counter.descriptor.compare_exchange_strong(none, -2)) {
            return &counter;
        }
    }
    return nullptr;
}

bool open_counter(kymo_hunt& hunt) {
    perf_event_attr attr = events::make_attributes(hunt.event, false);
    attr.read_format = 0;
    Counter* place = free_counter();
    const int counter = place == nullptr ? -1 : events::open_counter(attr, 0, -1, -1);
    if (counter < 0) {
        last_error = place == nullptr ? "too many threads hunt already"
                                      : std::string(hunt.event.name) + " cannot be sampled: " + std::strerror(errno) +
                                            " (kymo doctor says what this machine permits)";
        if (place != nullptr) {
            place->descriptor.store(-1);
        }
        return false;
    }
    const f_owner_ex owner{F_OWNER_TID, thread_id()};
    if (fcntl(counter, F_SETSIG, hunt.signal) != 0 || fcntl(counter, F_SETOWN_EX, &owner) != 0 ||
        fcntl(counter, F_SETFL, fcntl(counter, F_GETFL, 0) | O_ASYNC | O_NONBLOCK) != 0) {
        last_error = std::string("the counter cannot signal: ") + std::strerror(errno);
        close(counter);
        place->descriptor.store(-1);
        return false;
    }
    place->thread = owner.pid;
    place->hunt.store(&hunt, std::memory_order_release);
    place->descriptor.store(counter, std::memory_order_release);
    events::set_group_enabled(counter, true);
    return true;
}

// Those of a thread, or of all threads if 0.
void close_counters(kymo_hunt& hunt, int thread) {
    for (Counter& counter : counters) {
        const int descriptor = counter.descriptor.load(std::memory_order_acquire);
        if (descriptor >= 0 && counter.hunt.load() == &hunt && (thread == 0 || counter.thread == thread)) {
            events::set_group_enabled(descriptor, false);
            counter.hunt.store(nullptr, std::memory_order_release);
            close(descriptor);
            counter.descriptor.store(-1, std::memory_order_release);
        }
    }
}

bool fill(kymo_hunt& hunt, const kymo_hunt_options& options) {
    const auto event = events::parse_event(options.event != nullptr ? options.event : "");
    if (!event) {
        last_error = event.error().what;
        return false;
    }
    hunt.event = *event;
    hunt.event.user_only = true;
    if (events::counts_only_in_kernel(hunt.event)) {
        last_error = std::string(hunt.event.name) + " happens in the kernel only: use kymo hunt as root";
        return false;
    }
    const bool each = hunt.event.type == PERF_TYPE_SOFTWARE && !events::is_clock(hunt.event);
    if (!hunt.event.samples()) {
        hunt.event.mode = each ? events::Mode::kPeriod : events::Mode::kFrequency;
        hunt.event.value = each ? 1 : 2000;
    }
    pairs::Wish wish;
    wish.share = options.share != 0 ? options.share : wish.share;
    wish.refuse = options.refuse != 0 ? options.refuse : 0.4 * wish.share;
    wish.confidence = options.confidence != 0 ? options.confidence : wish.confidence;
    wish.false_reports = options.false_reports != 0 ? options.false_reports : 1 - wish.confidence;
    wish.cells = options.pairs != 0 ? options.pairs : wish.cells;
    if (options.terminals[0] != 0 || options.terminals[1] != 0) {
        if (options.confidence != 0 || options.false_reports != 0) {
            last_error = "terminals decide confidence and false_reports: leave these 0";
            return false;
        }
        wish = pairs::with_terminals(wish, {options.terminals[0], options.terminals[1]}, options.share != 0,
                                     options.refuse != 0);
    }
    if (options.rest != 0) {
        wish.gap = options.rest < 0 ? 0 : static_cast<std::uint32_t>(options.rest) + 1;
    }
    const auto rule = pairs::make_rule(wish);
    if (!rule) {
        last_error = rule.error().what;
        return false;
    }
    hunt.signal = options.signal != 0 ? options.signal : SIGURG;
    hunt.notify = options.notify;
    hunt.found = options.found;
    hunt.context = options.context;
    hunt.state = {};
    pairs::start(hunt.state.machine, *rule, static_cast<std::uint32_t>(getpid()));
    hunt.made.store(0);
    hunt.taken = 0;
    return true;
}

bool install_handler(int signal) {
    struct sigaction action{};
    struct sigaction before{};
    if (sigaction(signal, nullptr, &before) != 0 || before.sa_sigaction == on_event) {
        return before.sa_sigaction == on_event;
    }
    if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
        last_error = "the program handles this signal itself: choose another one";
        return false;
    }
    action.sa_sigaction = on_event;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigfillset(&action.sa_mask);
    return sigaction(signal, &action, nullptr) == 0;
}

}  // namespace

#define KYMO_PUBLIC extern "C" __attribute__((visibility("default")))

KYMO_PUBLIC kymo_hunt* kymo_hunt_start(const kymo_hunt_options* options) try {
    last_error = "no options given";
    if (options == nullptr) {
        return nullptr;
    }
    for (kymo_hunt& hunt : hunts) {
        if (hunt.used.exchange(true)) {
            continue;
        }
        last_error.clear();
        if (fill(hunt, *options) && install_handler(hunt.signal)) {
            hunt.live.store(true, std::memory_order_release);
            if (open_counter(hunt)) {
                return &hunt;
            }
            hunt.live.store(false);
        }
        if (last_error.empty()) {
            last_error = std::string("the signal cannot be handled: ") + std::strerror(errno);
        }
        hunt.used.store(false);
        return nullptr;
    }
    last_error = "eight hunts are running already";
    return nullptr;
} catch (const std::exception& problem) {
    last_error = problem.what();
    return nullptr;
}

KYMO_PUBLIC int kymo_hunt_join(kymo_hunt* hunt) {
    return hunt != nullptr && open_counter(*hunt) ? 0 : -1;
}

KYMO_PUBLIC void kymo_hunt_leave(kymo_hunt* hunt) {
    if (hunt != nullptr) {
        close_counters(*hunt, thread_id());
    }
}

KYMO_PUBLIC int kymo_hunt_next(kymo_hunt* hunt, kymo_hunt_result* result) {
    if (hunt == nullptr || result == nullptr) {
        return 0;
    }
    const unsigned made = hunt->made.load(std::memory_order_acquire);
    if (hunt->taken == made) {
        return 0;
    }
    if (made - hunt->taken > kKeptResults) {
        hunt->taken = made - kKeptResults;
    }
    *result = hunt->results[hunt->taken++ % kKeptResults];
    return 1;
}

KYMO_PUBLIC void kymo_hunt_stop(kymo_hunt* hunt) {
    if (hunt == nullptr) {
        return;
    }
    hunt->live.store(false, std::memory_order_release);
    close_counters(*hunt, 0);
    // A handler that is inside still finishes, within nanoseconds.
    while (hunt->busy.test_and_set(std::memory_order_acquire)) {
        usleep(100);
    }
    hunt->busy.clear();
    hunt->used.store(false, std::memory_order_release);
}

KYMO_PUBLIC const char* kymo_hunt_error() {
    return last_error.c_str();
}
