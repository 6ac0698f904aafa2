#include "recording/excerpt.h"

#include "recording/tables.h"

#include <utility>

namespace kymo::recording {

Amount amount_of(std::string_view table) {
    if (table == Sample::kTable) {
        return Amount::kOfSample;
    }
    if (table == Switch::kTable) {
        return Amount::kByTime;
    }
    return table == Wait::kTable || table == SampleRegisters::kTable || table == SampleOperands::kTable ||
                   table == KernelTick::kTable || table == Mark::kTable
               ? Amount::kBySample
               : Amount::kBounded;
}

void Excerpt::begin_segment(StreamId stream) {
    if (is_all()) {
        return;
    }
    stream_ = &streams_[raw(stream)];
    is_first_ = !std::exchange(stream_->has_begun, true);
    seen_ = 0;
}

bool Excerpt::takes(Amount amount) {
    if (amount == Amount::kByTime) {
        return false;
    }
    if (amount == Amount::kBySample) {
        return !stream_->is_cut;
    }
    if (seen_ == samples_ && !is_first_) {
        stream_->is_cut = true;
        return false;
    }
    seen_ += is_first_ ? 0 : 1;
    is_behind_gap_ = std::exchange(stream_->is_cut, false);
    return true;
}

void Excerpt::leave_rest() {
    stream_->is_cut = true;
    seen_ = samples_;
}

}  // namespace kymo::recording
