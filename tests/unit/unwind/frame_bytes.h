// Writes call-frame sections by hand, as an assembler would: the tests keep the directive beside each instruction.
#pragma once

#include "unwind/compile.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace kymo::unwind::test {

// DWARF instruction and operation bytes used in the tests.
enum : std::uint8_t {
    kNop = 0x00,
    kSetLoc = 0x01,
    kAdvance1 = 0x02,
    kAdvance2 = 0x03,
    kAdvance4 = 0x04,
    kOffsetExtended = 0x05,
    kRestoreExtended = 0x06,
    kUndefined = 0x07,
    kSameValue = 0x08,
    kRegister = 0x09,
    kRememberState = 0x0A,
    kRestoreState = 0x0B,
    kDefCfa = 0x0C,
    kDefCfaRegister = 0x0D,
    kDefCfaOffset = 0x0E,
    kDefCfaExpression = 0x0F,
    kExpression = 0x10,
    kOffsetExtendedSf = 0x11,
    kDefCfaSf = 0x12,
    kDefCfaOffsetSf = 0x13,
    kValOffset = 0x14,
    kValExpression = 0x16,
    kGnuArgsSize = 0x2E,
    kAdvance = 0x40,  // + delta
    kOffset = 0x80,   // + register
    kRestore = 0xC0,  // + register
};

using Bytes = std::vector<std::uint8_t>;

class FrameBytes {
  public:
    explicit FrameBytes(FrameSectionKind kind = FrameSectionKind::kEhFrame, bool is_64_bit = false)
        : kind_(kind), is_64_bit_(is_64_bit) {}

    struct Common {
        std::string_view augmentation = "zR";
        std::uint8_t encoding = 0x1B;  // pcrel | sdata4
        Bytes augmentation_data{0x1B};
        Bytes program{kDefCfa, 7, 8, kOffset + 16, 1};  // CFA = rsp + 8, return address at CFA − 8
        std::uint8_t version = 1;
        std::uint8_t code_alignment = 1;
        std::uint8_t data_alignment = 0x78;  // −8
        std::uint8_t return_register = 16;
    };

    // Returns the CIE's offset.
    std::size_t cie() { return cie(Common{}); }
    std::size_t cie(const Common& common) {
        const std::size_t at = begin();
        id(kind_ == FrameSectionKind::kEhFrame ? 0 : ~std::uint64_t{0});
        bytes_.push_back(common.version);
        bytes_.insert(bytes_.end(), common.augmentation.begin(), common.augmentation.end());
        bytes_.push_back(0);
        if (common.version == 4) {
            bytes_.push_back(8);
            bytes_.push_back(0);
        }
        bytes_.push_back(common.code_alignment);
        bytes_.push_back(common.data_alignment);
        bytes_.push_back(common.return_register);
        if (common.augmentation.starts_with('z')) {
            bytes_.push_back(static_cast<std::uint8_t>(common.augmentation_data.size()));
            append(common.augmentation_data);
        }
        append(common.program);
        end(at);
        cie_ = at;
        encoding_ = common.augmentation.find('R') != std::string_view::npos ? common.encoding : std::uint8_t{0};
        has_data_ = common.augmentation.starts_with('z');
        return at;
    }

    // For [begin, begin + size); image offsets. Refers to the CIE written last.
    std::size_t fde(std::uint64_t begin_address, std::uint64_t size, const Bytes& program) {
        const std::size_t at = begin();
        id(kind_ == FrameSectionKind::kEhFrame ? bytes_.size() - cie_ : cie_);
        if (encoding_ == 0x1B) {
            put(begin_address - bytes_.size(), 4);  // the section lies at image offset 0
            put(size, 4);
        } else {
            put(begin_address, 8);
            put(size, 8);
        }
        if (has_data_) {
            bytes_.push_back(0);
        }
        append(program);
        end(at);
        return at;
    }

    void terminator() { put(0, 4); }
    void raw(const Bytes& bytes) { append(bytes); }
    Bytes& bytes() { return bytes_; }

    FrameSection section(bool exact = true) const {
        FrameSection section;
        section.bytes = bytes_;
        section.kind = kind_;
        section.exact = exact;
        return section;
    }

  private:
    void put(std::uint64_t value, unsigned size) {
        for (unsigned i = 0; i < size; ++i) {
            bytes_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
        }
    }
    void append(const Bytes& bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
    std::size_t begin() {
        const std::size_t at = bytes_.size();
        if (is_64_bit_) {
            put(0xFFFFFFFF, 4);
            put(0, 8);
        } else {
            put(0, 4);
        }
        return at;
    }
    void id(std::uint64_t value) { put(value, kind_ == FrameSectionKind::kDebugFrame && is_64_bit_ ? 8 : 4); }
    void end(std::size_t at) {
        while (bytes_.size() % 8 != 0) {
            bytes_.push_back(kNop);
        }
        const std::size_t field = is_64_bit_ ? at + 4 : at;
        const std::uint64_t length = bytes_.size() - field - (is_64_bit_ ? 8 : 4);
        for (unsigned i = 0; i < (is_64_bit_ ? 8U : 4U); ++i) {
            bytes_[field + i] = static_cast<std::uint8_t>(length >> (8 * i));
        }
    }

    Bytes bytes_;
    FrameSectionKind kind_;
    bool is_64_bit_;
    std::size_t cie_ = 0;
    std::uint8_t encoding_ = 0x1B;
    bool has_data_ = true;
};

// Owns a table for the length of a test.
class Compiled {
  public:
    explicit Compiled(const FrameSection& eh_frame, const FrameSection& debug_frame = {},
                      std::uint64_t code_begin = 0, std::uint64_t code_end = 0x100000,
                      bool (*make)(const CompileInput& input, Table* table) = compile) {
        CompileInput input;
        input.code_begin = code_begin;
        input.code_end = code_end;
        input.eh_frame = eh_frame;
        input.debug_frame = debug_frame;
        input.debug_frame.kind = FrameSectionKind::kDebugFrame;
        ok_ = make(input, &table_);
    }
    ~Compiled() { release(&table_); }
    Compiled(const Compiled&) = delete;
    Compiled& operator=(const Compiled&) = delete;

    bool ok() const { return ok_; }
    const Table& table() const { return table_; }

  private:
    Table table_;
    bool ok_ = false;
};

}  // namespace kymo::unwind::test
