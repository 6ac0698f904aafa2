// PTX text into words.
//
// Contract: a Token's text points into the text given, which must outlive it. Comments and white space are passed
// over; a character that PTX does not have is a kPunctuation of its own, for the parser to refuse. Never fails, ends
// with kEnd.
#pragma once

#include <cstdint>
#include <string_view>

namespace kymo::gpu::ptx {

struct Token {
    enum class Kind : std::uint8_t {
        kEnd,
        kWord,        // add, %r1, $L__BB0_1, _Z3foov
        kDotWord,     // .entry, .L2::128B: text without the dot
        kNumber,      // 12, 0x1F, 0f3F800000, 8.3
        kString,      // text without the quotes
        kPunctuation  // one character
    };
    Kind kind = Kind::kEnd;
    bool touches = false;  // nothing stands between the token before and this one
    std::string_view text;
    std::uint32_t line = 1;
    std::uint32_t column = 1;
    bool is(char punctuation) const { return kind == Kind::kPunctuation && text[0] == punctuation; }
    bool is_word(std::string_view word) const { return kind == Kind::kWord && text == word; }
    bool is_directive(std::string_view word) const { return kind == Kind::kDotWord && text == word; }
};

class Lexer {
  public:
    explicit Lexer(std::string_view text) : text_(text) {}
    Token next();

  private:
    void skip_blank();
    void step(std::size_t count);
    std::size_t word_length(std::size_t from) const;
    std::string_view text_;
    std::size_t at_ = 0;
    std::uint32_t line_ = 1;
    std::size_t line_begin_ = 0;
};

}  // namespace kymo::gpu::ptx
