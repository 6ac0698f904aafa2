// A verb's options for other uses than --help: as a manual page, and as a list for shells' completion.
// Both are made from the source of --help.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::cli {

// `kymo VERB --help-man` and `kymo VERB --help-options` print these.
inline constexpr std::string_view kHelpMan = "--help-man";
inline constexpr std::string_view kHelpOptions = "--help-options";

// Roff for man(1), of `kymo VERB`.
std::string man_page(const CLI::App& options);
// A line an option: its long name (the short one if it has no other), a tab, its purpose.
std::string option_list(const CLI::App& options);

// The page of a program or verb that has only text: its usage unchanged.
struct ManText {
    std::string name;     // "kymo", "kymo gpu"
    std::string summary;  // in a line
    std::string usage;
    std::vector<std::string> see;  // "kymo-record"
};
std::string man_page(const ManText& page);

}  // namespace kymo::cli
