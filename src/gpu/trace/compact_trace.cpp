#include "gpu/trace/compact_trace.h"

#include "gpu/trace/compact_records.h"

#include <cstring>

namespace kymo::gpu {
namespace {

constexpr std::uint64_t kMostBody = 1U << 30U;
constexpr std::size_t kMostOperands = 1U << 25U;

class Body {
  public:
    explicit Body(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
    std::uint64_t number(std::uint64_t most = ~std::uint64_t{0}) {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (at_ == bytes_.size()) {
                break;
            }
            const std::uint8_t byte = bytes_[at_++];
            value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
            if (byte < 0x80U) {
                good_ = good_ && value <= most;
                return good_ ? value : 0;
            }
        }
        good_ = false;
        return 0;
    }
    std::uint32_t small(std::uint64_t most = 0xFFFF'FFFFU) { return static_cast<std::uint32_t>(number(most)); }
    std::span<const std::uint8_t> bytes(std::uint64_t most) {
        const std::uint64_t length = number(most);
        if (!good_ || length > bytes_.size() - at_) {
            good_ = false;
            return {};
        }
        const auto part = bytes_.subspan(at_, length);
        at_ += length;
        return part;
    }
    std::string text() {
        const auto part = bytes(kMostCompactText);
        return {reinterpret_cast<const char*>(part.data()), part.size()};
    }
    Dim3 dim() {
        Dim3 value;
        value.x = small();
        value.y = small();
        value.z = small();
        return value;
    }
    bool good() const { return good_; }

  private:
    std::span<const std::uint8_t> bytes_;
    std::size_t at_ = 0;
    bool good_ = true;
};

bool read_registers(Body& in, Registers& list) {
    const std::uint32_t count = in.small(Registers::kMost);
    for (std::uint32_t i = 0; i < count; ++i) {
        list.add(in.small(254));
    }
    return in.good();
}

}  // namespace

Error CompactTrace::malformed(const std::string& what) const {
    return {ErrorKind::kMalformed, name_ + ": at byte " + std::to_string(offset_) + ": " + what,
            "the file is damaged or incomplete; make it again with kymo gpu trace"};
}

Result<bool> CompactTrace::byte(std::uint8_t& value) {
    if (at_ == piece_.size()) {
        auto piece = bytes_->read();
        if (!piece) {
            return piece.error();
        }
        piece_ = *piece;
        at_ = 0;
        if (piece_.empty()) {
            return false;
        }
    }
    value = piece_[at_++];
    ++offset_;
    return true;
}

Result<bool> CompactTrace::fill(std::size_t count, std::vector<std::uint8_t>& into) {
    into.clear();
    while (into.size() < count) {
        std::uint8_t first = 0;
        auto more = byte(first);
        if (!more || !*more) {
            return more;
        }
        into.push_back(first);
        const std::size_t part = std::min(count - into.size(), piece_.size() - at_);
        const auto* from = piece_.data() + at_;
        into.insert(into.end(), from, from + part);
        at_ += part;
        offset_ += part;
    }
    return true;
}

Result<bool> CompactTrace::record(std::uint8_t& kind) {
    auto more = byte(kind);
    if (!more) {
        return more;
    }
    if (!*more) {
        return malformed("the file ends before its end record");
    }
    std::uint64_t length = 0;
    std::uint8_t next = 0x80;
    for (unsigned shift = 0; next >= 0x80U; shift += 7) {
        more = byte(next);
        if (!more) {
            return more;
        }
        if (!*more || shift > 35) {
            return malformed("a record without a valid length");
        }
        length |= static_cast<std::uint64_t>(next & 0x7FU) << shift;
    }
    if (length > kMostBody) {
        return malformed("a record of more than 1 GiB");
    }
    more = fill(length, body_);
    if (!more) {
        return more;
    }
    if (!*more) {
        return malformed("the file ends inside a record");
    }
    return true;
}

Result<void> CompactTrace::read_start() {
    std::vector<std::uint8_t> start;
    auto more = fill(9, start);
    if (!more) {
        return more.error();
    }
    if (!*more || std::memcmp(start.data(), kCompactMagic, 8) != 0) {
        return malformed("not a compact trace");
    }
    if (start[8] != kCompactVersion) {
        return Error{ErrorKind::kNewerFormat, name_ + ": made by a later version of Kymo", "update Kymo"};
    }
    std::uint8_t kind = 0;
    more = record(kind);
    if (!more) {
        return more.error();
    }
    Body body(body_);
    header_.name = body.text();
    header_.id = body.number();
    header_.grid = body.dim();
    header_.block = body.dim();
    header_.shared_bytes = body.small();
    header_.registers = body.small();
    header_.binary_version = body.small();
    header_.stream = body.number();
    header_.shared_base = body.number();
    header_.local_base = body.number();
    header_.nvbit_version = body.text();
    header_.tracer_version = body.small();
    header_.has_lines = body.number() == 1;
    if (kind != kHeaderRecord || !body.good() || !header_.can_be_launched()) {
        return malformed("no valid kernel header");
    }
    return {};
}

Result<std::unique_ptr<CompactTrace>> CompactTrace::open(std::unique_ptr<ByteInput> bytes, std::string name) {
    std::unique_ptr<CompactTrace> trace(new CompactTrace(std::move(bytes), std::move(name)));
    if (auto read = trace->read_start(); !read) {
        return read.error();
    }
    return trace;
}

Result<void> CompactTrace::rewind() {
    piece_ = {};
    at_ = 0;
    offset_ = 0;
    ended_ = false;
    declared_ = declared_operands_ = 0;
    values_.clear();
    if (auto back = bytes_->rewind(); !back) {
        return back;
    }
    return read_start();
}

Result<void> CompactTrace::read_instruction() {
    Body body(body_);
    StaticInstruction instruction;
    instruction.pc = body.number();
    instruction.line = body.small();
    instruction.width = body.small(1024);
    const bool named = read_registers(body, instruction.destinations) && read_registers(body, instruction.sources);
    instruction.opcode = body.text();
    if (!named || !body.good() || declared_ >= (1U << 22U)) {
        return malformed("no valid instruction");
    }
    instruction.op = decode_opcode(instruction.opcode);
    if (instruction.has_addresses() && instruction.op.space == Space::kNone) {
        instruction.op.op_class = OpClass::kMemory;
        instruction.op.space = Space::kGeneric;
        instruction.op.load = true;
        instruction.op.bytes = 4;
    }
    if (declared_ == program_.size()) {
        program_.push_back(std::move(instruction));
    }
    ++declared_;
    return {};
}

Result<void> CompactTrace::read_operand() {
    Body body(body_);
    TracedOperand operand;
    operand.instruction = body.small(declared_ != 0 ? declared_ - 1 : 0);
    operand.name = body.text();
    operand.bits = static_cast<std::uint8_t>(body.small(64));
    operand.is_result = body.small(1) == 1;
    const bool in_order =
        declared_operands_ == 0 || operands_[declared_operands_ - 1].instruction <= operand.instruction;
    if (!body.good() || declared_ == 0 || !in_order || declared_operands_ >= kMostOperands) {
        return malformed("no valid operand");
    }
    if (declared_operands_ == operands_.size()) {
        operands_.push_back(std::move(operand));
    }
    ++declared_operands_;
    return {};
}

Result<void> CompactTrace::read_values() {
    Body body(body_);
    const std::uint32_t warps = body.small(64);
    values_.clear();
    for (std::uint32_t i = 0; i < warps && body.good(); ++i) {
        const auto code = body.bytes(kMostBody);
        values_.push_back(std::make_shared<const std::vector<std::uint8_t>>(code.begin(), code.end()));
    }
    if (!body.good()) {
        return malformed("no valid operand values");
    }
    return {};
}

Result<Cta> CompactTrace::read_cta() {
    Body body(body_);
    Cta cta;
    cta.index = body.dim();
    const std::uint32_t warps = body.small(64);
    for (std::uint32_t i = 0; i < warps && body.good(); ++i) {
        WarpTrace warp;
        warp.id = body.small(63);
        warp.instructions = body.number();
        warp.address_offset = body.number();
        const auto code = body.bytes(kMostBody);
        warp.code = std::make_shared<const std::vector<std::uint8_t>>(code.begin(), code.end());
        cta.warps.push_back(std::move(warp));
    }
    if (!body.good() || (!values_.empty() && values_.size() != cta.warps.size())) {
        return malformed("no valid CTA");
    }
    for (std::size_t i = 0; i < values_.size(); ++i) {
        cta.warps[i].values = std::move(values_[i]);
    }
    values_.clear();
    return cta;
}

Result<std::optional<Cta>> CompactTrace::next_cta() {
    while (!ended_) {
        std::uint8_t kind = 0;
        auto more = record(kind);
        if (!more) {
            return more.error();
        }
        if (kind == kCtaRecord) {
            auto cta = read_cta();
            if (!cta) {
                return cta.error();
            }
            return std::optional<Cta>(std::move(*cta));
        }
        if (kind == kInstructionRecord) {
            if (auto good = read_instruction(); !good) {
                return good.error();
            }
        } else if (kind == kOperandRecord) {
            if (auto good = read_operand(); !good) {
                return good.error();
            }
        } else if (kind == kValuesRecord) {
            if (auto good = read_values(); !good) {
                return good.error();
            }
        } else if (kind == kEndRecord) {
            ended_ = true;
        }  // others belong to later versions and can be ignored
    }
    return std::optional<Cta>();
}

}  // namespace kymo::gpu
