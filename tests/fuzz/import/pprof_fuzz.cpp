// Any bytes as a profile of pprof: it is refused, or its samples have what the visitor relies on.
#include "import/named/pprof_file.h"
#include "named_checker.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kymo::import::named;
    Input input = input_of({data, size});
    Checker checker;
    checker.check(read_pprof(input, checker));
    (void)looks_like_pprof({data, size});
    return 0;
}
