// Sections of the file behind a module, by name or by address.
#pragma once

#include <cstdint>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <optional>
#include <span>
#include <string>

namespace kymo::program {

struct Section {
    std::string name;
    std::uint64_t address = 0;            // image offset of its first byte
    std::span<const std::uint8_t> bytes;  // empty where the file has none (a separate debug file)
};

// Borrow from the module; valid as long as it is.
std::optional<Section> section_named(Dwfl_Module* module, const char* name);
std::optional<Section> section_at(Dwfl_Module* module, std::uint64_t offset);

}  // namespace kymo::program
