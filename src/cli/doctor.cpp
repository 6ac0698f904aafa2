// kymo doctor: what this machine can and cannot measure, why, and the remedies.
#include "cli/help/missing_parts.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "events/capabilities.h"
#include "events/names.h"
#include "view/json_text.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace kymo::cli {
namespace {

struct Look {
    const char* word;
    const char* colour;
};

Look look_of(events::Level level) {
    switch (level) {
        case events::Level::kYes:
            return {"yes", "\033[32m"};
        case events::Level::kPartly:
            return {"partly", "\033[33m"};
        case events::Level::kNo:
            break;
    }
    return {"no", "\033[31m"};
}

// Words of `text` in lines of at most `width` columns, every line but the first after `indent` blanks. Words are
// ASCII except for an occasional ellipsis, so bytes count as columns.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
    const std::size_t room = width > indent + 20 ? width - indent : 20;
    std::string result;
    std::size_t used = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        const std::size_t size = end - at;
        if (used != 0 && used + 1 + size > room) {
            result += "\n" + std::string(indent, ' ');
            used = 0;
        }
        result += (used != 0 ? " " : "") + text.substr(at, size);
        used += size + (used != 0 ? 1 : 0);
        at = end + 1;
    }
    return result;
}

void print_table(const events::Machine& machine, const std::vector<events::Capability>& rows) {
    const bool colour = use_colour(STDOUT_FILENO);
    const std::size_t width = std::max<std::size_t>(terminal_width(), 40);
    constexpr std::size_t kIndent = 10;
    std::string text = fmt::format(
        "This machine: {} processors, {}, {}{}, kernel.perf_event_paranoid {}.\nSamples come from {}.\n\n",
        machine.processors, machine.virtual_machine ? "virtual" : "no virtual machine",
        machine.root ? "root" : "ordinary user", machine.container ? ", in a container" : "",
        machine.paranoid ? std::to_string(*machine.paranoid) : std::string("absent"),
        machine.performance_events() ? "performance events" : "thread timers");
    for (const events::Capability& row : rows) {
        const Look look = look_of(row.level);
        text += fmt::format("  {}{:<8}{}{}\n", colour ? look.colour : "", look.word, colour ? "\033[0m" : "",
                            wrapped(row.title, kIndent, width));
        text += fmt::format("          {}\n", wrapped(row.detail, kIndent, width));
        if (!row.remedy.empty()) {
            text += fmt::format("          to change it: {}\n", wrapped(row.remedy, kIndent + 14, width));
        }
    }
    for (const MissingPart& part : missing_parts()) {
        text += fmt::format("  {}{:<8}{}{}\n", colour ? look_of(events::Level::kNo).colour : "", "no",
                            colour ? "\033[0m" : "", wrapped(part.what, kIndent, width));
        text += fmt::format("          {}\n",
                            wrapped(fmt::format("this build was made without: {}", part.why), kIndent, width));
        text += fmt::format(
            "          to change it: {}\n",
            wrapped(fmt::format("apt-get install {}, and build again", part.packages), kIndent + 14, width));
    }
    std::fputs(text.c_str(), stdout);
}

nlohmann::json to_json(const events::Machine& machine, const std::vector<events::Capability>& rows) {
    nlohmann::json list = nlohmann::json::array();
    for (const events::Capability& row : rows) {
        list.push_back({{"key", row.key},
                        {"title", row.title},
                        {"level", look_of(row.level).word},
                        {"detail", row.detail},
                        {"remedy", row.remedy}});
    }
    nlohmann::json object = {{"mechanism", machine.performance_events() ? "perf" : "timers"},
                             {"processors", machine.processors},
                             {"virtual_machine", machine.virtual_machine},
                             {"container", machine.container},
                             {"root", machine.root},
                             {"capabilities", list}};
    nlohmann::json missing = nlohmann::json::array();
    for (const MissingPart& part : missing_parts()) {
        missing.push_back({{"what", part.what}, {"why", part.why}, {"packages", part.packages}});
    }
    object["missing_parts"] = missing;
    object["paranoid"] = machine.paranoid ? nlohmann::json(*machine.paranoid) : nlohmann::json();
    return object;
}

nlohmann::json names_to_json(const events::KnownNames& names) {
    return {{"software", names.software},
            {"hardware", names.hardware},
            {"devices", names.devices},
            {"processor", names.processor}};
}

void print_names(const events::KnownNames& names, const events::Machine& machine) {
    const auto print = [](const std::string& title, const std::vector<std::string>& list) {
        std::string text = title + "\n";
        for (const std::string& name : list) {
            text += "  " + name + "\n";
        }
        std::fputs((list.empty() ? title + "\n  none here\n" : text).c_str(), stdout);
    };
    const std::string no_hardware =
        machine.hardware_error == 0 ? ""
                                    : " (not countable here: " + events::why_no_hardware_counters(machine).why + ")";
    print("software events:", names.software);
    print("hardware events" + no_hardware + ":", names.hardware);
    print("the kernel's devices, as DEVICE/EVENT/ or DEVICE/TERM=VALUE,…/:", names.devices);
    print("this processor's own, by libpfm:", names.processor);
    std::fputs("also: rNNNN (raw code), SYSTEM:NAME (tracepoint)\n", stdout);
}

int run_doctor(int argc, char** argv) {
    CLI::App app("Report what this machine can measure, what it cannot, why, and the command that would change it.",
                 "kymo doctor");
    set_usage(app, "kymo doctor [--json] [--events]");
    app.footer(
        "examples:\n  kymo doctor\n  kymo doctor --events          the names that -e of kymo record understands\n"
        "  kymo doctor --json | jq .mechanism\n");
    bool json = false;
    bool list_events = false;
    app.add_flag("--json", json, "print one JSON object");
    app.add_flag("--events", list_events, "list the names of events");
    if (const auto code = parse_options(app, argc, argv)) {
        return *code;
    }
    const events::Machine machine = events::probe();
    if (list_events) {
        const events::KnownNames names = events::known_names();
        if (json) {
            fmt::print("{}", view::json_text(names_to_json(names)));
        } else {
            print_names(names, machine);
        }
        return 0;
    }
    const std::vector<events::Capability> rows = events::capabilities(machine);
    if (json) {
        fmt::print("{}", view::json_text(to_json(machine, rows)));
    } else {
        print_table(machine, rows);
    }
    return 0;
}

const Registration kDoctor({"doctor", "what this machine can measure, and what would change it", 90, run_doctor});

}  // namespace
}  // namespace kymo::cli
