// Text in a bounded buffer: paths with numbers in them, without stdio and malloc. What has no room is cut off; always
// ended by a NUL.
#pragma once

#include <cstddef>
#include <string_view>

namespace kymo::monitor {

class Text {
  public:
    Text(char* at, std::size_t bytes) : begin_(at), at_(at), end_(at + bytes - 1) { *at_ = 0; }
    Text& operator<<(const char* text) {
        while (*text != 0 && at_ < end_) {
            *at_++ = *text++;
        }
        *at_ = 0;
        return *this;
    }
    Text& operator<<(unsigned long number) {
        char digits[24];
        char* first = digits + sizeof digits - 1;
        *first = 0;
        do {
            *--first = static_cast<char>('0' + number % 10);
            number /= 10;
        } while (number != 0);
        return *this << first;
    }
    std::string_view view() const { return {begin_, static_cast<std::size_t>(at_ - begin_)}; }

  private:
    char* begin_;
    char* at_;
    char* end_;
};

}  // namespace kymo::monitor
