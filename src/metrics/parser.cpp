#include "metrics/parser.h"

#include "metrics/lexer.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <initializer_list>

namespace kymo::metrics {
namespace {

using Kind = Token::Kind;

constexpr std::array<std::string_view, 6> kVerbs = {"set", "add", "sub", "bind", "start", "stop"};

// By recursive descent; a mistake leaves by this exception, which goes no further than parse_description().
struct Stop {
    Mistake mistake;
};

std::string shown(const Token& token) {
    switch (token.kind) {
        case Kind::kEnd:
            return "the end of the file";
        case Kind::kText:
            return "a text";
        case Kind::kNumber:
            return "a number";
        default:
            return "'" + token.text.substr(0, 60) + "'";
    }
}

class Parser {
  public:
    explicit Parser(std::string_view text) : lexer_(text) {}

    Syntax parse() {
        Syntax syntax;
        while (lexer_.peek().kind != Kind::kEnd) {
            const Token word = lexer_.take();
            if (is(word, "const")) {
                syntax.constants.push_back(constant());
            } else if (is(word, "metric")) {
                syntax.metrics.push_back(metric());
            } else {
                stop(word, "'metric' or 'const'");
            }
        }
        return syntax;
    }

  private:
    static bool is(const Token& token, std::string_view text) {
        return (token.kind == Kind::kWord || token.kind == Kind::kSign) && token.text == text;
    }

    [[noreturn]] static void stop(const Token& found, const std::string& expected, const std::string& next = {}) {
        if (found.kind == Kind::kBad) {
            throw Stop{{found.at, found.text, next}};
        }
        throw Stop{{found.at, "expected " + expected + ", found " + shown(found), next}};
    }

    bool accept(std::string_view text) {
        const bool there = is(lexer_.peek(), text);
        if (there) {
            lexer_.take();
        }
        return there;
    }

    void expect(std::string_view text, const std::string& next = {}) {
        const Token token = lexer_.take();
        if (!is(token, text)) {
            stop(token, fmt::format("'{}'", text), next);
        }
    }

    Name name(const std::string& what) {
        const Token token = lexer_.take();
        if (token.kind != Kind::kWord) {
            stop(token, what);
        }
        return {token.text, token.at};
    }

    Name one_of(const std::string& what, std::initializer_list<std::string_view> words) {
        const Name word = name(what);
        if (std::find(words.begin(), words.end(), word.text) == words.end()) {
            throw Stop{{word.at, fmt::format("'{}' is not {}", word.text, what), {}}};
        }
        return word;
    }

    Constant constant() {
        Constant constant{name("the constant's name"), {}};
        expect("=");
        constant.value = value();
        if (constant.value.kind != Value::Kind::kNumber) {
            throw Stop{{constant.value.at, "a constant is a number", {}}};
        }
        return constant;
    }

    MetricSyntax metric() {
        MetricSyntax metric;
        metric.name = name("the metric's name");
        if (lexer_.peek().kind == Kind::kText) {
            metric.description = lexer_.take().text;
        }
        while (!accept("{")) {
            const Token word = lexer_.take();
            if (is(word, "unit")) {
                metric.unit = unit();
            } else if (is(word, "total")) {
                metric.total = one_of("sum, mean, minimum or maximum", {"sum", "mean", "minimum", "maximum"});
            } else if (is(word, "per")) {
                metric.per = one_of("thread, process, host or system", {"thread", "process", "host", "system"});
            } else if (is(word, "counter") || is(word, "gauge") || is(word, "maximum")) {
                metric.type = {word.text, word.at};
            } else {
                stop(word, "'{' or one of: a text, unit, counter, gauge, maximum, total, per");
            }
        }
        while (!accept("}")) {
            member(metric);
        }
        return metric;
    }

    std::string unit() {
        const Token word = lexer_.take_name();
        if (word.kind != Kind::kWord && word.kind != Kind::kText) {
            stop(word, "a unit");
        }
        return word.text;
    }

    void member(MetricSyntax& metric) {
        const Token word = lexer_.take();
        if (is(word, "cell")) {
            metric.cells.push_back(name("the cell's name"));
        } else if (is(word, "timer")) {
            metric.timers.push_back(name("the timer's name"));
        } else if (is(word, "at")) {
            if (++statements_ > kMaxStatements) {
                throw Stop{
                    {word.at, fmt::format("more than {} instrumentation points", kMaxStatements), "split the file"}};
            }
            metric.statements.push_back(statement());
        } else {
            stop(word, "'cell', 'timer', 'at' or '}'");
        }
    }

    Statement statement() {
        Statement statement;
        const Token point = lexer_.take();
        if (!is(point, "entry") && !is(point, "exit") && !is(point, "line")) {
            stop(point, "'entry', 'exit' or 'line'",
                 "an instrumentation point is: at entry FUNCTION, at exit FUNCTION, or: at line FILE:NUMBER");
        }
        statement.at_exit = point.text == "exit";
        const std::string what = point.text == "line" ? "source file" : "function";
        const Token function = lexer_.take_name();
        if (function.kind != Kind::kWord && function.kind != Kind::kText) {
            stop(function, "a " + what + "'s name");
        }
        if (function.text.empty()) {
            throw Stop{{function.at, "the " + what + "'s name is empty", {}}};
        }
        statement.function = {function.text, function.at};
        if (point.text == "line") {
            statement.line = line_number();
        }
        if (accept("in")) {
            const Token image = lexer_.take_name();
            if (image.kind != Kind::kWord && image.kind != Kind::kText) {
                stop(image, "a file's name");
            }
            statement.image = image.text;
        }
        if (accept("when")) {
            statement.has_condition = true;
            statement.condition = any_of();
        }
        expect(":", "an instrumentation point is: at entry FUNCTION [in IMAGE] [when CONDITION] : ACTION");
        do {
            statement.actions.push_back(action());
        } while (accept(","));
        return statement;
    }

    std::uint32_t line_number() {
        constexpr std::uint64_t kMost = 0xffffffff;
        expect(":", "a source line is: at line FILE:NUMBER");
        const Token number = lexer_.take();
        if (number.kind != Kind::kNumber) {
            stop(number, "a line's number", "a source line is: at line FILE:NUMBER");
        }
        if (number.number == 0 || number.number > kMost) {
            throw Stop{{number.at, fmt::format("no line has the number {}", number.number), {}}};
        }
        return static_cast<std::uint32_t>(number.number);
    }

    Action action() {
        const Token verb = lexer_.take();
        if (verb.kind != Kind::kWord || std::find(kVerbs.begin(), kVerbs.end(), verb.text) == kVerbs.end()) {
            stop(verb, "an action", "the actions are set, add, sub, bind, start and stop");
        }
        Action action{verb.text, {}, verb.at};
        // The following word belongs to the action if it is on its line or cannot be anything else.
        while (action.words.size() < 2 && begins_value(lexer_.peek()) && lexer_.peek().at.line == verb.at.line) {
            action.words.push_back(value());
        }
        return action;
    }

    static bool begins_value(const Token& token) {
        return token.kind == Kind::kNumber || is(token, "-") || is(token, "*") || is(token, "::") ||
               (token.kind == Kind::kWord && token.text != "at" && token.text != "cell" && token.text != "timer");
    }

    Value value() {
        Token token = lexer_.take_value();
        Value value;
        value.at = token.at;
        if (is(token, "*") || is(token, "::")) {
            return data(token);
        }
        if (is(token, "-")) {
            const Token number = lexer_.take();
            if (number.kind != Kind::kNumber || number.number > std::uint64_t{1} << 63U) {
                stop(number, "a number after '-'");
            }
            value.negative = number.number != 0;
            value.number = ~number.number + 1;
            return value;
        }
        if (token.kind == Kind::kNumber) {
            value.number = token.number;
            return value;
        }
        if (token.kind != Kind::kWord) {
            stop(token, "a number, a name, arg1 to arg6, or result");
        }
        if (token.text == "null") {
            return value;
        }
        if (token.text == "result") {
            value.kind = Value::Kind::kResult;
        } else if (token.text.size() == 4 && token.text.starts_with("arg") && token.text[3] >= '0' &&
                   token.text[3] <= '9') {
            value.kind = Value::Kind::kArgument;
            value.number = static_cast<std::uint64_t>(token.text[3] - '0');
        } else {
            return data(token);
        }
        if (accept("as")) {
            value.type = name("a type").text;
        }
        return value;
    }

    // ---- names, of the description or of the program's data: grid->level, solver::size[2], *next, ::result

    Value data(Token token) {
        Value value;
        value.at = token.at;
        std::size_t stars = 0;
        for (; is(token, "*"); token = lexer_.take_value()) {
            ++stars;
        }
        const bool is_global = is(token, "::");
        if (is_global) {
            token = lexer_.take_value();
        }
        if (token.kind != Kind::kWord) {
            stop(token, "a variable's name");
        }
        value.name = {token.text, token.at};
        value.data.name = token.text;
        while (accept("::")) {
            value.data.name += "::" + name("a variable's name").text;
        }
        std::vector<program::DataStep>& steps = value.data.steps;
        while (steps.size() <= kMaxNesting) {
            if (accept(".")) {
                steps.push_back({program::DataStep::Kind::kMember, name("a member's name").text, 0});
            } else if (accept("->")) {
                steps.push_back({program::DataStep::Kind::kArrow, name("a member's name").text, 0});
            } else if (accept("[")) {
                const Token index = lexer_.take();
                if (index.kind != Kind::kNumber) {
                    stop(index, "an element's number");
                }
                steps.push_back({program::DataStep::Kind::kIndex, {}, index.number});
                expect("]");
            } else {
                break;
            }
        }
        value.data.is_global = is_global;
        steps.insert(steps.end(), stars, {program::DataStep::Kind::kDereference, {}, 0});
        if (steps.size() > kMaxNesting) {
            throw Stop{{value.at, fmt::format("more than {} steps to a value", kMaxNesting), {}}};
        }
        const bool is_data = is_global || !steps.empty() || value.data.name != value.name.text;
        value.kind = is_data ? Value::Kind::kData : Value::Kind::kName;
        return value;
    }

    // ---- conditions: or below and below not

    Condition any_of() { return chain("or", Condition::Kind::kOr, &Parser::all_of); }
    Condition all_of() { return chain("and", Condition::Kind::kAnd, &Parser::one); }

    Condition chain(std::string_view word, Condition::Kind kind, Condition (Parser::*part)()) {
        Condition first = (this->*part)();
        if (!is(lexer_.peek(), word)) {
            return first;
        }
        Condition all;
        all.kind = kind;
        all.parts.push_back(std::move(first));
        while (accept(word)) {
            all.parts.push_back((this->*part)());
        }
        return all;
    }

    Condition one() {
        const Token& next = lexer_.peek();
        if (depth_ >= kMaxNesting) {
            throw Stop{{next.at, fmt::format("conditions nest deeper than {}", kMaxNesting), {}}};
        }
        if (accept("not")) {
            ++depth_;
            Condition negation;
            negation.kind = Condition::Kind::kNot;
            negation.parts.push_back(one());
            --depth_;
            return negation;
        }
        if (accept("(")) {
            ++depth_;
            Condition inner = any_of();
            expect(")");
            --depth_;
            return inner;
        }
        return comparison();
    }

    Condition comparison() {
        Condition condition;
        condition.left = value();
        const Token& sign = lexer_.peek();
        constexpr std::array<std::string_view, 6> kSigns = {"==", "!=", "<", "<=", ">", ">="};
        if (sign.kind == Kind::kSign && std::find(kSigns.begin(), kSigns.end(), sign.text) != kSigns.end()) {
            condition.comparison = lexer_.take().text;
            condition.right = value();
        } else if (is(sign, "=")) {
            throw Stop{{sign.at, "'=' compares nothing", "did you mean '=='?"}};
        } else {
            condition.comparison = "!=";  // a value alone: is it not 0?
            condition.right.at = condition.left.at;
        }
        return condition;
    }

    Lexer lexer_;
    std::size_t statements_ = 0;
    unsigned depth_ = 0;
};

}  // namespace

std::variant<Syntax, Mistake> parse_description(std::string_view text) {
    if (text.size() > kMaxDescription) {
        return Mistake{{}, fmt::format("more than {} KiB", kMaxDescription / 1024), "split the file"};
    }
    try {
        return Parser(text).parse();
    } catch (Stop& stop) {
        return std::move(stop.mistake);
    }
}

}  // namespace kymo::metrics
