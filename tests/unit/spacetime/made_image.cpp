#include "made_image.h"

#include <cstring>
#include <elf.h>

namespace kymo::testing {
namespace {

using Bytes = std::vector<std::uint8_t>;

template <typename T>
void put(Bytes& bytes, std::size_t at, const T& value) {
    if (bytes.size() < at + sizeof(T)) {
        bytes.resize(at + sizeof(T));
    }
    std::memcpy(bytes.data() + at, &value, sizeof(T));
}

template <typename T>
void add(Bytes& bytes, const T& value) {
    put(bytes, bytes.size(), value);
}

void add_text(Bytes& bytes, const std::string& text) {
    bytes.insert(bytes.end(), text.begin(), text.end());
    bytes.push_back(0);
}

void add_unsigned(Bytes& bytes, std::uint64_t value) {  // LEB128
    do {
        const auto low = static_cast<std::uint8_t>(value & 0x7fU);
        value >>= 7U;
        bytes.push_back(value != 0 ? low | 0x80U : low);
    } while (value != 0);
}

void add_signed(Bytes& bytes, std::int64_t value) {  // LEB128
    for (bool more = true; more;) {
        const auto low = static_cast<std::uint8_t>(value & 0x7f);
        value >>= 7;
        more = !((value == 0 && (low & 0x40U) == 0) || (value == -1 && (low & 0x40U) != 0));
        bytes.push_back(more ? low | 0x80U : low);
    }
}

std::uint64_t end_of(const ImageFunction& function) {
    return function.address + function.code.size();
}

// DWARF 4, 7.5: a unit and one entry a function, every attribute's value written out in the entry.
Bytes abbreviations() {
    constexpr std::uint8_t kTable[] = {
        1,    0x11, 1,  // compile unit, with children
        0x03, 0x08,     // name: text
        0x1b, 0x08,     // folder: text
        0x10, 0x17,     // line table: offset in its section
        0x11, 0x01,     // begin: address
        0x12, 0x07,     // end: 8 bytes behind it
        0,    0,        //
        2,    0x2e, 0,  // subprogram
        0x03, 0x08,     // name
        0x3a, 0x0b,     // file: 1 byte
        0x3b, 0x05,     // line: 2 bytes
        0x11, 0x01,     // begin
        0x12, 0x07,     // length
        0,    0,    0,  //
    };
    return {std::begin(kTable), std::end(kTable)};
}

struct SourcePath {
    std::string folder;
    std::string name;
};

SourcePath split(const std::string& source) {
    const std::size_t slash = source.rfind('/');
    return slash == std::string::npos ? SourcePath{".", source}
                                      : SourcePath{source.substr(0, slash), source.substr(slash + 1)};
}

Bytes information(const std::vector<ImageFunction>& functions, const SourcePath& source) {
    Bytes bytes;
    add(bytes, std::uint32_t{0});  // length, below
    add(bytes, std::uint16_t{4});
    add(bytes, std::uint32_t{0});  // abbreviations at 0
    add(bytes, std::uint8_t{8});   // bytes of an address
    add_unsigned(bytes, 1);
    add_text(bytes, source.name);
    add_text(bytes, source.folder);
    add(bytes, std::uint32_t{0});  // line table at 0
    add(bytes, functions.front().address);
    add(bytes, end_of(functions.back()) - functions.front().address);
    for (const ImageFunction& function : functions) {
        add_unsigned(bytes, 2);
        add_text(bytes, function.name);
        add(bytes, std::uint8_t{1});
        add(bytes, static_cast<std::uint16_t>(function.lines.empty() ? 0 : function.lines.front().line));
        add(bytes, function.address);
        add(bytes, std::uint64_t{function.code.size()});
    }
    bytes.push_back(0);
    put(bytes, 0, static_cast<std::uint32_t>(bytes.size() - sizeof(std::uint32_t)));
    return bytes;
}

// DWARF 4, 6.2: standard and extended operations only.
Bytes line_table(const std::vector<ImageFunction>& functions, const SourcePath& source) {
    Bytes bytes;
    add(bytes, std::uint32_t{0});  // length, below
    add(bytes, std::uint16_t{4});
    add(bytes, std::uint32_t{0});  // of the header, below
    const std::size_t header = bytes.size();
    constexpr std::uint8_t kOperations[] = {1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
    bytes.insert(bytes.end(), std::begin(kOperations), std::end(kOperations));
    bytes.push_back(0);  // no folders but the unit's
    add_text(bytes, source.name);
    bytes.insert(bytes.end(), {0, 0, 0});  // its folder, time and size
    bytes.push_back(0);                    // no more files
    put(bytes, header - sizeof(std::uint32_t), static_cast<std::uint32_t>(bytes.size() - header));
    for (const ImageFunction& function : functions) {
        std::int64_t line = 1;
        std::uint64_t offset = 0;
        bytes.insert(bytes.end(), {0, 9, 2});  // set the address
        add(bytes, function.address);
        for (const MadeLine& row : function.lines) {
            bytes.push_back(2);  // advance the address
            add_unsigned(bytes, row.offset - offset);
            bytes.push_back(3);  // advance the line
            add_signed(bytes, row.line - line);
            bytes.push_back(1);  // a row
            offset = row.offset;
            line = row.line;
        }
        bytes.push_back(2);
        add_unsigned(bytes, function.code.size() - offset);
        bytes.insert(bytes.end(), {0, 1, 1});  // the sequence ends
    }
    put(bytes, 0, static_cast<std::uint32_t>(bytes.size() - sizeof(std::uint32_t)));
    return bytes;
}

// The file's sections, each put behind what is there.
class Sections {
  public:
    explicit Sections(Bytes& bytes) : bytes_(bytes), headers_(1), names_(1) {}

    std::uint32_t add(const std::string& name, Elf64_Shdr header) {
        header.sh_name = static_cast<Elf64_Word>(names_.size());
        header.sh_addralign = 1;
        add_text(names_, name);
        headers_.push_back(header);
        return static_cast<std::uint32_t>(headers_.size() - 1);
    }
    std::uint32_t add(const std::string& name, std::uint32_t type, const Bytes& contents) {
        bytes_.resize((bytes_.size() + 7) / 8 * 8);
        Elf64_Shdr header{};
        header.sh_type = type;
        header.sh_offset = bytes_.size();
        header.sh_size = contents.size();
        bytes_.insert(bytes_.end(), contents.begin(), contents.end());
        return add(name, header);
    }
    Elf64_Shdr& operator[](std::uint32_t section) { return headers_[section]; }

    void finish() {
        const std::uint32_t own = add(".shstrtab", SHT_STRTAB, {});
        headers_[own].sh_size = names_.size();
        headers_[own].sh_offset = bytes_.size();
        bytes_.insert(bytes_.end(), names_.begin(), names_.end());
        bytes_.resize((bytes_.size() + 7) / 8 * 8);
        Elf64_Ehdr file;
        std::memcpy(&file, bytes_.data(), sizeof file);
        file.e_shoff = bytes_.size();
        file.e_shnum = static_cast<Elf64_Half>(headers_.size());
        file.e_shstrndx = static_cast<Elf64_Half>(own);
        put(bytes_, 0, file);
        for (const Elf64_Shdr& each : headers_) {
            kymo::testing::add(bytes_, each);
        }
    }

  private:
    Bytes& bytes_;
    std::vector<Elf64_Shdr> headers_;
    Bytes names_;
};

Bytes begun(std::uint16_t machine, std::uint64_t end) {
    Elf64_Ehdr file{};
    std::memcpy(file.e_ident, ELFMAG, SELFMAG);
    file.e_ident[EI_CLASS] = ELFCLASS64;
    file.e_ident[EI_DATA] = ELFDATA2LSB;
    file.e_ident[EI_VERSION] = EV_CURRENT;
    file.e_type = ET_DYN;
    file.e_machine = machine;
    file.e_version = EV_CURRENT;
    file.e_ehsize = sizeof(Elf64_Ehdr);
    file.e_phentsize = sizeof(Elf64_Phdr);
    file.e_shentsize = sizeof(Elf64_Shdr);
    file.e_phoff = sizeof file;
    file.e_phnum = 1;
    Elf64_Phdr code{};
    code.p_type = PT_LOAD;
    code.p_flags = PF_R | PF_X;
    code.p_filesz = code.p_memsz = end;
    code.p_align = 0x1000;
    Bytes bytes;
    put(bytes, 0, file);
    put(bytes, sizeof file, code);
    bytes.resize(end);
    return bytes;
}

void add_symbols(Sections& sections, const std::vector<ImageFunction>& functions, std::uint32_t text) {
    Bytes names(1);
    Bytes symbols(sizeof(Elf64_Sym));
    for (const ImageFunction& function : functions) {
        Elf64_Sym symbol{};
        symbol.st_name = static_cast<Elf64_Word>(names.size());
        symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
        symbol.st_shndx = static_cast<Elf64_Half>(text);
        symbol.st_value = function.address;
        symbol.st_size = function.code.size();
        add(symbols, symbol);
        add_text(names, function.name);
    }
    const std::uint32_t table = sections.add(".symtab", SHT_SYMTAB, symbols);
    sections[table].sh_link = sections.add(".strtab", SHT_STRTAB, names);
    sections[table].sh_entsize = sizeof(Elf64_Sym);
    sections[table].sh_info = 1;  // the first that is not local
}

}  // namespace

std::vector<std::uint8_t> make_image(std::uint16_t machine, const std::vector<ImageFunction>& functions,
                                     const std::string& source) {
    const std::uint64_t begin = functions.front().address;
    const std::uint64_t end = end_of(functions.back());
    Bytes bytes = begun(machine, end);
    for (const ImageFunction& function : functions) {
        std::memcpy(&bytes[function.address], function.code.data(), function.code.size());
    }
    Sections sections(bytes);
    Elf64_Shdr text{};
    text.sh_type = SHT_PROGBITS;
    text.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
    text.sh_addr = text.sh_offset = begin;
    text.sh_size = end - begin;
    add_symbols(sections, functions, sections.add(".text", text));
    if (!source.empty()) {
        const SourcePath path = split(source);
        sections.add(".debug_abbrev", SHT_PROGBITS, abbreviations());
        sections.add(".debug_info", SHT_PROGBITS, information(functions, path));
        sections.add(".debug_line", SHT_PROGBITS, line_table(functions, path));
    }
    sections.finish();
    return bytes;
}

}  // namespace kymo::testing
