#include "cli/help/option_list.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::cli {
namespace {

// Escapes roff's markup: backslashes, dots and quotes that begin a line, hyphens that are to be copied.
std::string roff(std::string_view text) {
    std::string out;
    bool is_begin = true;
    for (const char letter : text) {
        if (is_begin && (letter == '.' || letter == '\'')) {
            out += "\\&";
        }
        out += letter == '\\' ? std::string("\\e") : letter == '-' ? std::string("\\-") : std::string(1, letter);
        is_begin = letter == '\n';
    }
    return out;
}

std::string upper(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char letter) { return std::toupper(letter); });
    return text;
}

// "kymo gpu run" → "kymo-gpu-run".
std::string man_page_name(std::string name) {
    std::replace(name.begin(), name.end(), ' ', '-');
    return name;
}

std::string head(const std::string& name, std::string summary) {
    while (summary.ends_with('.')) {
        summary.pop_back();
    }
    return fmt::format(".TH {} 1 \"\" \"kymo {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n",
                       upper(man_page_name(name)), KYMO_VERSION, man_page_name(name), roff(summary));
}

std::string verbatim(std::string_view text) {
    return fmt::format(".nf\n{}.fi\n", roff(text));
}

// The usage as in --help, without the word before it: up to the first empty line.
std::string usage_of(const CLI::App& options) {
    std::string help = options.help();
    const std::size_t begin = std::min(help.find("sage: "), help.size());
    help.erase(0, std::min(begin + std::string_view("sage: ").size(), help.size()));
    return help.substr(0, help.find("\n\n"));
}

// "UINT:INT in [1 - 10]" → "UINT": the help text gives the range in words.
std::string value_name(const CLI::Option& option) {
    const std::string& name = option.get_type_name();
    return name.substr(0, name.find(':'));
}

bool is_shown(const CLI::Option& option) {
    return !option.get_group().empty() && !option.get_name(false, true).empty();
}

}  // namespace

std::string man_page(const CLI::App& options) {
    const std::string& name = options.get_name();
    const std::string whole = options.get_description();
    // The page's one line is the description's first sentence.
    const std::size_t end = whole.find(". ");
    std::string page = head(name, whole.substr(0, end));
    std::string positionals;
    std::string list;
    for (const CLI::Option* const option : options.get_options()) {
        if (!is_shown(*option)) {
            continue;
        }
        const bool is_positional = option->get_positional();
        const std::string value = option->get_expected_max() > 0 && !is_positional && option->get_type_size() != 0
                                      ? " \\fI" + roff(value_name(*option)) + "\\fR"
                                      : "";
        const std::string label = is_positional ? "\\fI" + roff(option->get_name()) + "\\fR"
                                                : "\\fB" + roff(option->get_name(false, true)) + "\\fR";
        (is_positional ? positionals : list) +=
            fmt::format(".TP\n{}{}\n{}\n", label, value, roff(option->get_description()));
    }
    const std::string usage = usage_of(options);
    page += ".SH SYNOPSIS\n" + verbatim(usage + "\n");
    page += ".SH DESCRIPTION\n" + roff(whole) + "\n";
    page += positionals;
    page += ".SH OPTIONS\n" + list;
    if (const std::string footer = options.get_footer(); !footer.empty()) {
        page += ".SH NOTES AND EXAMPLES\n" + verbatim(footer.ends_with('\n') ? footer : footer + "\n");
    }
    return page + ".SH SEE ALSO\n\\fBkymo\\fR(1)\n";
}

std::string man_page(const ManText& page) {
    std::string see;
    for (const std::string& other : page.see) {
        see += fmt::format("{}\\fB{}\\fR(1)", see.empty() ? "" : ", ", roff(other));
    }
    return head(page.name, page.summary) + ".SH SYNOPSIS\n" + verbatim(page.usage) + ".SH SEE ALSO\n" + see + "\n";
}

std::string option_list(const CLI::App& options) {
    std::string list;
    for (const CLI::Option* const option : options.get_options()) {
        const auto& longs = option->get_lnames();
        const auto& shorts = option->get_snames();
        if (!is_shown(*option) || (longs.empty() && shorts.empty())) {
            continue;
        }
        std::string what = option->get_description();
        std::replace(what.begin(), what.end(), '\n', ' ');
        list += fmt::format("{}\t{}\n", longs.empty() ? "-" + shorts[0] : "--" + longs[0], what);
    }
    return list;
}

}  // namespace kymo::cli
