#include "program/listing.h"

#include "program/elf_sections.h"
#include "program/instruction_text.h"
#include "program/module_file.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace kymo::program {
namespace {

struct Extent {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

// The functions of a symbol table that have a size, to be found by address: one pass, then a binary search each.
class Functions {
  public:
    explicit Functions(Dwfl_Module* module) {
        const int count = dwfl_module_getsymtab(module);
        for (int i = 1; i < count; ++i) {
            GElf_Sym symbol;
            GElf_Addr begin = 0;
            const char* name = dwfl_module_getsym_info(module, i, &symbol, &begin, nullptr, nullptr, nullptr);
            const auto type = GELF_ST_TYPE(symbol.st_info);
            if (name != nullptr && symbol.st_shndx != SHN_UNDEF && symbol.st_size != 0 &&
                symbol.st_size <= UINT64_MAX - begin &&
                (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE)) {
                extents_.push_back({begin, begin + symbol.st_size});
            }
        }
        std::sort(extents_.begin(), extents_.end(), [](const Extent& a, const Extent& b) {
            return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
        });
        std::uint64_t furthest = 0;
        for (const Extent& extent : extents_) {
            furthest_end_.push_back(furthest = std::max(furthest, extent.end));
        }
    }

    // The one that begins last of those around the address.
    std::optional<Extent> at(std::uint64_t address) const {
        const auto behind = std::upper_bound(extents_.begin(), extents_.end(), address,
                                             [](std::uint64_t value, const Extent& e) { return value < e.begin; });
        for (auto i = static_cast<std::size_t>(behind - extents_.begin()); i-- > 0 && furthest_end_[i] > address;) {
            if (extents_[i].end > address) {
                return extents_[i];
            }
        }
        return std::nullopt;
    }

  private:
    std::vector<Extent> extents_;
    std::vector<std::uint64_t> furthest_end_;  // of this extent and those before
};

// `wanted`: where to look in a function that is too long to be shown whole.
Listing list(const InstructionText& code_text, Extent extent, std::span<const std::uint8_t> code,
             std::span<const ImageOffset> wanted, std::size_t most) {
    Listing out{.begin = extent.begin, .end = extent.end, .instructions = {}};
    const std::size_t size = std::min<std::size_t>(code.size(), extent.end - extent.begin);
    const bool is_long = size > most;
    const std::uint64_t around = most / std::max<std::size_t>(2 * wanted.size(), 1);
    auto next = wanted.begin();
    for (std::size_t at = 0; at < size;) {
        const std::uint64_t address = extent.begin + at;
        const auto bytes = code.subspan(at, size - at);
        const std::size_t length = code_text.length(bytes);
        while (next != wanted.end() && raw(*next) + around < address) {
            ++next;
        }
        const bool is_near = next != wanted.end() && address + around >= raw(*next);
        if (!is_long || is_near) {
            out.instructions.push_back({address, length == 0 ? "(bad)" : code_text.text(bytes, address)});
        }
        at += length != 0 ? length : code_text.decoder->alignment();
    }
    return out;
}

}  // namespace

std::vector<Listing> list_instructions(const ImageName& image, std::span<const ImageOffset> offsets,
                                       const ListingLimits& limits) {
    std::vector<Listing> listings;
    if (offsets.empty()) {
        return listings;
    }
    const ModuleFile file = ModuleFile::open(image);
    const InstructionText code_text = InstructionText::of(file.machine());
    if (code_text.decoder == nullptr) {
        return listings;
    }
    const Functions functions(file.module());
    for (std::size_t i = 0; i < offsets.size();) {
        const auto extent = functions.at(raw(offsets[i]));
        if (!extent) {
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < offsets.size() && raw(offsets[end]) < extent->end) {
            ++end;
        }
        const std::optional<Section> section = section_at(file.module(), extent->begin);
        if (section && extent->begin - section->address < section->bytes.size()) {
            listings.push_back(list(code_text, *extent, section->bytes.subspan(extent->begin - section->address),
                                    offsets.subspan(i, end - i), limits.function_bytes));
        }
        i = std::max(end, i + 1);
    }
    return listings;
}

}  // namespace kymo::program
