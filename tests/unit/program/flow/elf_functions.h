// The functions of an installed ELF file's symbol tables with their bytes, for tests against real code. Little-endian
// 64-bit files only; trusts the file.
#pragma once

#include "program/flow/code_bytes.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace kymo::program {

struct ElfFunction {
    std::string name;
    std::uint64_t address = 0;
    std::span<const std::uint8_t> bytes;
};

class ElfFunctions {
  public:
    explicit ElfFunctions(const std::filesystem::path& path) {
        std::ifstream in(path, std::ios::binary);
        file_.assign(std::istreambuf_iterator<char>(in), {});
        if (file_.size() < sizeof(Elf64_Ehdr)) {
            return;
        }
        const auto header = at<Elf64_Ehdr>(0);
        std::vector<Elf64_Shdr> sections(header.e_shnum);
        std::memcpy(sections.data(), &file_[header.e_shoff], header.e_shnum * sizeof(Elf64_Shdr));
        for (const Elf64_Shdr& section : sections) {
            if ((section.sh_flags & SHF_ALLOC) != 0 && section.sh_type == SHT_PROGBITS) {
                data_.push_back({section.sh_addr, std::span(file_).subspan(section.sh_offset, section.sh_size)});
                if ((section.sh_flags & (SHF_WRITE | SHF_EXECINSTR)) == 0) {
                    constants_.push_back(data_.back());
                }
            }
        }
        const CodeBytes all(data_);
        for (const Elf64_Shdr& section : sections) {
            if (section.sh_type != SHT_DYNSYM && section.sh_type != SHT_SYMTAB) {
                continue;
            }
            for (std::uint64_t i = 0; i < section.sh_size / sizeof(Elf64_Sym); ++i) {
                const auto symbol = at<Elf64_Sym>(section.sh_offset + i * sizeof(Elf64_Sym));
                const auto bytes = all.from(symbol.st_value);
                if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_size > 0 &&
                    bytes.size() >= symbol.st_size) {
                    const char* name =
                        reinterpret_cast<const char*>(&file_[sections[section.sh_link].sh_offset + symbol.st_name]);
                    functions_.push_back({name, symbol.st_value, bytes.first(symbol.st_size)});
                }
            }
        }
        std::stable_sort(functions_.begin(), functions_.end(),
                         [](const auto& a, const auto& b) { return a.address < b.address; });
        const auto same = [](const auto& a, const auto& b) { return a.address == b.address; };
        functions_.erase(std::unique(functions_.begin(), functions_.end(), same), functions_.end());
    }

    const std::vector<ElfFunction>& functions() const { return functions_; }
    const ElfFunction* named(const std::string& name) const {
        const auto found =
            std::find_if(functions_.begin(), functions_.end(), [&](const auto& f) { return f.name == name; });
        return found == functions_.end() ? nullptr : &*found;
    }
    CodeBytes data() const { return CodeBytes(data_); }
    CodeBytes constants() const { return CodeBytes(constants_); }

  private:
    template <typename T>
    T at(std::uint64_t offset) const {
        T value;
        std::memcpy(&value, &file_.at(offset), sizeof value);
        return value;
    }
    std::vector<std::uint8_t> file_;
    std::vector<CodeRange> data_;
    std::vector<CodeRange> constants_;
    std::vector<ElfFunction> functions_;
};

}  // namespace kymo::program
