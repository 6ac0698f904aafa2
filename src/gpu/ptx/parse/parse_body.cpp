// Function bodies: registers, labels, source lines.
#include "gpu/ptx/parse/parser.h"

#include <charconv>
#include <fmt/format.h>

namespace kymo::gpu::ptx {
namespace {

constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
constexpr std::uint64_t kMostRegisters = 1U << 22U;

}  // namespace

bool Parser::open_scope() {
    if (scopes_.size() >= kMostDepth) {
        return fail(fmt::format("at most {} braces in braces", kMostDepth));
    }
    scopes_.emplace_back();
    return true;
}

// Labels that were used in these braces but not defined there are those of the outer braces.
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
    // A label is replaced by the one it was resolved to; chains end at the outermost.
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

}  // namespace kymo::gpu::ptx
