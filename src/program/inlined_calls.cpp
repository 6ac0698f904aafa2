#include "program/inlined_calls.h"

#include "program/module_file.h"

#include <algorithm>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <utility>

namespace kymo::program {
namespace {

constexpr int kMostNested = 200;  // nested scopes; no compiler produces more

class Search {
  public:
    Search(std::string_view function, std::size_t most)
        : name_(function.substr(function.rfind(':') == std::string_view::npos ? 0 : function.rfind(':') + 1)),
          most_(most) {}

    void look_into(Dwarf_Die* unit) {
        files_ = nullptr;
        std::size_t count = 0;
        if (dwarf_getsrcfiles(unit, &files_, &count) != 0) {
            files_ = nullptr;
        }
        children_of(unit, "", 0);
    }
    bool is_done() const { return found_.size() >= most_; }
    std::vector<InlinedCall> take() { return std::move(found_); }

  private:
    void children_of(Dwarf_Die* die, const std::string& function, int depth) {
        Dwarf_Die child;
        if (depth > kMostNested || dwarf_child(die, &child) != 0) {
            return;
        }
        do {
            const int tag = dwarf_tag(&child);
            const bool is_code = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
            const char* name = is_code ? dwarf_diename(&child) : nullptr;
            if (tag == DW_TAG_inlined_subroutine && name != nullptr && name_ == name) {
                add(&child, function);
            }
            children_of(&child, tag == DW_TAG_subprogram && name != nullptr ? name : function, depth + 1);
        } while (!is_done() && dwarf_siblingof(&child, &child) == 0);
    }

    void add(Dwarf_Die* call, const std::string& function) {
        const std::uint64_t line = number(call, DW_AT_call_line);
        const char* file =
            files_ == nullptr ? nullptr : dwarf_filesrc(files_, number(call, DW_AT_call_file), nullptr, nullptr);
        if (line == 0 || file == nullptr || function.empty()) {
            return;
        }
        const bool is_known = std::any_of(found_.begin(), found_.end(), [&](const InlinedCall& one) {
            return one.caller == function && one.line == line && one.file == file;
        });
        if (!is_known) {
            found_.push_back({function, file, static_cast<std::uint32_t>(line)});
        }
    }

    static std::uint64_t number(Dwarf_Die* die, unsigned attribute) {
        Dwarf_Attribute holder;
        Dwarf_Word value = 0;
        return dwarf_attr(die, attribute, &holder) != nullptr && dwarf_formudata(&holder, &value) == 0 ? value : 0;
    }

    std::string_view name_;
    std::size_t most_;
    Dwarf_Files* files_ = nullptr;
    std::vector<InlinedCall> found_;
};

}  // namespace

std::vector<InlinedCall> inlined_calls(const ImageName& image, std::string_view function, std::size_t most) {
    const ModuleFile file = ModuleFile::open(image);
    Search search(function, most);
    if (file.module() == nullptr) {
        return {};
    }
    Dwarf_Addr bias = 0;
    for (Dwarf_Die* unit = nullptr;
         !search.is_done() && (unit = dwfl_module_nextcu(file.module(), unit, &bias)) != nullptr;) {
        search.look_into(unit);
    }
    return search.take();
}

}  // namespace kymo::program
