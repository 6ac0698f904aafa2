#include "program/symbol_names.h"

#include "base/last_at_most.h"
#include "program/demangle.h"
#include "program/elf_sections.h"
#include "program/frame_starts.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace kymo::program {
namespace {

struct Candidate {
    const char* name = nullptr;
    std::uint64_t size = 0;
    int rank = 0;
};

// Of several names for one address: a global one before a weak before a local one, and one without the
// library's own underscores.
int rank_of(const GElf_Sym& symbol, const char* name) {
    const unsigned binding = GELF_ST_BIND(symbol.st_info);
    int rank = binding == STB_GLOBAL ? 20 : binding == STB_WEAK ? 18 : 0;
    for (; *name == '_' && rank > -10; ++name) {
        rank -= 3;
    }
    return rank;
}

bool is_code(const GElf_Sym& symbol, const char* name) {
    const unsigned type = GELF_ST_TYPE(symbol.st_info);
    if (symbol.st_shndx == SHN_UNDEF || name == nullptr || *name == '\0') {
        return false;
    }
    // Assembly's labels have no type; "$x" marks data in code on ARM.
    return type == STT_FUNC || type == STT_GNU_IFUNC || (type == STT_NOTYPE && *name != '$' && *name != '.');
}

bool in_one_section(Dwfl_Module* module, std::uint64_t a, std::uint64_t b) {
    const auto first = section_at(module, a);
    const auto second = section_at(module, b);
    return first && second && first->address == second->address;
}

std::string offset_name(std::string_view module_name, std::uint64_t offset) {
    char text[32];
    std::snprintf(text, sizeof text, "+0x%llx", static_cast<unsigned long long>(offset));
    return std::string(module_name) + text;
}

void set_frame(Wanted& wanted, std::string name, std::string_view module_name, NameSource source, CodeNames& names) {
    const std::uint32_t function =
        names.function({.name = std::move(name), .module = std::string(module_name), .source = source});
    wanted.frames.push_back({.function = function, .file = wanted.file, .line = wanted.line});
}

}  // namespace

bool name_by_symbols(Dwfl_Module* module, std::string_view module_name, std::span<Wanted> wanted, CodeNames& names) {
    const int count = dwfl_module_getsymtab(module);
    std::vector<Candidate> best(wanted.size());
    struct Label {
        std::uint64_t begin;
        const char* name;
        bool open;  // no size: reaches to the next one
    };
    std::vector<Label> labels;
    bool any = false;
    for (int i = 1; i < count; ++i) {
        GElf_Sym symbol;
        GElf_Addr begin = 0;
        const char* name = dwfl_module_getsym_info(module, i, &symbol, &begin, nullptr, nullptr, nullptr);
        if (!is_code(symbol, name)) {
            continue;
        }
        any = true;
        labels.push_back({begin, name, symbol.st_size == 0});
        auto at = std::lower_bound(wanted.begin(), wanted.end(), begin,
                                   [](const Wanted& w, std::uint64_t value) { return w.offset < value; });
        const int rank = rank_of(symbol, name);
        for (; at != wanted.end() && at->offset - begin < symbol.st_size; ++at) {
            Candidate& known = best[static_cast<std::size_t>(at - wanted.begin())];
            // The narrowest symbol, then the best name.
            if (known.name == nullptr || symbol.st_size < known.size ||
                (symbol.st_size == known.size && rank > known.rank)) {
                known = {name, symbol.st_size, rank};
            }
        }
    }
    std::stable_sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) { return a.begin < b.begin; });
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (!wanted[i].frames.empty()) {
            continue;
        }
        const char* name = best[i].name;
        if (name == nullptr) {
            const Label* const label = last_at_most(labels, wanted[i].offset, &Label::begin);
            if (label != nullptr && label->open && in_one_section(module, label->begin, wanted[i].offset)) {
                name = label->name;
            }
        }
        if (name != nullptr) {
            set_frame(wanted[i], demangle(name), module_name, NameSource::kSymbol, names);
        }
    }
    return any;
}

void name_by_frames(Dwfl_Module* module, std::string_view module_name, std::span<Wanted> wanted, CodeNames& names) {
    std::vector<std::uint64_t> starts;
    bool is_read = false;
    for (Wanted& one : wanted) {
        if (!one.frames.empty()) {
            continue;
        }
        if (!is_read && module != nullptr) {
            starts = frame_starts(module);
            is_read = true;
        }
        if (const std::uint64_t* const start = last_at_most(starts, one.offset)) {
            set_frame(one, offset_name(module_name, *start), module_name, NameSource::kFrame, names);
        } else {
            set_frame(one, offset_name(module_name, one.offset), module_name, NameSource::kAddress, names);
        }
    }
}

}  // namespace kymo::program
