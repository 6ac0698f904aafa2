// The terminal as a screen of a live view: a title, lines, and the keys at its foot. The terminal is always
// restored.
#pragma once

#include "view/text.h"

#include <string>
#include <vector>

namespace kymo::live {

// The host, the time of day and the period in seconds.
std::string top_title(double period);

class Screen {
  public:
    // Whether the terminal has signs beyond ASCII.
    explicit Screen(bool unicode);
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;
    ~Screen();

    // Of lines that fit: the present width of the screen, without colour.
    [[nodiscard]] view::Style style() const;
    static std::size_t rows();
    void draw(const std::string& head, const std::vector<std::string>& lines, const std::string& keys) const;
    // Redraw everything the next time: another writer has changed the terminal.
    static void spoilt();

  private:
    bool unicode_;
};

}  // namespace kymo::live
