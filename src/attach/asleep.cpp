#include "attach/asleep.h"

#include "base/descriptor.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace kymo::attach {
namespace {

namespace fs = std::filesystem;

// Takes the next number off the text's front.
bool take_number(std::string_view& text, std::uint64_t* number) {
    constexpr int kHexadecimal = 16;
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    const bool is_hexadecimal = text.starts_with("0x");
    text.remove_prefix(is_hexadecimal ? 2 : 0);
    const auto [rest, error] =
        std::from_chars(text.data(), text.data() + text.size(), *number, is_hexadecimal ? kHexadecimal : 10);
    if (error != std::errc{} || (rest != text.data() + text.size() && *rest != ' ' && *rest != '\n')) {
        return false;
    }
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    return true;
}

}  // namespace

std::optional<import::Sleeper> parse_call(std::string_view text) {
    // The call's number, six arguments, the stack pointer, the program counter.
    constexpr std::size_t kMostArguments = 6;
    import::Sleeper sleeper;
    if (!take_number(text, &sleeper.call)) {
        return std::nullopt;  // "running", or "-1" with the two pointers
    }
    for (std::size_t i = 0; i < kMostArguments; ++i) {
        std::uint64_t argument = 0;
        if (!take_number(text, &argument)) {
            return std::nullopt;
        }
        if (i < sleeper.arguments.size()) {
            sleeper.arguments.at(i) = argument;
        }
    }
    return take_number(text, &sleeper.stack_pointer) && take_number(text, &sleeper.program_counter)
               ? std::optional(std::move(sleeper))
               : std::nullopt;
}

namespace {

// The file's text. False: it cannot be read; errno says why.
bool read_call(const Descriptor& file, std::string* text) {
    constexpr std::size_t kMostBytes = 256;  // nine numbers
    text->resize(kMostBytes);
    const ssize_t count = pread(file.number(), text->data(), text->size(), 0);
    text->resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return count >= 0;
}

}  // namespace

Asleep read_asleep(pid_t process, pid_t thread, std::uint32_t stack_bytes, const fs::path& proc) {
    const fs::path folder = proc / std::to_string(process);
    const fs::path task = folder / "task" / std::to_string(thread);
    const Descriptor file(open((task / "syscall").c_str(), O_RDONLY | O_CLOEXEC));
    std::string before;
    if (!file || !read_call(file, &before)) {
        return {errno == EACCES || errno == EPERM ? AsleepEnd::kRefused : AsleepEnd::kAwake, {}};
    }
    auto sleeper = parse_call(before);
    if (!sleeper) {
        return {before.starts_with("-1 ") ? AsleepEnd::kNotACall : AsleepEnd::kAwake, {}};
    }
    const Descriptor memory(open((folder / "mem").c_str(), O_RDONLY | O_CLOEXEC));
    if (!memory) {
        return {errno == EACCES || errno == EPERM ? AsleepEnd::kRefused : AsleepEnd::kAwake, {}};
    }
    sleeper->stack.resize(stack_bytes);
    // Less than that where the stack ends before.
    const ssize_t count = pread(memory.number(), sleeper->stack.data(), sleeper->stack.size(),
                                static_cast<off_t>(sleeper->stack_pointer));
    sleeper->stack.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    // The stack of a thread that went on meanwhile belongs to another place.
    std::string after;
    if (!read_call(file, &after) || after != before) {
        return {AsleepEnd::kAwake, {}};
    }
    return {AsleepEnd::kRead, std::move(*sleeper)};
}

}  // namespace kymo::attach
