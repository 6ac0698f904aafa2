// Values of a program's data by their names in the source: global variables, static ones, thread-local ones, members,
// elements, parameters at a function's entry; from debug information (DWARF 4 and 5).
//
// A name means, in this order: a parameter of the function that is entered; a variable of its source file; any
// variable of that name in the program and its libraries, if there is one. A library's variable that the program has
// a copy of, or another image defines before it, is that one, as for the dynamic linker.
//
// Never throws for what a file contains. Not thread-safe. Cost: opening an image's debug information when a name is
// first looked for in it, then one walk over its units' top level for each name (about 100 ns an entry).
#pragma once

#include "program/data/data_path.h"
#include "program/data/data_place.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <variant>

namespace kymo::program {

// From where a name is meant.
struct DataScope {
    std::size_t image = 0;     // of the finder's
    std::uint64_t offset = 0;  // in it: a function's entry, or any place
    bool at_entry = false;     // parameters can be named
};

class DataFinder {
  public:
    // `images`: in the order in which the dynamic linker looks for symbols, the program first.
    explicit DataFinder(std::span<const std::filesystem::path> images);
    ~DataFinder();
    DataFinder(const DataFinder&) = delete;
    DataFinder& operator=(const DataFinder&) = delete;

    // Its place, or why there is none that can be read, in one line.
    std::variant<DataPlace, std::string> find(const DataPath& path, const DataScope& scope);
    const std::filesystem::path& image(std::size_t index) const;

  private:
    struct Image;
    struct Search;
    std::vector<std::unique_ptr<Image>> images_;
};

}  // namespace kymo::program
