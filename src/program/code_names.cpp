#include "program/code_names.h"

#include "base/clean_text.h"

#include <filesystem>

namespace kymo::program {

std::uint32_t CodeNames::file(std::string_view path) {
    if (path.empty()) {
        return 0;
    }
    const auto [entry, is_new] =
        file_numbers_.try_emplace(std::string(path), static_cast<std::uint32_t>(files_.size()));
    if (is_new) {
        // Compilers join directory and name without normalising: "/src/build/../lib/a.cpp".
        files_.push_back(clean_text(std::filesystem::path(path).lexically_normal().string()));
    }
    return entry->second;
}

std::uint32_t CodeNames::function(Function function) {
    if (!is_clean_text(function.name)) {
        function.name = clean_text(function.name);
    }
    // Two static functions of one name in different files are different functions.
    std::string key = function.name;
    key += '\0';
    key += function.module;
    key += '\0';
    key += files_[function.file];
    key += '\0';
    key += std::to_string(function.line);
    const auto [entry, is_new] =
        function_numbers_.try_emplace(std::move(key), static_cast<std::uint32_t>(functions_.size()));
    if (is_new) {
        functions_.push_back(std::move(function));
    }
    return entry->second;
}

}  // namespace kymo::program
