// Pages whose text says what they are of; readings that wait until the test lets them go on.
#pragma once

#include "serve/page_source.h"

#include <condition_variable>
#include <fmt/format.h>
#include <mutex>

namespace kymo::serve {

class Gate {
  public:
    void open() {
        const std::lock_guard lock(mutex_);
        is_open_ = true;
        changed_.notify_all();
    }
    void wait() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return is_open_; });
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_open_ = false;
};

class MadeSource : public PageSource {
  public:
    Result<std::string> page(const std::optional<TimeRange>& range, std::uint32_t look) const override {
        if (range && range->begin == 666) {
            return Error{ErrorKind::kNotFound, "a file <b>vanished</b>", "record again"};
        }
        return range ? fmt::format("reading {} of {}..{}", look, range->begin, range->end)
                     : fmt::format("reading {} of all", look);
    }
};

inline Result<std::unique_ptr<PageSource>> made_source() {
    return std::unique_ptr<PageSource>(std::make_unique<MadeSource>());
}

}  // namespace kymo::serve
