// The parser's state, shared by the files that parse modules (parse.cpp), variables (parse_variable.cpp) and function
// bodies (parse_body.cpp, parse_instruction.cpp). Recursive descent; the first mistake ends it.
//
// Contract: internal to parse(). Each parse_*() returns false once fail() was called; the error is then in error().
#pragma once

#include "base/result.h"
#include "gpu/ptx/parse/lexer.h"
#include "gpu/ptx/parse/module.h"

#include <optional>
#include <unordered_map>

namespace kymo::gpu::ptx {

class Parser {
  public:
    Parser(std::string_view text, std::string name) : lexer_(text) {
        module_.name = std::move(name);
        module_.files.emplace_back();
        take();
    }
    bool parse_module();
    const Error& error() const { return *error_; }
    Module& module() { return module_; }

  private:
    static constexpr std::size_t kMostFiles = 1U << 16U;
    static constexpr std::size_t kMostDepth = 64;

    // What a name means in a pair of braces.
    struct Meaning {
        Operand::Kind kind = Operand::Kind::kNone;
        std::uint32_t number = 0;
    };
    struct RegisterRange {  // .reg .b32 %r<12>
        Type type = Type::kNone;
        std::uint64_t count = 0;
    };
    struct Scope {
        std::unordered_map<std::string_view, Meaning> names;
        std::unordered_map<std::string_view, RegisterRange> ranges;
        std::unordered_map<std::string_view, std::uint32_t> labels;
    };

    // words
    void take() {
        token_ = ahead_ ? *ahead_ : lexer_.next();
        ahead_.reset();
    }
    const Token& peek() {
        if (!ahead_) {
            ahead_ = lexer_.next();
        }
        return *ahead_;
    }
    bool fail(const std::string& expected);                     // expected WHAT, found the current word
    bool fail_at(const Token& token, const std::string& what);  // WHAT
    bool expect(char punctuation);
    bool take_if(char punctuation);
    bool parse_name(std::string_view& name);
    bool parse_integer(std::uint64_t& value, std::uint64_t most);
    bool skip_past_semicolon();
    std::uint32_t intern(std::string_view word);
    Place place_of(const Token& token) const;

    // module
    bool parse_directive();
    bool parse_version();
    bool parse_target();
    bool parse_file_entry();
    bool skip_section();
    bool parse_function(bool is_kernel, bool is_extern);
    bool parse_parameters(std::vector<Parameter>& into, std::uint32_t* total);
    bool parse_parameter(Parameter& parameter);
    bool parse_function_directives(Function& function);
    bool parse_dim(Dim3& dim);
    bool merge_function(Function function, bool defined);

    // variables
    bool parse_variables(StateSpace space, bool is_extern, std::vector<Variable>& into, bool in_body);
    bool parse_extent(Variable& variable, std::uint64_t element);
    bool parse_initial(Variable& variable, unsigned element);
    bool parse_initial_value(Variable& variable, unsigned element);
    bool append_number(Variable& variable, unsigned element);

    // bodies
    bool parse_body();
    bool parse_statement();
    bool parse_body_directive();
    bool parse_registers();
    bool parse_location();
    bool parse_table(std::uint32_t label);
    bool parse_instruction();
    bool parse_operands(Instruction& instruction);
    bool parse_call(Instruction& instruction);
    bool parse_call_list(std::vector<Operand>& into);
    bool parse_operand(Operand& operand);
    bool parse_single_operand(Operand& operand);
    bool parse_address(Operand& operand);
    bool parse_vector(Operand& operand);
    bool parse_named(Operand& operand);
    bool parse_number(Operand& operand, bool negative);
    bool parse_offset(std::int64_t& offset);
    bool parse_label_operand(Operand& operand);
    std::uint32_t label(std::string_view name);
    std::optional<Meaning> meaning(std::string_view name);
    std::optional<Meaning> register_in_range(Scope& scope, std::string_view name);
    bool open_scope();
    bool close_scope();

    Lexer lexer_;
    Token token_;
    std::optional<Token> ahead_;
    Module module_;
    std::optional<Error> error_;
    std::unordered_map<std::string, std::uint32_t> interned_;
    std::unordered_map<std::string_view, std::uint32_t> functions_;
    std::unordered_map<std::string_view, std::uint32_t> variables_;
    Function* function_ = nullptr;
    std::vector<Scope> scopes_;
    // Of each label of the function: where it was first named, and the one it turned out to be (itself, mostly): a
    // label used in inner braces may be one of the outer ones.
    std::vector<Token> label_uses_;
    std::vector<std::uint32_t> label_is_;
    std::uint32_t file_ = 0;
    std::uint32_t source_line_ = 0;
};

}  // namespace kymo::gpu::ptx
