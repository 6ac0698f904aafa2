#include "import/named/script_line.h"

#include "import/named/modules.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

namespace kymo::import::named {
namespace {

// What perf pads fields to, with the space before or after them.
constexpr std::size_t kAddressWidth = 17;
constexpr std::size_t kPeriodWidth = 11;
constexpr std::size_t kLeastThreadWidth = 6;
constexpr std::size_t kMostThreadWidth = 9;

constexpr std::string_view kUnknown = "[unknown]";
constexpr std::string_view kInlinedMark = "(inlined)";

bool is_space(char c) {
    return c == ' ' || c == '\t';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_all(std::string_view text, bool (*is_such)(char)) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_such);
}

std::string_view without_spaces_around(std::string_view text) {
    while (!text.empty() && is_space(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_space(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

template <typename T>
std::optional<T> whole_number(std::string_view text, int base = 10) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<std::uint64_t> address_of(std::string_view text) {
    return text.size() <= 16 && is_all(text, is_hex) ? whole_number<std::uint64_t>(text, 16) : std::nullopt;
}

// "643.542068:", in nanoseconds.
std::optional<std::uint64_t> time_of(std::string_view text) {
    constexpr std::uint64_t kMostSeconds = 10'000'000'000;
    const std::size_t dot = text.find('.');
    if (!text.ends_with(':') || dot == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view part = text.substr(dot + 1, text.size() - dot - 2);
    const auto seconds = whole_number<std::uint64_t>(text.substr(0, dot));
    const auto fraction = whole_number<std::uint64_t>(part);
    if (!seconds || !fraction || *seconds > kMostSeconds || part.size() > 9) {
        return std::nullopt;
    }
    std::uint64_t ns = *fraction;
    for (std::size_t i = part.size(); i < 9; ++i) {
        ns *= 10;
    }
    return *seconds * 1'000'000'000 + ns;
}

// A process or thread; -1: perf's word for none.
std::optional<std::uint32_t> task_of(std::string_view text) {
    if (text == "-1") {
        return kNotGiven;
    }
    return is_all(text, is_digit) ? whole_number<std::uint32_t>(text) : std::nullopt;
}

struct Word {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t width = 0;  // with the space before it
    std::string_view text;
};

// The next word from `at` on; empty: no more.
Word word_at(std::string_view line, std::size_t at) {
    Word word;
    word.begin = at;
    while (word.begin < line.size() && is_space(line[word.begin])) {
        ++word.begin;
    }
    word.end = word.begin;
    while (word.end < line.size() && !is_space(line[word.end])) {
        ++word.end;
    }
    // At the beginning of a line no space divides a field from another one.
    word.width = word.end - at + (at == 0 ? 1 : 0);
    word.text = line.substr(word.begin, word.end - word.begin);
    return word;
}

bool is_wide_address(const Word& word) {
    return word.width >= kAddressWidth && address_of(word.text);
}

// "task-clock:", "cycles:u:", "sched:sched_switch:".
bool is_event(std::string_view text) {
    return text.size() > 1 && text.ends_with(':') &&
           std::any_of(text.begin(), text.end(), [](char c) { return !is_digit(c) && c != ':' && c != '.'; });
}

// "[003]"
std::optional<std::uint32_t> processor_of(std::string_view text) {
    if (text.size() < 3 || text.front() != '[' || text.back() != ']') {
        return std::nullopt;
    }
    text = text.substr(1, text.size() - 2);
    return text.find('-') != std::string_view::npos && text.ends_with('1') ? kNotGiven : task_of(text);
}

// "9495/9495": true, and both are set.
bool read_tasks(std::string_view text, ScriptHeader& to) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) {
        return false;
    }
    const auto pid = task_of(text.substr(0, slash));
    const auto tid = task_of(text.substr(slash + 1));
    if (!pid || !tid) {
        return false;
    }
    to.pid = *pid;
    to.tid = *tid;
    return true;
}

// In what mode the processor was, of perf's field "misc".
bool is_mode(std::string_view text) {
    return text.size() <= 4 &&
           is_all(text, [](char c) { return std::string_view("KUHGgEDSpt").find(c) != std::string_view::npos; });
}

// The module in "(/usr/lib/libc.so.6)" at the end of a text, and its beginning there; npos: the text has none. A
// function's name may have brackets as well.
std::size_t module_begin(std::string_view text) {
    if (!text.ends_with(')')) {
        return std::string_view::npos;
    }
    if (text.starts_with(kUnknown) && text.substr(kUnknown.size()).starts_with(" (")) {
        return kUnknown.size() + 1;
    }
    // The last "+0x17 (" is certain.
    for (std::size_t at = text.rfind("+0x"); at != std::string_view::npos && at > 0; at = text.rfind("+0x", at - 1)) {
        std::size_t end = at + 3;
        while (end < text.size() && is_hex(text[end])) {
            ++end;
        }
        if (end > at + 3 && text.substr(end).starts_with(" (")) {
            return end + 1;
        }
    }
    std::size_t open = 0;
    for (std::size_t at = text.size(); at-- > 0;) {
        open += text[at] == ')' ? 1U : 0U;
        if (text[at] == '(' && --open == 0) {
            return at == 0 || text[at - 1] == ' ' ? at : std::string_view::npos;
        }
    }
    return std::string_view::npos;
}

// Without "+0x17" at its end.
std::string_view without_offset(std::string_view text) {
    const std::size_t at = text.rfind("+0x");
    return at != std::string_view::npos && is_all(text.substr(at + 3), is_hex) ? text.substr(0, at) : text;
}

// What follows an address: "inner+0x17 (/usr/bin/planted)".
Frame frame_of(std::uint64_t address, std::string_view text) {
    Frame frame;
    frame.address = address;
    text = without_spaces_around(text);
    if (text.ends_with(kInlinedMark)) {
        frame.is_inlined = true;
        text = without_spaces_around(text.substr(0, text.size() - kInlinedMark.size()));
    }
    if (const std::size_t at = module_begin(text); at != std::string_view::npos) {
        frame.module = without_offset(text.substr(at + 1, text.size() - at - 2));
        text = without_spaces_around(text.substr(0, at));
    }
    frame.function = without_offset(text);
    if (frame.function == kUnknown) {
        frame.function = {};
    }
    if (frame.module == kUnknown) {
        frame.module = {};
    }
    frame.is_kernel = frame.module.empty() ? is_kernel_address(address) : is_kernel_module(frame.module);
    return frame;
}

// What follows the time: the event, and either nothing more or the frame, with fields of other kinds before it.
void read_rest(std::string_view line, std::size_t at, ScriptHeader& to) {
    Word word = word_at(line, at);
    const Word second = word_at(line, word.end);
    if (is_all(word.text, is_digit) && (is_event(second.text) || word.width < kAddressWidth) &&
        (is_event(second.text) || word.width >= kPeriodWidth)) {
        to.period = whole_number<std::uint64_t>(word.text).value_or(0);
        at = word.end;
        word = second;
    }
    if (is_event(word.text)) {
        to.event = word.text.substr(0, word.text.size() - 1);
        at = word.end;
    }
    // The frame's address has neither another one nor a description of a memory access after it.
    Word address;
    bool is_first = true;
    for (word = word_at(line, at); !word.text.empty(); word = word_at(line, word.end)) {
        const Word next = word_at(line, word.end);
        // Of text whose spaces were changed, behind a time alone: other text as well has such words.
        const bool is_narrow_address = is_first && to.has_time && !next.text.empty() && address_of(word.text);
        if (is_wide_address(word) || is_narrow_address) {
            address = word;
            if (!is_wide_address(next) && !next.text.starts_with('|')) {
                break;
            }
        }
        is_first = false;
    }
    const auto value = address_of(address.text);
    if (!value) {
        return;
    }
    std::size_t end = line.size();
    for (word = word_at(line, address.end); !word.text.empty(); word = word_at(line, word.end)) {
        if (is_wide_address(word)) {  // a further field, as of --phys-data
            end = word.begin;
            break;
        }
    }
    to.has_frame = true;
    to.frame = frame_of(*value, line.substr(address.end, end - address.end));
    to.is_bare_address = without_spaces_around(line.substr(address.end, end - address.end)).empty();
}

// What precedes the time, from the last of these words backwards.
void read_before_time(std::string_view line, std::span<const Word> words, ScriptHeader& to) {
    if (words.size() > 1 && is_mode(words.back().text) &&
        (processor_of(words[words.size() - 2].text) || task_of(words[words.size() - 2].text))) {
        words = words.first(words.size() - 1);
    }
    if (!words.empty()) {
        if (const auto processor = processor_of(words.back().text)) {
            to.cpu = *processor;
            words = words.first(words.size() - 1);
        }
    }
    if (!words.empty()) {
        if (const auto task = task_of(words.back().text)) {
            to.tid = *task;
            words = words.first(words.size() - 1);
        } else if (read_tasks(words.back().text, to)) {
            words = words.first(words.size() - 1);
        }
    }
    if (!words.empty()) {
        to.comm = line.substr(words.front().begin, words.back().end - words.front().begin);
    }
}

// Without a time: the first word that can only be a field other than the name. False: there is none.
bool read_timeless(std::string_view line, std::span<const Word> words, ScriptHeader& to) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        const Word& word = words[i];
        const auto set_comm = [&](std::size_t count) {
            to.comm =
                count == 0 ? std::string_view() : line.substr(words[0].begin, words[count - 1].end - words[0].begin);
        };
        const bool is_tasks = read_tasks(word.text, to);
        const bool is_task = is_all(word.text, is_digit) && word.width >= kLeastThreadWidth &&
                             word.width <= kMostThreadWidth && task_of(word.text);
        if (is_tasks || is_task) {
            to.tid = is_tasks ? to.tid : *task_of(word.text);
            set_comm(i);
            std::size_t at = word.end;
            if (i + 1 < words.size()) {
                if (const auto processor = processor_of(words[i + 1].text)) {
                    to.cpu = *processor;
                    at = words[i + 1].end;
                }
            }
            read_rest(line, at, to);
            return true;
        }
        if (const auto processor = processor_of(word.text)) {
            to.cpu = *processor;
            set_comm(i);
            read_rest(line, word.end, to);
            return true;
        }
        const bool is_period =
            is_all(word.text, is_digit) && word.width >= kPeriodWidth && word.width < kAddressWidth;
        if (is_period || is_event(word.text) || is_wide_address(word)) {
            set_comm(i);
            read_rest(line, word.end - word.width + (i == 0 ? 1 : 0), to);
            return true;
        }
    }
    return false;
}

}  // namespace

std::optional<ScriptHeader> read_script_header(std::string_view line) {
    // A thread's name has at most 15 bytes, so 8 words.
    std::array<Word, 16> words;
    std::size_t count = 0;
    ScriptHeader header;
    for (Word word = word_at(line, 0); !word.text.empty() && count < words.size(); word = word_at(line, word.end)) {
        if (const auto time = time_of(word.text)) {
            header.time = *time;
            header.has_time = true;
            read_before_time(line, std::span(words).first(count), header);
            read_rest(line, word.end, header);
            return header;
        }
        words[count++] = word;
    }
    if (line.starts_with('#') || !read_timeless(line, std::span(words).first(count), header)) {
        return std::nullopt;
    }
    return header;
}

std::optional<Frame> read_script_frame(std::string_view line) {
    const Word first = word_at(line, 0);
    const auto address = address_of(first.text);
    return address ? std::optional(frame_of(*address, line.substr(first.end))) : std::nullopt;
}

std::optional<ScriptPlace> read_script_place(std::string_view line) {
    if (!line.starts_with("  ")) {
        return std::nullopt;
    }
    line = without_spaces_around(line);
    ScriptPlace place;
    if (line.ends_with(kInlinedMark)) {
        place.is_inlined = true;
        line = without_spaces_around(line.substr(0, line.size() - kInlinedMark.size()));
    }
    // One line may hold several code paths: "a.c:4 (discriminator 2)".
    if (const std::size_t at = line.rfind(" (discriminator "); at != std::string_view::npos && line.ends_with(')')) {
        line = line.substr(0, at);
    }
    if (line.empty()) {
        return std::nullopt;
    }
    const std::size_t colon = line.rfind(':');
    const auto number =
        colon == std::string_view::npos ? std::nullopt : whole_number<std::uint32_t>(line.substr(colon + 1));
    if (number && *number > 0) {
        place.file = line.substr(0, colon);
        place.line = *number;
    }
    return place;
}

std::optional<ScriptRecord> read_script_record(std::string_view line) {
    const std::size_t at = line.find(" PERF_RECORD_");
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    ScriptRecord record;
    constexpr std::string_view kLost = " lost ";
    line = line.substr(at + 1);
    if (const std::size_t lost = line.find(kLost);
        line.starts_with("PERF_RECORD_LOST") && lost != std::string_view::npos) {
        record.lost = whole_number<std::uint64_t>(word_at(line, lost + kLost.size()).text).value_or(0);
    }
    return record;
}

}  // namespace kymo::import::named
