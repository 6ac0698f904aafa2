#include "cells/process_cells.h"

#include <cerrno>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::cells {

constinit ProcessCells process_cells;
thread_local constinit OwnCells own_cells;

namespace {

constexpr std::uint32_t kMostImages = 1000;
constexpr std::uint64_t kSpinNs = 1'000'000;  // without a launcher that has measured the counter for longer

std::uint32_t thread_id() {
    return static_cast<std::uint32_t>(syscall(SYS_gettid));
}

bool append(char* out, std::size_t capacity, std::size_t& used, std::string_view text) {
    if (used + text.size() >= capacity) {
        return false;
    }
    __builtin_memcpy(out + used, text.data(), text.size());
    used += text.size();
    out[used] = 0;
    return true;
}

bool append(char* out, std::size_t capacity, std::size_t& used, std::uint64_t number) {
    char digits[20];
    std::size_t at = sizeof digits;
    do {
        digits[--at] = static_cast<char>('0' + number % 10);
        number /= 10;
    } while (number != 0);
    return append(out, capacity, used, std::string_view(digits + at, sizeof digits - at));
}

std::size_t read_settings(const char* folder, char* text, std::size_t capacity) {
    char path[4096];
    std::size_t length = 0;
    if (!append(path, sizeof path, length, folder) || !append(path, sizeof path, length, "/") ||
        !append(path, sizeof path, length, kSettingsFile)) {
        return 0;
    }
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return 0;
    }
    std::size_t size = 0;
    while (size < capacity) {
        const ssize_t got = syscall(SYS_read, file, text + size, capacity - size);
        if (got <= 0) {
            break;
        }
        size += static_cast<std::size_t>(got);
    }
    syscall(SYS_close, file);
    return size;
}

Object thread_object(std::uint64_t begin_ns, char (&name)[16]) {
    constexpr int kGetName = 16;  // PR_GET_NAME
    syscall(SYS_prctl, kGetName, name, 0, 0, 0);
    Object object;
    object.number = thread_id();
    object.writer = thread_id();
    object.begin = begin_ns;
    object.name = {name, strnlen(name, sizeof name)};
    return object;
}

}  // namespace

bool ProcessCells::begin(const char* folder, std::uint32_t pid, std::string_view program) {
    pid_ = pid;
    const std::size_t size = read_settings(folder, text_, sizeof text_);
    on_ = size != 0 && parse_settings({text_, size}, settings_);
    __builtin_memcpy(program_, program.data(), program.size() < sizeof program_ ? program.size() : sizeof program_);
    if (on_ && settings_.at_start) {
        want_tasks();
        return open();
    }
    return on_;
}

bool ProcessCells::make_path(char* path, std::size_t capacity, std::uint32_t image) const {
    std::size_t used = 0;
    return append(path, capacity, used, settings_.folder) && append(path, capacity, used, "/") &&
           append(path, capacity, used, pid_) && append(path, capacity, used, "-") &&
           append(path, capacity, used, image) && append(path, capacity, used, kSegmentSuffix);
}

SegmentOptions ProcessCells::options(std::uint32_t image) const {
    SegmentOptions options;
    options.pid = pid_;
    options.image = image;
    options.rate = rate_;
    options.program = {program_, strnlen(program_, sizeof program_)};
    options.tasks = settings_.tasks;
    options.channels = settings_.channels;
    return options;
}

// The first free image number: a process that has executed another program has left files behind.
int ProcessCells::create(bool anew, Row* kept, const Object& object) {
    char path[4096];
    int error = EEXIST;
    for (std::uint32_t image = 0; image < kMostImages && error == EEXIST; ++image) {
        if (!make_path(path, sizeof path, image)) {
            return ENAMETOOLONG;
        }
        if (syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0) {
            continue;
        }
        error = anew ? segment_.renew(path, options(image), kept, object) : segment_.create(path, options(image));
    }
    return error;
}

bool ProcessCells::open() {
    if (is_open()) {
        return true;
    }
    if (!on_) {
        return false;
    }
    const int error = errno;
    const Quiet quiet;
    const Locked locked(lock_);
    if (!is_open() && failure() == 0) {
        rate_ = settings_.rate_known ? settings_.rate : measure_ticks(kSpinNs);
        failure_.store(create(false, nullptr, {}), std::memory_order_relaxed);
        if (failure() == 0) {
            for (std::uint32_t i = 0; i < settings_.cells; ++i) {
                segment_.describe(settings_.cell[i].index, settings_.cell[i].cell);
            }
            __builtin_memcpy(bindings_, settings_.bindings, sizeof bindings_);
            open_.store(true, std::memory_order_release);
        }
    }
    errno = error;
    return is_open();
}

const Task* ProcessCells::enter(std::uint64_t begin_ns) {
    if (own_cells.task.cells != nullptr) {
        return &own_cells.task;
    }
    want_tasks();
    if (!open()) {
        return nullptr;
    }
    const int error = errno;
    const Quiet quiet;
    char name[16] = {};
    Row* row = segment_.take(thread_object(begin_ns, name));
    if (row != nullptr) {
        own_cells.row = row;
        own_cells.task = {Segment::cells_of(*row), Segment::timers_of(*row, kTaskCells), &rate_, bindings_};
    }
    errno = error;
    return row == nullptr ? nullptr : &own_cells.task;
}

Row* ProcessCells::this_row() {
    return own_cells.row;
}

void ProcessCells::leave() {
    if (Row* row = own_cells.row; row != nullptr) {
        own_cells = {};
        segment_.end(*row, monotonic_now().ns);
    }
}

std::uint32_t ProcessCells::named_cell(const NewCell& cell) {
    want_tasks();
    if (!open()) {
        return kNoCell;
    }
    const Quiet quiet;
    return segment_.named_cell(cell);
}

void ProcessCells::bind_all(std::uint32_t timer, std::uint32_t cell) {
    if (timer < kTaskTimers && cell < kTaskCells) {
        __atomic_store_n(&bindings_[timer], cell, __ATOMIC_RELAXED);
    }
}

std::uint64_t* ProcessCells::new_channel(const std::uint64_t (&key)[3], std::uint64_t number, std::string_view name) {
    if (!open()) {
        return nullptr;
    }
    Object object;
    object.kind = ResourceKind::kChannel;
    object.number = number;
    object.writer = thread_id();
    object.begin = monotonic_now().ns;
    object.name = name;
    __builtin_memcpy(object.key, key, sizeof object.key);
    const Quiet quiet;
    Row* row = segment_.take(object);
    return row == nullptr ? nullptr : Segment::cells_of(*row);
}

void ProcessCells::end_channel(std::uint64_t* cells) {
    segment_.end(*(reinterpret_cast<Row*>(cells) - 1), monotonic_now().ns);
}

bool ProcessCells::look_for_switches(std::uint64_t (&off)[2]) {
    const SegmentHeader& header = segment_.header();
    const auto read = [&header](std::uint64_t(&bits)[2]) {
        bits[0] = __atomic_load_n(&header.switched_off[0], __ATOMIC_RELAXED);
        bits[1] = __atomic_load_n(&header.switched_off[1], __ATOMIC_RELAXED);
    };
    return switching_.begin(read, off);
}

void ProcessCells::obeyed(const std::uint64_t (&off)[2]) {
    segment_.tell_obeyed(off);
    switching_.end(off);
}

void ProcessCells::after_fork(std::uint32_t pid) {
    pid_ = pid;
    lock_.reset();
    switching_.after_fork();
    if (!is_open()) {
        return;
    }
    if (!has_tasks()) {
        open_.store(false, std::memory_order_relaxed);
        segment_.leave();
        return;
    }
    const int error = errno;
    char name[16] = {};
    failure_.store(create(true, own_cells.row, thread_object(monotonic_now().ns, name)), std::memory_order_relaxed);
    errno = error;
}

void ProcessCells::finish(std::uint64_t now) {
    if (is_open()) {
        segment_.finish(now);
    }
}

const Task& ProcessCells::nowhere() {
    nowhere_ = {nowhere_cells_, nowhere_timers_, &rate_, bindings_};
    return nowhere_;
}

}  // namespace kymo::cells
