#include "unwind/call_frame.h"

#include <cstring>

namespace kymo::unwind {

namespace {

// DW_EH_PE_*: the low four bits say how the value is stored, the next three what it is relative to.
constexpr std::uint8_t kOmit = 0xFF;
constexpr std::uint8_t kFormatMask = 0x0F;
constexpr std::uint8_t kBaseMask = 0x70;
constexpr std::uint8_t kIndirect = 0x80;
enum Format : std::uint8_t {
    kAbsolute = 0x00,
    kUleb = 0x01,
    kU2 = 0x02,
    kU4 = 0x03,
    kU8 = 0x04,
    kSigned = 0x08,
    kSleb = 0x09,
    kS2 = 0x0A,
    kS4 = 0x0B,
    kS8 = 0x0C
};
enum Base : std::uint8_t {
    kNoBase = 0x00,
    kProgramCounter = 0x10,
    kText = 0x20,
    kData = 0x30,
    kFunction = 0x40,
    kAligned = 0x50
};

constexpr std::uint32_t k64BitLength = 0xFFFFFFFF;

// The stored value, sign-extended; false for a format that does not exist.
bool read_format(ByteReader& reader, std::uint8_t format, std::uint64_t* value) {
    switch (format) {
        case kAbsolute:
        case kU8:
        case kSigned:
        case kS8:
            *value = reader.u64();
            break;
        case kUleb:
            *value = reader.uleb();
            break;
        case kU2:
            *value = reader.u16();
            break;
        case kU4:
            *value = reader.u32();
            break;
        case kSleb:
            *value = static_cast<std::uint64_t>(reader.sleb());
            break;
        case kS2:
            *value = static_cast<std::uint64_t>(static_cast<std::int64_t>(reader.read<std::int16_t>()));
            break;
        case kS4:
            *value = static_cast<std::uint64_t>(static_cast<std::int64_t>(reader.read<std::int32_t>()));
            break;
        default:
            reader.fail();
            break;
    }
    return !reader.failed();
}

// Behind the header of an entry; positions are offsets in the section, reads end with the entry.
ByteReader body_of(const FrameSection& section, const Entry& entry) {
    return ByteReader(section.bytes.first(entry.next), entry.body);
}

}  // namespace

bool read_encoded(ByteReader& reader, const FrameSection& section, std::uint8_t encoding, std::uint64_t data_base,
                  std::uint64_t* value) {
    if (encoding == kOmit) {
        return false;
    }
    const std::uint8_t base = encoding & kBaseMask;
    if (base == kAligned) {
        const std::uint64_t here = section.address + section.relocated_by + reader.position();
        reader.skip(-here & 7U);
        *value = reader.u64() - section.relocated_by;
        return !reader.failed() && (encoding & kIndirect) == 0;
    }
    const std::uint64_t place = section.address + reader.position();
    if (!read_format(reader, encoding & kFormatMask, value) || (encoding & kIndirect) != 0) {
        return false;
    }
    switch (base) {
        case kNoBase:
            *value -= section.relocated_by;
            return true;
        case kProgramCounter:
            *value += place;
            return true;
        case kData:
            *value += data_base;
            return data_base != 0;
        default:
            return false;  // relative to a text section or a function: nothing produces it for these pointers
    }
}

bool read_entry(const FrameSection& section, std::uint64_t offset, Entry* entry) {
    ByteReader reader(section.bytes, offset);
    std::uint64_t length = reader.u32();
    *entry = Entry{};
    entry->offset = offset;
    if (length == k64BitLength) {
        entry->is_64_bit = true;
        length = reader.u64();
    }
    if (reader.failed() || length > reader.left()) {
        return false;
    }
    entry->next = reader.position() + length;
    if (length == 0) {
        entry->kind = Entry::Kind::kTerminator;
        return true;
    }
    const std::uint64_t id_place = reader.position();
    const bool debug = section.kind == FrameSectionKind::kDebugFrame;
    const std::uint64_t id = debug && entry->is_64_bit ? reader.u64() : reader.u32();
    entry->body = reader.position();
    if (reader.failed() || entry->body > entry->next) {
        return false;
    }
    const std::uint64_t cie_id = !debug ? 0 : entry->is_64_bit ? ~std::uint64_t{0} : 0xFFFFFFFFU;
    entry->kind = id == cie_id ? Entry::Kind::kCie : Entry::Kind::kFde;
    entry->cie = debug ? id : id_place - id;  // .eh_frame counts backwards from the field
    return entry->kind == Entry::Kind::kCie || entry->cie < section.bytes.size();
}

bool read_cie(const FrameSection& section, std::uint64_t offset, Cie* cie) {
    Entry entry;
    *cie = Cie{};
    if (!read_entry(section, offset, &entry) || entry.kind != Entry::Kind::kCie) {
        return false;
    }
    ByteReader reader = body_of(section, entry);
    const std::uint8_t version = reader.u8();
    if (version != 1 && version != 3 && version != 4) {
        return false;
    }
    const auto rest = section.bytes.subspan(reader.position(), entry.next - reader.position());
    const void* text_end = rest.empty() ? nullptr : std::memchr(rest.data(), 0, rest.size());
    if (text_end == nullptr) {
        return false;
    }
    const auto* text = rest.data();
    const auto* const end = static_cast<const std::uint8_t*>(text_end);
    reader.skip(static_cast<std::uint64_t>(end - text) + 1);
    if (version == 4) {
        cie->address_size = reader.u8();
        if (reader.u8() != 0 || cie->address_size != 8) {  // segment selectors, other address sizes
            return false;
        }
    }
    if (end - text >= 2 && text[0] == 'e' && text[1] == 'h') {  // g++ 2.x: an exception table pointer follows
        reader.skip(8);
        text += 2;
    }
    cie->code_alignment = reader.uleb();
    cie->data_alignment = reader.sleb();
    cie->return_register = version == 1 ? reader.u8() : reader.uleb();
    std::uint64_t augmentation_end = 0;
    if (text != end && *text == 'z') {
        const std::uint64_t size = reader.uleb();
        if (reader.failed() || size > reader.left()) {
            return false;
        }
        augmentation_end = reader.position() + size;
        cie->has_augmentation_data = true;
        ++text;
    }
    for (; text != end; ++text) {
        std::uint64_t ignored = 0;
        if (*text == 'R') {
            cie->pointer_encoding = reader.u8();
        } else if (*text == 'P') {
            const std::uint8_t encoding = reader.u8();
            read_encoded(reader, section, encoding, 0, &ignored);
        } else if (*text == 'L') {
            reader.skip(1);
        } else if (*text == 'S') {
            cie->signal_frame = true;
        } else if (*text != 'B' && *text != 'G') {  // aarch64: return addresses signed with the B key; tagged
                                                    // frames
            if (!cie->has_augmentation_data) {
                return false;  // its data, and so the start of the instructions, is unknown
            }
            break;
        }
    }
    if (cie->has_augmentation_data) {
        if (reader.failed() || reader.position() > augmentation_end) {
            return false;
        }
        reader.skip(augmentation_end - reader.position());
    }
    cie->program = reader.block(reader.left());
    return !reader.failed();
}

bool read_fde_begin(const FrameSection& section, const Entry& entry, const Cie& cie, std::uint64_t* begin) {
    ByteReader reader = body_of(section, entry);
    return read_encoded(reader, section, cie.pointer_encoding, 0, begin);
}

bool read_fde(const FrameSection& section, const Entry& entry, const Cie& cie, Fde* fde) {
    ByteReader reader = body_of(section, entry);
    std::uint64_t size = 0;
    if (!read_encoded(reader, section, cie.pointer_encoding, 0, &fde->begin) ||
        !read_format(reader, cie.pointer_encoding & kFormatMask, &size)) {
        return false;
    }
    fde->cie = entry.cie;
    fde->end = fde->begin + size;
    if (cie.has_augmentation_data) {
        reader.skip(reader.uleb());
    }
    if (reader.failed() || fde->end < fde->begin) {
        return false;
    }
    fde->program = reader.block(reader.left());
    return true;
}

bool FrameHeader::entry(std::uint64_t index, std::uint64_t* function, std::uint64_t* fde) const {
    if (index >= count) {
        return false;
    }
    std::int32_t relative[2];
    std::memcpy(relative, table.data() + index * sizeof(relative), sizeof(relative));
    *function = table_base + static_cast<std::uint64_t>(static_cast<std::int64_t>(relative[0]));
    *fde = table_base + static_cast<std::uint64_t>(static_cast<std::int64_t>(relative[1]));
    return true;
}

bool read_frame_header(const FrameSection& header, FrameHeader* out) {
    constexpr std::uint8_t kSortedTable =
        std::uint8_t{kData} | std::uint8_t{kS4};  // the one encoding that linkers write
    ByteReader reader(header.bytes);
    *out = FrameHeader{};
    const std::uint8_t version = reader.u8();
    const std::uint8_t frame_encoding = reader.u8();
    const std::uint8_t count_encoding = reader.u8();
    const std::uint8_t table_encoding = reader.u8();
    if (reader.failed() || version != 1 ||
        !read_encoded(reader, header, frame_encoding, header.address, &out->eh_frame)) {
        return false;
    }
    std::uint64_t count = 0;
    if (count_encoding != kOmit && table_encoding == kSortedTable && (count_encoding & kBaseMask) == kNoBase &&
        read_format(reader, count_encoding & kFormatMask, &count) && count <= reader.left() / 8) {
        out->count = count;
        out->table = reader.block(count * 8);
        out->table_base = header.address;
    }
    return true;
}

}  // namespace kymo::unwind
