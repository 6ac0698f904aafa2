#include "program/debug_names.h"

#include "program/demangle.h"
#include "program/scope_names.h"

#include <algorithm>
#include <cstring>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <map>
#include <vector>

namespace kymo::program {
namespace {

// A malformed file may nest without end.
constexpr int kMaxDepth = 200;

// A function or an inlined body around some wanted offsets.
struct Scope {
    std::int32_t parent = -1;  // the scope it is inlined into
    std::uint32_t function = 0;
    std::uint32_t call_file = 0;  // where in the parent it is inlined
    std::uint32_t call_line = 0;
};

using Indices = std::vector<std::size_t>;

std::uint32_t number(Dwarf_Die* die, unsigned attribute) {
    Dwarf_Attribute holder;
    Dwarf_Word value = 0;
    if (dwarf_attr(die, attribute, &holder) == nullptr || dwarf_formudata(&holder, &value) != 0) {
        return 0;
    }
    return static_cast<std::uint32_t>(value);
}

// One compilation unit and the wanted offsets in it.
class Unit {
  public:
    Unit(Dwarf_Die unit, std::uint64_t bias, std::string_view module, std::span<Wanted> wanted, CodeNames& names,
         ScopeNames& scopes)
        : line_die_(unit),
          tree_die_(unit),
          bias_(bias),
          module_(module),
          wanted_(wanted),
          names_(names),
          scope_names_(scopes) {
        // A skeleton has the addresses and lines; the tree is in its split unit, where that can be found.
        Dwarf_Die split{};
        if (dwarf_cu_info(unit.cu, nullptr, nullptr, nullptr, &split, nullptr, nullptr, nullptr) == 0 &&
            split.cu != nullptr) {
            tree_die_ = split;
        }
        if (dwarf_getsrcfiles(&tree_die_, &files_, nullptr) != 0) {
            files_ = nullptr;
        }
    }

    void name(const Indices& offsets) {
        innermost_.assign(offsets.size(), -1);
        offsets_ = &offsets;
        Indices all(offsets.size());
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i] = i;
        }
        walk(tree_die_, all, -1, false, 0);
        // Functions inside types or other functions: looked for only where something is left without a name.
        Indices left;
        std::copy_if(all.begin(), all.end(), std::back_inserter(left),
                     [&](std::size_t i) { return innermost_[i] < 0; });
        if (!left.empty()) {
            walk(tree_die_, left, -1, true, 0);
        }
        for (std::size_t i = 0; i < offsets.size(); ++i) {
            finish(wanted_[offsets[i]], innermost_[i]);
        }
    }

  private:
    std::uint64_t address(std::size_t i) const { return wanted_[(*offsets_)[i]].offset - bias_; }

    // Those of `candidates` (ascending) that lie in the DIE's ranges.
    Indices inside(Dwarf_Die* die, const Indices& candidates) const {
        Indices found;
        Dwarf_Addr base = 0;
        Dwarf_Addr begin = 0;
        Dwarf_Addr end = 0;
        std::ptrdiff_t at = 0;
        while ((at = dwarf_ranges(die, at, &base, &begin, &end)) > 0) {
            if (begin == 0) {
                continue;  // a function the linker dropped
            }
            auto next = std::lower_bound(candidates.begin(), candidates.end(), begin,
                                         [&](std::size_t i, Dwarf_Addr value) { return address(i) < value; });
            for (; next != candidates.end() && address(*next) < end; ++next) {
                found.push_back(*next);
            }
        }
        if (!std::is_sorted(found.begin(), found.end())) {
            std::sort(found.begin(), found.end());
        }
        return found;
    }

    void walk(Dwarf_Die parent, const Indices& candidates, std::int32_t scope, bool everywhere, int depth) {
        Dwarf_Die child;
        if (depth > kMaxDepth || candidates.empty() || dwarf_child(&parent, &child) != 0) {
            return;
        }
        do {
            switch (dwarf_tag(&child)) {
                case DW_TAG_subprogram:
                case DW_TAG_inlined_subroutine:
                    enter(child, candidates, scope, everywhere, depth);
                    break;
                case DW_TAG_namespace:
                case DW_TAG_module:
                case DW_TAG_lexical_block:
                case DW_TAG_try_block:
                case DW_TAG_catch_block:
                    walk(child, candidates, scope, everywhere, depth + 1);
                    break;
                case DW_TAG_class_type:
                case DW_TAG_structure_type:
                case DW_TAG_union_type:
                case DW_TAG_enumeration_type:
                    if (everywhere) {
                        walk(child, candidates, scope, everywhere, depth + 1);
                    }
                    break;
                default:
                    break;
            }
        } while (dwarf_siblingof(&child, &child) == 0);
    }

    void enter(Dwarf_Die& die, const Indices& candidates, std::int32_t scope, bool everywhere, int depth) {
        Indices held = inside(&die, candidates);
        // Where siblings claim the same code, the first one has it.
        std::erase_if(held, [&](std::size_t i) { return innermost_[i] != scope; });
        if (held.empty()) {
            if (everywhere) {
                walk(die, candidates, scope, everywhere, depth + 1);
            }
            return;
        }
        const bool is_inlined = dwarf_tag(&die) == DW_TAG_inlined_subroutine && scope >= 0;
        const auto index = static_cast<std::int32_t>(scopes_.size());
        scopes_.push_back({.parent = is_inlined ? scope : -1,
                           .function = function_of(die),
                           .call_file = is_inlined ? file_number(number(&die, DW_AT_call_file)) : 0,
                           .call_line = is_inlined ? number(&die, DW_AT_call_line) : 0});
        for (const std::size_t i : held) {
            innermost_[i] = index;
        }
        walk(die, held, index, everywhere, depth + 1);
    }

    std::uint32_t file_number(std::uint32_t index) {
        const char* path = files_ == nullptr ? nullptr : dwarf_filesrc(files_, index, nullptr, nullptr);
        return path == nullptr ? 0 : names_.file(path);
    }

    // 0: without a name.
    std::uint32_t function_of(Dwarf_Die& die) {
        // Inlined copies share their abstract origin: name it once.
        Dwarf_Attribute holder;
        Dwarf_Die origin = die;
        if (dwarf_attr(&die, DW_AT_abstract_origin, &holder) != nullptr) {
            dwarf_formref_die(&holder, &origin);
        }
        if (const auto known = by_origin_.find(origin.addr); known != by_origin_.end()) {
            return known->second;
        }
        Function function;
        function.module = module_;
        function.source = NameSource::kDebugInfo;
        const char* mangled = nullptr;
        if (dwarf_attr_integrate(&die, DW_AT_linkage_name, &holder) != nullptr ||
            dwarf_attr_integrate(&die, DW_AT_MIPS_linkage_name, &holder) != nullptr) {
            mangled = dwarf_formstring(&holder);
        }
        if (mangled != nullptr) {
            function.name = demangle(mangled);
        } else if (const char* plain = dwarf_diename(&die); plain != nullptr) {
            // A name with a dot is the linker's, which GCC gives to code it splits off a function (a parallel
            // region): it identifies the function by itself.
            function.name = std::strchr(plain, '.') != nullptr ? demangle(plain) : scope_names_.prefix(die) + plain;
        } else {
            // Its name is in a file that is missing, or cannot be read.
            return by_origin_.emplace(origin.addr, 0).first->second;
        }
        if (const char* file = dwarf_decl_file(&die); file != nullptr) {
            function.file = names_.file(file);
        }
        int line = 0;
        if (dwarf_decl_line(&die, &line) == 0 && line > 0) {
            function.line = static_cast<std::uint32_t>(line);
        }
        return by_origin_.emplace(origin.addr, names_.function(std::move(function))).first->second;
    }

    void finish(Wanted& wanted, std::int32_t innermost) {
        std::uint32_t file = 0;
        std::uint32_t line = 0;
        if (Dwarf_Line* row = dwarf_getsrc_die(&line_die_, wanted.offset - bias_); row != nullptr) {
            int value = 0;
            if (dwarf_lineno(row, &value) == 0 && value > 0) {
                line = static_cast<std::uint32_t>(value);
            }
            if (const char* path = dwarf_linesrc(row, nullptr, nullptr); path != nullptr) {
                file = names_.file(path);
            }
        }
        if (innermost < 0) {
            wanted.file = file;
            wanted.line = line;
            return;
        }
        for (std::int32_t at = innermost; at >= 0;) {
            const Scope& scope = scopes_[static_cast<std::size_t>(at)];
            if (scope.function == 0 && scope.parent < 0) {
                // The function itself has no name here; the symbol table has one.
                wanted.frames.clear();
                wanted.file = file;
                wanted.line = line;
                return;
            }
            if (scope.function != 0) {
                wanted.frames.push_back(
                    {.function = scope.function, .file = file, .line = line, .inlined = scope.parent >= 0});
            }
            // What is inlined and has no name is its caller's, at the line where it was called.
            file = scope.call_file;
            line = scope.call_line;
            at = scope.parent;
        }
        std::reverse(wanted.frames.begin(), wanted.frames.end());
    }

    Dwarf_Die line_die_;
    Dwarf_Die tree_die_;
    std::uint64_t bias_;
    std::string_view module_;
    std::span<Wanted> wanted_;
    CodeNames& names_;
    ScopeNames& scope_names_;
    Dwarf_Files* files_ = nullptr;
    const Indices* offsets_ = nullptr;
    std::vector<Scope> scopes_;
    std::vector<std::int32_t> innermost_;  // by position in *offsets_: scope, or −1
    std::map<const void*, std::uint32_t> by_origin_;
};

// The file that dwz moved the shared parts of several programs to, if it cannot be found.
std::string missing_supplement(Dwarf* debug) {
    const char* name = nullptr;
    const void* build_id = nullptr;
    if (dwelf_dwarf_gnu_debugaltlink(debug, &name, &build_id) <= 0 || dwarf_getalt(debug) != nullptr) {
        return {};
    }
    return name;
}

// The .dwo file that a unit's tree was split off to (-gsplit-dwarf), if it cannot be found.
std::string missing_split_unit(Dwarf_Die unit) {
    Dwarf_Die split{};
    Dwarf_Attribute holder;
    if ((dwarf_attr(&unit, DW_AT_dwo_name, &holder) == nullptr &&
         dwarf_attr(&unit, DW_AT_GNU_dwo_name, &holder) == nullptr) ||
        (dwarf_cu_info(unit.cu, nullptr, nullptr, nullptr, &split, nullptr, nullptr, nullptr) == 0 &&
         split.cu != nullptr)) {
        return {};
    }
    const char* name = dwarf_formstring(&holder);
    return name == nullptr ? "a .dwo file" : name;
}

// The unit of each wanted offset: by the address-range section, and for what that lacks (compilers other than gcc
// write none) by the ranges that the units themselves state.
std::map<Dwarf_Off, std::pair<Dwarf_Die, Indices>> units_of(Dwarf* debug, std::uint64_t bias,
                                                            std::span<const Wanted> wanted) {
    std::map<Dwarf_Off, std::pair<Dwarf_Die, Indices>> units;
    const auto assign = [&](Dwarf_Die die, std::size_t index) {
        auto& [unit, indices] = units.try_emplace(dwarf_dieoffset(&die), die, Indices{}).first->second;
        indices.push_back(index);
    };
    Dwarf_Aranges* table = nullptr;
    std::size_t rows = 0;
    if (dwarf_getaranges(debug, &table, &rows) != 0) {
        table = nullptr;
    }
    Indices left;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        Dwarf_Arange* row = table == nullptr ? nullptr : dwarf_getarange_addr(table, wanted[i].offset - bias);
        Dwarf_Off offset = 0;
        Dwarf_Die die;
        if (row != nullptr && dwarf_getarangeinfo(row, nullptr, nullptr, &offset) == 0 &&
            dwarf_offdie(debug, offset, &die) != nullptr) {
            assign(die, i);
        } else {
            left.push_back(i);
        }
    }
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    while (!left.empty() && dwarf_get_units(debug, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
        Dwarf_Addr base = 0;
        Dwarf_Addr begin = 0;
        Dwarf_Addr end = 0;
        std::ptrdiff_t at = 0;
        while ((at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0) {
            const auto first =
                std::lower_bound(left.begin(), left.end(), begin,
                                 [&](std::size_t i, Dwarf_Addr value) { return wanted[i].offset - bias < value; });
            auto last = first;
            for (; last != left.end() && wanted[*last].offset - bias < end; ++last) {
                assign(die, *last);
            }
            left.erase(first, last);
        }
    }
    for (auto& [offset, found] : units) {
        std::sort(found.second.begin(), found.second.end());
    }
    return units;
}

}  // namespace

DebugInfo name_by_debug_info(Dwfl_Module* module, std::string_view module_name, std::span<Wanted> wanted,
                             CodeNames& names) {
    Dwarf_Addr bias = 0;
    Dwarf* debug = dwfl_module_getdwarf(module, &bias);
    if (debug == nullptr) {
        return {};
    }
    DebugInfo info{.is_there = true, .missing = missing_supplement(debug)};
    ScopeNames scopes;
    for (auto& [offset, found] : units_of(debug, bias, wanted)) {
        if (info.missing.empty()) {
            info.missing = missing_split_unit(found.first);
        }
        Unit(found.first, bias, module_name, wanted, names, scopes).name(found.second);
    }
    return info;
}

}  // namespace kymo::program
