#include "serve/page_maker.h"

#include <algorithm>

namespace kymo::serve {

PageMaker::PageMaker(OpenSource open) : open_(std::move(open)), since_(monotonic_now()) {
    thread_ = std::thread([this] { run(); });
}

PageMaker::~PageMaker() {
    {
        const std::lock_guard lock(mutex_);
        has_ended_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

PageMaker::Answer PageMaker::ask(const PageRequest& request) {
    const std::lock_guard lock(mutex_);
    if (request.look == look_ + 1 && is_busy_) {
        return waiting();
    }
    if (request.look == look_ + 1) {
        ++look_;
        is_read_ = false;
        unreadable_.reset();
        first_look_.reset();
        made_.clear();
    }
    Answer answer{.look = look_};
    if (request.is_first_look && first_look_ != nullptr) {
        answer.page = first_look_;
        return answer;
    }
    if (is_read_ && unreadable_) {
        answer.error = unreadable_;
        return answer;
    }
    if (const Made* const made = find(request.range)) {
        answer.page = made->page;
        answer.error = made->error;
        return answer;
    }
    if (!is_busy_) {
        since_ = monotonic_now();
        stage_.clear();
    }
    wanted_ = request.range;
    is_busy_ = true;
    changed_.notify_all();
    // The first look shows the whole run: it is the answer until the complete page is ready.
    if (first_look_ != nullptr && !request.range && !request.is_stage) {
        answer.page = first_look_;
        return answer;
    }
    return waiting();
}

PageMaker::Answer PageMaker::waiting() const {
    return {.stage = stage_, .seconds = static_cast<double>(monotonic_now().ns - since_.ns) / 1e9, .look = look_};
}

const PageMaker::Made* PageMaker::find(const std::optional<TimeRange>& range) const {
    const auto found =
        std::find_if(made_.begin(), made_.end(), [&](const Made& made) { return made.range == range; });
    return found == made_.end() ? nullptr : &*found;
}

void PageMaker::set_stage(std::string_view stage) {
    const std::lock_guard lock(mutex_);
    stage_ = stage;
}

void PageMaker::run() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return has_ended_ || is_busy_; });
        if (has_ended_) {
            return;
        }
        if (!is_read_) {
            read(lock);
        }
        if (source_ != nullptr) {
            make(lock);
        } else {
            is_busy_ = false;
        }
    }
}

void PageMaker::read(std::unique_lock<std::mutex>& lock) {
    stage_ = "opening the recording";
    const std::uint32_t look_now = look_;
    lock.unlock();
    source_.reset();  // freed before the next one: each may take much memory
    auto opened = open_(look_now, {.on_stage = [this](std::string_view stage) { set_stage(stage); },
                                   .on_first_look =
                                       [this](std::string page) {
                                           const std::lock_guard guard(mutex_);
                                           first_look_ = std::make_shared<const std::string>(std::move(page));
                                       }});
    lock.lock();
    is_read_ = true;
    if (opened) {
        source_ = std::move(*opened);
    } else {
        unreadable_ = opened.error();
    }
}

void PageMaker::make(std::unique_lock<std::mutex>& lock) {
    const std::optional<TimeRange> range = wanted_;
    const std::uint32_t look = look_;
    stage_ = "page";
    lock.unlock();
    auto page = source_->page(range, look);
    lock.lock();
    Made made{.range = range, .page = nullptr, .error = std::nullopt};
    if (page) {
        made.page = std::make_shared<const std::string>(std::move(*page));
    } else {
        made.error = page.error();
    }
    made_.push_front(std::move(made));
    if (made_.size() > kKept) {
        made_.pop_back();
    }
    is_busy_ = wanted_ != range;
}

}  // namespace kymo::serve
