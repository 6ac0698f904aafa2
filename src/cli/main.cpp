// kymo VERB …, or kymo PROGRAM …: record and report.
#include "base/clean_text.h"
#include "base/namespaces/time_namespace.h"
#include "base/system_clock.h"
#include "cli/help/option_list.h"
#include "cli/help/version.h"
#include "cli/verbs.h"
#include "events/suggest.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <utility>

namespace kymo::cli {
namespace {

std::vector<Verb>& registry() {
    static std::vector<Verb> list;
    return list;
}

std::string help_text() {
    std::string text =
        "Kymo shows where a parallel program spends its time, and why.\n\n"
        "usage: kymo VERB [OPTIONS] …\n"
        "       kymo PROGRAM ARGUMENTS…      record the program, then report\n"
        "       kymo -- PROGRAM …            the same, for a program named like a verb\n\nverbs:\n";
    for (const Verb& verb : verbs()) {
        text += fmt::format("  {:<10}{}\n", verb.name, verb.summary);
    }
    text +=
        "\noptions:\n  --help     this text; kymo VERB --help explains a verb\n  --version  the "
        "version\n\nexamples:\n"
        "  kymo ./my_program input.dat\n"
        "  kymo record -e page-faults:period=1 -o faults.kymo -- ./my_program\n"
        "  kymo doctor\n";
    return text;
}

void print_help() {
    std::fputs(help_text().c_str(), stdout);
}

// As for a verb (option_list.h): its verbs are the program's options.
void print_for_others(std::string_view what) {
    ManText page{"kymo", "show where a parallel program spends its time, and why", help_text(), {}};
    std::string list;
    for (const Verb& verb : verbs()) {
        list += fmt::format("{}\t{}\n", verb.name, verb.summary);
        page.see.push_back("kymo-" + std::string(verb.name));
    }
    std::fputs((what == kHelpMan ? man_page(page) : list).c_str(), stdout);
}

// Records with the recording's name chosen here, so that the report finds it.
int record_and_report(int argc, char** argv) {
    const Verb* record = find_verb("record");
    std::vector<char*> arguments;
    char name[] = "record";
    char then_report[] = "--then-report";
    char end_of_options[] = "--";
    arguments.push_back(name);
    arguments.push_back(then_report);
    arguments.push_back(end_of_options);
    arguments.insert(arguments.end(), argv, argv + argc);
    arguments.push_back(nullptr);
    return record->run(static_cast<int>(arguments.size()) - 1, arguments.data());
}

bool is_program(const std::string& name) {
    if (name.find('/') != std::string::npos) {
        return true;  // record reports a missing one, with a better error
    }
    const char* path = std::getenv("PATH");
    std::string_view folders = path != nullptr ? path : "/usr/bin:/bin";
    while (!folders.empty()) {
        const std::size_t colon = std::min(folders.find(':'), folders.size());
        const std::string candidate = std::string(folders.substr(0, colon)) + "/" + name;
        if (access(candidate.c_str(), X_OK) == 0) {
            return true;
        }
        folders.remove_prefix(std::min(colon + 1, folders.size()));
    }
    return access(name.c_str(), F_OK) == 0;
}

int unknown_verb(const std::string& name) {
    std::vector<std::string> known;
    std::string all;
    for (const Verb& verb : verbs()) {
        known.emplace_back(verb.name);
        all += (all.empty() ? "" : ", ") + std::string(verb.name);
    }
    std::string next = "the verbs are " + all + "; see kymo --help";
    if (const auto near = events::nearest(name, known, 1); !near.empty()) {
        next = "did you mean kymo " + near.front() + "? " + next;
    }
    return fail({ErrorKind::kUsage, "'" + name + "' is neither a verb nor a program", next});
}

bool is_recording(std::string_view word) {
    constexpr std::string_view kEnding = ".kymo";
    while (word.ends_with('/')) {
        word.remove_suffix(1);
    }
    return word.ends_with(kEnding);
}

// The recording that follows a word which is not a verb: the user meant a verb, even if a program has that name.
const char* meant_recording(int argc, char** argv) {
    if (std::strchr(argv[1], '/') != nullptr) {
        return nullptr;
    }
    char** const end = argv + argc;
    char** const dashes = std::find_if(argv + 2, end, [](const char* word) { return std::strcmp(word, "--") == 0; });
    char** const found = std::find_if(argv + 2, dashes, is_recording);
    return found == dashes ? nullptr : *found;
}

int unknown_verb_of_recording(const std::string& name, const std::string& recording) {
    std::vector<std::string> known;
    for (const Verb& verb : verbs()) {
        known.emplace_back(verb.name);
    }
    const auto near = events::nearest(name, known, 1);
    return fail({ErrorKind::kUsage, "'" + name + "' is no verb, and " + recording + " is a recording",
                 fmt::format("did you mean kymo {} {}? To record the program {}: kymo -- {} …",
                             near.empty() ? "report" : near.front(), recording, name, name)});
}

int run(int argc, char** argv) {
    if (argc < 2) {
        print_help();
        return static_cast<int>(ErrorKind::kUsage);
    }
    const std::string first = argv[1];
    if (first == "--help" || first == "-h" || (first == "help" && argc == 2)) {
        print_help();
        return 0;
    }
    if (first == kHelpMan || first == kHelpOptions) {
        print_for_others(first);
        return 0;
    }
    if (first == "--version" || first == "-V") {
        std::fputs(version_text().c_str(), stdout);
        return 0;
    }
    if (first == "--") {
        if (argc == 2) {
            return fail({ErrorKind::kUsage, "no program given", "kymo -- PROGRAM ARGUMENTS…"});
        }
        return record_and_report(argc - 2, argv + 2);
    }
    if (const Verb* verb = find_verb(first)) {
        return verb->run(argc - 1, argv + 1);
    }
    if (first.starts_with("-")) {
        return fail(
            {ErrorKind::kUsage, "no such option: " + first, "options follow the verb: kymo record " + first + " …"});
    }
    if (const char* recording = meant_recording(argc, argv)) {
        return unknown_verb_of_recording(first, recording);
    }
    return is_program(first) ? record_and_report(argc - 1, argv + 1) : unknown_verb(first);
}

}  // namespace

const std::vector<Verb>& verbs() {
    auto& list = registry();
    std::sort(list.begin(), list.end(), [](const Verb& a, const Verb& b) { return a.place < b.place; });
    return list;
}

const Verb* find_verb(std::string_view name) {
    for (const Verb& verb : verbs()) {
        if (verb.name == name) {
            return &verb;
        }
    }
    return nullptr;
}

Registration::Registration(const Verb& verb) {
    registry().push_back(verb);
}

int fail(const Error& error) {
    fmt::print(stderr, "kymo: {}\n", clean_text(error.what));
    for (const std::string& other : error.others) {
        fmt::print(stderr, "kymo: {}\n", clean_text(other));
    }
    if (!error.next.empty()) {
        fmt::print(stderr, "      {}\n", clean_text(error.next));
    }
    return static_cast<int>(error.kind);
}

void tell_uncounted(const std::vector<events::Missing>& missing) {
    for (const events::Missing& each : missing) {
        fmt::print(stderr, "kymo: {} are not counted: {}\n      {}\n", each.what, each.why, each.remedy);
    }
}

void set_usage(CLI::App& options, const std::string& usage) {
    class Formatter : public CLI::Formatter {
      public:
        explicit Formatter(std::string usage) : usage_(std::move(usage)) {}
        std::string make_usage(const CLI::App*, std::string) const override { return "usage: " + usage_ + "\n"; }

      private:
        std::string usage_;
    };
    options.formatter(std::make_shared<Formatter>(usage));
}

std::optional<int> parse_options(CLI::App& options, int argc, char** argv) {
    if (argc == 2 && (argv[1] == kHelpMan || argv[1] == kHelpOptions)) {
        std::fputs((argv[1] == kHelpMan ? man_page(options) : option_list(options)).c_str(), stdout);
        return 0;
    }
    try {
        options.parse(argc, argv);
    } catch (const CLI::Success& success) {
        return options.exit(success);  // --help
    } catch (const CLI::ParseError& mistake) {
        return fail({ErrorKind::kUsage, mistake.what(), options.get_name() + " --help shows the options"});
    }
    return std::nullopt;
}

}  // namespace kymo::cli

int main(int argc, char** argv) {
    kymo::use_system_clock();
    kymo::find_time_namespace();
    try {
        return kymo::cli::run(argc, argv);
    } catch (const std::exception& broken) {
        return kymo::cli::fail({kymo::ErrorKind::kInternal, std::string("a defect of Kymo: ") + broken.what(),
                                "please report it, with the command line"});
    }
}
