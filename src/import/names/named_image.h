// An ELF file made of names alone: for profiles that say what functions are called, but not where their programs are.
//
// The file has no code. Its symbol table names each offset by its function, so that such a profile becomes a
// recording with addresses like any other, and every reader of symbols finds the names again.
#pragma once

#include "base/result.h"
#include "import/names/named_lines.h"

#include <array>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kymo::import {

// Filled by offset_of() or by add(), not by both: whichever comes first decides, and the other one then refuses.
//
// Names are cut to kMostNameBytes, and at a byte of 0, which no symbol table can hold. Memory: about 100 bytes a name
// and the names, at most kMostTextBytes of them.
class NamedImage {
  public:
    static constexpr std::size_t kMostNames = std::size_t{1} << 22;
    static constexpr std::size_t kMostNameBytes = 4'096;
    static constexpr std::size_t kMostTextBytes = std::size_t{1} << 30;
    static constexpr std::uint64_t kFirstOffset = 4'096;  // a page; the one before it has the file's headers
    static constexpr std::uint64_t kStep = 16;            // bytes a function without a known place is given
    // A function without a known size reaches to the next one, but not farther than this.
    static constexpr std::uint64_t kMostUnknownBytes = std::uint64_t{1} << 20;

    // `machine`: e_machine, that of the recording, as readers refuse files of others.
    explicit NamedImage(std::uint16_t machine) : machine_(machine) {}

    // The offset at which this function begins: the same for the same name, another one for another name. A return
    // address into it is one byte more, as readers look those up one byte before. None: the name is empty, or a limit
    // is reached. Cost: one look-up in a hash table.
    std::optional<std::uint64_t> offset_of(std::string_view name);

    // A function at an address that is already known (of the kernel, or of generated code); its offset in the image
    // is that address. `bytes`: its size, 0: not known. Of several functions at one address the last one counts:
    // places of generated code are used again. False: it was not taken, because the name is empty, the address is
    // below kFirstOffset or its end beyond 2^64 - 4096, or a limit is reached.
    bool add(std::string_view name, std::uint64_t address, std::uint64_t bytes);

    // The source of a function that add() took: as NamedLines::add().
    void add_lines(std::string_view name, std::uint64_t address, std::uint64_t bytes, std::string_view file,
                   std::uint64_t line, std::uint64_t lines) {
        lines_.add(name, address, bytes, file, line, lines);
    }

    [[nodiscard]] bool empty() const { return symbols_.empty(); }
    [[nodiscard]] std::size_t size() const { return symbols_.size(); }
    // Where its functions lie: from the first one's beginning, rounded down to a page, to behind the last one,
    // rounded up. 0 and 0: it has none.
    struct Range {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
    };
    [[nodiscard]] Range range() const;

    // Writes the file, which must not exist yet, for this user alone (0600). The result is its build id, 20 bytes: a
    // hash of all else, so that equal names give equal files; not safe against chosen names. It is of type ET_DYN,
    // with one loaded segment that begins one page before range() and has the headers in that page.
    //
    // Precondition: not empty(). Errors: kOutputExists, kPermission, kNoSpace. Cost: sorts the functions; 24 bytes of
    // memory a function and a copy of the names.
    // `build_id`: instead of the hash.
    using BuildId = std::array<std::uint8_t, 20>;
    [[nodiscard]] Result<std::string> write(const std::filesystem::path& path,
                                            const std::optional<BuildId>& build_id = std::nullopt) const;

  private:
    struct Symbol {
        std::uint64_t address = 0;
        std::uint64_t bytes = 0;  // 0: not known
        std::uint32_t name = 0;   // index into names_
    };

    // Its index in names_, which has it from now on; none: see offset_of(). The first is whether it is new.
    std::optional<std::pair<bool, std::uint32_t>> keep(std::string_view name);
    // By address, one for each, with sizes.
    std::vector<Symbol> sorted() const;

    std::uint16_t machine_;
    bool has_addresses_ = false;
    std::size_t text_bytes_ = 0;
    std::deque<std::string> names_;  // each once, never moved
    std::unordered_map<std::string_view, std::uint32_t> index_;
    std::vector<Symbol> symbols_;
    NamedLines lines_;
};

}  // namespace kymo::import
