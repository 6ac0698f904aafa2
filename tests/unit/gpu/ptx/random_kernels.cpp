#include "random_kernels.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace kymo::gpu::ptx::random_kernels {
namespace {

using Kind = Statement::Kind;

constexpr std::array<unsigned, 3> kBits{16, 32, 64};
constexpr std::array<const char*, 3> kNames{"h", "r", "d"};
constexpr std::array<const char*, 9> kOperations{"add", "sub", "mul.lo", "and", "or", "xor", "min", "max", "shl"};
constexpr unsigned kShift = 8;
constexpr std::array<const char*, 6> kComparisons{"eq", "ne", "lt", "le", "gt", "ge"};
constexpr std::array<const char*, 6> kReductions{"add", "min", "max", "and", "or", "xor"};
constexpr unsigned kVotes = 6;  // of a group, behind its reductions;
constexpr unsigned kMatches = 7;
constexpr unsigned kFromLowest = 8;  // a shuffle from its lowest lane
constexpr unsigned kMemberOperations = 9;
constexpr unsigned kDeepest = 3;
constexpr unsigned kMostTrips = 4;

std::uint64_t cut(std::uint64_t value, unsigned width) {
    return width == 2 ? value : value & ((std::uint64_t{1} << kBits[width]) - 1);
}

std::int64_t as_signed(std::uint64_t value, unsigned width) {
    const unsigned free = 64 - kBits[width];
    return static_cast<std::int64_t>(value << free) >> free;
}

// ---- making ----

class Maker {
  public:
    explicit Maker(std::uint64_t seed) : random_(seed) {}

    Kernel kernel() {
        Kernel kernel;
        const unsigned functions = below(3);
        for (unsigned i = 0; i < functions; ++i) {
            callable_ = i;  // those before it
            kernel.functions.push_back(body(1, 2 + below(5), false));
            made_ = {};
        }
        callable_ = functions;
        kernel.body = body(0, 4 + below(10), true);
        return kernel;
    }

  private:
    unsigned below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }

    Term register_of(unsigned width) {
        const unsigned temporaries = static_cast<unsigned>(open_[width].size());
        const unsigned which = below(kOfEach + 2 * temporaries);
        return {width, static_cast<int>(which < kOfEach ? which : open_[width][(which - kOfEach) / 2]), 0};
    }
    Term term(unsigned width) {
        if (below(4) != 0) {
            return register_of(width);
        }
        return {width, -1, cut(below(2) != 0 ? below(16) : random_(), width)};
    }

    Body body(unsigned depth, unsigned statements, bool is_whole) {
        Body made;
        const auto before = open_;
        for (unsigned i = 0; i < statements; ++i) {
            if (below(3) == 0) {
                begin_temporary(&made);
            }
            made.push_back(statement(depth, is_whole));
        }
        // What some of them came to; others were last needed before, on one side of a branch perhaps.
        for (unsigned width = 0; width < open_.size(); ++width) {
            for (std::size_t i = before[width].size(); i < open_[width].size(); ++i) {
                if (below(3) != 0) {
                    continue;
                }
                Statement last;
                last.operation = 5;
                last.to = last.a = {width, static_cast<int>(below(kOfEach)), 0};
                last.b = {width, static_cast<int>(open_[width][i]), 0};
                made.push_back(last);
            }
        }
        open_ = before;
        return made;
    }

    Statement statement(unsigned depth, bool is_whole) {
        Statement made;
        made.is_signed = below(2) != 0;
        made.predicate = below(kPredicates);
        made.is_negated = below(2) != 0;
        const unsigned width = below(3);
        made.to = register_of(width);
        made.a = term(width);
        made.b = term(width);
        const unsigned what = below(is_whole ? 23 : 18);
        if (what >= 20) {
            made.kind = Kind::kMembers;
            made.to = register_of(1);
            made.a = register_of(1);
            made.operation = below(kMemberOperations);
            made.function = below(kPredicates);  // whose votes are asked for
            made.is_guarded = below(2) != 0;     // each group on its side of a branch
        } else if (what >= 18) {
            made.kind = what == 18 ? Kind::kVote : Kind::kShuffle;
            made.to = register_of(1);
            made.a = register_of(1);
            made.operation = below(kLanes);
        } else if (what >= 13 && depth < kDeepest) {
            made.kind = what >= 15 ? Kind::kIf : Kind::kLoop;
            made.a = register_of(1);
            made.trips = below(kMostTrips);
            made.body = body(depth + 1, 1 + below(4), false);
            if (made.kind == Kind::kIf && below(3) != 0) {
                made.other = body(depth + 1, 1 + below(4), false);
            }
        } else if (what == 12 && callable_ > 0) {
            made.kind = Kind::kCall;
            made.function = below(callable_);
            made.to = register_of(2);
            made.a = register_of(1);
            made.b = register_of(2);
        } else if (what >= 10) {
            made.kind = Kind::kCompare;
            made.a = register_of(width);
            made.operation = below(static_cast<unsigned>(kComparisons.size()));
        } else if (what == 9) {
            made.kind = Kind::kSelect;
        } else if (what == 6) {
            made.kind = Kind::kProduct;
            made.to = register_of(2);
            made.a = register_of(1);
            made.b = term(1);
            made.c = register_of(2);
            made.operation = below(4);
        } else if (what >= 7) {
            made.kind = Kind::kConvert;
            made.a = register_of((width + 1 + below(2)) % 3);
        } else {
            made.operation = below(static_cast<unsigned>(kOperations.size()));
            made.is_guarded = below(4) == 0;
            if (made.operation == kShift) {
                made.b = {1, -1, below(kBits[width])};
            }
        }
        return made;
    }

    void begin_temporary(Body* body) {
        const unsigned width = below(3);
        if (made_[width] == kTemporaries) {
            return;
        }
        Statement first;
        first.operation = below(6);
        first.a = term(width);
        first.b = term(width);
        first.to = {width, static_cast<int>(kOfEach + made_[width]), 0};
        body->push_back(first);
        open_[width].push_back(kOfEach + made_[width]++);
    }

    std::mt19937_64 random_;
    unsigned callable_ = 0;
    std::array<std::vector<unsigned>, 3> open_;  // temporaries that have a value here, by width
    std::array<unsigned, 3> made_{};
};

// ---- the text ----

class Writer {
  public:
    std::string text(const Kernel& kernel) {
        text_ = ".version 8.3\n.target sm_80\n.address_size 64\n";
        for (std::size_t i = 0; i < kernel.functions.size(); ++i) {
            text_ += fmt::format(".func (.param .b64 res) f{}(.param .b32 pa, .param .b64 pb) {{\n", i);
            declare();
            zeros();
            text_ += "ld.param.b32 %r0, [pa];\nld.param.b64 %d0, [pb];\n";
            body(kernel.functions[i]);
            text_ += "st.param.b64 [res], %d0;\nret;\n}\n";
        }
        text_ += ".visible .entry k(.param .u64 out) {\n";
        declare();
        text_ += "mov.u32 %t, %tid.x;\n";
        for (unsigned i = 0; i < kOfEach; ++i) {
            text_ += fmt::format("mul.lo.u32 %r{0}, %t, {1};\nadd.u32 %r{0}, %r{0}, {2};\n", i, 3 + 4 * i, 7 * i);
        }
        for (unsigned i = 0; i < kOfEach; ++i) {
            text_ += fmt::format("mul.wide.u32 %d{0}, %r{0}, 1000003;\ncvt.u16.u32 %h{0}, %r{0};\n", i);
        }
        for (unsigned i = 0; i < kPredicates; ++i) {
            text_ += fmt::format("and.b32 %s, %r{0}, {1};\nsetp.ne.u32 %p{0}, %s, 0;\n", i, i + 1);
        }
        body(kernel.body);
        text_ += fmt::format("ld.param.u64 %o, [out];\nmad.wide.u32 %o, %t, {}, %o;\n", 8 * kWords);
        unsigned word = 0;
        for (unsigned i = 0; i < kOfEach; ++i) {
            text_ += fmt::format("cvt.u64.u16 %w, %h{};\nst.global.u64 [%o+{}], %w;\n", i, 8 * word++);
        }
        for (unsigned i = 0; i < kOfEach; ++i) {
            text_ += fmt::format("cvt.u64.u32 %w, %r{};\nst.global.u64 [%o+{}], %w;\n", i, 8 * word++);
        }
        for (unsigned i = 0; i < kOfEach; ++i) {
            text_ += fmt::format("st.global.u64 [%o+{}], %d{};\n", 8 * word++, i);
        }
        text_ += "mov.u64 %w, 0;\n";
        for (unsigned i = 0; i < kPredicates; ++i) {
            text_ += fmt::format("@%p{} or.b64 %w, %w, {};\n", i, 1U << i);
        }
        text_ += fmt::format("st.global.u64 [%o+{}], %w;\nret;\n}}\n", 8 * word);
        return std::move(text_);
    }

  private:
    void declare() {
        text_ += fmt::format(
            ".reg .b16 %h<{0}>; .reg .b32 %r<{0}>; .reg .b64 %d<{0}>; .reg .pred %p<{1}>;\n"
            ".reg .b32 %t; .reg .b32 %s; .reg .b64 %o; .reg .b64 %w; .reg .b32 %n<200>; .reg .pred %q; .reg .b32 "
            "%m; .reg .b64 %v<500>;\n",
            kOfEach + kTemporaries, kPredicates);
    }

    void zeros() {
        for (unsigned i = 0; i < kOfEach; ++i) {
            text_ += fmt::format("mov.u16 %h{0}, 0;\nmov.u32 %r{0}, 0;\nmov.u64 %d{0}, 0;\n", i);
        }
        for (unsigned i = 0; i < kPredicates; ++i) {
            text_ += fmt::format("setp.ne.u32 %p{}, %r0, 0;\n", i);
        }
    }

    static std::string name(const Term& term) {
        return term.number < 0 ? fmt::format("{}", as_signed(term.constant, term.width))
                               : fmt::format("%{}{}", kNames[term.width], term.number);
    }

    static std::string type(const Statement& statement) {
        return fmt::format("{}{}", statement.is_signed ? 's' : 'u', kBits[statement.to.width]);
    }

    std::string guard(const Statement& statement) const {
        return fmt::format("@{}%p{} ", statement.is_negated ? "!" : "", statement.predicate);
    }

    void body(const Body& statements) {
        for (const Statement& statement : statements) {
            write(statement);
        }
    }

    void operation(const Statement& statement) {
        const bool is_logic = statement.operation >= 3 && statement.operation <= 5;
        const std::string of = is_logic || statement.operation == kShift
                                   ? fmt::format("b{}", kBits[statement.to.width])
                                   : type(statement);
        text_ += fmt::format("{}{}.{} {}, {}, {};\n", statement.is_guarded ? guard(statement) : "",
                             kOperations[statement.operation], of, name(statement.to), name(statement.a),
                             name(statement.b));
    }

    void branch(const Statement& statement) {
        const unsigned label = labels_++;
        text_ += fmt::format("@{}%p{} bra ELSE{};\n", statement.is_negated ? "" : "!", statement.predicate, label);
        body(statement.body);
        text_ += fmt::format("bra END{0};\nELSE{0}:\n", label);
        body(statement.other);
        text_ += fmt::format("END{}:\n", label);
    }

    // As often as the register's lowest bits say, and `trips` more.
    void loop(const Statement& statement) {
        const unsigned label = labels_++;
        const unsigned counter = label % 200;
        text_ += fmt::format(
            "and.b32 %n{0}, {1}, 3;\nadd.u32 %n{0}, %n{0}, {2};\nLOOP{3}:\n"
            "setp.eq.u32 %q, %n{0}, 0;\n@%q bra DONE{3};\nsub.u32 %n{0}, %n{0}, 1;\n",
            counter, name(statement.a), statement.trips, label);
        body(statement.body);
        text_ += fmt::format("bra LOOP{0};\nDONE{0}:\n", label);
    }

    void of_members(const Statement& statement) {
        const std::string to = name(statement.to);
        const std::string of = name(statement.a);
        if (statement.operation == kVotes) {
            text_ += fmt::format("vote.sync.ballot.b32 {}, %p{}, %m;\n", to, statement.function);
        } else if (statement.operation == kMatches) {
            text_ += fmt::format("match.any.sync.b32 {}, {}, %m;\n", to, of);
        } else if (statement.operation == kFromLowest) {
            text_ += fmt::format(
                "brev.b32 %s, %m;\nbfind.shiftamt.u32 %s, %s;\nshfl.sync.idx.b32 {}, {}, %s, 31, %m;\n", to, of);
        } else {
            const char* const kind = statement.operation >= 3 ? "b32" : statement.is_signed ? "s32" : "u32";
            text_ += fmt::format("redux.sync.{}.{} {}, {}, %m;\n", kReductions[statement.operation], kind, to, of);
        }
    }

    // By itself, or in a sum, on either side of it or on both; in a register that nothing else writes.
    void product(const Statement& statement) {
        const std::string one = fmt::format("%v{}", products_++ % 500);
        const std::string other = name(statement.c);
        const bool first = statement.operation == 1 || statement.operation == 3;
        const bool second = statement.operation == 2 || statement.operation == 3;
        text_ += fmt::format("mul.wide.{}32 {}, {}, {};\n", statement.is_signed ? 's' : 'u', one, name(statement.a),
                             name(statement.b));
        text_ += statement.operation == 0 ? fmt::format("mov.b64 {}, {};\n", name(statement.to), one)
                                          : fmt::format("add.s64 {}, {}, {};\n", name(statement.to),
                                                        first ? one : other, second ? one : other);
    }

    // Lanes where the predicate holds, and the others.
    void members(const Statement& statement) {
        text_ += fmt::format("vote.sync.ballot.b32 %m, %p{0}, -1;\n@!%p{0} not.b32 %m, %m;\n", statement.predicate);
        if (!statement.is_guarded) {
            return of_members(statement);
        }
        const unsigned label = labels_++;
        text_ += fmt::format("@%p{} bra ELSE{};\n", statement.predicate, label);
        of_members(statement);
        text_ += fmt::format("bra END{0};\nELSE{0}:\n", label);
        of_members(statement);
        text_ += fmt::format("END{}:\n", label);
    }

    void write(const Statement& statement) {
        switch (statement.kind) {
            case Kind::kOperation:
                return operation(statement);
            case Kind::kConvert: {
                const char sign = statement.is_signed ? 's' : 'u';
                text_ += fmt::format("cvt.{0}{1}.{0}{2} {3}, {4};\n", sign, kBits[statement.to.width],
                                     kBits[statement.a.width], name(statement.to), name(statement.a));
                return;
            }
            case Kind::kCompare: {
                const bool is_equality = statement.operation < 2;
                text_ += fmt::format("setp.{}.{}{} %p{}, {}, {};\n", kComparisons[statement.operation],
                                     statement.is_signed && !is_equality ? 's' : 'u', kBits[statement.a.width],
                                     statement.predicate, name(statement.a), name(statement.b));
                return;
            }
            case Kind::kSelect:
                text_ += fmt::format("selp.b{} {}, {}, {}, %p{};\n", kBits[statement.to.width], name(statement.to),
                                     name(statement.a), name(statement.b), statement.predicate);
                return;
            case Kind::kIf:
                return branch(statement);
            case Kind::kLoop:
                return loop(statement);
            case Kind::kCall:
                text_ += fmt::format(
                    "{{ .param .b32 ca; .param .b64 cb; .param .b64 cr; st.param.b32 [ca], {}; "
                    "st.param.b64 [cb], {}; call (cr), f{}, (ca, cb); ld.param.b64 {}, [cr]; }}\n",
                    name(statement.a), name(statement.b), statement.function, name(statement.to));
                return;
            case Kind::kMembers:
                return members(statement);
            case Kind::kProduct:
                return product(statement);
            case Kind::kVote:
                text_ += fmt::format("vote.sync.ballot.b32 {}, %p{}, -1;\n", name(statement.to), statement.predicate);
                return;
            case Kind::kShuffle:
                text_ += fmt::format("shfl.sync.idx.b32 {}, {}, {}, 31, -1;\n", name(statement.to), name(statement.a),
                                     statement.operation);
                return;
        }
    }

    std::string text_;
    unsigned labels_ = 0;
    unsigned products_ = 0;
};

// ---- what it computes ----

class Interpreter {
  public:
    explicit Interpreter(const Kernel& kernel) : kernel_(kernel) {}

    std::vector<std::uint64_t> run() {
        std::vector<Lane> lanes(kLanes);
        for (unsigned t = 0; t < kLanes; ++t) {
            for (unsigned i = 0; i < kOfEach; ++i) {
                const std::uint64_t value = t * (3 + 4 * i) + 7 * i;
                lanes[t].value[0][i] = cut(value, 0);
                lanes[t].value[1][i] = value;
                lanes[t].value[2][i] = value * 1000003;
            }
            for (unsigned i = 0; i < kPredicates; ++i) {
                lanes[t].predicate[i] = (lanes[t].value[1][i] & (i + 1)) != 0;
            }
        }
        // Where all take part, one statement after another; else each lane by itself.
        for (const Statement& statement : kernel_.body) {
            const std::vector<Lane> before = lanes;
            std::uint64_t votes = 0;
            for (unsigned t = 0; t < kLanes; ++t) {
                votes |= std::uint64_t{before[t].predicate[statement.predicate]} << t;
            }
            for (unsigned t = 0; t < kLanes; ++t) {
                if (statement.kind == Kind::kVote) {
                    set(lanes[t], statement.to, votes);
                } else if (statement.kind == Kind::kShuffle) {
                    set(lanes[t], statement.to, value(before[statement.operation], statement.a));
                } else if (statement.kind == Kind::kMembers) {
                    set(lanes[t], statement.to, of_members(before, statement, t));
                } else {
                    step(lanes[t], statement);
                }
            }
        }
        std::vector<std::uint64_t> words;
        for (const Lane& lane : lanes) {
            for (const auto& values : lane.value) {
                words.insert(words.end(), values.begin(), values.begin() + kOfEach);
            }
            std::uint64_t bits = 0;
            for (unsigned i = 0; i < kPredicates; ++i) {
                bits |= std::uint64_t{lane.predicate[i]} << i;
            }
            words.push_back(bits);
        }
        return words;
    }

  private:
    static std::uint64_t value(const Lane& lane, const Term& term) {
        return term.number < 0 ? term.constant : lane.value[term.width][static_cast<unsigned>(term.number)];
    }
    static void set(Lane& lane, const Term& to, std::uint64_t value) {
        lane.value[to.width][static_cast<unsigned>(to.number)] = cut(value, to.width);
    }

    // What lane t gets among the lanes whose predicate is as its own.
    static std::uint64_t of_members(const std::vector<Lane>& lanes, const Statement& statement, unsigned t) {
        std::uint64_t bits = 0;
        std::uint64_t reduced = 0;
        bool is_first = true;
        for (unsigned i = 0; i < kLanes; ++i) {
            if (lanes[i].predicate[statement.predicate] != lanes[t].predicate[statement.predicate]) {
                continue;
            }
            const std::uint64_t own = value(lanes[i], statement.a);
            const bool is_in = statement.operation == kVotes ? lanes[i].predicate[statement.function]
                                                             : own == value(lanes[t], statement.a);
            bits |= std::uint64_t{is_in} << i;
            if (statement.operation < kVotes) {
                constexpr std::array<unsigned, 6> kAs{0, 6, 7, 3, 4, 5};  // in kOperations
                Statement one = statement;
                one.operation = kAs[statement.operation];
                reduced = is_first ? own : cut(operate(one, reduced, own), 1);
            } else if (is_first) {
                reduced = own;
            }
            is_first = false;
        }
        return statement.operation == kVotes || statement.operation == kMatches ? bits : reduced;
    }

    static std::uint64_t operate(const Statement& statement, std::uint64_t a, std::uint64_t b) {
        const unsigned width = statement.to.width;
        const bool is_less = statement.is_signed ? as_signed(a, width) < as_signed(b, width) : a < b;
        switch (statement.operation) {
            case 0:
                return a + b;
            case 1:
                return a - b;
            case 2:
                return a * b;
            case 3:
                return a & b;
            case 4:
                return a | b;
            case 5:
                return a ^ b;
            case 6:
                return is_less ? a : b;
            case 7:
                return is_less ? b : a;
            default:
                return a << b;
        }
    }

    static bool compares(const Statement& statement, std::uint64_t a, std::uint64_t b) {
        const unsigned width = statement.a.width;
        const bool is_less = statement.is_signed ? as_signed(a, width) < as_signed(b, width) : a < b;
        switch (statement.operation) {
            case 0:
                return a == b;
            case 1:
                return a != b;
            case 2:
                return is_less;
            case 3:
                return is_less || a == b;
            case 4:
                return !is_less && a != b;
            default:
                return !is_less;
        }
    }

    void all(Lane& lane, const Body& body) const {
        for (const Statement& statement : body) {
            step(lane, statement);
        }
    }

    void step(Lane& lane, const Statement& statement) const {
        const bool holds = lane.predicate[statement.predicate] != statement.is_negated;
        const std::uint64_t a = value(lane, statement.a);
        const std::uint64_t b = value(lane, statement.b);
        switch (statement.kind) {
            case Kind::kOperation:
                if (!statement.is_guarded || holds) {
                    set(lane, statement.to, operate(statement, a, b));
                }
                return;
            case Kind::kConvert:
                set(lane, statement.to,
                    statement.is_signed ? static_cast<std::uint64_t>(as_signed(a, statement.a.width)) : a);
                return;
            case Kind::kProduct: {
                const std::uint64_t product =
                    statement.is_signed ? static_cast<std::uint64_t>(as_signed(a, 1) * as_signed(b, 1)) : a * b;
                const std::uint64_t c = value(lane, statement.c);
                return set(lane, statement.to,
                           product + (statement.operation == 0   ? 0
                                      : statement.operation == 3 ? product
                                                                 : c));
            }
            case Kind::kCompare:
                lane.predicate[statement.predicate] = compares(statement, a, b);
                return;
            case Kind::kSelect:
                set(lane, statement.to, lane.predicate[statement.predicate] ? a : b);
                return;
            case Kind::kIf:
                return all(lane, holds ? statement.body : statement.other);
            case Kind::kLoop:
                for (std::uint64_t trips = (a & 3U) + statement.trips; trips != 0; --trips) {
                    all(lane, statement.body);
                }
                return;
            case Kind::kCall: {
                Lane called;
                called.value[1][0] = a;
                called.value[2][0] = b;
                all(called, kernel_.functions[statement.function]);
                return set(lane, statement.to, called.value[2][0]);
            }
            case Kind::kVote:
            case Kind::kShuffle:
            case Kind::kMembers:
                return;
        }
    }

    const Kernel& kernel_;
};

}  // namespace

Kernel make(std::uint64_t seed) {
    return Maker(seed).kernel();
}

std::string text_of(const Kernel& kernel) {
    return Writer().text(kernel);
}

std::vector<std::uint64_t> results_of(const Kernel& kernel) {
    return Interpreter(kernel).run();
}

}  // namespace kymo::gpu::ptx::random_kernels
