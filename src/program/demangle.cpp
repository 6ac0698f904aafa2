#include "program/demangle.h"

#include <cctype>
#include <csetjmp>
#include <cstring>
#define HAVE_DECL_BASENAME 1  // libiberty would declare another one than the C library's
#include <libiberty/demangle.h>

namespace kymo::program {
namespace {

// Names are input from outside: the mangled one is bounded, and so is what it expands to. Back references make a name
// of some hundred characters one of gigabytes, so the demangler hands its text over in pieces, and is left when there
// is enough.
constexpr std::size_t kMaxMangled = std::size_t{32} << 10U;
constexpr std::size_t kMaxName = std::size_t{64} << 10U;

struct Text {
    std::string name;
    std::jmp_buf enough;
};

void take_piece(const char* piece, std::size_t size, void* given) {
    auto& text = *static_cast<Text*>(given);
    const std::size_t room = kMaxName - text.name.size();
    text.name.append(piece, size < room ? size : room);
    if (size >= room) {
        // Only the demangler's own frames lie between, in C, with nothing to be given back.
        std::longjmp(text.enough, 1);  // NOLINT(cert-err52-cpp): the interface has no other way out
    }
}

using Demangler = int (*)(const char* mangled, int options, demangle_callbackref callback, void* given);

// Empty if it is not one of the demangler's names.
std::string run(Demangler demangler, const char* mangled, int options) {
    Text text;
    if (setjmp(text.enough) != 0) {  // NOLINT(cert-err52-cpp)
        return text.name + "…";
    }
    return demangler(mangled, options, take_piece, &text) == 1 ? text.name : std::string();
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

// Whether the parentheses are a method's receiver in Go: "main.(*Tree).Insert".
bool is_go_receiver(std::string_view name, std::size_t begin, std::size_t end) {
    return begin > 0 && name[begin - 1] == '.' && name.substr(begin).starts_with("(*") &&
           name.substr(end).starts_with('.');
}

// Where the compiler's mark of a parallel region begins; npos: there is none.
std::size_t region_mark(std::string_view name) {
    const std::size_t gcc = name.find("._omp_fn.");
    return gcc != std::string_view::npos ? gcc : name.find(".omp_outlined");
}

}  // namespace

bool is_mangled(std::string_view name) {
    return name.starts_with("_Z") || (name.starts_with("_R") && name.size() > 2 && std::isalnum(name[2]) != 0);
}

std::string demangle(const char* mangled) {
    if (mangled == nullptr) {
        return {};
    }
    const std::size_t length = ::strnlen(mangled, kMaxMangled + 1);
    if (length > kMaxMangled || !is_mangled({mangled, length})) {
        return {mangled, length};
    }
    // Rust first: its older names look like C++'s, with a hash behind them.
    std::string name = run(rust_demangle_callback, mangled, DMGL_NO_OPTS);
    if (name.empty()) {
        name = run(cplus_demangle_v3_callback, mangled, DMGL_PARAMS | DMGL_TYPES);
    }
    return name.empty() ? std::string(mangled, length) : name;
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
            out +=
                group.size() > 2 && group.size() - 2 > max_template && i > 0 ? std::string_view("<\u2026>") : group;
        } else if (c != '(' || group == "(anonymous namespace)" || is_go_receiver(name, i, end)) {
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

bool is_parallel_region(std::string_view name) {
    return region_mark(name) != std::string_view::npos;
}

std::string plain_name(std::string_view name) {
    constexpr std::string_view kUnnamed = "(anonymous namespace)::";
    if (const std::size_t at = region_mark(name); at != std::string_view::npos) {
        std::string_view around = name.substr(0, at);
        constexpr std::string_view kClone = " [clone ";
        around.remove_suffix(around.ends_with(kClone) ? kClone.size() : 0);
        return "parallel region" + (around.empty() ? std::string() : " in " + plain_name(around));
    }
    std::string plain = short_name(name);
    for (std::size_t at = 0; (at = plain.find(kUnnamed, at)) != std::string::npos;) {
        plain.erase(at, kUnnamed.size());
    }
    return plain;
}

}  // namespace kymo::program
