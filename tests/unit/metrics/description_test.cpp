#include "metrics/description.h"

#include <gtest/gtest.h>

namespace kymo::metrics {
namespace {

using cells::Operation;

Description good(std::string_view text) {
    auto compiled = compile_description(text);
    if (auto* mistakes = std::get_if<std::vector<Mistake>>(&compiled)) {
        ADD_FAILURE() << error_of(*mistakes, "text").what;
        return {};
    }
    return std::get<Description>(std::move(compiled));
}

// A task that runs the steps of instrumentation points, as a hooked program would.
struct Machine {
    std::uint64_t cells[cells::kTaskCells] = {};
    cells::Timer timers[cells::kTaskTimers] = {};
    std::uint32_t bindings[cells::kTaskTimers] = {};
    cells::TickRate rate;
    cells::Task task{cells, timers, &rate, bindings};

    explicit Machine(const Description& description) {
        for (const DescribedTimer& timer : description.timers) {
            bindings[timer.number] = timer.cell;
        }
    }
    void pass(const Description& description, std::string_view function, bool exit,
              std::initializer_list<std::uint64_t> arguments = {}, std::uint64_t result = 0) {
        std::uint64_t all[cells::kMaxArguments] = {};
        std::copy(arguments.begin(), arguments.end(), all);
        for (const InstrumentationPoint& point : description.points) {
            if (point.function == function && point.at_exit == exit) {
                ASSERT_TRUE(cells::valid(point.steps.data(), point.steps.size(), point.data.size()));
                cells::run(point.steps.data(), point.steps.data() + point.steps.size(), task,
                           {exit ? nullptr : all, result});
            }
        }
    }
    [[nodiscard]] std::uint64_t value(const Description& description, std::string_view name) const {
        for (const DescribedCell& cell : description.cells) {
            if (cell.name == name) {
                return cells[cell.index];
            }
        }
        ADD_FAILURE() << "no cell " << name;
        return 0;
    }
};

constexpr const char* kClassic = R"(
# The classic example.
metric send_in_foo "time foo spends sending messages" unit ns {
  cell in_foo
  at entry foo                      : add in_foo 1
  at exit  foo                      : sub in_foo 1
  at entry MPI_Send when in_foo > 0 : start
  at exit  MPI_Send when in_foo > 0 : stop
}
)";

TEST(MetricDescription, TheClassicExample) {
    const Description classic = good(kClassic);
    ASSERT_EQ(classic.metrics.size(), 1U);
    EXPECT_EQ(classic.metrics[0].name, "send_in_foo");
    EXPECT_EQ(classic.metrics[0].description, "time foo spends sending messages");
    EXPECT_EQ(classic.metrics[0].unit, "ns");
    EXPECT_EQ(classic.metrics[0].total, MetricTotal::kOfType);
    ASSERT_EQ(classic.cells.size(), 2U);
    EXPECT_EQ(classic.cells[1].name, "send_in_foo.in_foo");
    EXPECT_EQ(classic.cells[1].type, cells::MetricType::kGauge);
    ASSERT_EQ(classic.points.size(), 4U);
    EXPECT_EQ(classic.points[2].at.line, 7U);
    EXPECT_EQ(classic.points[2].at.column, 12U);
    Machine machine(classic);
    machine.pass(classic, "MPI_Send", false);
    machine.pass(classic, "MPI_Send", true);
    EXPECT_EQ(machine.value(classic, "send_in_foo"), 0U);
    machine.pass(classic, "foo", false);
    machine.pass(classic, "MPI_Send", false);
    const std::uint64_t begin = monotonic_now().ns;
    while (monotonic_now().ns - begin < 20'000) {
    }
    machine.pass(classic, "MPI_Send", true);
    machine.pass(classic, "foo", true);
    EXPECT_GE(machine.value(classic, "send_in_foo"), 20'000U);
    EXPECT_EQ(machine.value(classic, "send_in_foo.in_foo"), 0U);
}

TEST(MetricDescription, AllSixPrimitivesAndNamedTimers) {
    const Description all = good(R"(
const LIMIT = 2KiB
metric calls { at entry f : add }
metric bytes unit bytes { at entry f : add arg2 as uint }
metric left gauge { at entry f : set LIMIT, sub left 48 }
metric first unit ns { timer one timer two
  at entry f : bind two second, start one, start two
  at exit f : stop one, stop two }
metric second unit ns { at entry other : add }
)");
    ASSERT_EQ(all.timers.size(), 2U);
    EXPECT_EQ(all.timers[0].cell, all.metrics[3].cell);
    Machine machine(all);
    machine.pass(all, "f", false, {0, 0xFFFF'FFFF'0000'0007});
    const std::uint64_t begin = monotonic_now().ns;
    while (monotonic_now().ns - begin < 1000) {
    }
    machine.pass(all, "f", true);
    EXPECT_EQ(machine.value(all, "calls"), 1U);
    EXPECT_EQ(machine.value(all, "bytes"), 7U);
    EXPECT_EQ(machine.value(all, "left"), 2000U);
    EXPECT_GE(machine.value(all, "first"), 1000U);
    EXPECT_GE(machine.value(all, "second"), 1000U);
}

// Every condition over three values, against what C++ says of it.
// Which names are the program's, and what is done where they cannot be read: nothing, whatever the condition says.
TEST(MetricDescription, NamesThatAreNotItsOwnAreTheProgramsData) {
    const Description all = good(
        "const three = 3\n"
        "metric m { cell c\n"
        "  at entry f when *solver::grid->cells[2].level == c or mode < three : add size, add c 1\n"
        "  at entry g when not missing == 0 : add\n"
        "  at entry h when ::m == 0 and lock-wait > 1ms : set ::c\n}");
    ASSERT_EQ(all.points.size(), 3U);
    std::vector<std::string> names;
    for (const InstrumentationPoint& point : all.points) {
        for (const NamedData& data : point.data) {
            names.push_back(text_of(data.path));
        }
    }
    EXPECT_EQ(names,
              (std::vector<std::string>{"*solver::grid->cells[2].level", "mode", "size", "missing", "::m", "::c"}));
    EXPECT_EQ(all.points[1].data[0].at.column, 23U);

    cells::Load loads[3];
    loads[0].base = loads[1].base = loads[2].base = cells::LoadBase::kArgument;
    loads[1].argument = 1;
    loads[2].argument = 2;
    const cells::DataImage image;
    const cells::DataSources sources{loads, &image, nullptr};
    Machine machine(all);
    const auto pass = [&](std::size_t point, std::initializer_list<std::uint64_t> values, bool are_there = true) {
        std::uint64_t arguments[cells::kMaxArguments] = {};
        std::copy(values.begin(), values.end(), arguments);
        const std::vector<cells::Step>& steps = all.points[point].steps;
        cells::run(steps.data(), steps.data() + steps.size(), machine.task,
                   {are_there ? arguments : nullptr, 0, &sources});
    };
    pass(0, {5, 3, 7});  // 5 is not c, 3 is not below three
    EXPECT_EQ(machine.value(all, "m"), 0U);
    pass(0, {0, 3, 7});
    EXPECT_EQ(machine.value(all, "m"), 7U);
    EXPECT_EQ(machine.value(all, "m.c"), 1U);
    pass(0, {5, 2, 7});
    EXPECT_EQ(machine.value(all, "m"), 14U);
    pass(1, {0});
    EXPECT_EQ(machine.value(all, "m"), 14U);
    pass(1, {1}, false);
    EXPECT_EQ(machine.value(all, "m"), 14U);
    pass(1, {1});
    EXPECT_EQ(machine.value(all, "m"), 15U);
}

TEST(MetricDescription, ConditionsMeanWhatTheySay) {
    struct Case {
        const char* text;
        bool (*holds)(std::int64_t, std::int64_t, std::int64_t);
    };
    const Case cases[] = {
        {"arg1 as int < 2 and arg2 as int > -1", [](auto a, auto b, auto) { return a < 2 && b > -1; }},
        {"arg1 == 1 or arg2 == 1 or arg3 == 1", [](auto a, auto b, auto c) { return a == 1 || b == 1 || c == 1; }},
        {"not (arg1 == 1 or arg2 == 1) and arg3 != 0",
         [](auto a, auto b, auto c) { return !(a == 1 || b == 1) && c != 0; }},
        {"not (arg1 == 1 and not (arg2 == 1 and arg3 == 1))",
         [](auto a, auto b, auto c) { return !(a == 1 && !(b == 1 && c == 1)); }},
        {"arg1 == 1 and arg2 == 1 or arg3 == 1", [](auto a, auto b, auto c) { return (a == 1 && b == 1) || c == 1; }},
        {"arg1 == 1 and (arg2 == 1 or arg3 == 1)",
         [](auto a, auto b, auto c) { return a == 1 && (b == 1 || c == 1); }},
        {"(arg1 == 1 or arg2 == 1) and (arg2 == 2 or arg3 == 1)",
         [](auto a, auto b, auto c) { return (a == 1 || b == 1) && (b == 2 || c == 1); }},
        {"not not arg1", [](auto a, auto, auto) { return a != 0; }},
        {"arg1 != null and arg2 as long <= arg3 as long", [](auto a, auto b, auto c) { return a != 0 && b <= c; }},
        {"1 < arg1 as long", [](auto a, auto, auto) { return 1 < a; }},
        {"arg1 as long >= -1", [](auto a, auto, auto) { return a >= -1; }},
        {"LIMIT <= arg1 as long or arg2 == 0", [](auto a, auto b, auto) { return 1 <= a || b == 0; }},
    };
    for (const Case& each : cases) {
        const Description description =
            good(std::string("const LIMIT = 1\nmetric m { at entry f when ") + each.text + " : add, add 9 }");
        for (std::int64_t a = -2; a <= 2; ++a) {
            for (std::int64_t b = -2; b <= 2; ++b) {
                for (std::int64_t c = -2; c <= 2; ++c) {
                    Machine machine(description);
                    machine.pass(description, "f", false,
                                 {static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b),
                                  static_cast<std::uint64_t>(c)});
                    ASSERT_EQ(machine.value(description, "m"), each.holds(a, b, c) ? 10U : 0U)
                        << each.text << ": " << a << ' ' << b << ' ' << c;
                }
            }
        }
    }
}

TEST(MetricDescription, APredicateReadsCellsAndResults) {
    const Description description = good(
        "metric failed { at exit open when result as int < 0 : add }\n"
        "metric busiest maximum { cell now\n at entry f : add now 1\n at entry f when now > busiest : set now\n"
        " at exit f : sub now }\n");
    EXPECT_EQ(description.metrics[1].total, MetricTotal::kOfType);
    Machine machine(description);
    machine.pass(description, "open", true, {}, 0xFFFF'FFFF);
    machine.pass(description, "open", true, {}, 3);
    EXPECT_EQ(machine.value(description, "failed"), 1U);
    for (const bool exit : {false, false, true, false, true, true, false}) {
        machine.pass(description, "f", exit);
    }
    EXPECT_EQ(machine.value(description, "busiest"), 2U);
}

TEST(MetricDescription, NamesOfFunctionsAndImages) {
    const Description description = good(
        "metric m per process total mean unit 1/s {\n"
        "  at entry ns::Solver<int, 3>::*step : add\n"
        "  at exit \"ns::operator+(int, int)\" in libm.so* when m > 0 : add\n"
        "  at entry ~T in \"a b.so\": add 1 at entry foo?: add\n}");
    ASSERT_EQ(description.points.size(), 4U);
    EXPECT_EQ(description.points[0].function, "ns::Solver<int, 3>::*step");
    EXPECT_EQ(description.points[1].function, "ns::operator+(int, int)");
    EXPECT_EQ(description.points[1].image, "libm.so*");
    EXPECT_EQ(description.points[2].function, "~T");
    EXPECT_EQ(description.points[2].image, "a b.so");
    EXPECT_EQ(description.points[3].function, "foo?");
    EXPECT_EQ(description.metrics[0].unit, "1/s");
    EXPECT_EQ(description.metrics[0].total, MetricTotal::kMean);
    EXPECT_EQ(description.metrics[0].per, ResourceLevel::kProcess);
}

TEST(MetricDescription, SourceLines) {
    const auto compiled = compile_description(
        "metric m {\n at line core/solve.c:120 : add\n at line \"a b.c\":0x10 in libx.so* when m < 5 : start\n}");
    const auto* description = std::get_if<Description>(&compiled);
    ASSERT_NE(description, nullptr);
    ASSERT_EQ(description->points.size(), 2U);
    EXPECT_EQ(description->points[0].function, "core/solve.c");
    EXPECT_EQ(description->points[0].line, 120U);
    EXPECT_EQ(description->points[0].at.column, 10U);
    EXPECT_FALSE(description->points[0].at_exit);
    EXPECT_EQ(description->points[1].function, "a b.c");
    EXPECT_EQ(description->points[1].line, 16U);
    EXPECT_EQ(description->points[1].image, "libx.so*");
    EXPECT_EQ(description->points[1].steps.size(), 2U);
}

struct Bad {
    const char* text;
    std::uint32_t line;
    std::uint32_t column;
    const char* what;
};

TEST(MetricDescription, MistakesSayWhereAndWhat) {
    const Bad cases[] = {
        {"", 1, 1, "no metric in it"},
        {"metrik m {}", 1, 1, "expected 'metric' or 'const', found 'metrik'"},
        {"metric m {\n at entri f : add\n}", 2, 5, "expected 'entry', 'exit' or 'line', found 'entri'"},
        {"metric m { at line a.c : add }", 1, 26, "expected a line's number, found 'add'"},
        {"metric m { at line a.c:x : add }", 1, 24, "expected a line's number, found 'x'"},
        {"metric m { at line a.c:0 : add }", 1, 24, "no line has the number 0"},
        {"metric m { at line a.c add }", 1, 24, "expected ':', found 'add'"},
        {"metric m { at line a.c:5G : add }", 1, 24, "no line has the number 5000000000"},
        {"metric m { at line a.c:5 when result > 0 : add }", 1, 31, "a result is known at exits only"},
        {"metric m { at line a.c:5 : add arg1 }", 1, 32, "arguments are known at entries only"},
        {"metric m {\n at entry f : ad\n}", 2, 15, "expected an action, found 'ad'"},
        {"metric m {\n at entry f add\n}", 2, 13, "expected ':', found 'add'"},
        {"metric m {\n at entry f : add in_fo 1\n cell in_foo\n}", 2, 19, "no cell 'in_fo'; did you mean 'in_foo'?"},
        {"metric m { at entry f when lock-wiat > 0 : add }", 1, 28,
         "no metric 'lock-wiat'; did you mean 'lock-wait'?"},
        {"metric m { at entry f when grid->3 : add }", 1, 34, "expected a member's name, found a number"},
        {"metric m { at entry f when list[x] : add }", 1, 33, "expected an element's number, found 'x'"},
        {"metric m { at entry f when *3 : add }", 1, 29, "expected a variable's name, found a number"},
        {"metric m { at entry f when a:: > 3 : add }", 1, 32, "expected a variable's name, found '>'"},
        {"metric m { at entry f : start timr\n timer time }", 1, 31, "no timer 'timr'; did you mean 'time'?"},
        {"metric m { at exit f when arg1 > 0 : add }", 1, 27, "arguments are known at entries only"},
        {"metric m { at entry f when result > 0 : add }", 1, 28, "a result is known at exits only"},
        {"metric m { at entry f when arg9 > 0 : add }", 1, 28, "no argument 9"},
        {"metric m { at entry f when arg1 as itn > 0 : add }", 1, 28, "no type 'itn'; did you mean 'int'?"},
        {"metric m { at entry f when m = 0 : add }", 1, 30, "'=' compares nothing"},
        {"metric m { at entry f : set }", 1, 25, "'set' needs a value"},
        {"metric m { at entry f : add m 1 2 }", 1, 33, "expected 'cell', 'timer', 'at' or '}', found a number"},
        {"metric m { at entry f : bind m }", 1, 25, "'bind' takes a timer and a cell"},
        {"metric m { at entry f : add 99999999999999999999 }", 1, 29, "the number is too large for 64 bits"},
        {"metric m { at entry f : add 5parsec }", 1, 29, "no unit 'parsec' (ns us ms s, k M G, KiB MiB GiB)"},
        {"metric m { at entry f : add 0x }", 1, 29, "a hexadecimal number without digits"},
        {"metric m \"text\n { }", 1, 10, "a text that does not end on its line: a \" is missing"},
        {"metric m { }", 1, 8, "the metric 'm' has no instrumentation point"},
        {"metric m { at entry f : add }\nmetric m { at entry f : add }", 2, 8, "the metric 'm' is there already"},
        {"metric m { cell m at entry f : add }", 1, 17, "the name 'm' is taken already"},
        {"const c = x\nmetric m { at entry f : add }", 1, 11, "a constant is a number"},
        {"metric m { at entry f : add ", 1, 29, "expected 'cell', 'timer', 'at' or '}', found the end of the file"},
        {"metric m { at entry \"\" : add }", 1, 21, "the function's name is empty"},
        {"metric m ? { }", 1, 10, "what is ? to mean here?"},
        {"metric m unit ns total median { }", 1, 24, "'median' is not sum, mean, minimum or maximum"},
    };
    for (const Bad& bad : cases) {
        const auto compiled = compile_description(bad.text);
        const auto* mistakes = std::get_if<std::vector<Mistake>>(&compiled);
        ASSERT_NE(mistakes, nullptr) << bad.text;
        const Mistake& first = mistakes->front();
        EXPECT_EQ(first.what, bad.what) << bad.text;
        EXPECT_EQ(first.at.line, bad.line) << bad.text;
        EXPECT_EQ(first.at.column, bad.column) << bad.text;
        EXPECT_EQ(error_of(*mistakes, "m.kym").what.find("m.kym:"), 0U);
    }
}

TEST(MetricDescription, IsBounded) {
    const auto refused = [](const std::string& text) {
        const auto compiled = compile_description(text);
        const auto* mistakes = std::get_if<std::vector<Mistake>>(&compiled);
        return mistakes == nullptr ? std::string() : mistakes->front().what;
    };
    std::string many;
    for (int i = 0; i < 70; ++i) {
        many += "metric m" + std::to_string(i) + " { at entry f : add }\n";
    }
    EXPECT_EQ(refused(many), "more than 64 cells");
    std::string timers = "metric m {";
    for (int i = 0; i < 50; ++i) {
        timers += " timer t" + std::to_string(i);
    }
    EXPECT_EQ(refused(timers + " at entry f : add }"), "more than 48 timers");
    EXPECT_EQ(refused("metric m { at entry f when " + std::string(40, '(') + "m" + std::string(40, ')') + " : add }"),
              "conditions nest deeper than 32");
    std::string steps = "metric m { at entry f : add";
    for (int i = 0; i < 300; ++i) {
        steps += ", add";
    }
    EXPECT_EQ(refused(steps + " }"), "301 steps at one point, 256 is the most");
    std::string points = "metric m {";
    for (int i = 0; i < 1100; ++i) {
        points += " at entry f : add\n";
    }
    EXPECT_EQ(refused(points + "}"), "more than 1024 instrumentation points");
    EXPECT_EQ(refused(std::string(300 * 1024, ' ')), "more than 256 KiB");
    EXPECT_EQ(refused("metric " + std::string(60, 'x') + " { at entry f : add }"),
              "the name '" + std::string(60, 'x') + "' is longer than 47 bytes");
}

}  // namespace
}  // namespace kymo::metrics
