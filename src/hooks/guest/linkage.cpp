#include "hooks/guest/linkage.h"

#include <cstring>
#include <elf.h>

namespace kymo::hooks {

namespace {

constexpr std::uint32_t kSlotType = R_X86_64_JUMP_SLOT;

// The dynamic section's contents, as process addresses.
struct Dynamic {
    std::uint64_t relocations = 0;
    std::uint64_t relocation_bytes = 0;
    std::uint64_t symbols = 0;
    std::uint64_t strings = 0;
    std::uint64_t string_bytes = 0;
    std::uint64_t versions = 0;  // of symbols
    std::uint64_t needed = 0;    // versions of other images
    std::uint64_t needed_count = 0;
    bool has_addends = false;
};

// glibc has stored process addresses in most images' sections; read-only sections keep offsets.
std::uint64_t address_of(const image::LoadedImage& image, std::uint64_t value) {
    return image.range.holds(value) ? value : image.bias + value;
}

Dynamic read_dynamic(const image::LoadedImage& image, std::uint64_t at) {
    Dynamic found;
    constexpr unsigned kMost = 1024;
    const auto* entry = reinterpret_cast<const Elf64_Dyn*>(at);
    for (unsigned i = 0;
         i < kMost && image.range.holds(at + (i + 1) * sizeof(Elf64_Dyn) - 1) && entry[i].d_tag != DT_NULL; ++i) {
        const std::uint64_t value = entry[i].d_un.d_val;
        switch (entry[i].d_tag) {
            case DT_JMPREL:
                found.relocations = address_of(image, value);
                break;
            case DT_PLTRELSZ:
                found.relocation_bytes = value;
                break;
            case DT_PLTREL:
                found.has_addends = value == DT_RELA;
                break;
            case DT_SYMTAB:
                found.symbols = address_of(image, value);
                break;
            case DT_STRTAB:
                found.strings = address_of(image, value);
                break;
            case DT_STRSZ:
                found.string_bytes = value;
                break;
            case DT_VERSYM:
                found.versions = address_of(image, value);
                break;
            case DT_VERNEED:
                found.needed = address_of(image, value);
                break;
            case DT_VERNEEDNUM:
                found.needed_count = value;
                break;
            default:
                break;
        }
    }
    return found;
}

const char* text_at(const image::LoadedImage& image, const Dynamic& dynamic, std::uint64_t offset) {
    return offset < dynamic.string_bytes && image.range.holds(dynamic.strings + offset)
               ? reinterpret_cast<const char*>(dynamic.strings + offset)
               : nullptr;
}

const char* version_of(const image::LoadedImage& image, const Dynamic& dynamic, std::uint32_t symbol) {
    constexpr std::uint16_t kNumber = 0x7fff;
    const std::uint64_t at = dynamic.versions + symbol * sizeof(Elf64_Versym);
    if (dynamic.versions == 0 || dynamic.needed == 0 || !image.range.holds(at)) {
        return nullptr;
    }
    const auto number = static_cast<std::uint16_t>(*reinterpret_cast<const Elf64_Versym*>(at) & kNumber);
    std::uint64_t need_at = dynamic.needed;
    for (std::uint64_t i = 0; i < dynamic.needed_count && image.range.holds(need_at + sizeof(Elf64_Verneed)); ++i) {
        const auto* need = reinterpret_cast<const Elf64_Verneed*>(need_at);
        std::uint64_t aux_at = need_at + need->vn_aux;
        for (unsigned k = 0; k < need->vn_cnt && image.range.holds(aux_at + sizeof(Elf64_Vernaux)); ++k) {
            const auto* aux = reinterpret_cast<const Elf64_Vernaux*>(aux_at);
            if ((aux->vna_other & kNumber) == number) {
                return text_at(image, dynamic, aux->vna_name);
            }
            aux_at += aux->vna_next;
        }
        if (need->vn_next == 0) {
            break;
        }
        need_at += need->vn_next;
    }
    return nullptr;
}

}  // namespace

void for_each_slot(const image::LoadedImage& image, std::uint64_t dynamic_at, void* context,
                   void (*visit)(void* context, const LinkageSlot& slot)) {
    const Dynamic dynamic = read_dynamic(image, dynamic_at);
    if (!dynamic.has_addends || dynamic.symbols == 0 || dynamic.strings == 0) {
        return;
    }
    for (std::uint64_t at = 0; at + sizeof(Elf64_Rela) <= dynamic.relocation_bytes; at += sizeof(Elf64_Rela)) {
        if (!image.range.holds(dynamic.relocations + at + sizeof(Elf64_Rela) - 1)) {
            return;
        }
        const auto* relocation = reinterpret_cast<const Elf64_Rela*>(dynamic.relocations + at);
        const auto index = static_cast<std::uint32_t>(ELF64_R_SYM(relocation->r_info));
        const std::uint64_t symbol_at = dynamic.symbols + index * sizeof(Elf64_Sym);
        const std::uint64_t slot_at = image.bias + relocation->r_offset;
        if (ELF64_R_TYPE(relocation->r_info) != kSlotType || index == 0 ||
            !image.range.holds(symbol_at + sizeof(Elf64_Sym) - 1) || !image.range.holds(slot_at + 7) ||
            slot_at % 8 != 0) {
            continue;
        }
        const char* name = text_at(image, dynamic, reinterpret_cast<const Elf64_Sym*>(symbol_at)->st_name);
        if (name == nullptr || *name == 0) {
            continue;
        }
        LinkageSlot slot;
        slot.at = reinterpret_cast<std::uint64_t*>(slot_at);
        slot.symbol = name;
        slot.version = version_of(image, dynamic, index);
        // An unbound slot leads back into the image's own linkage code. (So does a function of the image itself:
        // it counts as unbound and is looked up, which finds it.)
        slot.is_bound = !image.range.holds(*slot.at);
        visit(context, slot);
    }
}

}  // namespace kymo::hooks
