// The functions that the compiler makes of a source, for tests against code as compilers write it.
#pragma once

#include "elf_functions.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>

namespace kymo::program {

// None: this compiler refuses the options.
inline std::optional<ElfFunctions> compile_functions(std::string_view source, const std::string& options) {
    const auto folder = std::filesystem::temp_directory_path() / ("kymo-functions-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "functions.cpp") << source;
    const std::string object = (folder / "functions.so").string();
    const std::string command = std::string(KYMO_TEST_CXX) + " " + options + " -std=c++20 -fPIC -shared -o " +
                                object + " " + (folder / "functions.cpp").string() + " 2>" +
                                (folder / "log").string();
    std::optional<ElfFunctions> functions;
    if (std::system(command.c_str()) == 0) {
        functions.emplace(object);
    }
    std::filesystem::remove_all(folder);
    return functions;
}

}  // namespace kymo::program
