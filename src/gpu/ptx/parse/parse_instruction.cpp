// Instructions and their operands.
#include "gpu/ptx/parse/parser.h"

#include <charconv>

namespace kymo::gpu::ptx {
namespace {

constexpr unsigned kMostElements = 128;  // of a vector operand: mma's largest

}  // namespace

bool Parser::parse_instruction() {
    Instruction instruction;
    instruction.place = place_of(token_);
    if (take_if('@')) {
        instruction.guard_negated = take_if('!');
        const auto known = token_.kind == Token::Kind::kWord ? meaning(token_.text) : std::nullopt;
        if (!known || known->kind != Operand::Kind::kRegister ||
            function_->registers[known->number].type != Type::kPredicate) {
            return fail("a predicate");
        }
        instruction.guard = static_cast<std::int32_t>(known->number);
        take();
        instruction.place = place_of(token_);
    }
    if (token_.kind != Token::Kind::kWord || token_.text[0] == '%' || token_.text[0] == '$') {
        return fail("an instruction");
    }
    const std::string_view opcode = token_.text;
    instruction.opcode = intern(opcode);
    take();
    while (token_.kind == Token::Kind::kDotWord) {
        instruction.modifiers.push_back(intern(token_.text));
        take();
    }
    const bool good = opcode == "call"  ? parse_call(instruction)
                      : opcode == "bra" ? parse_label_operand(instruction.operands.emplace_back())
                                        : parse_operands(instruction);
    if (!good || !expect(';')) {
        return false;
    }
    function_->instructions.push_back(std::move(instruction));
    return true;
}

bool Parser::parse_label_operand(Operand& operand) {
    if (token_.kind != Token::Kind::kWord || token_.text[0] == '%') {
        return fail("a label");
    }
    operand.kind = Operand::Kind::kLabel;
    operand.number = label(token_.text);
    take();
    return true;
}

bool Parser::parse_operands(Instruction& instruction) {
    if (token_.is(';')) {
        return true;
    }
    do {
        if (instruction.operands.size() > kMostElements) {
            return fail("fewer operands");
        }
        if (!parse_operand(instruction.operands.emplace_back())) {
            return false;
        }
    } while (take_if(','));
    return true;
}

bool Parser::parse_call_list(std::vector<Operand>& into) {
    while (!token_.is(')')) {
        if (!parse_operand(into.emplace_back())) {
            return false;
        }
        if (!take_if(',')) {
            break;
        }
    }
    return expect(')');
}

// `call.uni (r), f, (a, b);`, `call f;`, `call (r), %rd1, (a), prototype_0;`
bool Parser::parse_call(Instruction& instruction) {
    if (take_if('(') && (!parse_call_list(instruction.returned) || !expect(','))) {
        return false;
    }
    if (!parse_operand(instruction.operands.emplace_back())) {
        return false;
    }
    while (take_if(',')) {
        if (take_if('(')) {
            if (!parse_call_list(instruction.arguments)) {
                return false;
            }
        } else if (!parse_label_operand(instruction.operands.emplace_back())) {
            return false;
        }
    }
    return true;
}

// One operand, or two joined by a bar: %p1|%p2.
bool Parser::parse_operand(Operand& operand) {
    if (!parse_single_operand(operand) || !token_.is('|')) {
        return !error_;
    }
    take();
    Operand second;
    if (!parse_single_operand(second)) {
        return false;
    }
    const Operand first = operand;
    operand = Operand();
    operand.kind = Operand::Kind::kVector;
    operand.count = 2;
    operand.number = static_cast<std::uint32_t>(function_->elements.size());
    function_->elements.push_back(first);
    function_->elements.push_back(second);
    return true;
}

bool Parser::parse_single_operand(Operand& operand) {
    if (token_.is('{')) {
        return parse_vector(operand);
    }
    if (token_.is('[')) {
        return parse_address(operand);
    }
    if (take_if('!')) {
        operand.negated = true;
        return parse_named(operand) &&
               (operand.kind == Operand::Kind::kRegister || fail_at(token_, "expected a predicate after '!'"));
    }
    if (take_if('-')) {
        return parse_number(operand, true);
    }
    return token_.kind == Token::Kind::kNumber ? parse_number(operand, false) : parse_named(operand);
}

bool Parser::parse_number(Operand& operand, bool negative) {
    const std::string_view text = token_.text;
    const bool single = text.starts_with("0f") || text.starts_with("0F");
    if (token_.kind == Token::Kind::kNumber && (single || text.starts_with("0d") || text.starts_with("0D"))) {
        const auto parsed = std::from_chars(text.data() + 2, text.data() + text.size(), operand.value, 16);
        if (text.size() != (single ? 10U : 18U) || parsed.ptr != text.data() + text.size()) {
            return fail("a number as 0f3F800000");
        }
        operand.kind = single ? Operand::Kind::kFloat32 : Operand::Kind::kFloat;
        operand.value ^= negative ? std::uint64_t{1} << (single ? 31U : 63U) : 0;
        take();
        return true;
    }
    operand.kind = Operand::Kind::kInteger;
    if (!parse_integer(operand.value, ~std::uint64_t{0})) {
        return false;
    }
    operand.value = negative ? 0 - operand.value : operand.value;
    return true;
}

bool Parser::parse_offset(std::int64_t& offset) {
    const bool negative = token_.is('-');
    take();
    const bool also_negative = take_if('-');  // `+-4`, as nvcc writes it
    std::uint64_t value = 0;
    if (!parse_integer(value, ~std::uint64_t{0})) {
        return false;
    }
    const std::uint64_t step = negative != also_negative ? 0 - value : value;
    offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(offset) + step);
    return true;
}

bool Parser::parse_named(Operand& operand) {
    if (token_.kind != Token::Kind::kWord) {
        return fail("an operand");
    }
    const std::string_view word = token_.text;
    if (word == "_") {
        operand.kind = Operand::Kind::kSink;
        take();
        return true;
    }
    if (const auto known = meaning(word)) {
        operand.kind = known->kind;
        operand.number = known->number;
        take();
        if ((operand.kind == Operand::Kind::kVariable || operand.kind == Operand::Kind::kParameter) &&
            (token_.is('+') || token_.is('-'))) {
            return parse_offset(operand.offset);
        }
        return true;
    }
    if (word == "WARP_SZ") {
        operand.kind = Operand::Kind::kInteger;
        operand.value = kWarpLanes;
        take();
        return true;
    }
    if (word[0] == '%') {
        std::string full(word);
        take();
        if (token_.kind == Token::Kind::kDotWord && token_.touches) {  // %tid.x
            full += "." + std::string(token_.text);
            take();
        }
        operand.kind = Operand::Kind::kSpecial;
        operand.number = intern(full);
        return true;
    }
    if (word[0] == '$') {
        return parse_label_operand(operand);
    }
    if (scopes_.back().labels.contains(word)) {
        return parse_label_operand(operand);
    }
    operand.kind = Operand::Kind::kName;  // textures, or a name that is nowhere: refused where it is used
    operand.number = intern(word);
    take();
    return true;
}

bool Parser::parse_address(Operand& operand) {
    take();
    operand.address = true;
    if (token_.kind == Token::Kind::kNumber) {
        if (!parse_number(operand, false)) {
            return false;
        }
    } else if (!parse_named(operand)) {
        return false;
    }
    while (token_.is('+') || token_.is('-')) {
        if (!parse_offset(operand.offset)) {
            return false;
        }
    }
    if (token_.is(',')) {  // [texture, {x, y}]: read, and refused where it is used
        take();
        Operand unused;
        if (token_.is('[')) {
            return fail("coordinates");
        }
        if (!parse_operand(unused)) {
            return false;
        }
        operand.kind = Operand::Kind::kName;
        operand.number = intern("texture");
    }
    return expect(']');
}

bool Parser::parse_vector(Operand& operand) {
    take();
    std::vector<Operand> parts;
    do {
        if (parts.size() == kMostElements || token_.is('{') || token_.is('[')) {
            return fail("a register");
        }
        if (!parse_single_operand(parts.emplace_back())) {
            return false;
        }
    } while (take_if(','));
    operand.kind = Operand::Kind::kVector;
    operand.count = static_cast<std::uint8_t>(parts.size());
    operand.number = static_cast<std::uint32_t>(function_->elements.size());
    function_->elements.insert(function_->elements.end(), parts.begin(), parts.end());
    return expect('}');
}

}  // namespace kymo::gpu::ptx
