// Makes pages one after another in a thread of its own, and keeps the last few.
//
//     PageMaker maker(recording_source(...));
//     const auto answer = maker.ask({.range = ...});   // at once: the page, an error, or the work's stage
//
// If several are requested while one is made, the latest comes next; repeat the request for the others.
#pragma once

#include "serve/page_request.h"
#include "serve/page_source.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace kymo::serve {

class PageMaker {
  public:
    static constexpr std::size_t kKept = 4;  // pages, of up to 15 MB each

    // Reads the recording from now on.
    explicit PageMaker(OpenSource open);
    PageMaker(const PageMaker&) = delete;
    PageMaker& operator=(const PageMaker&) = delete;
    ~PageMaker();  // after the page in work

    struct Answer {
        std::shared_ptr<const std::string> page = nullptr;  // null: an error, or not yet
        std::optional<Error> error = std::nullopt;
        std::string stage = {};  // not yet: the stage of the work
        double seconds = 0;      // duration of the work so far
        std::uint32_t look = 1;  // the last reading
    };

    // Reads the recording again if `look` is one more than the last reading's, after the present work.
    Answer ask(const PageRequest& request);

  private:
    struct Made {
        std::optional<TimeRange> range;
        std::shared_ptr<const std::string> page;
        std::optional<Error> error;
    };

    [[nodiscard]] Answer waiting() const;
    void run();
    void read(std::unique_lock<std::mutex>& lock);
    void make(std::unique_lock<std::mutex>& lock);
    [[nodiscard]] const Made* find(const std::optional<TimeRange>& range) const;
    void set_stage(std::string_view stage);

    OpenSource open_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint32_t look_ = 1;
    bool is_read_ = false;                // reading look_ is done, with source_ or unreadable_
    std::unique_ptr<PageSource> source_;  // of look_; used by the thread alone
    std::optional<Error> unreadable_;
    std::shared_ptr<const std::string> first_look_;  // of look_, where there is one; kept
    bool is_busy_ = true;                            // at first with the whole run
    std::optional<TimeRange> wanted_;                // the next one, if busy
    std::deque<Made> made_;                          // of look_, the last one first
    std::string stage_;
    TimePoint since_;
    bool has_ended_ = false;
    std::thread thread_;  // uses all of the others
};

}  // namespace kymo::serve
