// The images that a program will be started with: its dynamic linker lists them in trace mode (ld.so(8),
// LD_TRACE_LOADED_OBJECTS). The program itself does not run.
#include "hooks/plan/planner.h"
#include "image/elf.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
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

std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> all;
    all.reserve(words.size() + 1);
    for (std::string& word : words) {
        all.push_back(word.data());
    }
    all.push_back(nullptr);
    return all;
}

// The output of a command, run with `more` in its environment.
Result<std::string> output_of(std::vector<std::string> command, const std::string& more) {
    std::array<int, 2> pipe{};
    if (pipe2(pipe.data(), O_CLOEXEC) != 0) {
        return Error{ErrorKind::kNotRunnable, std::string("no pipe is available: ") + std::strerror(errno),
                     "close some files, or raise ulimit -n"};
    }
    std::vector<std::string> words;
    for (char** word = environ; *word != nullptr; ++word) {
        if (!std::string_view(*word).starts_with("LD_TRACE_LOADED_OBJECTS=")) {
            words.emplace_back(*word);
        }
    }
    if (!more.empty()) {
        words.push_back(more);
    }
    std::vector<char*> environment = pointers(words);
    std::vector<char*> arguments = pointers(command);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe[1], 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const int error =
        posix_spawn(&child, command.front().c_str(), &actions, nullptr, arguments.data(), environment.data());
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
        return Error{ErrorKind::kNotRunnable, command.front() + " cannot be started: " + std::strerror(error),
                     "run it by itself to see whether it starts at all"};
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return text;
}

std::vector<std::filesystem::path> images_in(const std::filesystem::path& program, const std::string& text) {
    std::vector<std::filesystem::path> images = {program};
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if (const std::filesystem::path image = path_of(std::string_view(text).substr(at, end - at));
            !image.empty()) {
            std::error_code ignored;
            auto real = std::filesystem::canonical(image, ignored);
            const std::filesystem::path& found = ignored ? image : real;
            // musl's linker is its C library, and is listed as both.
            if (std::find(images.begin(), images.end(), found) == images.end()) {
                images.push_back(found);
            }
        }
        at = end + 1;
    }
    return images;
}

// Of a program's file: its dynamic linker; empty: it has none.
std::string interpreter_of(const std::filesystem::path& program) {
    std::ifstream file(program, std::ios::binary);
    const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
    image::ElfFile elf;
    return image::ElfFile::parse(bytes, &elf) == image::ElfError::kNone ? std::string(elf.interpreter())
                                                                        : std::string();
}

}  // namespace

Result<std::vector<std::filesystem::path>> images_of(const std::filesystem::path& program) {
    auto text = output_of({program.string()}, "LD_TRACE_LOADED_OBJECTS=1");
    if (!text) {
        return text.error();
    }
    return images_in(program, *text);
}

Result<std::vector<std::filesystem::path>> images_listed(const std::filesystem::path& program) {
    const std::string interpreter = interpreter_of(program);
    if (interpreter.empty()) {
        return std::vector<std::filesystem::path>{program};
    }
    auto text = output_of({interpreter, "--list", program.string()}, "");
    if (!text) {
        return text.error();
    }
    return images_in(program, *text);
}

}  // namespace kymo::hooks
