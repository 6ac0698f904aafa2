#include "program/demangle.h"

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <memory>

namespace kymo::program {
namespace {

// The demangler recurses over the name and expands back references, so its input is bounded.
constexpr std::size_t kMaxMangled = std::size_t{32} << 10U;
constexpr std::size_t kMaxName = std::size_t{64} << 10U;

// Rust before its own mangling: a last component "::h" and 16 hexadecimal digits.
void drop_rust_hash(std::string& name) {
    constexpr std::size_t kHash = 3 + 16;
    if (name.size() <= kHash || name.compare(name.size() - kHash, 3, "::h") != 0) {
        return;
    }
    for (std::size_t i = name.size() - 16; i < name.size(); ++i) {
        if (std::isxdigit(static_cast<unsigned char>(name[i])) == 0) {
            return;
        }
    }
    name.resize(name.size() - kHash);
}

constexpr bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

// The length of an operator's name that starts at `at` (as "operator<<"), or 0.
std::size_t operator_length(std::string_view name, std::size_t at) {
    constexpr std::string_view kOperator = "operator";
    if (name.substr(at, kOperator.size()) != kOperator || (at > 0 && is_word(name[at - 1]))) {
        return 0;
    }
    std::size_t end = at + kOperator.size();
    if (end < name.size() && is_word(name[end])) {
        return 0;
    }
    if (name.substr(end, 2) == "()") {
        return end + 2 - at;
    }
    while (end < name.size() && std::strchr("<>=!+-*/%^&|~,[]", name[end]) != nullptr) {
        ++end;
    }
    return end - at;
}

// The index behind the bracket that closes the one at `open`.
std::size_t matching(std::string_view name, std::size_t open) {
    int depth = 0;
    for (std::size_t i = open; i < name.size(); ++i) {
        if (const std::size_t length = operator_length(name, i); length != 0) {
            i += length - 1;
            continue;
        }
        const char c = name[i];
        if (c == '(' || c == '<' || c == '[' || c == '{') {
            ++depth;
        } else if (c == ')' || c == ']' || c == '}' || (c == '>' && (i == 0 || name[i - 1] != '-'))) {
            if (--depth == 0) {
                return i + 1;
            }
        }
    }
    return name.size();
}

}  // namespace

std::string demangle(const char* mangled) {
    if (mangled == nullptr) {
        return {};
    }
    const std::size_t length = ::strnlen(mangled, kMaxMangled + 1);
    if (length > kMaxMangled || std::strncmp(mangled, "_Z", 2) != 0) {
        return {mangled, length};
    }
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(mangled, nullptr, nullptr, &status),
                                                           &std::free);
    if (status != 0 || !text) {
        return {mangled, length};
    }
    std::string name(text.get(), ::strnlen(text.get(), kMaxName));
    drop_rust_hash(name);
    return name;
}

std::string short_name(std::string_view name, std::size_t max_template) {
    std::string out;
    out.reserve(name.size());
    std::size_t name_begin = 0;  // behind the return type, if there is one
    bool has_parameters = false;
    for (std::size_t i = 0; i < name.size() && !has_parameters;) {
        if (const std::size_t length = operator_length(name, i); length != 0) {
            out += name.substr(i, length);
            i += length;
            if (i < name.size() && name[i] == ' ') {  // a conversion operator: its type follows
                const std::size_t end = std::min(name.find('(', i), name.size());
                out += name.substr(i, end - i);
                i = end;
            }
            continue;
        }
        const char c = name[i];
        const std::size_t end = c == '<' || c == '(' || c == '{' || c == '[' ? matching(name, i) : i + 1;
        const std::string_view group = name.substr(i, end - i);
        if (c == '<') {
            out += group.size() > max_template + 2 && i > 0 ? std::string_view("<\u2026>") : group;
        } else if (c != '(' || group == "(anonymous namespace)") {
            out += group;
            if (c == ' ') {
                name_begin = out.size();
            }
        } else if (!out.ends_with("decltype ")) {
            // A parameter list: of an enclosing function when a name follows, else the end.
            const std::string_view rest = name.substr(end);
            has_parameters = !rest.starts_with("::") && !rest.starts_with(" const::");
            i = has_parameters || rest.starts_with("::") ? end : end + 6;
            continue;
        }
        i = end;
    }
    if (has_parameters) {
        out.erase(0, name_begin);
    }
    return out.empty() ? std::string(name) : out;
}

std::string plain_name(std::string_view name) {
    constexpr std::string_view kUnnamed = "(anonymous namespace)::";
    for (const std::string_view mark : {"._omp_fn.", ".omp_outlined"}) {
        if (const std::size_t at = name.find(mark); at != std::string_view::npos) {
            std::string_view around = name.substr(0, at);
            constexpr std::string_view kClone = " [clone ";
            around.remove_suffix(around.ends_with(kClone) ? kClone.size() : 0);
            return "parallel region" + (around.empty() ? std::string() : " in " + plain_name(around));
        }
    }
    std::string plain = short_name(name);
    for (std::size_t at = 0; (at = plain.find(kUnnamed, at)) != std::string::npos;) {
        plain.erase(at, kUnnamed.size());
    }
    return plain;
}

}  // namespace kymo::program
