// A table on a terminal: right-aligned figures, then one free column that takes the rest.
#pragma once

#include "view/text.h"

#include <string>
#include <vector>

namespace kymo::view {

struct Cell {
    std::string text;
    Ink ink = Ink::kPlain;
};

struct Table {
    std::vector<std::string> headings;    // of the figures, then of the free column
    std::vector<std::vector<Cell>> rows;  // figures, then the pieces of the free column, joined without blanks
    // By row, if any: phrases below it. A line breaks between two of them if possible.
    std::vector<std::vector<std::string>> notes = {};
};

// Each line indented by `indent`. Too long free columns are cut at the end.
std::string render(const Style& style, const Table& table, std::size_t indent = 2);

}  // namespace kymo::view
