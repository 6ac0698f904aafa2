// Variables: `.global .align 4 .b8 name[16] = {1, 2};`
#include "gpu/ptx/parse/parse.h"
#include "gpu/ptx/parse/parser.h"

#include <bit>
#include <charconv>
#include <cstring>
#include <fmt/format.h>

namespace kymo::gpu::ptx {
namespace {

// More initial bytes than the text could write out are never asked for.
constexpr std::uint64_t kMostLocalBytes = 1U << 24U;

}  // namespace

// [16], [4][4], or [] for `extern .shared`.
bool Parser::parse_extent(Variable& variable, std::uint64_t element) {
    std::uint64_t count = 1;
    bool sized = true;
    while (take_if('[')) {
        if (take_if(']')) {
            sized = false;
            continue;
        }
        std::uint64_t part = 0;
        if (!parse_integer(part, kMostVariableBytes) || !expect(']')) {
            return false;
        }
        if (part != 0 && count > kMostVariableBytes / part) {
            return fail(fmt::format("a variable of at most {} bytes", kMostVariableBytes));
        }
        count *= part;
    }
    if (count > kMostVariableBytes / element) {
        return fail(fmt::format("a variable of at most {} bytes", kMostVariableBytes));
    }
    variable.bytes = sized ? count * element : 0;
    return true;
}

bool Parser::append_number(Variable& variable, unsigned element) {
    std::uint64_t bits = 0;
    const bool negative = take_if('-');
    const std::string_view text = token_.text;
    if (text.starts_with("0f") || text.starts_with("0F") || text.starts_with("0d") || text.starts_with("0D")) {
        const std::size_t digits = text[1] == 'f' || text[1] == 'F' ? 8 : 16;
        const auto parsed = std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
        if (text.size() != digits + 2 || parsed.ptr != text.data() + text.size()) {
            return fail("a number as 0f3F800000");
        }
        if (digits == 8 && variable.type == Type::kF64) {
            bits = std::bit_cast<std::uint64_t>(
                static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
        } else if (digits == 16 && variable.type == Type::kF32) {
            bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
        }
        take();
    } else if (!parse_integer(bits, ~std::uint64_t{0})) {
        return false;
    }
    bits = negative ? 0 - bits : bits;
    for (unsigned i = 0; i < element; ++i) {
        variable.initial.push_back(i < 8 ? static_cast<std::uint8_t>(bits >> (8 * i)) : std::uint8_t{0});
    }
    return true;
}

// A number, or an address: name, name+4, generic(name), 0xFF00(generic(name)).
bool Parser::parse_initial_value(Variable& variable, unsigned element) {
    Relocation relocation;
    relocation.bytes = static_cast<std::uint8_t>(element);
    unsigned closing = 0;
    if (token_.kind == Token::Kind::kNumber && peek().is('(')) {
        std::uint64_t mask = 0;
        if (!parse_integer(mask, ~std::uint64_t{0}) || !expect('(')) {
            return false;
        }
        ++closing;
        relocation.shift = static_cast<std::uint8_t>(mask == 0 ? 0 : std::countr_zero(mask));
    } else if (token_.kind != Token::Kind::kWord) {
        return append_number(variable, element);
    }
    if (token_.is_word("generic")) {
        take();
        if (!expect('(')) {
            return false;
        }
        ++closing;
        relocation.generic = true;
    }
    std::string_view name;
    if (!parse_name(name)) {
        return false;
    }
    relocation.symbol = std::string(name);
    for (;;) {
        if (closing > 0 && take_if(')')) {
            --closing;
            continue;
        }
        if (!token_.is('+') && !token_.is('-')) {
            break;
        }
        if (!parse_offset(relocation.addend)) {
            return false;
        }
    }
    if (closing != 0) {
        return fail("')'");
    }
    relocation.offset = static_cast<std::uint32_t>(variable.initial.size());
    variable.initial.resize(variable.initial.size() + element);
    variable.relocations.push_back(std::move(relocation));
    return true;
}

bool Parser::parse_initial(Variable& variable, unsigned element) {
    if (!token_.is('{')) {
        return parse_initial_value(variable, element);
    }
    take();
    while (!take_if('}')) {
        // Inner braces only two deep: what C arrays become is flat.
        if (token_.is('{')) {
            take();
            while (!take_if('}')) {
                if (token_.is('{')) {
                    return fail("a value");
                }
                if (!parse_initial_value(variable, element) || (!token_.is('}') && !expect(','))) {
                    return false;
                }
            }
        } else if (!parse_initial_value(variable, element)) {
            return false;
        }
        if (!token_.is('}') && !expect(',')) {
            return false;
        }
    }
    return true;
}

bool Parser::parse_variables(StateSpace space, bool is_extern, std::vector<Variable>& into, bool in_body) {
    std::uint64_t align = 0;
    std::uint64_t lanes = 1;
    Type type = Type::kNone;
    while (token_.kind == Token::Kind::kDotWord) {
        const std::string_view word = token_.text;
        const Token at = token_;
        take();
        if (word == "align") {
            if (!parse_integer(align, 1U << 16U)) {
                return false;
            }
            if (!std::has_single_bit(align)) {
                return fail_at(at, "an alignment is a power of two");
            }
        } else if (word == "attribute") {  // .attribute(.managed)
            if (!expect('(')) {
                return false;
            }
            while (!take_if(')')) {
                if (token_.kind == Token::Kind::kEnd) {
                    return fail("')'");
                }
                take();
            }
        } else if (word == "v2" || word == "v4") {
            lanes = word == "v2" ? 2 : 4;
        } else if (type = type_named(word); type == Type::kNone) {
            return fail_at(at, fmt::format("expected a variable's type, found '.{}'", word));
        }
    }
    const unsigned element = bytes(type);
    if (element == 0) {
        return fail("a variable's type");
    }
    do {
        Variable variable;
        variable.space = space;
        variable.type = type;
        variable.is_extern = is_extern;
        variable.place = place_of(token_);
        variable.align = static_cast<std::uint32_t>(align != 0 ? align : element * lanes);
        std::string_view name;
        if (!parse_name(name)) {
            return false;
        }
        variable.name = std::string(name);
        if (!parse_extent(variable, element * lanes)) {
            return false;
        }
        if ((space == StateSpace::kShared || space == StateSpace::kLocal || space == StateSpace::kParameter) &&
            variable.bytes > kMostLocalBytes) {
            return fail(fmt::format("at most {} bytes of .{}", kMostLocalBytes, ptx::name(space)));
        }
        if (take_if('=')) {
            if (!parse_initial(variable, element)) {
                return false;
            }
            if (variable.bytes == 0) {
                variable.bytes = variable.initial.size();
            }
            if (variable.initial.size() > variable.bytes) {
                return fail(fmt::format("at most {} initial bytes", variable.bytes));
            }
        }
        const auto number = static_cast<std::uint32_t>(into.size());
        if (in_body) {
            scopes_.back().names[name] = {Operand::Kind::kVariable, number};
        } else if (!variables_.try_emplace(name, number).second) {
            // Declared and then defined: the definition counts.
            Variable& known = into[variables_[name]];
            if (known.is_extern || variable.is_extern) {
                if (known.is_extern) {
                    known = std::move(variable);
                }
                continue;
            }
            return fail(fmt::format("a new name ({} is there already)", name));
        }
        into.push_back(std::move(variable));
    } while (take_if(','));
    return expect(';');
}

}  // namespace kymo::gpu::ptx
