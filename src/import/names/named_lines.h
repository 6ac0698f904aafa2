// Files and lines of named functions, as debug information (DWARF 4): one unit whose functions have one line after
// another, each a byte long.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::import {

class NamedLines {
  public:
    // The function lies at [address, address + bytes). Its first offset is at `line` of `file`, each further one a
    // line on, up to `lines` of them; what follows is at the last one. Addresses ascend from call to call.
    void add(std::string_view name, std::uint64_t address, std::uint64_t bytes, std::string_view file,
             std::uint64_t line, std::uint64_t lines);

    [[nodiscard]] bool empty() const { return functions_.empty(); }

    // Contents of the sections. Cost: about a byte a line.
    struct Sections {
        std::string abbreviations;  // .debug_abbrev
        std::string information;    // .debug_info
        std::string lines;          // .debug_line
    };
    [[nodiscard]] Sections sections() const;

  private:
    struct Function {
        std::string name;
        std::uint64_t address = 0;
        std::uint64_t bytes = 0;
        std::uint64_t file = 0;  // from 1
        std::uint64_t line = 0;
        std::uint64_t lines = 0;
    };
    [[nodiscard]] std::string information() const;
    [[nodiscard]] std::string line_program() const;

    std::vector<Function> functions_;
    std::map<std::string, std::uint64_t, std::less<>> files_;  // by name: its number
    std::vector<std::string> file_names_;
};

}  // namespace kymo::import
