#include "import/names/named_lines.h"

#include <algorithm>
#include <array>
#include <dwarf.h>

namespace kymo::import {
namespace {

constexpr char kVersion = 4;
constexpr char kAddressBytes = 8;
// Abbreviations.
constexpr std::uint64_t kUnit = 1;
constexpr std::uint64_t kFunction = 2;
// The line program: a special opcode stands for a line and a byte more.
constexpr char kOpcodeBase = 13;
constexpr char kLineAndByte = kOpcodeBase + 1;

void add_number(std::string& to, std::uint64_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) {
        to += static_cast<char>(value >> (8 * i));
    }
}

// LEB128; signed: the sign of what is negative is kept.
void add_unsigned(std::string& to, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) {
        to += static_cast<char>(value | 0x80U);
    }
    to += static_cast<char>(value);
}

void add_signed(std::string& to, std::int64_t value) {
    for (; value < -0x40 || value >= 0x40; value >>= 7) {
        to += static_cast<char>((static_cast<std::uint64_t>(value) & 0x7fU) | 0x80U);
    }
    to += static_cast<char>(static_cast<std::uint64_t>(value) & 0x7fU);
}

void add_text(std::string& to, std::string_view text) {
    to.append(text.substr(0, text.find('\0'))).push_back('\0');
}

// With the number of bytes that follow in front.
std::string counted(const std::string& body) {
    std::string all;
    add_number(all, body.size(), 4);
    return all + body;
}

std::string abbreviations() {
    std::string all;
    const auto add = [&](std::uint64_t number, std::uint64_t tag, bool has_children,
                         std::initializer_list<std::array<std::uint64_t, 2>> attributes) {
        add_unsigned(all, number);
        add_unsigned(all, tag);
        all += has_children ? '\1' : '\0';
        for (const auto& [name, form] : attributes) {
            add_unsigned(all, name);
            add_unsigned(all, form);
        }
        all.append(2, '\0');
    };
    add(kUnit, DW_TAG_compile_unit, true,
        {{DW_AT_name, DW_FORM_string},
         {DW_AT_stmt_list, DW_FORM_sec_offset},
         {DW_AT_low_pc, DW_FORM_addr},
         {DW_AT_high_pc, DW_FORM_data8}});
    add(kFunction, DW_TAG_subprogram, false,
        {{DW_AT_name, DW_FORM_string},
         {DW_AT_decl_file, DW_FORM_udata},
         {DW_AT_decl_line, DW_FORM_udata},
         {DW_AT_low_pc, DW_FORM_addr},
         {DW_AT_high_pc, DW_FORM_data8}});
    all += '\0';
    return all;
}

}  // namespace

void NamedLines::add(std::string_view name, std::uint64_t address, std::uint64_t bytes, std::string_view file,
                     std::uint64_t line, std::uint64_t lines) {
    auto known = files_.find(file);
    if (known == files_.end()) {
        known = files_.emplace(file, file_names_.size() + 1).first;
        file_names_.emplace_back(file);
    }
    functions_.push_back(
        {std::string(name), address, bytes, known->second, line, std::clamp<std::uint64_t>(lines, 1, bytes)});
}

std::string NamedLines::information() const {
    std::string body;
    add_number(body, kVersion, 2);
    add_number(body, 0, 4);  // of the abbreviations
    body += kAddressBytes;
    const std::uint64_t begin = functions_.front().address;
    add_unsigned(body, kUnit);
    add_text(body, "");
    add_number(body, 0, 4);  // of the line program
    add_number(body, begin, 8);
    add_number(body, functions_.back().address + functions_.back().bytes - begin, 8);
    for (const Function& function : functions_) {
        add_unsigned(body, kFunction);
        add_text(body, function.name);
        add_unsigned(body, function.file);
        add_unsigned(body, function.line);
        add_number(body, function.address, 8);
        add_number(body, function.bytes, 8);
    }
    body += '\0';  // the unit's end
    return counted(body);
}

std::string NamedLines::line_program() const {
    std::string header;
    header += '\1';  // the least bytes of an instruction
    header += '\1';  // operations of one
    header += '\1';  // rows are statements
    header += '\1';  // the least step in lines of a special opcode,
    header += '\1';  // and how many steps there are
    header += kOpcodeBase;
    for (const int operands : {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1}) {
        header += static_cast<char>(operands);
    }
    header += '\0';  // no directories
    for (const std::string& file : file_names_) {
        add_text(header, file);
        header.append(3, '\0');  // directory, time, size
    }
    header += '\0';

    std::string program;
    std::int64_t line = 1;
    for (const Function& function : functions_) {
        program += '\0';
        add_unsigned(program, 1 + kAddressBytes);
        program += static_cast<char>(DW_LNE_set_address);
        add_number(program, function.address, 8);
        program += static_cast<char>(DW_LNS_set_file);
        add_unsigned(program, function.file);
        program += static_cast<char>(DW_LNS_advance_line);
        add_signed(program, static_cast<std::int64_t>(function.line) - line);
        program += static_cast<char>(DW_LNS_copy);
        program.append(function.lines - 1, kLineAndByte);
        line = static_cast<std::int64_t>(function.line + function.lines - 1);
    }
    program += static_cast<char>(DW_LNS_advance_pc);
    add_unsigned(program, functions_.back().bytes - functions_.back().lines + 1);
    program += '\0';
    add_unsigned(program, 1);
    program += static_cast<char>(DW_LNE_end_sequence);

    std::string body;
    add_number(body, kVersion, 2);
    add_number(body, header.size(), 4);
    return counted(body + header + program);
}

NamedLines::Sections NamedLines::sections() const {
    return empty() ? Sections{} : Sections{abbreviations(), information(), line_program()};
}

}  // namespace kymo::import
