#include "program/go_names.h"

#include "image/go_module.h"
#include "program/elf_sections.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace kymo::program {
namespace {

// The numbers of a function's inlined calls among its tables and data, and the layout of one (inlinedCall in Go's
// runtime; FUNCDATA_InlTree, PCDATA_InlTreeIndex).
constexpr unsigned kGoInlinedIndex = 2;
constexpr unsigned kGoInlinedCalls = 3;
struct GoInlinedLayout {
    std::size_t bytes;
    std::size_t name;
    std::size_t call;  // an instruction of the caller at the line of the call, from the function's beginning
    std::size_t line;  // of the inlined function's declaration; 0: not there
};
constexpr GoInlinedLayout kGoInlined118 = {.bytes = 20, .name = 12, .call = 16, .line = 0};
constexpr GoInlinedLayout kGoInlined120 = {.bytes = 16, .name = 4, .call = 8, .line = 12};

// Go inlines a few levels deep; a malformed file may go round in a circle.
constexpr int kMostGoInlined = 200;

struct GoInlined {
    std::uint32_t name = 0;
    std::uint32_t call = 0;
    std::uint32_t line = 0;
};

class GoProgramNames {
  public:
    explicit GoProgramNames(Dwfl_Module* module) {
        std::vector<Section> constant;
        std::optional<Section> among;
        bool is_go = false;
        image::GoProgram program;
        for (Section& section : loaded_sections(module)) {
            if (section.name == ".gopclntab" || section.name == ".data.rel.ro.gopclntab") {
                program.table = {section.address, section.bytes};
            }
            is_go = is_go || section.name == ".go.buildinfo";
            if (section.name == ".data.rel.ro") {
                among = section;
            }
            if (section.type == SHT_RELA && section.bytes.size() > program.relocations.size()) {
                program.relocations = section.bytes;
            }
            if ((section.flags & SHF_EXECINSTR) != 0 || section.bytes.empty()) {
                continue;
            }
            if ((section.flags & SHF_WRITE) != 0) {
                data_.push_back({section.address, section.bytes});
            } else {
                constant.push_back(std::move(section));
            }
        }
        if (program.table.bytes.empty() && is_go && among) {
            const std::uint64_t at = image::GoTable::find(among->bytes);
            if (at != image::GoTable::kNowhere) {
                program.table = {among->address + at, among->bytes.subspan(at)};
            }
        }
        if (program.table.bytes.empty()) {
            return;
        }
        for (const Section& section : constant) {
            data_.push_back({section.address, section.bytes});
        }
        program.data = data_;
        image::open_go_table(program, &table_, &module_);
    }

    const image::GoTable& table() const { return table_; }

    // Of the innermost call that is inlined at an offset; empty: none is.
    std::optional<GoInlined> inlined_at(const image::GoFunction& function, std::uint64_t offset) const {
        const std::int32_t index =
            table_.value_at(function, table_.numbered_table(function, kGoInlinedIndex), offset);
        const std::uint32_t data = table_.numbered_data(function, kGoInlinedCalls);
        if (index < 0 || data == ~std::uint32_t{0} || module_.function_data == 0) {
            return std::nullopt;
        }
        const GoInlinedLayout& layout =
            table_.layout() == image::GoTable::Layout::k118 ? kGoInlined118 : kGoInlined120;
        const auto bytes =
            data_at(module_.function_data + data + static_cast<std::uint64_t>(index) * layout.bytes, layout.bytes);
        if (bytes.empty()) {
            return std::nullopt;
        }
        const auto field = [&](std::size_t at) {
            std::uint32_t value = 0;
            std::memcpy(&value, &bytes[at], sizeof value);
            return value;
        };
        return GoInlined{field(layout.name), field(layout.call), layout.line == 0 ? 0 : field(layout.line)};
    }

  private:
    std::span<const std::uint8_t> data_at(std::uint64_t offset, std::size_t bytes) const {
        for (const image::GoPiece& piece : data_) {
            const std::uint64_t at = offset - piece.offset;
            if (offset >= piece.offset && at < piece.bytes.size() && piece.bytes.size() - at >= bytes) {
                return piece.bytes.subspan(at, bytes);
            }
        }
        return {};
    }

    std::vector<image::GoPiece> data_;
    image::GoTable table_;
    image::GoModule module_;
};

class GoNamer {
  public:
    GoNamer(const GoProgramNames& program, std::string_view module, CodeNames& names)
        : program_(program), module_(module), names_(names) {}

    void name(Wanted& wanted) {
        const image::GoTable& table = program_.table();
        image::GoFunction function;
        if (!table.function_at(wanted.offset, &function) || table.name(function.name).empty()) {
            return;
        }
        // From the innermost frame out: each is called at an instruction that belongs to its caller.
        std::uint64_t offset = wanted.offset;
        for (int depth = 0; depth < kMostGoInlined; ++depth) {
            const auto inlined = program_.inlined_at(function, offset);
            if (!inlined || table.name(inlined->name).empty() || inlined->call >= function.end - function.begin) {
                break;
            }
            add(wanted, function, offset, inlined->name, inlined->line, true);
            offset = function.begin + inlined->call;
        }
        add(wanted, function, offset, function.name, function.line, false);
        std::reverse(wanted.frames.begin(), wanted.frames.end());
    }

  private:
    void add(Wanted& wanted, const image::GoFunction& function, std::uint64_t offset, std::uint32_t name,
             std::uint32_t declared, bool is_inlined) {
        const image::GoTable& table = program_.table();
        const std::uint32_t file = names_.file(table.file_at(function, offset));
        Function named;
        named.name = std::string(table.name(name));
        named.module = std::string(module_);
        named.file = file;
        named.line = declared;
        named.source = NameSource::kDebugInfo;
        wanted.frames.push_back({.function = names_.function(std::move(named)),
                                 .file = file,
                                 .line = table.line_at(function, offset),
                                 .inlined = is_inlined});
    }

    const GoProgramNames& program_;
    std::string_view module_;
    CodeNames& names_;
};

}  // namespace

bool name_by_go_table(Dwfl_Module* module, std::string_view module_name, std::span<Wanted> wanted, CodeNames& names) {
    const GoProgramNames program(module);
    if (program.table().size() == 0) {
        return false;
    }
    GoNamer namer(program, module_name, names);
    for (Wanted& one : wanted) {
        if (one.frames.empty()) {
            namer.name(one);
        }
    }
    return true;
}

std::vector<FrameExtent> go_extents(Dwfl_Module* module) {
    const GoProgramNames program(module);
    const image::GoTable& table = program.table();
    std::vector<FrameExtent> extents;
    image::GoFunction function;
    for (std::size_t index = 0; index < table.size(); ++index) {
        if (table.function(index, &function)) {
            extents.push_back({function.begin, function.end});
        }
    }
    std::sort(extents.begin(), extents.end(), [](const FrameExtent& a, const FrameExtent& b) {
        return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    return extents;
}

}  // namespace kymo::program
