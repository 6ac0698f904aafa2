#include "hooks/plan/function_names.h"

#include "program/demangle.h"

#include <algorithm>
#include <cstdint>
#include <fnmatch.h>

namespace kymo::hooks {
namespace {

// The demangler's prefixes for thunks, before the target function's name.
constexpr std::string_view kLeadsTo[] = {"non-virtual thunk to ", "virtual thunk to ", "covariant return thunk to ",
                                         "TLS init function for ", "TLS wrapper function for "};

// "ns::Class::method(int) const" → "ns::Class::method".
std::string source_name(std::string_view demangled) {
    std::string before;
    for (bool is_done = false; !is_done;) {
        const auto* const found = std::find_if(std::begin(kLeadsTo), std::end(kLeadsTo),
                                               [&](std::string_view words) { return demangled.starts_with(words); });
        is_done = found == std::end(kLeadsTo);
        if (!is_done) {
            before += *found;
            demangled.remove_prefix(found->size());
        }
    }
    return before + program::short_name(demangled, SIZE_MAX);
}

// "f[abi:cxx11]" → "f".
std::string without_tags(std::string name) {
    constexpr std::string_view kTag = "[abi:";
    for (std::size_t at = name.find(kTag); at != std::string::npos; at = name.find(kTag, at)) {
        const std::size_t end = name.find(']', at);
        name.erase(at, end == std::string::npos ? end : end + 1 - at);
    }
    return name;
}

// fnmatch's other special characters are literal here.
std::string as_pattern(const std::string& wanted) {
    std::string pattern;
    for (const char letter : wanted) {
        pattern += letter == '[' || letter == '\\' ? std::string("\\") + letter : std::string(1, letter);
    }
    return pattern;
}

}  // namespace

bool is_glob(std::string_view wanted) {
    return wanted.find_first_of("*?") != std::string_view::npos;
}

FunctionNames::FunctionNames(const std::string& linkage_name) : linkage_(linkage_name), names_{linkage_name} {
    if (const std::size_t version = linkage_name.find('@'); version != 0 && version != std::string::npos) {
        linkage_.resize(version);
        names_.push_back(linkage_);
    }
    if (program::is_mangled(linkage_)) {
        with_parameters_ = program::demangle(linkage_.c_str());
        const std::string source = source_name(with_parameters_);
        if (std::string plain = without_tags(source); plain != source) {
            names_.push_back(std::move(plain));
        }
        names_.push_back(source);
    }
}

bool FunctionNames::are_asked_for_by(const std::string& wanted, bool is_pattern) const {
    if (!is_pattern) {
        return std::find(names_.begin(), names_.end(), wanted) != names_.end() || wanted == with_parameters_;
    }
    const std::string pattern = as_pattern(wanted);
    return std::any_of(names_.begin(), names_.end(),
                       [&](const std::string& name) { return fnmatch(pattern.c_str(), name.c_str(), 0) == 0; });
}

}  // namespace kymo::hooks
