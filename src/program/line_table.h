// The line table of an image: at which addresses the statements of which source lines begin (DWARF 5, 6.2).
//
// Only rows that the compiler marks as a statement's start count, and of those that follow each other for one line,
// the first. One line may have many starts: of loops that were unrolled, functions that were inlined or instantiated.
//
// Never fails for what a file contains; a file without tables gives an empty one. Cost: about 100 ns a row of the
// file, and 16 bytes. Not thread-safe while it is made.
#pragma once

#include "program/symbolize.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::program {

struct LineRow {
    std::uint64_t offset = 0;  // in the image
    std::uint32_t file = 0;    // index of LineTable::files()
    std::uint32_t line = 0;    // 0: of no line, or the end of a sequence
    bool begins = false;       // a statement
    bool is_marked = false;    // the compiler marks the starts of statements among a line's rows
    bool operator==(const LineRow&) const = default;
};

class LineTable {
  public:
    LineTable() = default;
    static LineTable read(const ImageName& image);
    // Rows in any order of sequences; each sequence ascending and ended by a row of line 0.
    LineTable(std::vector<std::string> files, std::vector<LineRow> rows);

    const std::vector<std::string>& files() const { return files_; }
    // Files that `name` may mean: "solve.c" any file of that name, "core/solve.c" those in a folder "core", a whole
    // path itself. By index.
    std::vector<std::uint32_t> files_named(std::string_view name) const;
    // Where statements of the line begin; ascending, each once.
    std::vector<LineRow> starts(std::uint32_t file, std::uint32_t line) const;
    // The lines of the file in which statements begin; ascending.
    std::vector<std::uint32_t> lines(std::uint32_t file) const;
    // Whether the instruction at an offset belongs to the line.
    bool is_of(std::uint64_t offset, std::uint32_t file, std::uint32_t line) const;

  private:
    std::vector<std::string> files_;
    std::vector<LineRow> rows_;    // by offset; those of one offset in the order of the file
    std::vector<LineRow> starts_;  // by file, line and offset
};

}  // namespace kymo::program
