// Sections of the file behind a module, by name or by address.
#pragma once

#include <cstdint>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kymo::program {

struct Section {
    std::string name;
    std::uint64_t address = 0;            // image offset of its first byte
    std::span<const std::uint8_t> bytes;  // empty where the file has none (a separate debug file)
    std::uint32_t type = 0;               // SHT_*
    std::uint64_t flags = 0;              // SHF_*
};

// Borrow from the module; valid as long as it is.
std::optional<Section> section_named(Dwfl_Module* module, const char* name);
std::optional<Section> section_at(Dwfl_Module* module, std::uint64_t offset);
// Those that are loaded with the image, in the file's order.
std::vector<Section> loaded_sections(Dwfl_Module* module);

}  // namespace kymo::program
