#include "monitor/process/process.h"

#include "base/namespaces/time_namespace.h"
#include "base/system_clock.h"
#include "unwind/memory_view.h"

#include <cerrno>
#include <cstring>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::monitor {

constinit Process process;

namespace {

int process_id() {
    return static_cast<int>(syscall(SYS_getpid));  // never cached: a vfork child must see its own
}

// As much as there is behind `from`, which the program may have overwritten, and copied from its targets. If the
// kernel does not copy memory for us, up to the first word's end, as if unchanged.
std::size_t copy_words(const char* from, std::span<char> room) {
    const auto copied = [room](const void* memory) {
        const auto view = unwind::copy_memory(reinterpret_cast<std::uint64_t>(memory),
                                              {reinterpret_cast<std::uint8_t*>(room.data()), room.size()});
        return view.end() - view.begin();
    };
    if (const std::size_t bytes = copied(from); bytes != 0) {
        return bytes;
    }
    if (copied(&room) != 0) {
        return 0;
    }
    const std::size_t length = strnlen(from, room.size());
    const std::size_t all = length < room.size() ? length + 1 : length;
    memcpy(room.data(), from, all);
    return all;
}

}  // namespace

bool Process::is_this_process() const {
    return process_id() == pid_;
}

bool Process::load_session() {
    const char* folder = getenv(events::kSessionVariable);
    if (folder != nullptr && *folder != 0) {
        return events::load_session(folder, session_) == events::SessionError::kNone;
    }
    // Preloaded by hand: the first process makes the folder, and its children find it like one of a parent.
    if (events::default_session(getenv(events::kOutVariable), static_cast<std::uint32_t>(pid_), session_) !=
        events::SessionError::kNone) {
        return false;
    }
    if (mkdir(session_.directory, 0700) != 0 && errno != EEXIST) {
        return false;
    }
    return setenv(events::kOutVariable, session_.directory, 1) == 0;
}

bool Process::begin(int argc, char** argv, std::uint64_t stack_end) {
    use_system_clock();
    pid_ = process_id();
    argc_ = argc;
    argv_ = argv;
    main_stack_end_ = stack_end;
    if (!load_session() || session_.event_count == 0) {
        return false;
    }
    find_time_namespace();
    start_time_ = clock_now();
    kernel_numbers_.find(session_, pid_);
    const bool is_meant = session_.follow || session_.pid == 0 || session_.pid == static_cast<std::uint32_t>(pid_);
    return is_meant && descriptors_.reserve();
}

bool Process::begin_finishing() {
    Phase expected = Phase::kRunning;
    return phase_.compare_exchange_strong(expected, Phase::kFinishing);
}

void Process::after_fork() {
    pid_ = process_id();
    find_time_namespace();
    kernel_numbers_.find(session_, pid_);
    start_time_ = clock_now();
    is_forked_ = true;
}

void Process::set_paused(bool paused) {
    if (!paused) {
        resumes_.fetch_add(1, std::memory_order_acq_rel);
    }
    paused_.store(paused ? 1 : 0, std::memory_order_release);
}

std::string_view Process::arguments(std::span<char> room) const {
    std::size_t bytes = 0;
    std::size_t copied = 0;
    const char* next = nullptr;  // copying continues from here: the words are usually consecutive
    for (int i = 0; i < argc_ && argv_[i] != nullptr; ++i) {
        if (argv_[i] != next) {
            copied = bytes + copy_words(argv_[i], room.subspan(bytes));
        }
        const void* end = memchr(room.data() + bytes, 0, copied - bytes);
        if (end == nullptr) {
            break;
        }
        const std::size_t length = static_cast<std::size_t>(static_cast<const char*>(end) - room.data()) + 1 - bytes;
        bytes += length;
        next = argv_[i] + length;
    }
    return {room.data(), bytes};
}

}  // namespace kymo::monitor
