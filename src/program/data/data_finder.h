// Values of a program's data by their names in the source: global variables, static ones, thread-local ones, members,
// elements, parameters at a function's entry; from debug information (DWARF 4 and 5).
//
// A name means, in this order: a parameter of the function that is entered; a variable of its source file; any
// variable of that name in the program and its libraries, if there is one. Where the source hides such a variable (by
// a local one, by a parameter where parameters cannot be read, by a member of the object), the name is refused. A
// library's variable that the program has a copy of, or another image defines before it, is that one, as for the
// dynamic linker.
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

// The reason why there is no readable place, in one line.
struct NoData {
    std::string reason;
    bool is_unknown = false;  // there is nothing of that name
};

class DataFinder {
  public:
    // `images`: in the dynamic linker's search order, the program first.
    explicit DataFinder(std::span<const std::filesystem::path> images);
    ~DataFinder();
    DataFinder(const DataFinder&) = delete;
    DataFinder& operator=(const DataFinder&) = delete;

    std::variant<DataPlace, NoData> find(const DataPath& path, const DataScope& scope);
    const std::filesystem::path& image(std::size_t index) const;

  private:
    struct Image;
    struct Search;
    std::vector<std::unique_ptr<Image>> images_;
};

}  // namespace kymo::program
