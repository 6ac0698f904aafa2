#include "gpu/trace/text_instructions.h"

#include <bit>

namespace kymo::gpu {
namespace {

constexpr std::size_t kMostStatic = 1U << 22U;
constexpr std::uint32_t kTracerWithValues = 6;

std::uint64_t hash(std::string_view text, std::uint64_t value) {
    for (const char letter : text) {
        value = (value ^ static_cast<unsigned char>(letter)) * 0x100'0000'01B3U;  // FNV-1a
    }
    return value;
}

// A matrix operation of a warp group: its line says more.
bool is_group_matrix(std::string_view opcode) {
    return opcode.find("GMMA") != std::string_view::npos;
}

// Copies of whole tiles: the trace gives their data by tile, not by lane.
bool is_tile_copy(std::string_view opcode) {
    for (const std::string_view name : {"UTMALDG", "UTMASTG", "UTMAPF", "UTMAREDG", "UBLKCP", "UBLKPF", "UBLKRED"}) {
        if (opcode.starts_with(name)) {
            return true;
        }
    }
    return false;
}

// R4; of tracers from version 6 on also UR4, P0, UP1.
bool register_name(std::string_view word, std::uint32_t& number_of, bool& vector) {
    const std::size_t digits = std::min(word.find_first_of("0123456789"), word.size());
    const std::string_view kind = word.substr(0, digits);
    vector = kind == "R";
    return (vector || kind == "UR" || kind == "P" || kind == "UP") && number(word.substr(digits), number_of) &&
           number_of <= 255;
}

}  // namespace

Result<std::uint32_t> TextInstructions::static_index(std::string_view fixed_text) {
    Words words(fixed_text);
    StaticInstruction instruction;
    if (header_.has_lines && !number(words.next(), instruction.line)) {
        return lines_.malformed("a source line's number");
    }
    if (!number(words.next(), instruction.pc, 16)) {
        return lines_.malformed("a program counter in hexadecimal");
    }
    (void)words.next();  // the mask
    const auto registers = [&](Registers& list) {
        std::uint32_t count = 0;
        if (!number(words.next(), count) || count > 16) {
            return false;
        }
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::string_view word = words.next();
            std::uint32_t one = 0;
            bool vector = false;
            if (!register_name(word, one, vector) || (vector && !list.add(one))) {
                return false;
            }
        }
        return true;
    };
    if (!registers(instruction.destinations)) {
        return lines_.malformed("a count of destination registers and as many of R0 to R255");
    }
    instruction.opcode = words.next();
    if (instruction.opcode.empty() || instruction.opcode.front() < 'A' || instruction.opcode.front() > 'Z') {
        return lines_.malformed("an opcode");
    }
    if (!registers(instruction.sources)) {
        return lines_.malformed("a count of source registers and as many of R0 to R255");
    }
    if (is_group_matrix(instruction.opcode)) {
        (void)words.next();
    }
    if (!number(words.next(), instruction.width) || instruction.width > 1024) {
        return lines_.malformed("an access width (0 without addresses)");
    }
    if (is_tile_copy(instruction.opcode)) {
        instruction.width = 0;
    }
    instruction.op = decode_opcode(instruction.opcode);
    if (instruction.has_addresses() && instruction.op.space == Space::kNone) {
        // An unknown opcode with addresses: a load, so that its traffic counts.
        instruction.op.op_class = OpClass::kMemory;
        instruction.op.space = Space::kGeneric;
        instruction.op.load = true;
        instruction.op.bytes = 4;
    }
    if (program_.size() >= kMostStatic) {
        return lines_.malformed("at most 4194304 different instructions in a kernel");
    }
    program_.push_back(std::move(instruction));
    return static_cast<std::uint32_t>(program_.size() - 1);
}

// One a lane of the mask; how many they are.
Result<std::size_t> TextInstructions::read_addresses(Words& words, std::size_t lanes,
                                                     std::array<std::uint64_t, kWarpLanes>& addresses) const {
    const std::string_view form = words.next();
    std::uint64_t base = 0;
    std::size_t count = 0;
    if (form == "0") {
        for (; count < lanes; ++count) {
            if (!hexadecimal(words.next(), addresses[count])) {
                return lines_.malformed("an address for every active lane");
            }
        }
    } else if (form == "1") {
        std::int64_t stride = 0;
        if (!hexadecimal(words.next(), base) || !number(words.next(), stride)) {
            return lines_.malformed("a base address and a stride");
        }
        for (; count < lanes; ++count) {
            addresses[count] = base;
            base += static_cast<std::uint64_t>(stride);
        }
    } else if (form == "2") {
        if (!hexadecimal(words.next(), base)) {
            return lines_.malformed("a base address");
        }
        for (; count < lanes; ++count) {
            std::int64_t step = 0;
            if (count != 0 && !number(words.next(), step)) {
                return lines_.malformed("one difference fewer than there are active lanes");
            }
            base += static_cast<std::uint64_t>(step);
            addresses[count] = base;
        }
    } else {
        return lines_.malformed("an address form: 0, 1 or 2");
    }
    return count;
}

// Behind the addresses: immediates, and registers' values, which the model does not use.
Result<void> TextInstructions::line_end(Words& words, std::string_view opcode) const {
    if (is_tile_copy(opcode)) {
        return {};
    }
    std::string_view rest = words.next();
    const bool later = header_.tracer_version >= kTracerWithValues;
    for (int most = later            ? 2
                    : has_immediate_ ? 1
                                     : 0;
         most > 0 && !rest.empty() && rest != "Val" && rest != "NoVal"; --most) {
        std::int64_t immediate = 0;
        std::uint64_t unsigned_immediate = 0;
        if (!number(rest, immediate) && !number(rest, unsigned_immediate)) {
            return lines_.malformed("an immediate");
        }
        rest = words.next();
    }
    if ((later || has_values_) && rest == "Val") {
        return {};
    }
    if (later && rest == "NoVal") {
        rest = words.next();
    }
    if (!rest.empty()) {
        return lines_.malformed("the line's end");
    }
    return {};
}

Result<void> TextInstructions::read(std::string_view text, WarpEncoder& encoder) {
    Words words(text);
    if (header_.has_lines) {
        (void)words.next();
    }
    (void)words.next();
    const char* mask_begin = words.position();
    const std::string_view mask_word = words.next();
    const char* mask_end = words.position();
    std::uint32_t mask = 0;
    if (!number(mask_word, mask, 16) || mask_word.size() != 8) {
        return lines_.malformed("an execution mask of eight hexadecimal digits");
    }
    std::string_view opcode;
    for (int list = 0; list < 2; ++list) {
        std::uint32_t count = 0;
        if (!number(words.next(), count) || count > 16) {
            return lines_.malformed(list == 0 ? "a count of destination registers" : "a count of source registers");
        }
        for (std::uint32_t i = 0; i < count; ++i) {
            (void)words.next();
        }
        if (list == 0) {
            opcode = words.next();
        }
    }
    if (is_group_matrix(opcode)) {
        (void)words.next();  // whether it ends a group
    }
    (void)words.next();  // the width
    const std::string_view before(text.data(), static_cast<std::size_t>(mask_begin - text.data()));
    const std::string_view after(mask_end, static_cast<std::size_t>(words.position() - mask_end));
    const std::uint64_t key = hash(after, hash(before, 0xCBF2'9CE4'8422'2325U));
    std::uint32_t index = 0;
    if (const auto found = by_text_.find(key); found != by_text_.end()) {
        index = found->second;
    } else {
        const std::string_view fixed(text.data(), static_cast<std::size_t>(words.position() - text.data()));
        auto made = static_index(fixed);
        if (!made) {
            return made.error();
        }
        index = *made;
        by_text_.emplace(key, index);
    }
    std::array<std::uint64_t, kWarpLanes> addresses{};
    std::size_t count = 0;
    if (program_[index].has_addresses()) {
        auto read = read_addresses(words, static_cast<std::size_t>(std::popcount(mask)), addresses);
        if (!read) {
            return read.error();
        }
        count = *read;
    }
    if (auto good = line_end(words, opcode); !good) {
        return good;
    }
    encoder.add(index, mask, {addresses.data(), count});
    return {};
}

}  // namespace kymo::gpu
