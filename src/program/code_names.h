// What one worker of symbolize() finds: names by number, before the workers' answers are put together.
#pragma once

#include "program/symbols.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kymo::program {

// Functions and files, each once, their names fit to be shown. Not thread-safe: one a worker.
class CodeNames {
  public:
    std::uint32_t file(std::string_view path);
    std::uint32_t function(Function function);

    const std::vector<Function>& functions() const { return functions_; }
    const std::vector<std::string>& files() const { return files_; }

    std::vector<Function> take_functions() && { return std::move(functions_); }
    std::vector<std::string> take_files() && { return std::move(files_); }

  private:
    std::vector<Function> functions_{1};
    std::vector<std::string> files_{1};
    std::unordered_map<std::string, std::uint32_t> file_numbers_;
    std::unordered_map<std::string, std::uint32_t> function_numbers_;
};

// One offset to be named, and what was found.
struct Wanted {
    std::uint64_t offset = 0;
    std::vector<Frame> frames;  // outermost first; empty: nothing known yet
    std::uint32_t file = 0;     // from the line table where no function is known
    std::uint32_t line = 0;
};

}  // namespace kymo::program
