// A verb's options for others than people at a terminal: as a manual page, and as a list that shells complete from.
// Both are made from what --help is made from.
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
// A line an option: its long name (the short one where it has no other), a tab, what it is for.
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
