#include "import/perf/events.h"

#include <algorithm>
#include <bit>
#include <linux/perf_event.h>

namespace kymo::import::perf {
namespace {

std::uint32_t count_of(std::uint64_t sample_type, std::uint64_t fields) {
    return static_cast<std::uint32_t>(std::popcount(sample_type & fields));
}

Layout layout_of(const Attribute& attribute) {
    const std::uint64_t type = attribute.sample_type;
    Layout to;
    const bool first = (type & PERF_SAMPLE_IDENTIFIER) != 0;
    if (first) {
        to.sample_id = 0;
    } else if ((type & PERF_SAMPLE_ID) != 0) {
        to.sample_id = count_of(type, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR);
    }
    if ((type & PERF_SAMPLE_TIME) != 0) {
        to.sample_time = count_of(type, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID);
    }
    if (!attribute.sample_id_all) {
        return to;
    }
    to.trailer_words = count_of(type, PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
                                          PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER);
    if (first) {
        to.trailer_id = 1;
    } else if ((type & PERF_SAMPLE_ID) != 0) {
        to.trailer_id = 1 + count_of(type, PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU);
    }
    if ((type & PERF_SAMPLE_TIME) != 0) {
        to.trailer_time =
            1 + count_of(type, PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER);
    }
    return to;
}

void add_once(std::vector<std::uint32_t>& to, std::uint32_t position) {
    if (std::find(to.begin(), to.end(), position) == to.end()) {
        to.push_back(position);
    }
}

}  // namespace

bool Events::add(Attribute attribute) {
    if (attributes_.size() >= kMostEvents || attribute.ids.size() > kMostIds - by_id_.size()) {
        return false;
    }
    const auto index = static_cast<std::uint32_t>(attributes_.size());
    for (const std::uint64_t id : attribute.ids) {
        by_id_.emplace(id, index);
    }
    layouts_.push_back(layout_of(attribute));
    attributes_.push_back(std::move(attribute));
    add_once(sample_ids_, layouts_.back().sample_id);
    add_once(trailer_ids_, layouts_.back().trailer_id);
    return true;
}

bool Events::add_id(std::uint32_t event, std::uint64_t id) {
    if (event >= attributes_.size() || by_id_.size() >= kMostIds) {
        return false;
    }
    by_id_.emplace(id, event);
    return true;
}

std::uint32_t Events::of_sample(std::span<const std::uint8_t> body, ByteOrder order) const {
    if (attributes_.size() <= 1) {
        return attributes_.empty() ? kNotGiven : 0;
    }
    const std::size_t words = body.size() / 8;
    for (const std::uint32_t position : sample_ids_) {
        if (position >= words) {
            continue;
        }
        const std::uint32_t event = by_id(number_at(body, std::size_t{position} * 8, order));
        if (event != kNotGiven && layouts_[event].sample_id == position) {
            return event;
        }
    }
    const std::uint32_t first = layouts_[0].sample_id;
    const bool nameless =
        first == Layout::kNone || (first < words && number_at(body, std::size_t{first} * 8, order) == 0);
    return nameless ? 0 : kNotGiven;
}

std::uint32_t Events::of_other(std::span<const std::uint8_t> body, ByteOrder order) const {
    const std::size_t words = body.size() / 8;
    const auto fits = [&](std::uint32_t event) {
        return layouts_[event].trailer_words > 0 && layouts_[event].trailer_words <= words;
    };
    if (attributes_.size() <= 1) {
        return attributes_.empty() || !fits(0) ? kNotGiven : 0;
    }
    for (const std::uint32_t position : trailer_ids_) {
        if (position == 0 || position > words) {
            continue;
        }
        const std::uint32_t event = by_id(number_at(body, body.size() - std::size_t{position} * 8, order));
        if (event != kNotGiven && layouts_[event].trailer_id == position && fits(event)) {
            return event;
        }
    }
    const std::uint32_t first = layouts_[0].trailer_id;
    const bool nameless =
        first == 0 || (first <= words && number_at(body, body.size() - std::size_t{first} * 8, order) == 0);
    return nameless && fits(0) ? 0 : kNotGiven;
}

}  // namespace kymo::import::perf
