#include "gpu/ptx/parse/lexer.h"

#include <algorithm>

namespace kymo::gpu::ptx {
namespace {

constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

constexpr bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

constexpr bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

}  // namespace

void Lexer::step(std::size_t count) {
    for (; count > 0 && at_ < text_.size(); --count, ++at_) {
        if (text_[at_] == '\n') {
            ++line_;
            line_begin_ = at_ + 1;
        }
    }
}

void Lexer::skip_blank() {
    while (at_ < text_.size()) {
        const std::string_view rest = text_.substr(at_, 2);
        if (is_blank(rest[0])) {
            step(1);
        } else if (rest == "//") {
            step(std::min(text_.find('\n', at_), text_.size()) - at_);
        } else if (rest == "/*") {
            const std::size_t end = text_.find("*/", at_ + 2);
            step(end == std::string_view::npos ? text_.size() - at_ : end + 2 - at_);
        } else {
            return;
        }
    }
}

std::size_t Lexer::word_length(std::size_t from) const {
    std::size_t end = from;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) {
        ++end;
    }
    return end - from;
}

Token Lexer::next() {
    const std::size_t before = at_;
    skip_blank();
    Token token;
    token.touches = at_ == before;
    token.line = line_;
    token.column = static_cast<std::uint32_t>(at_ - line_begin_ + 1);
    if (at_ == text_.size()) {
        return token;
    }
    const char first = text_[at_];
    const char second = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    std::size_t length = 1;
    if (is_letter(first) || (first == '%' && is_letter(second))) {
        token.kind = Token::Kind::kWord;
        length = 1 + word_length(at_ + 1);
    } else if (is_digit(first)) {
        token.kind = Token::Kind::kNumber;
        length = word_length(at_);
        if (at_ + length + 1 < text_.size() && text_[at_ + length] == '.' && is_digit(text_[at_ + length + 1])) {
            length += 1 + word_length(at_ + length + 1);
        }
    } else if (first == '.' && (is_letter(second) || is_digit(second))) {
        token.kind = Token::Kind::kDotWord;
        length = 1 + word_length(at_ + 1);
        while (text_.substr(std::min(at_ + length, text_.size()), 2) == "::") {  // .L2::128B
            length += 2 + word_length(std::min(at_ + length + 2, text_.size()));
        }
        token.text = text_.substr(at_ + 1, length - 1);
        step(length);
        return token;
    } else if (first == '"') {
        const std::size_t end = std::min(text_.find_first_of("\"\n", at_ + 1), text_.size());
        if (end < text_.size() && text_[end] == '"') {
            token.kind = Token::Kind::kString;
            token.text = text_.substr(at_ + 1, end - at_ - 1);
            step(end + 1 - at_);
            return token;
        }
        token.kind = Token::Kind::kPunctuation;  // a quote without an end
    } else {
        token.kind = Token::Kind::kPunctuation;
    }
    token.text = text_.substr(at_, length);
    step(length);
    return token;
}

}  // namespace kymo::gpu::ptx
