// The terminal as a screen of kymo top's: a title, lines, and the keys at its foot. Given back whatever happens.
#pragma once

#include "view/text.h"

#include <string>
#include <vector>

namespace kymo::cli {

// The host, the time of day and the period in seconds.
std::string top_title(double period);

class Screen {
  public:
    Screen();
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;
    ~Screen();

    // Of lines that fit: as wide as the screen is now, without colour.
    static view::Style style();
    static std::size_t rows();
    void draw(const std::string& head, const std::vector<std::string>& lines, const std::string& keys) const;
    // All of it the next time: somebody else has written to the terminal.
    static void spoilt();
};

}  // namespace kymo::cli
