// Any bytes as text of perf script: it is refused, or its samples have what the visitor relies on.
#include "import/named/perf_script.h"
#include "named_checker.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kymo::import::named;
    Input input = input_of({data, size});
    Checker checker;
    checker.check(read_perf_script(input, checker));
    (void)looks_like_perf_script({reinterpret_cast<const char*>(data), size});
    return 0;
}
