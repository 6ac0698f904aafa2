// What an analysis that takes long is at, as one line on a terminal.
#pragma once

#include <chrono>
#include <string_view>

namespace kymo::cli {

class AnalysisProgress {
  public:
    AnalysisProgress();
    // The next stage begins. Told only where standard error is a terminal, and not in the first second.
    void begin(std::string_view stage);
    // Takes the line away, if there is one.
    void end();

  private:
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
    bool may_tell_ = false;
    bool has_line_ = false;
};

}  // namespace kymo::cli
