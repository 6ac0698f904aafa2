#include "metrics/lexer.h"

#include <fmt/format.h>

namespace kymo::metrics {
namespace {

bool begins_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool in_word(char c) {
    return begins_word(c) || is_digit(c);
}

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::string shown_sign(char c) {
    const auto code = static_cast<unsigned char>(c);
    return code > 0x20 && code < 0x7F ? std::string(1, c) : fmt::format("byte {}", code);
}

int digit_of(char c, unsigned base) {
    const int value = is_digit(c)            ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : 99;
    return value < static_cast<int>(base) ? value : -1;
}

// 0: unknown unit.
std::uint64_t factor_of(std::string_view unit) {
    struct Unit {
        std::string_view name;
        std::uint64_t factor;
    };
    constexpr Unit kUnits[] = {{"", 1},
                               {"ns", 1},
                               {"us", 1000},
                               {"ms", 1'000'000},
                               {"s", 1'000'000'000},
                               {"k", 1000},
                               {"M", 1'000'000},
                               {"G", 1'000'000'000},
                               {"KiB", 1ULL << 10U},
                               {"MiB", 1ULL << 20U},
                               {"GiB", 1ULL << 30U}};
    for (const Unit& known : kUnits) {
        if (known.name == unit) {
            return known.factor;
        }
    }
    return 0;
}

}  // namespace

void Lexer::step() {
    if (now() == '\n') {
        ++position_.line;
        position_.column = 0;
    }
    ++position_.column;
    ++at_;
}

void Lexer::skip_blanks() {
    while (at_ < text_.size() && (is_blank(now()) || now() == '#')) {
        if (now() == '#') {
            while (at_ < text_.size() && now() != '\n') {
                step();
            }
        } else {
            step();
        }
    }
}

const Token& Lexer::peek() {
    if (!held_) {
        skip_blanks();
        held_at_ = at_;
        held_ = read();
    }
    return *held_;
}

Token Lexer::take() {
    Token token = peek();
    held_.reset();
    return token;
}

Token Lexer::read() {
    skip_blanks();
    Token token;
    token.at = position_;
    if (at_ >= text_.size()) {
        return token;
    }
    if (begins_word(now())) {
        token.kind = Token::Kind::kWord;
        while (in_word(now())) {
            token.text += now();
            step();
        }
    } else if (is_digit(now())) {
        read_number(token);
    } else if (now() == '"') {
        read_text(token);
    } else {
        read_sign(token);
    }
    return token;
}

void Lexer::read_number(Token& token) {
    token.kind = Token::Kind::kNumber;
    const bool hexadecimal = now() == '0' && (later(1) == 'x' || later(1) == 'X');
    const unsigned base = hexadecimal ? 16 : 10;
    if (hexadecimal) {
        step();
        step();
    }
    bool fits = true;
    std::size_t digits = 0;
    for (int digit = 0; (digit = digit_of(now(), base)) >= 0; step(), ++digits) {
        fits = fits && !__builtin_mul_overflow(token.number, std::uint64_t{base}, &token.number) &&
               !__builtin_add_overflow(token.number, static_cast<std::uint64_t>(digit), &token.number);
    }
    std::string unit;
    while (in_word(now())) {
        unit += now();
        step();
    }
    const std::uint64_t factor = factor_of(unit);
    fits = fits && !__builtin_mul_overflow(token.number, factor, &token.number);
    if (digits == 0 || factor == 0 || !fits) {
        token.kind = Token::Kind::kBad;
        token.text = digits == 0   ? "a hexadecimal number without digits"
                     : factor == 0 ? fmt::format("no unit '{}' (ns us ms s, k M G, KiB MiB GiB)", unit.substr(0, 40))
                                   : "the number is too large for 64 bits";
    }
}

void Lexer::read_text(Token& token) {
    token.kind = Token::Kind::kText;
    step();
    while (at_ < text_.size() && now() != '"' && now() != '\n') {
        token.text += now();
        step();
    }
    if (now() != '"') {
        token.kind = Token::Kind::kBad;
        token.text = "a text that does not end on its line: a \" is missing";
        return;
    }
    step();
}

void Lexer::read_sign(Token& token) {
    token.kind = Token::Kind::kSign;
    const char first = now();
    token.text = first;
    step();
    const bool comparison = first == '=' || first == '!' || first == '<' || first == '>';
    const bool is_pair =
        (comparison && now() == '=') || (first == '-' && now() == '>') || (first == ':' && now() == ':');
    if (is_pair) {
        token.text += now();
        step();
    }
    if (std::string_view("{}():,=<>-.[]*").find(first) == std::string_view::npos && token.text != "!=") {
        token.kind = Token::Kind::kBad;
        token.text = "what is " + shown_sign(first) + " to mean here?";
    }
}

// Reads text again that was read ahead as another kind of token.
void Lexer::unread() {
    if (held_) {
        at_ = held_at_;
        position_ = held_->at;
        held_.reset();
    }
}

Token Lexer::take_value() {
    unread();
    Token token = read();
    while (token.kind == Token::Kind::kWord && now() == '-' && begins_word(later(1))) {
        do {
            token.text += now();
            step();
        } while (in_word(now()));
    }
    return token;
}

Token Lexer::take_name() {
    unread();
    skip_blanks();
    Token token;
    token.at = position_;
    if (at_ >= text_.size()) {
        return token;
    }
    if (now() == '"') {
        read_text(token);
        return token;
    }
    token.kind = Token::Kind::kWord;
    unsigned angles = 0;
    while (at_ < text_.size() && (!is_blank(now()) || (angles > 0 && now() == ' ')) && now() != '{' && now() != '}' &&
           now() != '#' && now() != '"') {
        const bool scope = now() == ':' && later(1) == ':';
        if (angles == 0 && (now() == ',' || (now() == ':' && !scope))) {
            break;
        }
        angles += now() == '<' ? 1 : 0;
        angles -= now() == '>' && angles > 0 ? 1 : 0;
        const int length = scope ? 2 : 1;
        for (int i = 0; i < length; ++i) {
            token.text += now();
            step();
        }
    }
    if (token.text.empty()) {
        token.kind = Token::Kind::kBad;
        token.text = "a name is missing";
    }
    return token;
}

}  // namespace kymo::metrics
