#include "monitor/process/children.h"

#include "base/job_rank.h"
#include "events/session.h"
#include "image/sanitizer.h"
#include "monitor/interpose/seccomp.h"
#include "monitor/process/log.h"
#include "monitor/process/process.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <stdlib.h>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::monitor {

namespace {

constexpr std::string_view kPreload = "LD_PRELOAD=";
// A longer environment is passed on unchanged: the stack may be small, and no other memory is available.
constexpr std::size_t kMostEntries = 4096;
constexpr std::size_t kMostPreload = 8192;

// Set once, before there are children; constant from then on.
struct Remembered {
    bool known = false;
    char preload[kPreload.size() + events::kPathBytes] = {};  // LD_PRELOAD=LIBRARY
    char session[events::kPathBytes + 32] = {};               // KYMO_SESSION=FOLDER; by hand: KYMO_OUT=FOLDER
    char channels[events::kPathBytes] = {};                   // what counts messages, for ranks; empty: none
};
Remembered remembered;

bool join(char* to, std::size_t bytes, std::string_view a, std::string_view b, std::string_view c = {}) {
    if (a.size() + b.size() + c.size() >= bytes) {
        return false;
    }
    memcpy(to, a.data(), a.size());
    memcpy(to + a.size(), b.data(), b.size());
    if (!c.empty()) {
        memcpy(to + a.size() + b.size(), c.data(), c.size());
    }
    to[a.size() + b.size() + c.size()] = 0;
    return true;
}

// Not substr(), which throws.
std::string_view after(std::string_view text, std::size_t letters) {
    text.remove_prefix(letters < text.size() ? letters : text.size());
    return text;
}

std::string_view until(std::string_view text, std::size_t letters) {
    text.remove_suffix(letters < text.size() ? text.size() - letters : 0);
    return text;
}

std::string_view name_of(std::string_view entry) {
    return until(entry, entry.find('=') + 1);  // with the '='; npos + 1 is 0
}

// ld.so(8): separated by colons and spaces.
bool lists(std::string_view list, std::string_view library) {
    while (!list.empty()) {
        const std::size_t end = list.find_first_of(": ");
        if (until(list, end) == library) {
            return true;
        }
        if (end == std::string_view::npos) {
            return false;
        }
        list.remove_prefix(end + 1);
    }
    return false;
}

std::string_view first_of(std::string_view list) {
    return until(list, list.find_first_of(": "));
}

// Without --follow only the program itself is measured, including programs that it executes.
bool is_followed() {
    return process.session().follow || process.is_this_process();
}

// By the environment that a job's starter sets for its ranks, and that they pass to their children.
bool is_rank(char* const environment[]) {
    const auto lookup = [environment](std::string_view name) -> const char* {
        for (std::size_t i = 0; environment != nullptr && environment[i] != nullptr; ++i) {
            const std::string_view entry = environment[i];
            if (entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name)) {
                return environment[i] + name.size() + 1;
            }
        }
        return nullptr;
    };
    return find_job_rank(lookup).known;
}

struct Needs {
    std::size_t entries = 0;
    bool preload = true;
    bool session = true;
    bool channels = false;
    bool first = false;       // a library that must come before the monitor
    std::string_view others;  // libraries that are preloaded besides
};

Needs needs_of(char* const environment[], const Fit& fit) {
    const std::string_view library = after(remembered.preload, kPreload.size());
    const std::string_view variable = name_of(remembered.session);
    Needs needs;
    for (; environment != nullptr && environment[needs.entries] != nullptr; ++needs.entries) {
        const std::string_view entry = environment[needs.entries];
        if (entry.starts_with(kPreload)) {
            needs.others = after(entry, kPreload.size());
            needs.preload = needs.others != library && !lists(needs.others, library);
        } else if (entry.starts_with(variable) && entry.size() > variable.size()) {
            needs.session = false;
        }
    }
    const std::string_view channels = remembered.channels;
    needs.first = fit.first[0] != 0 && !image::is_sanitizer_library(first_of(needs.others));
    needs.channels = !channels.empty() && !lists(needs.others, channels) && is_rank(environment);
    return needs;
}

// Copies the list without the two; returns the number of letters.
std::size_t list_without(std::string_view list, std::string_view library, std::string_view another, char* to) {
    std::size_t letters = 0;
    while (!list.empty()) {
        const std::size_t end = list.find_first_of(": ");
        const std::string_view part = until(list, end);
        if (!part.empty() && part != library && part != another) {
            if (letters != 0) {
                to[letters++] = ':';
            }
            memmove(to + letters, part.data(), part.size());  // may be the list itself
            letters += part.size();
        }
        list = end == std::string_view::npos ? std::string_view{} : after(list, end + 1);
    }
    return letters;
}

// For a program that cannot have the monitor.
char* const* without_monitor(char* const environment[], char** list, char* text) {
    const std::string_view library = after(remembered.preload, kPreload.size());
    std::size_t used = 0;
    for (std::size_t i = 0; environment[i] != nullptr; ++i) {
        const std::string_view entry = environment[i];
        if (!entry.starts_with(kPreload)) {
            list[used++] = environment[i];
            continue;
        }
        memcpy(text, kPreload.data(), kPreload.size());
        const std::size_t letters =
            list_without(after(entry, kPreload.size()), library, remembered.channels, text + kPreload.size());
        text[kPreload.size() + letters] = 0;
        if (letters != 0) {
            list[used++] = text;
        }
    }
    list[used] = nullptr;
    return list;
}

// LD_PRELOAD=[FIRST::]LIBRARY[:CHANNELS][:OTHERS], the user's own sanitizer before the library.
void write_preload(const Needs& needs, const Fit& fit, char* text) {
    const auto add = [&text](std::string_view part) {
        memcpy(text, part.data(), part.size());
        text += part.size();
    };
    std::string_view others = needs.others;
    add(kPreload);
    if (needs.first) {
        add(fit.first);
        add("::");
    } else if (const std::string_view first = first_of(others); image::is_sanitizer_library(first)) {
        add(first);
        add(":");
        others = after(others, first.size());
    }
    const std::string_view library = after(remembered.preload, kPreload.size());
    add(library);
    const std::string_view channels = needs.channels ? std::string_view(remembered.channels) : std::string_view();
    if (!channels.empty()) {
        add(":");
        add(channels);
    }
    const std::size_t letters = list_without(others, library, channels, text + 1);
    *text = letters == 0 ? '\0' : ':';
    text[letters == 0 ? 0 : letters + 1] = 0;
}

// In the environment itself, which only grows shorter.
void clean_own_environment(bool is_measured) {
    const events::Session& session = process.session();
    for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
        if (!std::string_view(*at).starts_with(kPreload)) {
            continue;
        }
        char* const list = *at + kPreload.size();
        const std::string_view first = first_of(list);
        if (image::is_sanitizer_library(first) && after(list, first.size()).starts_with("::")) {
            memmove(list, list + first.size() + 2, strlen(list + first.size() + 2) + 1);
        }
        if (!is_measured && session.library[0] != 0) {
            list[list_without(list, session.library, session.channels, list)] = 0;
        }
        for (char** each = at; *list == 0 && *each != nullptr; ++each) {
            *each = each[1];
        }
        return;
    }
}

bool is_nothing(const Needs& needs) {
    return (!needs.preload && !needs.session && !needs.channels && !needs.first) || needs.entries > kMostEntries ||
           needs.others.size() > kMostPreload;
}

}  // namespace

void remember_for_children() {
    clean_own_environment(process.running());
    const events::Session& session = process.session();
    const char* preload = session.library[0] != 0 ? session.library : getenv("LD_PRELOAD");
    const char* variable =
        getenv(events::kSessionVariable) != nullptr ? events::kSessionVariable : events::kOutVariable;
    const char* value = getenv(variable);
    if (!process.running() || preload == nullptr || value == nullptr) {
        return;
    }
    // ld.so(8) takes a list, so a list that was preloaded by hand is passed on unchanged.
    char name[32];
    remembered.known = join(remembered.preload, sizeof remembered.preload, kPreload, preload) &&
                       join(name, sizeof name, variable, "=") &&
                       join(remembered.session, sizeof remembered.session, name, value);
    join(remembered.channels, sizeof remembered.channels, session.channels, {});
}

bool is_library_readable() {
    const char* library = remembered.preload + kPreload.size();
    if (!remembered.known || !process.running() || library[strcspn(library, ": ")] != 0) {
        return true;  // a list that was preloaded by hand
    }
    const int error = errno;
    const long file = syscall(SYS_openat, AT_FDCWD, library, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        syscall(SYS_close, file);
    } else if ((errno == ENOENT || errno == EACCES) && process.is_this_process()) {
        const kymo::Quiet quiet;
        recording::Unavailable row;
        row.what = "programs that are started where Kymo's library cannot be read";
        row.why = "their root directory or their user has no way to it";
        row.remedy = "install Kymo where they can read it, at the same path";
        process_log.write(row);
    }
    const bool readable = file >= 0 || (errno != ENOENT && errno != EACCES);
    errno = error;
    return readable;
}

std::size_t carry_bytes(char* const environment[], const Fit& fit) {
    const bool may_change =
        fit.is_fit ? process.running() && is_followed() : process.running() || is_barred_by_filter();
    if (!remembered.known || !may_change) {
        return 0;
    }
    const Needs needs = needs_of(environment, fit);
    if (!fit.is_fit) {
        const bool has = !needs.preload && needs.entries <= kMostEntries && needs.others.size() <= kMostPreload;
        return has ? (needs.entries + 1) * sizeof(char*) + kPreload.size() + needs.others.size() + 1 : 0;
    }
    if (is_nothing(needs)) {
        return 0;
    }
    return (needs.entries + 3) * sizeof(char*) + sizeof remembered.preload + sizeof remembered.channels +
           sizeof fit.first + needs.others.size() + 5;
}

char* const* carry(char* const environment[], const Fit& fit, void* space) {
    const Needs needs = needs_of(environment, fit);
    if (!fit.is_fit) {
        auto* const list = static_cast<char**>(space);
        return without_monitor(environment, list, reinterpret_cast<char*>(list + needs.entries + 1));
    }
    const bool changes = needs.preload || needs.channels || needs.first;
    const std::string_view variable = name_of(remembered.session);
    auto* const list = static_cast<char**>(space);
    std::size_t used = 0;
    for (std::size_t i = 0; i < needs.entries; ++i) {
        const std::string_view entry = environment[i];
        if ((changes && entry.starts_with(kPreload)) || (needs.session && entry.starts_with(variable))) {
            continue;
        }
        list[used++] = environment[i];
    }
    if (changes) {
        char* const text = reinterpret_cast<char*>(list + needs.entries + 3);
        write_preload(needs, fit, text);
        list[used++] = text;
    }
    if (needs.session) {
        list[used++] = remembered.session;
    }
    list[used] = nullptr;
    return list;
}

}  // namespace kymo::monitor
