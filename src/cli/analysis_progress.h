// The stage of an analysis that takes long, as one line on a terminal: from the first second on, with the seconds so
// far. Only if standard error is a terminal.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string_view>
#include <thread>

namespace kymo::cli {

class AnalysisProgress {
  public:
    explicit AnalysisProgress(bool is_shown = true);
    AnalysisProgress(const AnalysisProgress&) = delete;
    AnalysisProgress& operator=(const AnalysisProgress&) = delete;
    ~AnalysisProgress() { end(); }

    void begin(std::string_view stage);
    // Erases the line, if there is one.
    void end();

  private:
    void tell();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::string_view stage_ = "opening the recording";
    bool has_ended_ = false;
    std::thread teller_;  // not started if progress is not shown
};

}  // namespace kymo::cli
