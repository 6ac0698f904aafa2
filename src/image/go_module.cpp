#include "image/go_module.h"

#include <array>
#include <cstring>
#include <elf.h>

namespace kymo::image {

namespace {

constexpr std::size_t kWord = 8;
constexpr unsigned kMostCandidates = 8;

// The description's words by number: addresses, and lengths of slices (address, length, capacity).
constexpr std::size_t kNames = 1;
constexpr std::size_t kUnits = 4;
constexpr std::size_t kFiles = 7;
constexpr std::size_t kTables = 10;
constexpr std::size_t kFunctions = 13;
constexpr std::size_t kIndexLength = 17;
constexpr std::size_t kText = 22;
constexpr std::size_t kFunctionData118 = 38;
constexpr std::size_t kFunctionData120 = 40;  // two words for coverage counters lie before it
constexpr std::size_t kWords = kFunctionData120 + 1;

using Words = std::array<std::uint64_t, kWords>;

constexpr std::uint32_t kRelativeX86 = 8;     // R_X86_64_RELATIVE
constexpr std::uint32_t kRelativeArm = 1027;  // R_AARCH64_RELATIVE

class ModuleSearch {
  public:
    explicit ModuleSearch(const GoProgram& program)
        : program_(program),
          layout_(GoTable::layout_of(program.table.bytes)),
          parts_(GoTable::parts_of(program.table.bytes)) {}

    GoModule find() {
        GoModule found;
        for (const GoPiece& piece : program_.data) {
            if (find_in(piece, &found)) {
                return found;
            }
        }
        find_by_relocations(&found);
        return found;
    }

  private:
    static std::uint64_t word_at(std::span<const std::uint8_t> bytes, std::size_t at) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, kWord);
        return word;
    }

    bool find_in(const GoPiece& piece, GoModule* found) {
        const std::uint64_t wanted = program_.table.offset + program_.relocated_by;
        const std::size_t first = (kWord - piece.offset % kWord) % kWord;
        for (std::size_t at = first; at < piece.bytes.size() && piece.bytes.size() - at >= kWords * kWord;
             at += kWord) {
            if (word_at(piece.bytes, at) != wanted) {
                continue;
            }
            Words words;
            std::memcpy(words.data(), piece.bytes.data() + at, sizeof(words));
            for (std::size_t i = 0; i < kWords; ++i) {
                // Of the words that are lengths none is read but the index's.
                words[i] -= i == kIndexLength || words[i] == 0 ? 0 : program_.relocated_by;
            }
            if (take(words, found)) {
                return true;
            }
        }
        return false;
    }

    // Addresses that are to be relocated may be 0 in the file: then they are in the relocations alone.
    void find_by_relocations(GoModule* found) {
        std::array<std::uint64_t, kMostCandidates> candidates{};
        unsigned count = 0;
        each_relocation([&](std::uint64_t place, std::uint64_t value) {
            if (value == program_.table.offset && count < kMostCandidates) {
                candidates[count++] = place;
            }
        });
        for (unsigned i = 0; i < count; ++i) {
            Words words{};
            for (const GoPiece& piece : program_.data) {
                const std::uint64_t at = candidates[i] - piece.offset;
                if (candidates[i] >= piece.offset && at < piece.bytes.size() &&
                    piece.bytes.size() - at >= sizeof(words)) {
                    std::memcpy(words.data(), piece.bytes.data() + at, sizeof(words));
                }
            }
            each_relocation([&](std::uint64_t place, std::uint64_t value) {
                const std::uint64_t at = place - candidates[i];
                if (at < sizeof(words) && at % kWord == 0) {
                    words[at / kWord] = value;
                }
            });
            if (take(words, found)) {
                return;
            }
        }
    }

    template <typename Take>
    void each_relocation(Take&& take) const {
        const auto bytes = program_.relocations;
        for (std::size_t at = 0; bytes.size() - at >= sizeof(Elf64_Rela); at += sizeof(Elf64_Rela)) {
            Elf64_Rela one;
            std::memcpy(&one, bytes.data() + at, sizeof(one));
            const auto type = static_cast<std::uint32_t>(one.r_info);
            if (type == kRelativeX86 || type == kRelativeArm) {
                take(one.r_offset, static_cast<std::uint64_t>(one.r_addend));
            }
        }
    }

    bool take(const Words& words, GoModule* found) const {
        const std::uint64_t table = program_.table.offset;
        if (words[0] != table || words[kNames] != table + parts_.names || words[kUnits] != table + parts_.units ||
            words[kFiles] != table + parts_.files || words[kTables] != table + parts_.tables ||
            words[kFunctions] != table + parts_.functions || words[kIndexLength] != parts_.count + 1) {
            return false;
        }
        found->text = words[kText];
        found->function_data = words[layout_ == GoTable::Layout::k118 ? kFunctionData118 : kFunctionData120];
        return true;
    }

    const GoProgram& program_;
    GoTable::Layout layout_;
    GoTable::Parts parts_;
};

}  // namespace

GoModule find_go_module(const GoProgram& program) {
    return GoTable::needs_text(GoTable::layout_of(program.table.bytes)) ? ModuleSearch(program).find() : GoModule{};
}

bool open_go_table(const GoProgram& program, GoTable* table, GoModule* module) {
    const GoModule found = find_go_module(program);
    if (module != nullptr) {
        *module = found;
    }
    return GoTable::read(program.table.bytes, program.relocated_by, found.text, table);
}

}  // namespace kymo::image
