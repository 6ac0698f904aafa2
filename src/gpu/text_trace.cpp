#include "gpu/text_trace.h"

#include "gpu/text_words.h"

#include <bit>
#include <limits>

namespace kymo::gpu {
namespace {

constexpr std::uint64_t kMostWarps =
    std::uint64_t{1024} / kWarpLanes * 2;  // twice what any GPU takes: old cards had 1536 threads
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

// Copies of whole tiles: what they move is told by tile, not by lane.
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

// What the fixed part of a line says; the line's mask and addresses are apart.
struct TextTrace::Fields {
    StaticInstruction instruction;
};

Result<std::unique_ptr<TextTrace>> TextTrace::open(std::unique_ptr<ByteInput> bytes, std::string name) {
    std::unique_ptr<TextTrace> trace(new TextTrace(std::move(bytes), std::move(name)));
    if (auto read = trace->read_header(); !read) {
        return read.error();
    }
    return trace;
}

Result<bool> TextTrace::line(std::string_view& text) {
    if (has_pending_) {
        has_pending_ = false;
        text = pending_;
        return true;
    }
    for (;;) {
        auto more = lines_.next(text);
        if (!more || !*more) {
            return more;
        }
        text_bytes_ += text.size() + 1;
        text = trimmed(text);
        if (!text.empty()) {
            return true;
        }
    }
}

Result<void> TextTrace::header_line(std::string_view text) {
    std::string_view value;
    bool good = true;
    if (assignment(text, "-kernel name", value)) {
        header_.name = value;
    } else if (assignment(text, "-kernel id", value)) {
        good = number(value, header_.id);
    } else if (assignment(text, "-grid dim", value)) {
        good = dimensions(value, header_.grid);
    } else if (assignment(text, "-block dim", value)) {
        good = dimensions(value, header_.block);
    } else if (assignment(text, "-shmem", value)) {
        good = number(value, header_.shared_bytes);
    } else if (assignment(text, "-nregs", value)) {
        good = number(value, header_.registers);
    } else if (assignment(text, "-binary version", value)) {
        good = number(value, header_.binary_version);
    } else if (assignment(text, "-cuda stream id", value)) {
        good = number(value, header_.stream);
    } else if (assignment(text, "-shmem base_addr", value)) {
        good = hexadecimal(value, header_.shared_base);
    } else if (assignment(text, "-local mem base_addr", value)) {
        good = hexadecimal(value, header_.local_base);
    } else if (assignment(text, "-nvbit version", value)) {
        header_.nvbit_version = value;
    } else if (assignment(text, "-accelsim tracer version", value)) {
        good = number(value, header_.tracer_version);
    } else if (assignment(text, "-enable lineinfo", value)) {
        header_.has_lines = value == "1";
        good = value == "0" || value == "1";
    }  // later tracers may say more
    if (!good) {
        return lines_.malformed("a header line like \"-grid dim = (8,1,1)\" with a valid value");
    }
    return {};
}

Result<void> TextTrace::read_header() {
    std::string_view text;
    bool described = false;
    for (;;) {
        auto more = line(text);
        if (!more) {
            return more.error();
        }
        if (!*more || text == "#BEGIN_TB") {
            break;
        }
        if (text.starts_with("-")) {
            if (auto good = header_line(text); !good) {
                return good;
            }
            continue;
        }
        if (text.starts_with("#traces format")) {
            described = true;
            has_immediate_ = text.find("immediate") != std::string_view::npos;
            continue;
        }
        if (text.starts_with("#")) {
            continue;
        }
        const char* expected = "a header line that begins with \"-\", or #BEGIN_TB";
        if (described) {
            return Error{ErrorKind::kMalformed, lines_.malformed("#BEGIN_TB").what,
                         "a .trace straight from the tracer must first go through its post-traces-processing"};
        }
        return lines_.malformed(expected);
    }
    has_pending_ = text == "#BEGIN_TB";
    pending_ = "#BEGIN_TB";
    if (header_.name.empty() || header_.grid.count() == 0 || header_.block.count() == 0) {
        return lines_.malformed("a header with kernel name, grid dim and block dim");
    }
    if (header_.block.x > 1024U || header_.block.y > 1024U || header_.block.z > 1024U ||
        header_.block.count() > 2048) {
        return lines_.malformed("a block of at most 2048 threads");
    }
    if (header_.tracer_version < 3 || header_.tracer_version > 7) {
        return Error{ErrorKind::kUnsupported,
                     lines_.name() + ": tracer version " + std::to_string(header_.tracer_version) + " is not known",
                     "versions 3 to 7 are read"};
    }
    return {};
}

Result<void> TextTrace::rewind() {
    has_pending_ = false;
    header_ = {};
    text_bytes_ = 0;
    if (auto back = lines_.rewind(); !back) {
        return back;
    }
    return read_header();
}

Result<std::uint32_t> TextTrace::static_index(std::string_view fixed_text, Fields& fields) {
    Words words(fixed_text);
    StaticInstruction& instruction = fields.instruction;
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
        // An opcode with addresses that we do not know: a load, so that its traffic counts.
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

// Behind the addresses: immediates, and registers' values, which the model does not ask for.
Result<void> TextTrace::line_end(Words& words, std::string_view opcode) {
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
    if (later && rest == "Val") {
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

Result<void> TextTrace::instruction(std::string_view text, WarpEncoder& encoder) {
    // [line] PC mask D dests opcode S srcs width [form addresses] [immediate]: the mask, the addresses and the
    // immediate aside, all is fixed for a static instruction and is parsed once.
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
        Fields fields;
        const std::string_view fixed(text.data(), static_cast<std::size_t>(words.position() - text.data()));
        auto made = static_index(fixed, fields);
        if (!made) {
            return made.error();
        }
        index = *made;
        by_text_.emplace(key, index);
    }
    std::array<std::uint64_t, kWarpLanes> addresses{};
    std::size_t count = 0;
    if (program_[index].has_addresses()) {
        const auto lanes = static_cast<std::size_t>(std::popcount(mask));
        const std::string_view form = words.next();
        std::uint64_t base = 0;
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
    }
    if (auto good = line_end(words, opcode); !good) {
        return good;
    }
    encoder.add(index, mask, {addresses.data(), count});
    return {};
}

Result<void> TextTrace::read_warp(WarpTrace& warp) {
    std::string_view text;
    auto more = line(text);
    std::string_view value;
    std::uint64_t count = 0;
    if (!more) {
        return more.error();
    }
    if (!*more || !assignment(text, "insts", value) || !number(value, count)) {
        return lines_.malformed("\"insts = N\"");
    }
    WarpEncoder encoder(program_);
    for (std::uint64_t i = 0; i < count; ++i) {
        more = line(text);
        if (!more) {
            return more.error();
        }
        if (!*more || text.front() == '#' || text.starts_with("warp")) {
            return lines_.malformed("as many instructions as \"insts\" says, " + std::to_string(count));
        }
        if (auto good = instruction(text, encoder); !good) {
            return good;
        }
    }
    warp.instructions = count;
    warp.code = std::make_shared<const std::vector<std::uint8_t>>(encoder.take());
    return {};
}

Result<std::optional<Cta>> TextTrace::next_cta() {
    std::string_view text;
    std::string_view value;
    auto more = line(text);
    if (!more) {
        return more.error();
    }
    if (!*more) {
        return std::optional<Cta>();
    }
    if (text != "#BEGIN_TB") {
        return lines_.malformed("#BEGIN_TB");
    }
    Cta cta;
    more = line(text);
    if (!more) {
        return more.error();
    }
    if (!*more || !assignment(text, "thread block", value) || !dimensions(value, cta.index)) {
        return lines_.malformed("\"thread block = X,Y,Z\"");
    }
    for (;;) {
        more = line(text);
        if (!more) {
            return more.error();
        }
        if (*more && cta.warps.empty() && text.starts_with("cluster ")) {
            continue;  // where the CTA is in its cluster
        }
        if (!*more) {
            return lines_.malformed("#END_TB before the file's end");
        }
        if (text == "#END_TB") {
            return std::optional<Cta>(std::move(cta));
        }
        WarpTrace warp;
        if (!assignment(text, "warp", value) || !number(value, warp.id)) {
            return lines_.malformed("\"warp = N\" or #END_TB");
        }
        if (warp.id >= kMostWarps || cta.warps.size() >= kMostWarps) {
            return lines_.malformed("at most 64 warps in a CTA");
        }
        if (auto good = read_warp(warp); !good) {
            return good.error();
        }
        cta.warps.push_back(std::move(warp));
    }
}

}  // namespace kymo::gpu
