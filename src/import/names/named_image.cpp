#include "import/names/named_image.h"

#include "base/descriptor.h"
#include "base/hash.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <span>
#include <unistd.h>
#include <utility>

namespace kymo::import {
namespace {

constexpr std::uint64_t kImagePage = 4'096;
constexpr std::uint64_t kHighestEnd = ~std::uint64_t{0} - kImagePage + 1;

// The sections' names, each after a byte of 0, and where each begins.
constexpr std::string_view kSectionNames{
    "\0.note.gnu.build-id\0.text\0.symtab\0.strtab\0.shstrtab\0.debug_abbrev\0.debug_info\0.debug_line\0", 90};
constexpr std::uint32_t kNoteName = 1;
constexpr std::uint32_t kTextName = 20;
constexpr std::uint32_t kSymbolsName = 26;
constexpr std::uint32_t kStringsName = 34;
constexpr std::uint32_t kSectionNamesName = 42;
constexpr std::uint32_t kAbbreviationsName = 52;
constexpr std::uint32_t kInformationName = 66;
constexpr std::uint32_t kLinesName = 78;
constexpr std::uint16_t kTextSection = 2;
constexpr std::uint32_t kStringsSection = 4;
constexpr std::uint16_t kSectionNamesSection = 5;

constexpr std::size_t kSections = 6;  // without those of debug information

constexpr std::size_t kBuildIdBytes = 20;

struct BuildIdNote {
    Elf64_Nhdr header{4, kBuildIdBytes, NT_GNU_BUILD_ID};
    std::array<char, 4> owner{'G', 'N', 'U', '\0'};
    std::array<std::uint8_t, kBuildIdBytes> id{};
};

// What comes before the symbols.
struct Front {
    Elf64_Ehdr header{};
    std::array<Elf64_Phdr, 2> segments{};
    BuildIdNote note;
    std::uint32_t unused = 0;
};
static_assert(sizeof(Front) % 8 == 0 && sizeof(Front) <= kImagePage);

template <typename T>
std::span<const std::uint8_t> bytes_of(const T& value) {
    return {reinterpret_cast<const std::uint8_t*>(&value), sizeof value};
}

template <typename T>
std::span<const std::uint8_t> bytes_of(std::span<const T> values) {
    return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()};
}

// Three words of state that differ from the first byte on, for an id of 160 bits.
class Hash {
  public:
    void add(std::span<const std::uint8_t> bytes) {
        for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
            add(word);
        }
        add(bytes.size());
    }
    std::array<std::uint8_t, kBuildIdBytes> value() const {
        std::array<std::uint8_t, kBuildIdBytes> to{};
        std::memcpy(to.data(), state_.data(), to.size());
        return to;
    }

  private:
    void add(std::uint64_t word) {
        for (std::uint64_t& lane : state_) {
            lane = mix(lane ^ word) + 0x9e3779b97f4a7c15ULL;
        }
    }

    std::array<std::uint64_t, 3> state_{1, 2, 3};
};

Result<void> write_all(int file, std::span<const std::uint8_t> bytes, const std::filesystem::path& path) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(file, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return Error{ErrorKind::kNoSpace, fmt::format("{}: {}", path.string(), std::strerror(errno)),
                         "free some space, or write elsewhere"};
        }
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return {};
}

Elf64_Ehdr elf_header(std::uint16_t machine, std::uint64_t sections_at, std::size_t sections) {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_DYN;
    header.e_machine = machine;
    header.e_version = EV_CURRENT;
    header.e_phoff = offsetof(Front, segments);
    header.e_shoff = sections_at;
    header.e_ehsize = sizeof(Elf64_Ehdr);
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 2;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<std::uint16_t>(sections);
    header.e_shstrndx = kSectionNamesSection;
    return header;
}

}  // namespace

std::optional<std::pair<bool, std::uint32_t>> NamedImage::keep(std::string_view name) {
    name = name.substr(0, std::min(name.find('\0'), kMostNameBytes));
    if (name.empty()) {
        return std::nullopt;
    }
    if (const auto known = index_.find(name); known != index_.end()) {
        return std::pair(false, known->second);
    }
    if (symbols_.size() >= kMostNames || names_.size() >= kMostNames || name.size() > kMostTextBytes - text_bytes_) {
        return std::nullopt;
    }
    text_bytes_ += name.size();
    const auto number = static_cast<std::uint32_t>(names_.size());
    index_.emplace(names_.emplace_back(name), number);
    return std::pair(true, number);
}

std::optional<std::uint64_t> NamedImage::offset_of(std::string_view name) {
    if (has_addresses_) {
        return std::nullopt;
    }
    const auto kept = keep(name);
    if (!kept) {
        return std::nullopt;
    }
    const auto [is_new, number] = *kept;
    const std::uint64_t offset = kFirstOffset + number * kStep;
    if (is_new) {
        symbols_.push_back({offset, kStep, number});
    }
    return offset;
}

bool NamedImage::add(std::string_view name, std::uint64_t address, std::uint64_t bytes) {
    const bool has_offsets = !has_addresses_ && !symbols_.empty();
    if (has_offsets || symbols_.size() >= kMostNames || address < kFirstOffset || address >= kHighestEnd ||
        bytes > kHighestEnd - address) {
        return false;
    }
    const auto kept = keep(name);
    if (!kept) {
        return false;
    }
    has_addresses_ = true;
    symbols_.push_back({address, bytes, kept->second});
    return true;
}

std::vector<NamedImage::Symbol> NamedImage::sorted() const {
    std::vector<Symbol> all = symbols_;
    std::stable_sort(all.begin(), all.end(), [](const Symbol& a, const Symbol& b) { return a.address < b.address; });
    // Of one address the last one: unique() keeps the first of equal ones, in reverse that is the last.
    const auto first = std::unique(all.rbegin(), all.rend(),
                                   [](const Symbol& a, const Symbol& b) { return a.address == b.address; });
    all.erase(all.begin(), first.base());
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].bytes == 0) {
            const std::uint64_t next = i + 1 < all.size() ? all[i + 1].address : kHighestEnd;
            all[i].bytes = std::min(next - all[i].address, kMostUnknownBytes);
        }
    }
    return all;
}

NamedImage::Range NamedImage::range() const {
    if (symbols_.empty()) {
        return {};
    }
    Range range{~std::uint64_t{0}, 0};
    for (const Symbol& symbol : sorted()) {
        range.begin = std::min(range.begin, symbol.address);
        range.end = std::max(range.end, symbol.address + symbol.bytes);
    }
    range.begin = range.begin / kImagePage * kImagePage;
    range.end = (range.end + kImagePage - 1) / kImagePage * kImagePage;
    return range;
}

Result<std::string> NamedImage::write(const std::filesystem::path& path,
                                      const std::optional<BuildId>& build_id) const {
    const Range text = range();
    std::vector<Elf64_Sym> symbols(1);
    std::string strings(1, '\0');
    strings.reserve(text_bytes_ + names_.size() + 1);
    std::vector<std::uint32_t> place_of(names_.size());
    for (std::size_t i = 0; i < names_.size(); ++i) {
        place_of[i] = static_cast<std::uint32_t>(strings.size());
        strings.append(names_[i]).push_back('\0');
    }
    for (const Symbol& from : sorted()) {
        Elf64_Sym symbol{};
        symbol.st_name = place_of[from.name];
        symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
        symbol.st_shndx = kTextSection;
        symbol.st_value = from.address;
        symbol.st_size = from.bytes;
        symbols.push_back(symbol);
    }

    // The order in the file: what is in Front, symbols, their names, the sections' names, debug information, the
    // sections' headers.
    const std::uint64_t symbols_at = sizeof(Front);
    const std::uint64_t strings_at = symbols_at + symbols.size() * sizeof(Elf64_Sym);
    const NamedLines::Sections lines = lines_.sections();
    const std::array<std::pair<std::uint32_t, const std::string*>, 3> debug = {
        {{kAbbreviationsName, &lines.abbreviations},
         {kInformationName, &lines.information},
         {kLinesName, &lines.lines}}};
    const std::uint64_t names_at = strings_at + strings.size();
    std::uint64_t sections_at = names_at + kSectionNames.size();
    for (const auto& [name, contents] : debug) {
        sections_at += contents->size();
    }
    const std::string padding((8 - sections_at % 8) % 8, '\0');  // aligns the headers
    sections_at += padding.size();
    const std::uint64_t loaded_at = text.begin - kImagePage;

    Front front;
    front.header = elf_header(machine_, sections_at, lines_.empty() ? kSections : kSections + debug.size());
    front.segments[0] = {PT_LOAD,       PF_R | PF_X,          0,         loaded_at, loaded_at,
                         sizeof(Front), text.end - loaded_at, kImagePage};
    const std::uint64_t note_at = offsetof(Front, note);
    front.segments[1] = {
        PT_NOTE, PF_R, note_at, loaded_at + note_at, loaded_at + note_at, sizeof(BuildIdNote), sizeof(BuildIdNote),
        4};

    std::vector<Elf64_Shdr> sections(kSections);
    sections[1] = {kNoteName, SHT_NOTE, SHF_ALLOC, loaded_at + note_at, note_at, sizeof(BuildIdNote), 0, 0, 4, 0};
    sections[2] = {
        kTextName, SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, text.begin, sizeof(Front), text.end - text.begin, 0, 0,
        kStep,     0};
    // The first symbol, an empty one, is the only local one.
    sections[3] = {kSymbolsName,     SHT_SYMTAB, 0, 0, symbols_at, strings_at - symbols_at, kStringsSection, 1, 8,
                   sizeof(Elf64_Sym)};
    sections[4] = {kStringsName, SHT_STRTAB, 0, 0, strings_at, strings.size(), 0, 0, 1, 0};
    sections[5] = {kSectionNamesName, SHT_STRTAB, 0, 0, names_at, kSectionNames.size(), 0, 0, 1, 0};

    for (std::uint64_t at = names_at + kSectionNames.size(); const auto& [name, contents] : debug) {
        if (!contents->empty()) {
            sections.push_back({name, SHT_PROGBITS, 0, 0, at, contents->size(), 0, 0, 1, 0});
        }
        at += contents->size();
    }

    const std::array<std::span<const std::uint8_t>, 8> rest = {
        bytes_of(std::span<const Elf64_Sym>(symbols)),      bytes_of(std::span<const char>(strings)),
        bytes_of(std::span<const char>(kSectionNames)),     bytes_of(std::span<const char>(lines.abbreviations)),
        bytes_of(std::span<const char>(lines.information)), bytes_of(std::span<const char>(lines.lines)),
        bytes_of(std::span<const char>(padding)),           bytes_of(std::span<const Elf64_Shdr>(sections))};
    Hash hash;
    hash.add(bytes_of(front));
    for (const auto part : rest) {
        hash.add(part);
    }
    front.note.id = build_id.value_or(hash.value());

    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) {
        const int why = errno;
        return Error{why == EEXIST   ? ErrorKind::kOutputExists
                     : why == ENOSPC ? ErrorKind::kNoSpace
                                     : ErrorKind::kPermission,
                     fmt::format("{}: {}", path.string(), std::strerror(why)), ""};
    }
    if (auto done = write_all(file.number(), bytes_of(front), path); !done) {
        return done.error();
    }
    for (const auto part : rest) {
        if (auto done = write_all(file.number(), part, path); !done) {
            return done.error();
        }
    }
    return std::string(front.note.id.begin(), front.note.id.end());
}

}  // namespace kymo::import
