// Functions up to their bodies: parameters, results, what launches may ask for.
#include "gpu/ptx/parse/parser.h"
#include "gpu/ptx/round_up.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::gpu::ptx {
namespace {

constexpr std::uint32_t kMostParameterBytes = 1U << 15U;

}  // namespace

// `.param .u64 .ptr .global .align 8 name`, `.param .align 8 .b8 name[24]`, `.reg .b32 name`
bool Parser::parse_parameter(Parameter& parameter) {
    if (!token_.is_directive("param") && !token_.is_directive("reg")) {
        return fail(".param");
    }
    take();
    std::uint64_t align = 0;
    while (token_.kind == Token::Kind::kDotWord) {
        const std::string_view word = token_.text;
        const Type type = type_named(word);
        if (word == "ptr") {  // the kind of memory that the parameter points to, which is not needed here
            take();
            while (token_.kind == Token::Kind::kDotWord) {
                const bool aligned = token_.text == "align";
                take();
                if (std::uint64_t unused = 0; aligned && !parse_integer(unused, 1U << 16U)) {
                    return false;
                }
            }
            break;
        }
        if (word != "align" && type == Type::kNone) {
            return fail("a parameter's type");
        }
        take();
        if (word == "align") {
            if (!parse_integer(align, 128)) {
                return false;
            }
        } else {
            parameter.type = type;
        }
    }
    std::string_view name;
    if (!parse_name(name)) {
        return false;
    }
    parameter.name = std::string(name);
    std::uint64_t count = 1;
    while (take_if('[')) {
        std::uint64_t part = 0;
        if (!parse_integer(part, kMostParameterBytes) || !expect(']')) {
            return false;
        }
        count *= part;
    }
    const unsigned element = std::max(1U, bytes(parameter.type));
    if (count * element > kMostParameterBytes) {
        return fail(fmt::format("a parameter of at most {} bytes", kMostParameterBytes));
    }
    parameter.bytes = static_cast<std::uint32_t>(count * element);
    parameter.align = align != 0 ? static_cast<std::uint32_t>(align) : element;
    return true;
}

bool Parser::parse_parameters(std::vector<Parameter>& into, std::uint32_t* total) {
    std::uint64_t offset = 0;
    while (!token_.is(')')) {
        Parameter parameter;
        if (!parse_parameter(parameter)) {
            return false;
        }
        offset = round_up(offset, parameter.align);
        parameter.offset = static_cast<std::uint32_t>(offset);
        offset += parameter.bytes;
        if (offset > kMostParameterBytes) {
            return fail(fmt::format("parameters of at most {} bytes", kMostParameterBytes));
        }
        into.push_back(std::move(parameter));
        if (!take_if(',')) {
            break;
        }
    }
    if (total != nullptr) {
        *total = static_cast<std::uint32_t>(offset);
    }
    return expect(')');
}

bool Parser::parse_function_directives(Function& function) {
    while (token_.kind == Token::Kind::kDotWord) {
        const std::string_view word = token_.text;
        std::uint64_t value = 0;
        take();
        bool good = true;
        if (word == "maxntid") {
            good = parse_dim(function.most_threads);
        } else if (word == "reqntid") {
            good = parse_dim(function.exact_threads);
        } else if (word == "minnctapersm") {
            good = parse_integer(value, 1U << 16U);
            function.least_ctas = static_cast<std::uint32_t>(value);
        } else if (word == "maxnreg") {
            good = parse_integer(value, 1U << 16U);
            function.most_registers = static_cast<std::uint32_t>(value);
        } else if (word == "noreturn") {
            function.never_returns = true;
        } else if (word == "pragma") {
            take();
            good = expect(';');
        } else if (word == "maxclusterrank" || word == "maxnctapersm") {
            good = parse_integer(value, 1U << 16U);
        } else if (word == "reqnctapercluster") {
            Dim3 unused;
            good = parse_dim(unused);
        } else if (word == "explicitcluster" || word == "blocksareclusters") {
            continue;
        } else {
            return fail_at(token_, fmt::format(".{} is not a function's directive that this reads", word));
        }
        if (!good) {
            return false;
        }
    }
    return true;
}

// A declaration may come before the definition, or several times.
bool Parser::merge_function(Function function, bool defined) {
    const auto found = std::find_if(module_.functions.begin(), module_.functions.end(),
                                    [&](const Function& known) { return known.name == function.name; });
    if (found == module_.functions.end()) {
        module_.functions.push_back(std::move(function));
        return true;
    }
    if (defined && found->is_defined) {
        return fail_at(token_, fmt::format("{} is defined twice", function.name));
    }
    if (!found->is_defined) {
        *found = std::move(function);
    }
    return true;
}

bool Parser::parse_function(bool is_kernel, bool is_extern) {
    Function function;
    function.is_kernel = is_kernel;
    function.place = place_of(token_);
    if (!is_kernel && take_if('(') && !parse_parameters(function.returns, nullptr)) {
        return false;
    }
    std::string_view name;
    if (!parse_name(name)) {
        return false;
    }
    function.name = std::string(name);
    if (take_if('(') && !parse_parameters(function.parameters, &function.parameter_bytes)) {
        return false;
    }
    if (!parse_function_directives(function)) {
        return false;
    }
    function.is_defined = token_.is('{') && !is_extern;
    const bool defined = function.is_defined;
    if (!merge_function(std::move(function), defined)) {
        return false;
    }
    const auto at = std::find_if(module_.functions.begin(), module_.functions.end(),
                                 [&](const Function& known) { return known.name == name; });
    functions_.try_emplace(name, static_cast<std::uint32_t>(at - module_.functions.begin()));
    if (!defined) {
        return expect(';');
    }
    function_ = &*at;
    const bool good = parse_body();
    function_ = nullptr;
    return good;
}

}  // namespace kymo::gpu::ptx
