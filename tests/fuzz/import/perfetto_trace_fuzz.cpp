// Any bytes as one of Perfetto's traces: it is refused, or its events are as many as it says.
#include "import/named/perfetto_trace.h"
#include "named_checker.h"

#include <cstdlib>

namespace {

class CountingVisitor : public kymo::import::named::TraceVisitor {
  public:
    void event(const kymo::import::named::TraceEvent& event) override {
        if (event.name.size() > 4'096 || event.time > std::uint64_t{1} << 62U) {
            std::abort();
        }
        ++count;
    }
    void processor_switch(const kymo::import::named::TraceSwitch&) override { ++count; }
    void flow(const kymo::import::named::TraceFlow&) override { ++count; }
    std::uint64_t count = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kymo::import::named;
    Input input = input_of({data, size});
    CountingVisitor visitor;
    const auto facts = read_perfetto_trace(input, visitor);
    if (facts ? facts->events == 0 || facts->events != visitor.count : facts.error().what.empty()) {
        std::abort();
    }
    (void)looks_like_perfetto_trace({data, size});
    return 0;
}
