#include "attach/targets.h"

#include "attach/proc_file.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <system_error>
#include <unistd.h>

namespace kymo::attach {
namespace {

namespace fs = std::filesystem;

// The names of a directory's entries that are numbers, ascending; empty if it cannot be read.
std::vector<pid_t> numbers_in(const fs::path& directory) {
    std::vector<pid_t> numbers;
    std::error_code error;
    for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
        const std::string name = at->path().filename();
        pid_t number = 0;
        const auto [rest, bad] = std::from_chars(name.data(), name.data() + name.size(), number);
        if (bad == std::errc{} && rest == name.data() + name.size()) {
            numbers.push_back(number);
        }
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

bool has_code(const fs::path& process) {
    std::error_code error;
    return fs::is_symlink(process / "exe", error) && !text_of(process / "cmdline").empty();
}

}  // namespace

std::string name_of(pid_t process, const fs::path& proc) {
    std::string name = text_of(proc / std::to_string(process) / "comm");
    name.erase(std::find(name.begin(), name.end(), '\n'), name.end());
    return name;
}

std::vector<pid_t> processes_named(const std::string& name, const fs::path& proc) {
    std::vector<pid_t> found = numbers_in(proc);
    std::erase_if(found, [&](pid_t process) { return process == getpid() || name_of(process, proc) != name; });
    return found;
}

std::vector<pid_t> processes_of_group(const fs::path& group) {
    std::vector<pid_t> found;
    const auto add = [&](const fs::path& directory) {
        std::ifstream stream(directory / "cgroup.procs");
        std::copy(std::istream_iterator<pid_t>(stream), {}, std::back_inserter(found));
    };
    add(group);
    std::error_code error;
    for (fs::recursive_directory_iterator at(group, error), end; !error && at != end; at.increment(error)) {
        if (at->is_directory(error)) {
            add(at->path());
        }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

std::vector<pid_t> all_processes(const fs::path& proc) {
    std::vector<pid_t> found = numbers_in(proc);
    std::erase_if(found,
                  [&](pid_t process) { return process == getpid() || !has_code(proc / std::to_string(process)); });
    return found;
}

Result<std::vector<pid_t>> threads_of(std::span<const pid_t> processes, const fs::path& proc) {
    std::vector<pid_t> threads;
    for (const pid_t process : processes) {
        const fs::path folder = proc / std::to_string(process);
        const std::vector<pid_t> own = numbers_in(folder / "task");
        if (own.empty()) {
            return Error{ErrorKind::kNotFound, "there is no process " + std::to_string(process),
                         "name one that is running: ps -e, or --comm NAME"};
        }
        if (text_of(folder / "cmdline").empty() && text_of(folder / "maps").empty()) {
            return Error{ErrorKind::kNotFound,
                         "process " + std::to_string(process) + " (" + name_of(process, proc) +
                             ") has no code of its own: it has ended, is the kernel's, or is another user's",
                         "name a program that runs as this user, or run as root"};
        }
        threads.insert(threads.end(), own.begin(), own.end());
    }
    return threads;
}

std::vector<std::string> command_of(pid_t process, const fs::path& proc) {
    const std::string text = text_of(proc / std::to_string(process) / "cmdline");
    std::vector<std::string> words;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\0', at), text.size());
        words.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    // Programs that write their state over their arguments leave empty ones.
    while (!words.empty() && words.back().empty()) {
        words.pop_back();
    }
    if (words.empty()) {
        words.push_back("[" + name_of(process, proc) + "]");
    }
    return words;
}

}  // namespace kymo::attach
