// The live view of many hosts on a screen: what keys do to what is shown.
#pragma once

#include "cli/ring/ring_view.h"
#include "cli/top/screen.h"

#include <string>

namespace kymo::cli {

class RingScreen {
  public:
    // What the caller must do about a key.
    enum class Wish { kNothing, kEnd, kRecord, kSlower, kFaster };

    // The newest; shown unless it is frozen.
    void take(RingView view);
    void draw(const std::vector<Asked>& asked, double period, const std::string& recording);
    // Takes the keys that were pressed; never waits.
    Wish press();
    // A line below the title until the next key.
    void tell(std::string text);

  private:
    Wish press(int key);
    void choose(int by);

    Screen screen_;
    RingView view_;
    RingShown shown_;
    std::string told_;
    bool has_view_ = false;
    bool is_frozen_ = false;
};

}  // namespace kymo::cli
