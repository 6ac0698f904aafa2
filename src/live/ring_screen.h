// The live view of many hosts on a screen, and the effect of keys on it.
#pragma once

#include "live/detail_view.h"
#include "live/ring_lines.h"
#include "live/ring_view.h"
#include "live/screen.h"

#include <string>

namespace kymo::live {

class RingScreen {
  public:
    // What the caller must do after a key.
    enum class Wish { kNothing, kEnd, kRecord, kSlower, kFaster };

    // Whether the terminal has signs beyond ASCII.
    explicit RingScreen(bool unicode) : screen_(unicode) {}

    // Begins inside this host, or this process of it.
    void begin_at(ring::Slot slot, std::optional<std::uint32_t> process);
    // The newest; shown unless it is frozen.
    void take(RingView view);
    void take(const DetailView& detail);
    // The target of detail queries; nothing: none.
    [[nodiscard]] std::optional<DetailTarget> wanted() const;
    void draw(const std::vector<Asked>& asked, double period, const std::string& recording);
    // Takes the keys that were pressed; never waits.
    Wish press();
    // A line below the title until the next key.
    void tell(std::string text);

  private:
    Wish press(int key);
    void choose(int by);
    void choose_row(int by);
    void go_in();
    void go_back();
    void sort_by_next();
    [[nodiscard]] bool has_rows() const { return detail_ && wanted() && detail_->target.is_place_of(*wanted()); }
    [[nodiscard]] std::vector<std::string> lines_inside(const std::vector<Asked>& asked);

    Screen screen_;
    RingView view_;
    RingShown shown_;
    std::optional<DetailView> detail_;
    DetailShown detail_shown_;
    std::optional<std::uint32_t> process_;  // of the host that is shown
    std::string process_name_;
    bool totals_ = false;  // all metrics requested of the host, instead of its rows
    std::string told_;
    bool has_view_ = false;
    bool is_frozen_ = false;
};

}  // namespace kymo::live
