// Modules and their directives.
#include "gpu/ptx/parse/parse.h"

#include "gpu/ptx/parse/parser.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <fstream>

namespace kymo::gpu::ptx {
bool Parser::fail_at(const Token& token, const std::string& what) {
    if (!error_) {
        error_ =
            Error{ErrorKind::kMalformed, fmt::format("{}:{}:{}: {}", module_.name, token.line, token.column, what),
                  "give PTX as nvcc 12 or 13 writes it (nvcc -ptx -lineinfo)"};
    }
    return false;
}

bool Parser::fail(const std::string& expected) {
    constexpr std::size_t kShown = 40;
    const std::string found =
        token_.kind == Token::Kind::kEnd ? "the end"
        : token_.kind == Token::Kind::kString
            ? "a string"
            : fmt::format("'{}{}'", token_.kind == Token::Kind::kDotWord ? "." : "", token_.text.substr(0, kShown));
    return fail_at(token_, fmt::format("expected {}, found {}", expected, found));
}

bool Parser::take_if(char punctuation) {
    if (!token_.is(punctuation)) {
        return false;
    }
    take();
    return true;
}

bool Parser::expect(char punctuation) {
    return take_if(punctuation) || fail(fmt::format("'{}'", punctuation));
}

bool Parser::parse_name(std::string_view& name) {
    if (token_.kind != Token::Kind::kWord) {
        return fail("a name");
    }
    name = token_.text;
    take();
    return true;
}

bool Parser::parse_integer(std::uint64_t& value, std::uint64_t most) {
    std::string_view digits = token_.text;
    if (token_.kind != Token::Kind::kNumber) {
        return fail("a number");
    }
    int base = 10;
    if (digits.starts_with("0x") || digits.starts_with("0X")) {
        base = 16;
        digits.remove_prefix(2);
    } else if (digits.starts_with("0b") || digits.starts_with("0B")) {
        base = 2;
        digits.remove_prefix(2);
    } else if (digits.size() > 1 && digits[0] == '0') {
        base = 8;
        digits.remove_prefix(1);
    }
    if (digits.ends_with('U') || digits.ends_with('u')) {
        digits.remove_suffix(1);
    }
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) {
        return fail("an integer");
    }
    if (value > most) {
        return fail(fmt::format("at most {}", most));
    }
    take();
    return true;
}

bool Parser::skip_past_semicolon() {
    while (token_.kind != Token::Kind::kEnd) {
        if (take_if(';')) {
            return true;
        }
        take();
    }
    return fail("';'");
}

std::uint32_t Parser::intern(std::string_view word) {
    const auto [at, is_new] =
        interned_.try_emplace(std::string(word), static_cast<std::uint32_t>(module_.names.size()));
    if (is_new) {
        module_.names.emplace_back(word);
    }
    return at->second;
}

Place Parser::place_of(const Token& token) const {
    return {token.line, token.column, file_, source_line_};
}

bool Parser::parse_version() {
    const Token at = token_;
    unsigned major = 0;
    unsigned minor = 0;
    const char* const end = at.text.data() + at.text.size();
    const auto first = std::from_chars(at.text.data(), end, major);
    if (at.kind != Token::Kind::kNumber || first.ec != std::errc() || first.ptr == end || *first.ptr != '.' ||
        std::from_chars(first.ptr + 1, end, minor).ptr != end || major > 99 || minor > 99) {
        return fail("a version as 8.3");
    }
    if (major < 6) {
        return fail_at(at, fmt::format("PTX {} is too old: 6.0 is the first that this reads", at.text));
    }
    module_.version = 100 * major + minor;
    take();
    return true;
}

bool Parser::parse_target() {
    std::string_view word;
    do {
        if (!parse_name(word)) {
            return false;
        }
        if (word.starts_with("sm_")) {
            word.remove_prefix(3);
            const auto parsed = std::from_chars(word.data(), word.data() + word.size(), module_.target);
            if (parsed.ec != std::errc() || module_.target > 999) {
                return fail("a target as sm_80");
            }
        }
    } while (take_if(','));
    return true;
}

bool Parser::parse_file_entry() {
    std::uint64_t number = 0;
    if (!parse_integer(number, kMostFiles - 1)) {
        return false;
    }
    if (token_.kind != Token::Kind::kString) {
        return fail("a file's name in quotes");
    }
    if (module_.files.size() <= number) {
        module_.files.resize(number + 1);
    }
    module_.files[number] = std::string(token_.text);
    take();
    std::uint64_t unused = 0;
    while (take_if(',')) {  // time stamp and size
        if (!parse_integer(unused, ~std::uint64_t{0})) {
            return false;
        }
    }
    return true;
}

bool Parser::skip_section() {
    while (!token_.is('{')) {
        if (token_.kind == Token::Kind::kEnd) {
            return fail("a section in braces");
        }
        take();
    }
    while (!token_.is('}')) {
        if (token_.kind == Token::Kind::kEnd) {
            return fail("'}'");
        }
        take();
    }
    take();
    return true;
}

bool Parser::parse_dim(Dim3& dim) {
    dim = {1, 1, 1};
    std::uint64_t value = 0;
    for (std::uint32_t* const part : {&dim.x, &dim.y, &dim.z}) {
        if (!parse_integer(value, 1U << 30U)) {
            return false;
        }
        *part = static_cast<std::uint32_t>(value);
        if (!take_if(',')) {
            return true;
        }
    }
    return fail("at most three sizes");
}

bool Parser::parse_directive() {
    bool is_extern = false;
    while (token_.is_directive("visible") || token_.is_directive("weak") || token_.is_directive("extern") ||
           token_.is_directive("common")) {
        is_extern = is_extern || token_.text == "extern";
        take();
    }
    if (token_.kind != Token::Kind::kDotWord) {
        return fail("a directive");
    }
    const std::string_view word = token_.text;
    if (word == "entry" || word == "func") {
        take();
        if (token_.is_directive("attribute")) {
            return fail("a function without .attribute");
        }
        return parse_function(word == "entry", is_extern);
    }
    const StateSpace space = word == "global"   ? StateSpace::kGlobal
                             : word == "const"  ? StateSpace::kConstant
                             : word == "shared" ? StateSpace::kShared
                             : word == "local"  ? StateSpace::kLocal
                                                : StateSpace::kNone;
    if (space != StateSpace::kNone) {
        take();
        return parse_variables(space, is_extern, module_.variables, false);
    }
    if (word == "version" || word == "target" || word == "file" || word == "section" || word == "address_size") {
        take();
        if (std::uint64_t bits = 0; word == "address_size") {
            if (!parse_integer(bits, 64)) {
                return false;
            }
            return bits == 64 || fail_at(token_, "addresses of 32 bits are not supported");
        }
        return word == "version"  ? parse_version()
               : word == "target" ? parse_target()
               : word == "file"   ? parse_file_entry()
                                  : skip_section();
    }
    if (word == "pragma" || word == "alias") {
        return skip_past_semicolon();
    }
    return fail("a directive that this reads");
}

bool Parser::parse_module() {
    if (!token_.is_directive("version")) {
        return fail(".version");
    }
    while (token_.kind != Token::Kind::kEnd) {
        if (!parse_directive()) {
            return false;
        }
    }
    return module_.target != 0 || fail(".target");
}

Result<std::shared_ptr<const Module>> parse(std::string_view text, std::string name) {
    Parser parser(text.substr(0, text.find('\0')), std::move(name));
    if (!parser.parse_module()) {
        return parser.error();
    }
    return std::shared_ptr<const Module>(std::make_shared<Module>(std::move(parser.module())));
}

Result<std::shared_ptr<const Module>> parse_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (!file) {
        const bool missing = errno == ENOENT;
        return Error{missing ? ErrorKind::kNotFound : ErrorKind::kPermission,
                     fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)),
                     "give a file that nvcc -ptx wrote"};
    }
    return parse(text, path.filename().string());
}

}  // namespace kymo::gpu::ptx
