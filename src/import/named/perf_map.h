// Names that a just-in-time compiler gave its code: the lines of a perf-PID.map, as Node, Java, .NET and Python write
// them ("STARThex SIZEhex name").
//
// Only functions with wanted addresses are kept, so that memory does not grow with the file. The lines have no times:
// where code was replaced by other code at the same place, the later line counts for both.
#pragma once

#include "base/result.h"
#include "import/named/input.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::import::named {

// A function, or a part of it: functions do not overlap.
struct GeneratedFunction {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::string_view name;  // bytes of the file: not fit to be printed as they are
};

// Not thread-safe. Memory: the wanted addresses, and one name for each of them at most.
class PerfMap {
  public:
    static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 29U;  // worth reading of a file
    static constexpr std::size_t kMostNameBytes = 4'096;                  // of a function; it is cut

    // Ascending, each once.
    explicit PerfMap(std::vector<std::uint64_t> wanted) : wanted_(std::move(wanted)) {}

    // One line without its end. Lines that make no sense, and functions without bytes or name, are passed over.
    void add(std::string_view line);
    // All of an input. Error: the input's.
    Result<void> read(Input& input);

    // In the order of addresses; valid as long as this lives and nothing is added.
    std::vector<GeneratedFunction> functions() const;
    // Wanted addresses that have a function.
    std::size_t named() const;

  private:
    struct Function {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        std::string name;
    };
    struct Part {
        std::size_t end = 0;  // of wanted_, as the key
        std::shared_ptr<const Function> function;
    };

    std::vector<std::uint64_t> wanted_;
    std::map<std::size_t, Part> parts_;  // of wanted_, by their beginnings
};

}  // namespace kymo::import::named
