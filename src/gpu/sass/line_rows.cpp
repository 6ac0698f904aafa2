#include "gpu/sass/line_rows.h"

#include <algorithm>
#include <cstring>

namespace kymo::gpu::sass {
namespace {

constexpr std::size_t kMostRows = std::size_t{1} << 22U;

Error malformed_lines(const std::string& name, const char* what) {
    return {ErrorKind::kMalformed, name + ": damaged table of lines: " + what, "build the program again with nvcc"};
}

// Consecutive bytes; `failed` once a read went beyond the end.
class Bytes {
  public:
    explicit Bytes(std::span<const std::uint8_t> bytes) : left_(bytes) {}
    bool failed() const { return failed_; }
    bool empty() const { return left_.empty(); }
    std::size_t size() const { return left_.size(); }
    template <typename T>
    T take() {
        T value{};
        if (const auto bytes = piece(sizeof(T)); !bytes.empty()) {
            std::memcpy(&value, bytes.data(), sizeof(T));
        }
        return value;
    }
    std::span<const std::uint8_t> piece(std::uint64_t size) {
        if (size > left_.size()) {
            failed_ = true;
            left_ = {};
            return {};
        }
        const auto taken = left_.first(size);
        left_ = left_.subspan(size);
        return taken;
    }
    std::uint64_t number() {
        std::uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            const auto byte = take<std::uint8_t>();
            value |= shift < 64 ? static_cast<std::uint64_t>(byte & 0x7FU) << shift : 0;
            if (byte < 0x80U || failed_) {
                return value;
            }
        }
    }
    std::int64_t signed_number() {
        std::uint64_t value = 0;
        for (unsigned shift = 0;;) {
            const auto byte = take<std::uint8_t>();
            value |= shift < 64 ? static_cast<std::uint64_t>(byte & 0x7FU) << shift : 0;
            shift += 7;
            if (byte < 0x80U || failed_) {
                if (shift < 64 && (byte & 0x40U) != 0) {
                    value |= ~std::uint64_t{0} << shift;
                }
                return static_cast<std::int64_t>(value);
            }
        }
    }

  private:
    std::span<const std::uint8_t> left_;
    bool failed_ = false;
};

// Where the table's addresses are relocated to: offset in the table → section of the code.
std::map<std::uint64_t, std::size_t> relocations(const image::ElfFile& cubin, std::size_t table) {
    std::map<std::uint64_t, std::size_t> found;
    for (std::size_t i = 0; i < cubin.section_count(); ++i) {
        const Elf64_Shdr section = cubin.section(i);
        const bool with_addend = section.sh_type == SHT_RELA;
        if ((!with_addend && section.sh_type != SHT_REL) || section.sh_info != table ||
            section.sh_link >= cubin.section_count()) {
            continue;
        }
        const auto symbols = cubin.contents(cubin.section(section.sh_link));
        const auto entries = cubin.contents(section);
        const std::size_t stride = with_addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
        for (std::size_t at = 0; at + stride <= entries.size(); at += stride) {
            Elf64_Rel entry;  // the beginning of both
            std::memcpy(&entry, entries.data() + at, sizeof entry);
            const std::uint64_t symbol = ELF64_R_SYM(entry.r_info);
            Elf64_Sym told;
            if (symbol < symbols.size() / sizeof told) {
                std::memcpy(&told, symbols.data() + symbol * sizeof told, sizeof told);
                found[entry.r_offset] = told.st_shndx;
            }
        }
    }
    return found;
}

// The line program's registers, and what it appends to.
struct State {
    std::uint64_t pc = 0;
    std::int64_t line = 1;
    std::vector<LineRow>* rows = nullptr;
};

struct Unit {
    std::uint8_t least_bytes = 1;
    std::int8_t line_base = 0;
    std::uint8_t line_range = 1;
    std::uint8_t opcode_base = 10;
    std::vector<std::uint8_t> operands;
};

enum : std::uint8_t {
    kExtended,
    kCopy,
    kAdvancePc,
    kAdvanceLine,
    kSetFile,
    kSetColumn,
    kNegate,
    kBlock,
    kConstantPc,
    kFixedPc
};
enum : std::uint8_t { kEndSequence = 1, kSetAddress = 2 };

class LineProgram {
  public:
    LineProgram(std::span<const std::uint8_t> table, const std::map<std::uint64_t, std::size_t>& relocated,
                LineRows& out)
        : table_(table), relocated_(relocated), out_(out) {}

    // A unit's instructions. False: too many rows, or cut.
    bool run(const Unit& unit, std::span<const std::uint8_t> code) {
        Bytes bytes(code);
        state_ = {};
        while (!bytes.empty() && rows_ < kMostRows) {
            const auto opcode = bytes.take<std::uint8_t>();
            if (opcode >= unit.opcode_base) {
                const unsigned step = opcode - unit.opcode_base;
                state_.pc += std::uint64_t{step / unit.line_range} * unit.least_bytes;
                state_.line += unit.line_base + static_cast<int>(step % unit.line_range);
                append();
                continue;
            }
            standard(unit, opcode, bytes);
        }
        return !bytes.failed() && rows_ < kMostRows;
    }

  private:
    void append() {
        if (state_.rows != nullptr) {
            state_.rows->push_back({state_.pc, static_cast<std::uint32_t>(state_.line)});
            ++rows_;
        }
    }
    void standard(const Unit& unit, std::uint8_t opcode, Bytes& bytes) {
        switch (opcode) {
            case kExtended:
                extended(bytes);
                return;
            case kCopy:
                append();
                return;
            case kAdvancePc:
                state_.pc += bytes.number() * unit.least_bytes;
                return;
            case kAdvanceLine:
                state_.line += bytes.signed_number() % (std::int64_t{1} << 32U);
                state_.line &= 0xFFFF'FFFF;
                return;
            case kConstantPc:
                state_.pc += std::uint64_t{(255U - unit.opcode_base) / unit.line_range} * unit.least_bytes;
                return;
            case kFixedPc:
                state_.pc += bytes.take<std::uint16_t>();
                return;
            default:
                for (unsigned i = 0; i < unit.operands[opcode - 1U]; ++i) {
                    (void)bytes.number();
                }
        }
    }
    void extended(Bytes& bytes) {
        Bytes operands(bytes.piece(bytes.number()));
        const auto kind = operands.take<std::uint8_t>();
        if (kind == kEndSequence) {
            state_ = {};
        } else if (kind == kSetAddress && operands.size() >= 8) {
            const auto place = operands.piece(8);
            std::memcpy(&state_.pc, place.data(), 8);
            const auto section = relocated_.find(static_cast<std::uint64_t>(place.data() - table_.data()));
            state_.rows = section != relocated_.end() ? &out_[section->second] : nullptr;
        }
    }

    std::span<const std::uint8_t> table_;
    const std::map<std::uint64_t, std::size_t>& relocated_;
    LineRows& out_;
    State state_;
    std::size_t rows_ = 0;
};

}  // namespace

Result<LineRows> line_rows(const image::ElfFile& cubin, const std::string& name) {
    LineRows rows;
    for (std::size_t i = 0; i < cubin.section_count(); ++i) {
        if (cubin.name(cubin.section(i)) != ".nv_debug_line_sass") {
            continue;
        }
        const auto table = cubin.contents(cubin.section(i));
        const auto relocated = relocations(cubin, i);
        LineProgram program(table, relocated, rows);
        Bytes units(table);
        while (!units.empty()) {
            Bytes unit_bytes(units.piece(units.take<std::uint32_t>()));
            const auto version = unit_bytes.take<std::uint16_t>();
            Bytes header(unit_bytes.piece(unit_bytes.take<std::uint32_t>()));
            Unit unit;
            unit.least_bytes = header.take<std::uint8_t>();
            (void)header.take<std::uint8_t>();  // whether a row is a statement at first
            unit.line_base = header.take<std::int8_t>();
            unit.line_range = header.take<std::uint8_t>();
            unit.opcode_base = header.take<std::uint8_t>();
            if (units.failed() || unit_bytes.failed() || header.failed() || version != 2 || unit.line_range == 0 ||
                unit.opcode_base == 0) {
                return malformed_lines(name, "expected a unit of DWARF 2");
            }
            const auto operands = header.piece(unit.opcode_base - 1U);
            unit.operands.assign(operands.begin(), operands.end());
            if (header.failed() || !program.run(unit, unit_bytes.piece(unit_bytes.size()))) {
                return malformed_lines(name, "its instructions are cut, or too many");
            }
        }
    }
    for (auto& [section, of] : rows) {
        std::stable_sort(of.begin(), of.end(), [](const LineRow& a, const LineRow& b) { return a.pc < b.pc; });
    }
    return rows;
}

}  // namespace kymo::gpu::sass
