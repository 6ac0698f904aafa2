#include "monitor/speed_up/speed_up.h"

#include "base/exclusion.h"
#include "monitor/clock.h"
#include "monitor/process/folder_file.h"
#include "monitor/process/process.h"
#include "monitor/sampling/counter_values.h"
#include "monitor/threads/registry.h"
#include "monitor/threads/thread_state.h"

#include <cerrno>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace kymo::monitor {

constinit SpeedUp speed_up;

namespace {

void add(std::uint64_t& sum, std::uint64_t more) {
    __atomic_fetch_add(&sum, more, __ATOMIC_RELAXED);
}

// Returns how long it took.
std::uint64_t sleep_for(std::uint64_t ns) {
    constexpr std::uint64_t kSecond = 1'000'000'000;
    const std::uint64_t begin = clock_now();
    const std::uint32_t nobody_wakes = 0;
    std::uint64_t took = 0;
    while (took < ns) {
        const timespec left{static_cast<time_t>((ns - took) / kSecond), static_cast<long>((ns - took) % kSecond)};
        if (syscall(SYS_futex, &nobody_wakes, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, &left, nullptr, 0) != 0 &&
            errno != ETIMEDOUT && errno != EINTR) {
            return clock_now() - begin;  // refused: the thread goes on, and is delayed by less
        }
        took = clock_now() - begin;
    }
    return took;
}

}  // namespace

bool SpeedUp::map_account() {
    const int file = open_in_folder(process.session().directory, events::kSpeedUpFile, O_RDWR | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    void* at = mmap(nullptr, sizeof(events::SpeedUpAccount), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    syscall(SYS_close, file);
    if (at == MAP_FAILED) {
        return false;
    }
    account_ = static_cast<events::SpeedUpAccount*>(at);
    return account_->version == events::SpeedUpAccount::kVersion;
}

bool SpeedUp::begin() {
    if (!code_.load(events::kSpeedUpCodeFile) || !map_account()) {
        account_ = nullptr;
        return true;
    }
    part_ = account_->part;
    return true;
}

void SpeedUp::image_added(ImageId id, const image::LoadedImage& image) {
    if (on()) {
        code_.image_added(id, image);
    }
}

void SpeedUp::thread_begin(ThreadState& thread) {
    thread.delays = {thread.creation.paid, 0};
    thread.delays_clock = 0;
    if (on()) {
        delays_.publish(thread.tid, thread.delays);
    }
}

void SpeedUp::thread_end(ThreadState& thread) {
    if (on()) {
        pause(thread);  // a thread that joins it goes on now
    }
}

void SpeedUp::after_fork(ThreadState* /*own*/) {
    if (on()) {
        delays_.forget();
        is_entered_.store(false, std::memory_order_relaxed);
        told_ = 0;
    }
}

void SpeedUp::finish(Process::End /*how*/) {
    if (!on() || !is_entered_.load(std::memory_order_relaxed)) {
        return;
    }
    const ThreadState* here = this_thread();
    const std::uint64_t delay = here != nullptr ? here->delays.paid + here->delays.ahead : delays_.total();
    add(account_->delay_ns, delay - told_);
    if (told_ == 0) {
        add(account_->ended, 1);
    }
    told_ = delay;
}

void SpeedUp::at_sample(ThreadState& thread, const Overflow& overflow, bool is_inside) {
    if (overflow.event != 0) {
        return;
    }
    const std::uint64_t clock = overflow.values->value[0];
    const std::uint64_t since = clock < thread.delays_clock ? 0 : clock - thread.delays_clock;
    thread.delays_clock = clock;
    if (!is_inside) {
        return;
    }
    if (!is_entered_.exchange(true, std::memory_order_relaxed)) {
        add(account_->processes, 1);
    }
    add(account_->inside_ns, since);
    add(account_->inside_samples, 1);
    delays_.save(thread.delays, since * part_ / events::SpeedUpAccount::kWhole);
    delays_.publish(thread.tid, thread.delays);
}

void SpeedUp::pause(ThreadState& thread) {
    const std::uint64_t due = delays_.due(thread.delays);
    if (due == 0) {
        return;
    }
    const int error = errno;
    Delays::pay(thread.delays, due, sleep_for(due));
    delays_.publish(thread.tid, thread.delays);
    errno = error;
}

void SpeedUp::pause_in_handler(ThreadState& thread) {
    if (process.running()) {
        pause(thread);
    }
}

void SpeedUp::before_waking(ThreadState& thread) {
    if (delays_.due(thread.delays) != 0) {
        const Quiet quiet;  // the handler changes the same account
        pause(thread);
    }
}

void SpeedUp::after_wait(ThreadState& thread) {
    before_waking(thread);
}

void SpeedUp::after_wait_for(ThreadState& thread, std::uint64_t waited, std::uint64_t waker) {
    const Quiet quiet;
    const bool is_known = waker != 0 && waker != static_cast<std::uint64_t>(thread.tid);
    Delays::follow(thread.delays, waited, is_known ? delays_.paid_by(static_cast<int>(waker)) : delays_.total());
    delays_.publish(thread.tid, thread.delays);
    pause(thread);
}

}  // namespace kymo::monitor
