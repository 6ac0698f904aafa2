// What a program will be started with: its dynamic linker says so when it is asked to trace (ld.so(8),
// LD_TRACE_LOADED_OBJECTS). The program itself does not run.
#include "hooks/plan/planner.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kymo::hooks {
namespace {

constexpr std::size_t kMostText = 1U << 20U;

// "	libm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f…)" or "	/lib64/ld-linux-x86-64.so.2 (0x…)"
std::filesystem::path path_of(std::string_view line) {
    const std::size_t arrow = line.find("=> ");
    line = arrow == std::string_view::npos ? line.substr(std::min(line.size(), line.find_first_not_of(" \t")))
                                           : line.substr(arrow + 3);
    const std::size_t end = line.rfind(" (0x");
    return end != std::string_view::npos && line.starts_with("/") ? std::filesystem::path(line.substr(0, end))
                                                                  : std::filesystem::path();
}

}  // namespace

Result<std::vector<std::filesystem::path>> images_of(const std::filesystem::path& program) {
    std::array<int, 2> pipe{};
    if (pipe2(pipe.data(), O_CLOEXEC) != 0) {
        return Error{ErrorKind::kNotRunnable, std::string("no pipe to be had: ") + std::strerror(errno),
                     "close some files, or raise ulimit -n"};
    }
    std::vector<std::string> words;
    for (char** word = environ; *word != nullptr; ++word) {
        if (!std::string_view(*word).starts_with("LD_TRACE_LOADED_OBJECTS=")) {
            words.emplace_back(*word);
        }
    }
    words.emplace_back("LD_TRACE_LOADED_OBJECTS=1");
    std::vector<char*> environment;
    environment.reserve(words.size() + 1);
    for (std::string& word : words) {
        environment.push_back(word.data());
    }
    environment.push_back(nullptr);
    std::string path = program.string();
    char* arguments[] = {path.data(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe[1], 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const int error = posix_spawn(&child, path.c_str(), &actions, nullptr, arguments, environment.data());
    posix_spawn_file_actions_destroy(&actions);
    close(pipe[1]);
    std::string text;
    if (error == 0) {
        std::array<char, 4096> block{};
        for (ssize_t got = 0; text.size() < kMostText && (got = read(pipe[0], block.data(), block.size())) > 0;) {
            text.append(block.data(), static_cast<std::size_t>(got));
        }
    }
    close(pipe[0]);
    if (error != 0) {
        return Error{ErrorKind::kNotRunnable, program.string() + " cannot be started: " + std::strerror(error),
                     "run it by itself to see whether it starts at all"};
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    std::vector<std::filesystem::path> images = {program};
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if (const std::filesystem::path image = path_of(std::string_view(text).substr(at, end - at));
            !image.empty()) {
            std::error_code ignored;
            auto real = std::filesystem::canonical(image, ignored);
            images.push_back(ignored ? image : real);
        }
        at = end + 1;
    }
    return images;
}

}  // namespace kymo::hooks
