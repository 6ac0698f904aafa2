// Any bytes as a trace in Chromium's format: it is refused, or its slices lie in time without holes and in one
// another.
#include "import/named/chrome_trace.h"
#include "import/trace/thread_slices.h"
#include "named_checker.h"

#include <cstdlib>
#include <map>
#include <string>

namespace {

using kymo::import::Stretch;
using kymo::import::ThreadSlices;
using kymo::import::named::TraceEvent;
using kymo::import::named::TraceKind;

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

class TraceChecker : public kymo::import::named::TraceVisitor {
  public:
    void event(const TraceEvent& event) override {
        ++events_;
        require(event.name.size() <= 4'096 + 1 + 4'096 && event.category.size() <= 4'096 &&
                event.detail.size() <= 4'096);
        if (event.kind == TraceKind::kBegin || event.kind == TraceKind::kEnd || event.kind == TraceKind::kComplete) {
            require(event.tid != kymo::import::named::kNotGiven);
            threads_[event.tid].add(event, static_cast<std::uint32_t>(events_));
        }
    }
    void flow(const kymo::import::named::TraceFlow& flow) override {
        ++events_;
        require(flow.name.size() <= 4'096);
    }
    void stack_frame(const kymo::import::named::TraceFrame& frame) override {
        require(frame.number != 0 && frame.function.size() <= 4'096 && frame.module.size() <= 4'096);
    }
    void stack_sample(const kymo::import::named::TraceSample& sample) override {
        ++events_;
        require(sample.tid != kymo::import::named::kNotGiven && sample.frame != 0 && sample.since <= sample.time);
    }
    void check(std::uint64_t events) {
        require(events == events_);
        for (auto& [tid, slices] : threads_) {
            std::uint64_t end = 0;
            bool is_first = true;
            slices.lay_out([&](const Stretch& stretch) {
                require(stretch.end >= stretch.begin && (is_first || stretch.begin == end));
                require(stretch.on <= stretch.end - stretch.begin && stretch.path.size() <= ThreadSlices::kMostDepth);
                require(!stretch.ends_slice || !stretch.path.empty());
                end = stretch.end;
                is_first = false;
            });
        }
    }

  private:
    std::uint64_t events_ = 0;
    std::map<std::uint32_t, ThreadSlices> threads_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kymo::import::named;
    Input input = input_of({data, size});
    TraceChecker checker;
    if (const auto facts = read_chrome_trace(input, checker)) {
        require(facts->events > 0);
        checker.check(facts->events);
    } else {
        require(!facts.error().what.empty());
    }
    (void)looks_like_chrome_trace({data, size});
    return 0;
}
