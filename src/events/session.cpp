#include "events/session.h"

#include <cstring>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <span>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::events {
namespace {

// Takes text apart from the left. Nothing here copies or allocates.
struct Words {
    std::string_view rest;

    // Up to the next blank; empty at the end.
    std::string_view next() {
        std::size_t size = 0;
        while (size < rest.size() && rest[size] != ' ') {
            ++size;
        }
        const std::string_view word(rest.data(), size);
        rest.remove_prefix(size < rest.size() ? size + 1 : size);
        return word;
    }
};

std::string_view take_line(std::string_view& text) {
    std::size_t size = 0;
    while (size < text.size() && text[size] != '\n') {
        ++size;
    }
    const std::string_view line(text.data(), size);
    text.remove_prefix(size < text.size() ? size + 1 : size);
    return line;
}

int digit_of(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return -1;
}

bool parse_number(std::string_view word, std::uint64_t limit, std::uint64_t& value) {
    unsigned base = 10;
    if (word.size() > 2 && word[0] == '0' && word[1] == 'x') {
        base = 16;
        word.remove_prefix(2);
    }
    if (word.empty()) {
        return false;
    }
    std::uint64_t result = 0;
    for (const char c : word) {
        const int digit = digit_of(c);
        if (digit < 0 || digit >= static_cast<int>(base) || __builtin_mul_overflow(result, base, &result) ||
            __builtin_add_overflow(result, static_cast<std::uint64_t>(digit), &result)) {
            return false;
        }
    }
    value = result;
    return result <= limit;
}

template <typename Unsigned>
bool parse_into(std::string_view word, std::uint64_t limit, Unsigned& out) {
    std::uint64_t value = 0;
    if (!parse_number(word, limit, value)) {
        return false;
    }
    out = static_cast<Unsigned>(value);
    return true;
}

bool parse_flag(std::string_view word, bool& out) {
    return parse_into(word, 1, out);
}

bool copy_text(std::string_view text, char* out, std::size_t capacity) {
    if (text.empty() || text.size() >= capacity || std::memchr(text.data(), 0, text.size()) != nullptr) {
        return false;
    }
    std::memcpy(out, text.data(), text.size());
    out[text.size()] = '\0';
    return true;
}

bool parse_mode(std::string_view word, Mode& mode) {
    if (word == "count") {
        mode = Mode::kCount;
    } else if (word == "period") {
        mode = Mode::kPeriod;
    } else if (word == "frequency") {
        mode = Mode::kFrequency;
    } else {
        return false;
    }
    return true;
}

bool parse_event_line(Words words, SessionEvent& event) {
    constexpr std::uint64_t kAny = UINT64_MAX;
    if (!copy_text(words.next(), event.name, sizeof event.name)) {
        return false;
    }
    const std::string_view unit = words.next();
    event.nanoseconds = unit == "ns";
    return (event.nanoseconds || unit == "-") && parse_mode(words.next(), event.mode) &&
           parse_into(words.next(), kAny, event.value) && parse_into(words.next(), UINT32_MAX, event.type) &&
           parse_into(words.next(), kAny, event.config) && parse_into(words.next(), kAny, event.config1) &&
           parse_into(words.next(), kAny, event.config2) && parse_into(words.next(), 3, event.precise) &&
           parse_flag(words.next(), event.user_only) && parse_into(words.next(), kMaxEvents - 1, event.group) &&
           words.rest.empty() && event.samples() == (event.value != 0);
}

SessionError parse_line(std::string_view line, Session& session) {
    Words words{line};
    const std::string_view keyword = words.next();
    if (keyword == "event") {
        if (session.event_count == kMaxEvents) {
            return SessionError::kTooManyEvents;
        }
        if (!parse_event_line(words, session.events[session.event_count])) {
            return SessionError::kBadLine;
        }
        ++session.event_count;
        return SessionError::kNone;
    }
    const std::string_view value = words.rest;
    bool good = false;
    if (keyword == "pid") {
        good = parse_into(value, INT32_MAX, session.pid);
    } else if (keyword == "signal") {
        good = parse_into(value, 64, session.signal) && session.signal != 0;
    } else if (keyword == "max-bytes") {
        good = parse_into(value, UINT64_MAX, session.max_bytes);
    } else if (keyword == "follow") {
        good = parse_flag(value, session.follow);
    } else if (keyword == "read-lost") {
        good = parse_flag(value, session.read_lost);
    } else if (keyword == "own-switches") {
        good = parse_flag(value, session.own_switches);
    } else if (keyword == "registers") {
        good = parse_flag(value, session.registers);
    } else if (keyword == "operands") {
        good = parse_flag(value, session.operands);
    } else if (keyword == "short-processes") {
        good = parse_flag(value, session.short_processes);
    } else if (keyword == "rank") {
        good = parse_into(value, UINT64_MAX, session.rank.emplace());
    } else if (keyword == "tick-trigger") {
        good = parse_flag(value, session.tick_trigger);
    } else if (keyword == "tick-ns") {
        good = parse_into(value, 1'000'000'000, session.tick_ns);
    } else if (keyword == "kernel-ticks") {
        good = parse_flag(value, session.kernel_ticks);
    } else if (keyword == "proc-device") {
        good = parse_into(value, UINT64_MAX, session.proc_device);
    } else if (keyword == "pid-namespace") {
        good = parse_into(value, UINT64_MAX, session.pid_namespace);
    } else if (keyword == "mechanism") {
        good = value == "perf" || value == "timers";
        session.mechanism = value == "perf" ? Mechanism::kPerfEvents : Mechanism::kThreadTimers;
    } else if (keyword == "library") {
        good = copy_text(value, session.library, sizeof session.library);
    } else if (keyword == "cells") {
        good = copy_text(value, session.cells, sizeof session.cells);
    } else if (keyword == "channels") {
        good = copy_text(value, session.channels, sizeof session.channels);
    } else {
        return SessionError::kUnknownLine;
    }
    return good ? SessionError::kNone : SessionError::kBadLine;
}

void clear(Session& session) {
    session.directory[0] = '\0';
    session.library[0] = '\0';
    session.cells[0] = '\0';
    session.channels[0] = '\0';
    session.pid = 0;
    session.signal = 23;
    session.max_bytes = 0;
    session.follow = true;
    session.read_lost = false;
    session.own_switches = false;
    session.registers = false;
    session.operands = false;
    session.short_processes = false;
    session.rank.reset();
    session.tick_trigger = false;
    session.tick_ns = 0;
    session.kernel_ticks = false;
    session.proc_device = session.pid_namespace = 0;
    session.from_parent = false;
    session.mechanism = Mechanism::kPerfEvents;
    session.event_count = 0;
}

struct Listed {
    const char* name;
    std::uint32_t type;
    std::uint64_t config;
};

// Group 0, all counted but the first: task-clock.
void set_list(std::span<const Listed> list, std::uint64_t frequency, Session& session) {
    session.event_count = 0;
    for (const Listed& entry : list) {
        SessionEvent& event = session.events[session.event_count++];
        event = SessionEvent{};
        copy_text(entry.name, event.name, sizeof event.name);
        event.type = entry.type;
        event.config = entry.config;
    }
    session.events[0].nanoseconds = true;
    session.events[0].mode = Mode::kFrequency;
    session.events[0].value = frequency;
}

bool append(char* out, std::size_t capacity, std::size_t& used, const char* text) {
    const std::size_t size = std::strlen(text);
    if (used + size >= capacity) {
        return false;
    }
    std::memcpy(out + used, text, size + 1);
    used += size;
    return true;
}

SessionError read_whole(const char* path, char* buffer, std::size_t capacity, std::size_t& used) {
    // Its contents take effect with the program's rights, so it must belong to this user or root, and must not be
    // a replacement by another user. A pipe of that name must not make the program wait.
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) {
        return SessionError::kUnreadable;
    }
    struct stat facts{};
    const auto user = static_cast<uid_t>(syscall(SYS_geteuid));
    if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode) || (facts.st_uid != user && facts.st_uid != 0)) {
        syscall(SYS_close, file);
        return SessionError::kUnreadable;
    }
    used = 0;
    SessionError error = SessionError::kNone;
    while (true) {
        if (used == capacity) {
            error = SessionError::kTooLong;
            break;
        }
        const ssize_t got = syscall(SYS_read, file, buffer + used, capacity - used);
        if (got < 0) {
            error = SessionError::kUnreadable;
            break;
        }
        if (got == 0) {
            break;
        }
        used += static_cast<std::size_t>(got);
    }
    syscall(SYS_close, file);
    return error;
}

}  // namespace

SessionError parse_session(std::string_view text, Session& session) {
    clear(session);
    if (text.size() >= kMaxSessionBytes) {
        return SessionError::kTooLong;
    }
    Words first{take_line(text)};
    if (first.next() != "kymo-session") {
        return SessionError::kNotASession;
    }
    if (first.rest != "1") {
        return SessionError::kOtherVersion;
    }
    while (!text.empty()) {
        const SessionError error = parse_line(take_line(text), session);
        if (error != SessionError::kNone) {
            return error;
        }
    }
    if (session.event_count == 0 || !session.events[0].samples() || session.events[0].group != 0) {
        return SessionError::kNoEvents;
    }
    session.from_parent = true;
    return SessionError::kNone;
}

SessionError load_session(const char* given, Session& session) {
    // Static: a program's first thread may start on a small stack. Only the start of a process calls this.
    static char text[kMaxSessionBytes];
    char path[kPathBytes];
    std::size_t used = 0;
    if (!append(path, sizeof path, used, given) || !append(path, sizeof path, used, "/") ||
        !append(path, sizeof path, used, kSessionFile)) {
        return SessionError::kTooLong;
    }
    std::size_t size = 0;
    std::size_t length = __builtin_strlen(given);
    SessionError error = read_whole(path, text, sizeof text, size);
    if (error == SessionError::kUnreadable) {
        error = read_whole(given, text, sizeof text, size);
        while (length > 1) {
            --length;
            if (given[length] == '/') {
                break;
            }
        }
    }
    if (error == SessionError::kNone) {
        error = parse_session(std::string_view(text, size), session);
    }
    if (error == SessionError::kNone) {
        used = 0;
        append(session.directory, sizeof session.directory, used, given);
        session.directory[length] = 0;
    }
    return error;
}

void set_default_events(std::uint64_t frequency, Session& session) {
    constexpr Listed kList[] = {
        {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
        {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
        {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
        {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    };
    set_list(kList, frequency, session);
    session.events[1].mode = Mode::kPeriod;
    session.events[1].value = kDefaultFaultPeriod;
    session.mechanism = Mechanism::kPerfEvents;
}

void set_timer_events(std::uint64_t frequency, Session& session) {
    constexpr Listed kList[] = {
        {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
        {"system-time", kUsageType, 0},
        {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
        {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    };
    set_list(kList, frequency, session);
    session.events[1].nanoseconds = true;
    session.mechanism = Mechanism::kThreadTimers;
}

SessionError default_session(const char* out, std::uint32_t pid, Session& session) {
    clear(session);
    set_default_events(1000, session);
    session.pid = pid;
    char number[16];
    std::size_t place = sizeof number;
    number[--place] = '\0';
    for (std::uint32_t rest = pid;; rest /= 10) {
        number[--place] = static_cast<char>('0' + rest % 10);
        if (rest < 10) {
            break;
        }
    }
    const bool given = out != nullptr && out[0] != '\0';
    char* path = session.directory;
    std::size_t used = 0;
    if (!given || out[0] != '/') {
        if (getcwd(path, sizeof session.directory) == nullptr) {
            return SessionError::kUnreadable;
        }
        used = std::strlen(path);
        if (!append(path, sizeof session.directory, used, "/")) {
            return SessionError::kTooLong;
        }
    }
    const bool fits = given ? append(path, sizeof session.directory, used, out)
                            : append(path, sizeof session.directory, used, "kymo-") &&
                                  append(path, sizeof session.directory, used, number + place) &&
                                  append(path, sizeof session.directory, used, ".kymo");
    return fits ? SessionError::kNone : SessionError::kTooLong;
}

}  // namespace kymo::events
