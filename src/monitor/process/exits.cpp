// The ways a process ends or executes another program. exit() and return from main run this library's destructor;
// the rest is interposed. A vfork child gets here too, in the parent's memory: it is another process and changes
// only its own stack.

#include "monitor/interpose/real.h"
#include "monitor/process/children.h"
#include "monitor/process/life.h"
#include "monitor/process/program_file.h"
#include "monitor/threads/busy.h"
#include "monitor/threads/registry.h"
#include "monitor/waits/waits.h"

#include <cstdarg>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

using kymo::monitor::Fit;
using kymo::monitor::fit_of_found_program;
using kymo::monitor::fit_of_program;
using kymo::monitor::process;
using kymo::monitor::Process;
using kymo::monitor::waited;
using kymo::monitor::WaitKind;
using kymo::monitor::with_monitor;

namespace {

void end(Process::End how) {
    if (process.running() && process.is_this_process()) {
        kymo::monitor::finish(how);
    }
}

__attribute__((destructor)) void on_exit_of_process() {
    end(Process::End::kExit);
}

using Words = char* const*;
using Spawn = int (*)(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*, Words, Words);

kymo::monitor::Real<int (*)(const char*, Words, Words)> real_execve{"execve"};
kymo::monitor::Real<int (*)(const char*, Words, Words)> real_execvpe{"execvpe"};
kymo::monitor::Real<int (*)(int, Words, Words)> real_fexecve{"fexecve"};
kymo::monitor::Real<int (*)(int, const char*, Words, Words, int)> real_execveat{"execveat"};
kymo::monitor::Real<Spawn> real_posix_spawn{"posix_spawn"};
kymo::monitor::Real<Spawn> real_posix_spawnp{"posix_spawnp"};
kymo::monitor::Real<void (*)(int)> real_quick_exit{"quick_exit"};

// Looked up now, because a vfork child must not write to the parent's memory.
__attribute__((constructor)) void look_up() {
    real_execve.get();
    real_execvpe.get();
    real_fexecve.get();
    real_execveat.get();
}

// The words of a variable argument list, `first` included, up to the null pointer.
std::size_t count_words(const char* first, va_list* list) {
    std::size_t count = 0;
    for (const char* word = first; word != nullptr; word = va_arg(*list, const char*)) {
        ++count;
    }
    return count;
}

void take_words(const char* first, va_list* list, char** words) {
    for (const char* word = first; word != nullptr; word = va_arg(*list, const char*)) {
        *words++ = const_cast<char*>(word);
    }
    *words = nullptr;
}

int become(const char* path, Words arguments, Words environment) {
    end(Process::End::kExec);
    const Fit fit = fit_of_program(AT_FDCWD, path);
    return with_monitor(environment, fit, [&](Words all) { return real_execve.get()(path, arguments, all); });
}

int become_found(const char* file, Words arguments, Words environment) {
    end(Process::End::kExec);
    const Fit fit = fit_of_found_program(file);
    return with_monitor(environment, fit, [&](Words all) { return real_execvpe.get()(file, arguments, all); });
}

}  // namespace

KYMO_INTERPOSE void _exit(int status) {
    end(Process::End::kImmediateExit);
    for (;;) {
        syscall(SYS_exit_group, status);
    }
}

KYMO_INTERPOSE void _Exit(int status) {
    _exit(status);
}

KYMO_INTERPOSE void quick_exit(int status) {
    end(Process::End::kImmediateExit);
    real_quick_exit.get()(status);
    __builtin_unreachable();
}

KYMO_INTERPOSE int execve(const char* path, Words arguments, Words environment) {
    return become(path, arguments, environment);
}

KYMO_INTERPOSE int execv(const char* path, Words arguments) {
    return become(path, arguments, environ);
}

KYMO_INTERPOSE int execvp(const char* file, Words arguments) {
    return become_found(file, arguments, environ);
}

KYMO_INTERPOSE int execvpe(const char* file, Words arguments, Words environment) {
    return become_found(file, arguments, environment);
}

KYMO_INTERPOSE int fexecve(int descriptor, Words arguments, Words environment) {
    end(Process::End::kExec);
    const Fit fit = fit_of_program(descriptor);
    return with_monitor(environment, fit, [&](Words all) { return real_fexecve.get()(descriptor, arguments, all); });
}

KYMO_INTERPOSE int execveat(int folder, const char* path, Words arguments, Words environment, int flags) {
    end(Process::End::kExec);
    const bool by_descriptor = (flags & AT_EMPTY_PATH) != 0 && path != nullptr && *path == 0;
    const Fit fit = by_descriptor ? fit_of_program(folder) : fit_of_program(folder, path);
    return with_monitor(environment, fit,
                        [&](Words all) { return real_execveat.get()(folder, path, arguments, all, flags); });
}

// The list forms: their words go into an array on the stack, as in the C library, whose own calls cannot be seen.
// NOLINTBEGIN(cert-dcl50-cpp)
KYMO_INTERPOSE int execl(const char* path, const char* first, ...) {
    va_list list;
    va_start(list, first);
    const std::size_t count = count_words(first, &list);
    va_end(list);
    auto* const words = static_cast<char**>(__builtin_alloca((count + 1) * sizeof(char*)));
    va_start(list, first);
    take_words(first, &list, words);
    va_end(list);
    return become(path, words, environ);
}

KYMO_INTERPOSE int execlp(const char* file, const char* first, ...) {
    va_list list;
    va_start(list, first);
    const std::size_t count = count_words(first, &list);
    va_end(list);
    auto* const words = static_cast<char**>(__builtin_alloca((count + 1) * sizeof(char*)));
    va_start(list, first);
    take_words(first, &list, words);
    va_end(list);
    return become_found(file, words, environ);
}

KYMO_INTERPOSE int execle(const char* path, const char* first, ...) {
    va_list list;
    va_start(list, first);
    const std::size_t count = count_words(first, &list);
    va_end(list);
    auto* const words = static_cast<char**>(__builtin_alloca((count + 1) * sizeof(char*)));
    va_start(list, first);
    take_words(first, &list, words);
    Words environment = va_arg(list, Words);
    va_end(list);
    return become(path, words, environment);
}
// NOLINTEND(cert-dcl50-cpp)

namespace {

// Reading the program's file is the monitor's work, not the program's.
template <typename Look>
Fit look_at_program(const Look& look) {
    kymo::monitor::ThreadState* const here = process.is_this_process() ? kymo::monitor::this_thread() : nullptr;
    if (here == nullptr) {
        return look();
    }
    const kymo::monitor::OwnWork work(*here);
    return look();
}

}  // namespace

// These start other programs; this one continues once the new process executes its program: it waits until then.
KYMO_INTERPOSE int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
                               const posix_spawnattr_t* attributes, Words arguments, Words environment) {
    const Fit fit = look_at_program([&] { return fit_of_program(AT_FDCWD, path); });
    return with_monitor(environment, fit, [&](Words all) {
        return waited(WaitKind::kChild, 0, 0,
                      [&] { return real_posix_spawn.get()(pid, path, actions, attributes, arguments, all); });
    });
}

KYMO_INTERPOSE int posix_spawnp(pid_t* pid, const char* file, const posix_spawn_file_actions_t* actions,
                                const posix_spawnattr_t* attributes, Words arguments, Words environment) {
    const Fit fit = look_at_program([&] { return fit_of_found_program(file); });
    return with_monitor(environment, fit, [&](Words all) {
        return waited(WaitKind::kChild, 0, 0,
                      [&] { return real_posix_spawnp.get()(pid, file, actions, attributes, arguments, all); });
    });
}
