#include "program/listing.h"

#include "program/elf_sections.h"
#include "program/module_file.h"

#include <Zydis/Zydis.h>
#include <algorithm>
#include <elf.h>
#include <optional>

namespace kymo::program {
namespace {

struct Extent {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

std::optional<Extent> function_at(Dwfl_Module* module, std::uint64_t address) {
    GElf_Off inside = 0;
    GElf_Sym symbol{};
    if (dwfl_module_addrinfo(module, address, &inside, &symbol, nullptr, nullptr, nullptr) == nullptr ||
        symbol.st_size == 0 || inside > address || inside >= symbol.st_size) {
        return std::nullopt;
    }
    return Extent{address - inside, address - inside + symbol.st_size};
}

// `wanted`: where to look in a function that is too long to be shown whole.
Listing list(const ZydisDecoder& decoder, const ZydisFormatter& formatter, Extent extent,
             std::span<const std::uint8_t> code, std::span<const ImageOffset> wanted, std::size_t most) {
    Listing out{.begin = extent.begin, .end = extent.end, .instructions = {}};
    const std::size_t size = std::min<std::size_t>(code.size(), extent.end - extent.begin);
    const bool is_long = size > most;
    const std::uint64_t around = most / std::max<std::size_t>(2 * wanted.size(), 1);
    auto next = wanted.begin();
    for (std::size_t at = 0; at < size;) {
        const std::uint64_t address = extent.begin + at;
        ZydisDecodedInstruction instruction;
        ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
        std::size_t length = 1;
        char text[160] = "(bad)";
        if (ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code.data() + at, size - at, &instruction, operands))) {
            length = instruction.length;
            ZydisFormatterFormatInstruction(&formatter, &instruction, operands, instruction.operand_count_visible,
                                            text, sizeof text, address, nullptr);
        }
        while (next != wanted.end() && raw(*next) + around < address) {
            ++next;
        }
        const bool is_near = next != wanted.end() && address + around >= raw(*next);
        if (!is_long || is_near) {
            out.instructions.push_back({address, text});
        }
        at += length;
    }
    return out;
}

}  // namespace

std::vector<Listing> list_instructions(const ImageName& image, std::span<const ImageOffset> offsets,
                                       const ListingLimits& limits) {
    std::vector<Listing> listings;
    if ((image.machine != 0 && image.machine != EM_X86_64) || offsets.empty()) {
        return listings;
    }
    const ModuleFile file = ModuleFile::open(image);
    GElf_Addr bias = 0;
    Elf* elf = file.module() == nullptr ? nullptr : dwfl_module_getelf(file.module(), &bias);
    GElf_Ehdr header{};
    if (elf == nullptr || gelf_getehdr(elf, &header) == nullptr || header.e_machine != EM_X86_64) {
        return listings;
    }
    ZydisDecoder decoder;
    ZydisFormatter formatter;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
    for (std::size_t i = 0; i < offsets.size();) {
        const auto extent = function_at(file.module(), raw(offsets[i]));
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
            listings.push_back(list(decoder, formatter, *extent,
                                    section->bytes.subspan(extent->begin - section->address),
                                    offsets.subspan(i, end - i), limits.function_bytes));
        }
        i = std::max(end, i + 1);
    }
    return listings;
}

}  // namespace kymo::program
