// Splits a metric description into words, one at a time. Bounded by the text; never fails silently.
//
// The kind of a word depends on its place: function names contain characters that are signs elsewhere
// ("ns::Solver<int>::*"), so the parser requests one where it expects it. Comments go from # to the line's end.
#pragma once

#include "metrics/syntax.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kymo::metrics {

struct Token {
    enum class Kind : std::uint8_t { kEnd, kWord, kNumber, kText, kSign, kBad };
    Kind kind = Kind::kEnd;
    std::string text;  // of a text: the part between the quotes; kBad: what is wrong
    std::uint64_t number = 0;
    Position at;
};

class Lexer {
  public:
    explicit Lexer(std::string_view text) : text_(text) {}

    // The next token, without taking it.
    const Token& peek();
    Token take();
    // The same; a word may have hyphens inside ("lock-wait").
    Token take_value();
    // A function's or image's name: in quotes, or up to a blank, a single ':' or a ','.
    Token take_name();

  private:
    void unread();
    void skip_blanks();
    void step();
    [[nodiscard]] char now() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    [[nodiscard]] char later(std::size_t by) const { return at_ + by < text_.size() ? text_[at_ + by] : '\0'; }
    Token read();
    void read_number(Token& token);
    void read_text(Token& token);
    void read_sign(Token& token);

    std::string_view text_;
    std::size_t at_ = 0;
    Position position_;
    std::optional<Token> held_;
    std::size_t held_at_ = 0;  // where it begins
};

}  // namespace kymo::metrics
