// Function bodies: registers, labels, source lines, instructions.
#include "gpu/ptx/parser.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace kymo::gpu::ptx {
namespace {

constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
constexpr std::uint64_t kMostRegisters = 1U << 22U;
constexpr unsigned kMostElements = 128;  // of a vector operand: mma's largest

}  // namespace

bool Parser::open_scope() {
    if (scopes_.size() >= kMostDepth) {
        return fail(fmt::format("at most {} braces in braces", kMostDepth));
    }
    scopes_.emplace_back();
    return true;
}

// Labels that were used in these braces and not found there are the outer ones'.
bool Parser::close_scope() {
    const Scope inner = std::move(scopes_.back());
    scopes_.pop_back();
    for (const auto& [name, number] : inner.labels) {
        if (function_->labels[number].instruction != kNowhere) {
            continue;
        }
        if (scopes_.empty()) {
            return fail_at(label_uses_[number], fmt::format("there is no label {}", name));
        }
        const auto [outer, is_new] = scopes_.back().labels.try_emplace(name, number);
        label_is_[number] = outer->second;
    }
    return true;
}

std::uint32_t Parser::label(std::string_view name) {
    const auto next = static_cast<std::uint32_t>(function_->labels.size());
    const auto [at, is_new] = scopes_.back().labels.try_emplace(name, next);
    if (is_new) {
        function_->labels.push_back({std::string(name), kNowhere, {}, false});
        label_uses_.push_back(token_);
        label_is_.push_back(next);
    }
    return at->second;
}

bool Parser::parse_body() {
    label_uses_.clear();
    label_is_.clear();
    scopes_.clear();
    source_line_ = 0;
    if (!expect('{') || !open_scope()) {
        return false;
    }
    // What the parameters are called.
    for (std::uint32_t i = 0; i < function_->parameters.size(); ++i) {
        scopes_.back().names[function_->parameters[i].name] = {Operand::Kind::kParameter, i};
    }
    for (std::uint32_t i = 0; i < function_->returns.size(); ++i) {
        scopes_.back().names[function_->returns[i].name] = {Operand::Kind::kParameter, Operand::kReturned + i};
    }
    while (!scopes_.empty()) {
        if (!parse_statement()) {
            return false;
        }
    }
    // A label stands for the one it turned out to be; chains end at the outermost.
    const auto resolved = [&](std::uint32_t number) {
        while (label_is_[number] != number) {
            number = label_is_[number];
        }
        return number;
    };
    for (Instruction& instruction : function_->instructions) {
        for (Operand& operand : instruction.operands) {
            if (operand.kind == Operand::Kind::kLabel) {
                operand.number = resolved(operand.number);
            }
        }
    }
    for (Label& table : function_->labels) {
        for (std::uint32_t& target : table.targets) {
            target = resolved(target);
        }
    }
    return true;
}

bool Parser::parse_statement() {
    if (token_.kind == Token::Kind::kEnd) {
        return fail("'}'");
    }
    if (take_if('{')) {
        return open_scope();
    }
    if (token_.is('}')) {
        if (!close_scope()) {
            return false;
        }
        take();
        return true;
    }
    if (take_if(';')) {
        return true;
    }
    if (token_.kind == Token::Kind::kDotWord) {
        return parse_body_directive();
    }
    if (token_.kind == Token::Kind::kWord && peek().is(':')) {
        const std::uint32_t number = label(token_.text);
        Label& known = function_->labels[number];
        if (known.instruction != kNowhere) {
            return fail(fmt::format("a new label ({} is there already)", token_.text));
        }
        known.instruction = static_cast<std::uint32_t>(function_->instructions.size());
        take();
        take();
        return token_.kind == Token::Kind::kDotWord ? parse_table(number) : true;
    }
    return parse_instruction();
}

// `name: .branchtargets L1, L2;`, `name: .callprototype (…) _ (…);`, `name: .calltargets f, g;`
bool Parser::parse_table(std::uint32_t number) {
    if (token_.is_directive("callprototype") || token_.is_directive("calltargets")) {
        function_->labels[number].is_table = true;
        return skip_past_semicolon();
    }
    if (!token_.is_directive("branchtargets")) {
        return true;  // a label before a directive
    }
    take();
    function_->labels[number].is_table = true;
    do {
        Operand target;
        if (!parse_label_operand(target)) {
            return false;
        }
        function_->labels[number].targets.push_back(target.number);
    } while (take_if(','));
    return expect(';');
}

bool Parser::parse_body_directive() {
    const std::string_view word = token_.text;
    const Token at = token_;
    take();
    if (word == "loc") {
        return parse_location();
    }
    if (word == "reg") {
        return parse_registers();
    }
    if (word == "pragma") {
        return skip_past_semicolon();
    }
    const StateSpace space = word == "shared"   ? StateSpace::kShared
                             : word == "local"  ? StateSpace::kLocal
                             : word == "param"  ? StateSpace::kParameter
                             : word == "global" ? StateSpace::kGlobal
                             : word == "const"  ? StateSpace::kConstant
                                                : StateSpace::kNone;
    if (space == StateSpace::kNone) {
        return fail_at(at, fmt::format(".{} is not a directive that this reads in a function", word));
    }
    return parse_variables(space, false, function_->variables, true);
}

// `.loc 1 12 5` and `, function_name $L__info0, inlined_at 1 20 3`. What was inlined from another file, mostly a
// header of CUDA's, counts for the line that called it.
bool Parser::parse_location() {
    std::uint64_t file = 0;
    std::uint64_t line = 0;
    std::uint64_t column = 0;
    if (!parse_integer(file, kMostFiles) || !parse_integer(line, 1U << 30U) || !parse_integer(column, 1U << 30U)) {
        return false;
    }
    file_ = static_cast<std::uint32_t>(file);
    source_line_ = static_cast<std::uint32_t>(line);
    while (take_if(',')) {
        const Token at = token_;
        std::string_view word;
        if (!parse_name(word)) {
            return false;
        }
        if (word == "function_name") {
            if (!parse_name(word)) {
                return false;
            }
            if (std::int64_t unused = 0; (token_.is('+') || token_.is('-')) && !parse_offset(unused)) {
                return false;
            }
        } else if (word == "inlined_at") {
            if (!parse_integer(file, kMostFiles) || !parse_integer(line, 1U << 30U) ||
                !parse_integer(column, 1U << 30U)) {
                return false;
            }
            if (file != file_) {
                file_ = static_cast<std::uint32_t>(file);
                source_line_ = static_cast<std::uint32_t>(line);
            }
        } else {
            return fail_at(at, "expected function_name or inlined_at");
        }
    }
    return true;
}

// `.reg .b32 %r<12>;`, `.reg .pred p, q;`
bool Parser::parse_registers() {
    if (token_.kind != Token::Kind::kDotWord) {
        return fail("a register's type");
    }
    const Type type = type_named(token_.text);
    if (type == Type::kNone) {
        return fail("a register's type");
    }
    take();
    do {
        std::string_view name;
        if (!parse_name(name)) {
            return false;
        }
        if (take_if('<')) {
            std::uint64_t count = 0;
            if (!parse_integer(count, kMostRegisters) || !expect('>')) {
                return false;
            }
            scopes_.back().ranges[name] = {type, count};
            continue;
        }
        scopes_.back().names[name] = {Operand::Kind::kRegister,
                                      static_cast<std::uint32_t>(function_->registers.size())};
        function_->registers.push_back({std::string(name), type});
    } while (take_if(','));
    return expect(';');
}

// %r7 of `%r<12>`: made when first named.
std::optional<Parser::Meaning> Parser::register_in_range(Scope& scope, std::string_view name) {
    std::size_t prefix = name.size();
    while (prefix > 0 && name[prefix - 1] >= '0' && name[prefix - 1] <= '9') {
        --prefix;
    }
    // "%rd12" is %rd<…>'s 12, but "%f1<2>" names %f10 and %f11.
    for (; prefix < name.size(); ++prefix) {
        const auto range = scope.ranges.find(name.substr(0, prefix));
        const std::string_view digits = name.substr(prefix);
        std::uint64_t number = 0;
        if (range == scope.ranges.end() || (digits.size() > 1 && digits[0] == '0') ||
            std::from_chars(digits.data(), digits.data() + digits.size(), number).ec != std::errc() ||
            number >= range->second.count) {
            continue;
        }
        const Meaning made{Operand::Kind::kRegister, static_cast<std::uint32_t>(function_->registers.size())};
        function_->registers.push_back({std::string(name), range->second.type});
        scope.names[name] = made;
        return made;
    }
    return std::nullopt;
}

std::optional<Parser::Meaning> Parser::meaning(std::string_view name) {
    for (std::size_t i = scopes_.size(); i-- > 0;) {
        if (const auto found = scopes_[i].names.find(name); found != scopes_[i].names.end()) {
            return found->second;
        }
        if (const auto made = register_in_range(scopes_[i], name)) {
            return made;
        }
    }
    if (const auto found = variables_.find(name); found != variables_.end()) {
        return Meaning{Operand::Kind::kVariable, Operand::kModuleVariable + found->second};
    }
    if (const auto found = functions_.find(name); found != functions_.end()) {
        return Meaning{Operand::Kind::kFunction, found->second};
    }
    return std::nullopt;
}

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
