// The entries of .eh_frame and .debug_frame: common information (CIE) and frame description (FDE), and the sorted
// search table of .eh_frame_hdr.
//
// Contract: the bytes may be anything; what does not parse is refused, nothing outside the section is read.
// Addresses are image offsets throughout: a section has its address in its image, so that relative pointers can be
// resolved. Formats: DWARF 5, section 6.4.1; Linux Standard Base 5.0 core, chapter 10.6 (.eh_frame).
#pragma once

#include "unwind/byte_reader.h"

#include <cstdint>
#include <span>

namespace kymo::unwind {

enum class FrameSectionKind : std::uint8_t { kEhFrame, kDebugFrame };

struct FrameSection {
    std::span<const std::uint8_t> bytes;
    std::uint64_t address = 0;  // image offset of the first byte
    // What to subtract from absolute pointers in it: the image's bias where the dynamic linker has relocated them (a
    // section in memory), 0 in a file.
    std::uint64_t relocated_by = 0;
    FrameSectionKind kind = FrameSectionKind::kEhFrame;
    // False: `bytes` may reach beyond the section's end (only its segment's end is known), so a terminator ends it.
    // True: what follows a terminator in the middle (left by some linkers) is read too.
    bool exact = true;
};

struct Cie {
    std::uint64_t code_alignment = 1;
    std::int64_t data_alignment = 1;
    std::uint64_t return_register = 0;
    std::span<const std::uint8_t> program;  // initial instructions
    std::uint8_t pointer_encoding = 0;      // DW_EH_PE_*, of the FDEs' addresses
    std::uint8_t address_size = 8;
    bool has_augmentation_data = false;
    bool signal_frame = false;
};

struct Fde {
    std::uint64_t cie = 0;  // offset in the section
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::span<const std::uint8_t> program;
};

// One entry's frame: its place and its claimed size.
struct Entry {
    enum class Kind : std::uint8_t { kCie, kFde, kTerminator };
    Kind kind = Kind::kTerminator;
    std::uint64_t offset = 0;
    std::uint64_t next = 0;  // offset behind it
    std::uint64_t body = 0;  // offset behind the CIE pointer
    std::uint64_t cie = 0;   // of an FDE
    bool is_64_bit = false;
};

bool read_entry(const FrameSection& section, std::uint64_t offset, Entry* entry);
bool read_cie(const FrameSection& section, std::uint64_t offset, Cie* cie);
// The function's begin only: what the sort needs.
bool read_fde_begin(const FrameSection& section, const Entry& entry, const Cie& cie, std::uint64_t* begin);
bool read_fde(const FrameSection& section, const Entry& entry, const Cie& cie, Fde* fde);

// A DW_EH_PE-encoded pointer at the reader's place as an image offset. False: no value (omitted, indirect, or an
// encoding without meaning here). The reader is moved behind it in any case that has a size. `data_base`: for
// DW_EH_PE_datarel.
bool read_encoded(ByteReader& reader, const FrameSection& section, std::uint8_t encoding, std::uint64_t data_base,
                  std::uint64_t* value);

// .eh_frame_hdr. The table is sorted by function address by the linker; the reader of it must not rely on that.
struct FrameHeader {
    std::uint64_t eh_frame = 0;  // image offset of .eh_frame
    std::uint64_t count = 0;     // entries in the table; 0: no (usable) table
    std::span<const std::uint8_t> table;
    std::uint64_t table_base = 0;
    // Image offsets of the function and of its FDE. False: index >= count.
    bool entry(std::uint64_t index, std::uint64_t* function, std::uint64_t* fde) const;
};
bool read_frame_header(const FrameSection& header, FrameHeader* out);

}  // namespace kymo::unwind
