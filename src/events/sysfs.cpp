#include "events/sysfs.h"

#include "base/line_words.h"
#include "events/generic.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fstream>

namespace kymo::events {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> read_line(const fs::path& path) {
    std::ifstream file(path);
    std::string text(4096, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (file.gcount() <= 0) {
        return std::nullopt;
    }
    text.resize(static_cast<std::size_t>(file.gcount()));
    text.resize(std::min(text.find('\n'), text.size()));
    return text;
}

std::optional<std::uint64_t> parse_value(std::string_view text) {
    int base = 10;
    if (text.starts_with("0x") || text.starts_with("0X")) {
        text.remove_prefix(2);
        base = 16;
    }
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc{} || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return value;
}

// A name that is one path component and nothing else.
bool is_component(std::string_view name) {
    return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos &&
           name.find('\0') == std::string_view::npos;
}

Error unknown(std::string_view name, const std::string& why, std::string next) {
    return {ErrorKind::kUnknownEvent, "no such event: " + std::string(name) + " (" + why + ")", std::move(next)};
}

std::string list_folder(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    std::string text;
    for (const std::string& name : names) {
        text += (text.empty() ? "" : ", ") + name;
    }
    return text;
}

class Device {
  public:
    static Result<Device> open(std::string_view whole, std::string_view name, const fs::path& devices) {
        const fs::path folder = devices / std::string(name);
        const auto text = is_component(name) ? read_line(folder / "type") : std::nullopt;
        const auto type = text ? parse_value(*text) : std::nullopt;
        if (!type || *type > UINT32_MAX) {
            return unknown(whole, "no device " + std::string(name),
                           "the devices of this machine are: " + list_folder(devices));
        }
        if (std::error_code ignored; fs::exists(folder / "cpumask", ignored)) {
            return Error{ErrorKind::kUnsupported,
                         std::string(whole) + " counts for the whole machine or socket, not for a thread",
                         "use an event of the processor's own counters (kymo doctor --events)"};
        }
        return Device(folder, static_cast<std::uint32_t>(*type));
    }

    [[nodiscard]] std::uint32_t type() const { return type_; }

    Result<void> apply_terms(std::string_view whole, std::string_view terms, SessionEvent& event,
                             int depth = 0) const {
        while (!terms.empty()) {
            std::string_view term = take_until(terms, ',');
            const std::string_view key = take_until(term, '=');
            // A term without '=' is an event of the device, or a one-bit flag.
            const auto value = term.empty() ? std::optional<std::uint64_t>(1) : parse_value(term);
            if (!value) {
                return Error{ErrorKind::kUsage, std::string(whole) + ": '" + std::string(term) + "' is not a number",
                             "values are decimal or 0x…"};
            }
            if (auto applied = apply_term(whole, key, *value, term.empty() && depth == 0, event); !applied) {
                return applied;
            }
        }
        return {};
    }

  private:
    Device(fs::path folder, std::uint32_t type) : folder_(std::move(folder)), type_(type) {}

    Result<void> apply_term(std::string_view whole, std::string_view key, std::uint64_t value, bool may_be_event,
                            SessionEvent& event) const {
        if (key == "config") {
            event.config = value;
            return {};
        }
        if (key == "config1") {
            event.config1 = value;
            return {};
        }
        if (key == "config2") {
            event.config2 = value;
            return {};
        }
        if (!is_component(key)) {
            return unknown(whole, "an empty or malformed term",
                           "terms are separated by commas: cpu/event=0x3c,umask=0x0/");
        }
        if (may_be_event) {
            if (const auto terms = read_line(folder_ / "events" / std::string(key))) {
                return apply_terms(whole, *terms, event, 1);
            }
        }
        const auto format = read_line(folder_ / "format" / std::string(key));
        if (!format) {
            return unknown(
                whole, "no event or term " + std::string(key),
                "events: " + list_folder(folder_ / "events") + "; terms: " + list_folder(folder_ / "format"));
        }
        if (!apply_format(*format, value, event)) {
            return Error{ErrorKind::kUsage,
                         std::string(whole) + ": the value of " + std::string(key) + " is too large",
                         "its bits are " + *format};
        }
        return {};
    }

    fs::path folder_;
    std::uint32_t type_;
};

// The devices of the processor's own counters: cpu, cpu_core and cpu_atom, armv8_…
bool is_processor_device(const std::string& name) {
    return name == "cpu" || name.starts_with("cpu_") || name.starts_with("armv");
}

std::vector<std::string> device_names(const fs::path& devices) {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(devices, ignored)) {
        names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace

bool apply_format(std::string_view format, std::uint64_t value, SessionEvent& event) {
    std::string_view ranges = format;
    const std::string_view word = take_until(ranges, ':');
    std::uint64_t* target = nullptr;
    if (word == "config") {
        target = &event.config;
    } else if (word == "config1") {
        target = &event.config1;
    } else if (word == "config2") {
        target = &event.config2;
    } else {
        return false;
    }
    if (ranges.empty()) {
        return false;
    }
    std::uint64_t result = *target;
    while (!ranges.empty()) {
        std::string_view range = take_until(ranges, ',');
        const auto low = parse_value(take_until(range, '-'));
        const auto high = range.empty() ? low : parse_value(range);
        if (!low || !high || *low > *high || *high > 63) {
            return false;
        }
        const std::uint64_t width = *high - *low + 1;
        const std::uint64_t mask = width == 64 ? UINT64_MAX : (std::uint64_t{1} << width) - 1;
        result = (result & ~(mask << *low)) | (value & mask) << *low;
        value = width == 64 ? 0 : value >> width;
    }
    if (value != 0) {
        return false;
    }
    *target = result;
    return true;
}

bool is_device_form(std::string_view name) {
    const std::size_t slash = name.find('/');
    return slash != std::string_view::npos && slash != 0 && name.size() > slash + 1 && name.back() == '/';
}

Result<SessionEvent> device_event(std::string_view name, const fs::path& devices) {
    std::string_view terms = name;
    const std::string_view device_name = take_until(terms, '/');
    terms.remove_suffix(terms.empty() ? 0 : 1);
    const auto device = Device::open(name, device_name, devices);
    if (!device) {
        return device.error();
    }
    SessionEvent event;
    set_name(event, name);
    event.type = device->type();
    if (auto applied = device->apply_terms(name, terms, event); !applied) {
        return applied.error();
    }
    return event;
}

std::optional<SessionEvent> bare_device_event(std::string_view name, const fs::path& devices) {
    if (!is_component(name)) {
        return std::nullopt;
    }
    for (const std::string& device : device_names(devices)) {
        std::error_code ignored;
        if (is_processor_device(device) && fs::exists(devices / device / "events" / std::string(name), ignored)) {
            if (auto event = device_event(device + "/" + std::string(name) + "/", devices)) {
                set_name(*event, name);
                return *event;
            }
        }
    }
    return std::nullopt;
}

std::vector<std::string> device_event_names(const fs::path& devices) {
    std::vector<std::string> names;
    for (const std::string& device : device_names(devices)) {
        std::error_code ignored;
        for (const auto& entry : fs::directory_iterator(devices / device / "events", ignored)) {
            const std::string event = entry.path().filename();
            if (!event.ends_with(".scale") && !event.ends_with(".unit") && !event.ends_with(".snapshot")) {
                names.push_back(fmt::format("{}/{}/", device, event));
            }
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace kymo::events
