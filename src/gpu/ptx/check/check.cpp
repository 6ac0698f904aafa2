#include "gpu/ptx/check/check.h"

#include <fmt/format.h>

namespace kymo::gpu::ptx {

Result<Checks> checks_from(std::string_view words) {
    Checks checks;
    while (!words.empty()) {
        const std::string_view word = words.substr(0, words.find(','));
        if (word == "initialised" || word == "initialized") {
            checks.initialised = true;
        } else if (word == "races") {
            checks.races = true;
        } else if (word == "barriers") {
            checks.barriers = true;
        } else {
            return Error{ErrorKind::kUsage, fmt::format("no check is called '{}'", word),
                         "--check initialised,races,barriers"};
        }
        words.remove_prefix(std::min(word.size() + 1, words.size()));
    }
    return checks;
}

Error error_of(const Defect& defect) {
    const char* const next =
        defect.kind == Defect::Kind::kRace       ? "put a barrier between the two, or make both atomic"
        : defect.kind == Defect::Kind::kBarrier  ? "let all lanes that it waits for come to it together"
        : defect.kind == Defect::Kind::kRegister ? "give the variable a value on every way to its use"
                                                 : "write it first: a kernel, cudaMemcpy or cudaMemset";
    return {ErrorKind::kMalformed,
            defect.times > 1 ? fmt::format("{}, and {} times more", defect.what, defect.times - 1) : defect.what,
            next};
}

}  // namespace kymo::gpu::ptx
