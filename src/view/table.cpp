#include "view/table.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace kymo::view {

namespace {

std::string note(const Style& style, const std::vector<std::string>& phrases, std::size_t indent) {
    std::vector<std::string> lines;
    const auto add = [&](const std::string& words) {
        if (lines.empty() || columns(lines.back()) + 1 + columns(words) > style.width) {
            lines.push_back(std::string(indent, ' ') + words);
        } else {
            lines.back() += " " + words;
        }
    };
    for (const std::string& phrase : phrases) {
        if (indent + columns(phrase) <= style.width) {
            add(phrase);
            continue;
        }
        std::istringstream words(phrase);
        for (std::string word; words >> word;) {
            add(word);
        }
    }
    std::string out;
    for (const std::string& line : lines) {
        out += paint(style, Ink::kDim, cut_end(style, line, style.width)) + "\n";
    }
    return out;
}

Table in_ascii(const Style& style, Table table) {
    for (auto& row : table.rows) {
        for (Cell& cell : row) {
            cell.text = with_signs(style, std::move(cell.text));
        }
    }
    for (auto& phrases : table.notes) {
        for (std::string& phrase : phrases) {
            phrase = with_signs(style, std::move(phrase));
        }
    }
    return table;
}

}  // namespace

std::string render(const Style& style, const Table& given, std::size_t indent) {
    const Table table = style.unicode ? given : in_ascii(style, given);
    constexpr std::size_t kGap = 2;
    constexpr std::size_t kNoteIndent = 4;
    const std::size_t figures = table.headings.size() - 1;
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < figures; ++i) {
        std::size_t width = columns(table.headings[i]);
        for (const auto& row : table.rows) {
            width = std::max(width, columns(row[i].text));
        }
        widths.push_back(width);
    }
    std::string out;
    const auto line = [&](const auto& figure, const std::vector<Cell>& free) {
        std::size_t used = indent;
        std::string text(indent, ' ');
        for (std::size_t i = 0; i < figures; ++i) {
            const Cell cell = figure(i);
            text += std::string(widths[i] - columns(cell.text), ' ') + paint(style, cell.ink, cell.text);
            text += std::string(kGap, ' ');
            used += widths[i] + kGap;
        }
        std::size_t room = style.width > used ? style.width - used : 0;
        room = std::max<std::size_t>(room, 12);
        for (const Cell& cell : free) {
            const std::string piece = cut_end(style, cell.text, room);
            text += paint(style, cell.ink, piece);
            room -= std::min(room, columns(piece));
            if (piece != cell.text || room == 0) {
                break;
            }
        }
        while (!text.empty() && text.back() == ' ') {
            text.pop_back();
        }
        out += text + "\n";
    };
    line([&](std::size_t i) { return Cell{table.headings[i], Ink::kDim}; }, {{table.headings.back(), Ink::kDim}});
    for (std::size_t at = 0; at < table.rows.size(); ++at) {
        const auto& row = table.rows[at];
        line([&](std::size_t i) { return row[i]; }, {row.begin() + static_cast<std::ptrdiff_t>(figures), row.end()});
        if (at < table.notes.size() && !table.notes[at].empty()) {
            out += note(style, table.notes[at], indent + kNoteIndent);
        }
    }
    return out;
}

}  // namespace kymo::view
