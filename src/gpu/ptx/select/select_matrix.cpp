// Matrix products (mma, wmma), and the moves of what they work on (ldmatrix, stmatrix, movmatrix, wmma.load,
// wmma.store).
#include "gpu/ptx/select/selector.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>

namespace kymo::gpu::ptx {
namespace {

Element element_named(std::string_view word) {
    static constexpr std::array<std::pair<std::string_view, Element>, 11> kNames = {{{"f16", Element::kF16},
                                                                                     {"bf16", Element::kBf16},
                                                                                     {"tf32", Element::kTf32},
                                                                                     {"f32", Element::kF32},
                                                                                     {"f64", Element::kF64},
                                                                                     {"s8", Element::kS8},
                                                                                     {"u8", Element::kU8},
                                                                                     {"s4", Element::kS4},
                                                                                     {"u4", Element::kU4},
                                                                                     {"b1", Element::kB1},
                                                                                     {"s32", Element::kS32}}};
    for (const auto& [name, element] : kNames) {
        if (name == word) {
            return element;
        }
    }
    return Element::kNone;
}

unsigned width(Element element) {
    return kElementBits[static_cast<std::size_t>(element)];
}
unsigned packed(Element element) {
    const unsigned bits = width(element);
    return bits == 0 || bits >= 32 ? 1 : 32 / bits;
}
bool is_whole(Element element) {
    return element == Element::kS8 || element == Element::kU8 || element == Element::kS4 || element == Element::kU4;
}

// "m16n8k16"
bool read_shape(std::string_view word, MatrixForm& form) {
    const char* at = word.data();
    const char* const end = at + word.size();
    for (const auto& [letter, into] : {std::pair{'m', &form.m}, {'n', &form.n}, {'k', &form.k}}) {
        if (at == end || *at != letter) {
            return false;
        }
        const auto read = std::from_chars(at + 1, end, *into);
        if (read.ec != std::errc()) {
            return false;
        }
        at = read.ptr;
    }
    return at == end;
}

// The shapes of an element's products, as the ISA lists them.
bool is_shape(const MatrixForm& form, bool is_wmma) {
    struct Shape {
        std::uint32_t m, n, k;
    };
    static constexpr std::array<Shape, 3> kWide = {{{16, 16, 16}, {8, 32, 16}, {32, 8, 16}}};
    static constexpr std::array<Shape, 2> kHalf = {{{16, 8, 8}, {16, 8, 16}}};
    static constexpr std::array<Shape, 2> kTf32 = {{{16, 8, 4}, {16, 8, 8}}};
    static constexpr std::array<Shape, 1> kWideTf32 = {{{16, 16, 8}}};
    static constexpr std::array<Shape, 3> kByte = {{{8, 8, 16}, {16, 8, 16}, {16, 8, 32}}};
    static constexpr std::array<Shape, 3> kNibble = {{{8, 8, 32}, {16, 8, 32}, {16, 8, 64}}};
    static constexpr std::array<Shape, 3> kBit = {{{8, 8, 128}, {16, 8, 128}, {16, 8, 256}}};
    static constexpr std::array<Shape, 4> kDouble = {{{8, 8, 4}, {16, 8, 4}, {16, 8, 8}, {16, 8, 16}}};
    const auto among = [&](const auto& shapes, std::size_t most = 99) {
        for (std::size_t i = 0; i < shapes.size() && i < most; ++i) {
            if (form.m == shapes[i].m && form.n == shapes[i].n && form.k == shapes[i].k) {
                return true;
            }
        }
        return false;
    };
    switch (form.left) {
        case Element::kF16:
        case Element::kBf16:
            return is_wmma ? among(kWide) : among(kHalf);
        case Element::kTf32:
            return is_wmma ? among(kWideTf32) : among(kTf32);
        case Element::kS8:
        case Element::kU8:
            return is_wmma ? among(kWide) : among(kByte);
        case Element::kS4:
        case Element::kU4:
            return among(kNibble, is_wmma ? 1 : 3);
        case Element::kB1:
            return among(kBit, is_wmma ? 1 : 3);
        case Element::kF64:
            return among(kDouble, is_wmma ? 1 : 4);
        case Element::kF32:  // sums, which wmma.load.c and wmma.store move
        case Element::kS32:
            return is_wmma && (among(kWide) || among(kWideTf32) || among(kNibble, 1) || among(kBit, 1));
        case Element::kNone:
            break;
    }
    return false;
}

// Which elements go together: both factors of one kind (s8 with u8), the sums that the ISA gives them.
bool go_together(const MatrixForm& form) {
    const bool same = form.left == form.right ||
                      (is_whole(form.left) && is_whole(form.right) && width(form.left) == width(form.right));
    const auto sum = [&](Element element) {
        return form.left == Element::kF16   ? element == Element::kF16 || element == Element::kF32
               : form.left == Element::kF64 ? element == Element::kF64
               : is_whole(form.left) || form.left == Element::kB1
                   ? element == Element::kS32
                   : (form.left == Element::kBf16 || form.left == Element::kTf32) && element == Element::kF32;
    };
    return same && sum(form.sum) && sum(form.addend);
}

}  // namespace

// {r0, r1, …} or r0: `count` registers; of what repeats, all of them may be there several times over.
bool Selector::share(const Operand& list, unsigned bits, std::uint32_t count, bool writes, bool repeats) {
    const bool is_vector = list.kind == Operand::Kind::kVector;
    const std::uint32_t given = is_vector ? list.count : 1;
    if (given < count || given % count != 0 || (given != count && !repeats)) {
        return refuse(fmt::format("{} registers where {} are a lane's share", given, count));
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        const Operand& part = is_vector ? function_.elements[list.number + i] : list;
        const auto place = static_cast<std::uint8_t>(draft_.slots.size());
        draft_.slots.emplace_back();
        if (!(writes ? into(place, part, bits) : from(place, part, bits))) {
            return false;
        }
    }
    return true;
}

// mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 d, a, b, c; wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 d, a,
// b, c, where the factors are halves.
bool Selector::matrix_product(bool is_wmma) {
    MatrixForm& form = draft_.matrix;
    std::vector<Element> elements;
    std::string_view shape;
    for (const std::uint32_t modifier : instruction_->modifiers) {
        const std::string_view word = module_.names[modifier];
        if (const Element element = element_named(word); element != Element::kNone) {
            elements.push_back(element);
        } else if (word.starts_with("m") && word != "mma") {
            shape = word;
        }
    }
    if (is_wmma && elements.size() == 2) {
        elements = {elements[0], Element::kF16, Element::kF16, elements[1]};
    }
    if (elements.size() != 4 || operands() != 4 || !read_shape(shape, form)) {
        return refuse();
    }
    form.sum = elements[0];
    form.left = elements[1];
    form.right = elements[2];
    form.addend = elements[3];
    form.saturate = has("satfinite");
    form.exclusive = has("xor");
    const bool counts = form.left == Element::kB1;
    const bool in_order = is_wmma || (has("row") && has("col"));
    if (!go_together(form) || !is_shape(form, is_wmma) || !in_order || counts != has("popc") ||
        (form.saturate && form.sum != Element::kS32) || counts != (has("xor") || has("and")) ||
        !matrix_words({"mma", "sync", "aligned", "row", "col", "satfinite", "popc", "xor", "and", "rn", shape})) {
        return refuse();
    }
    draft_.pick.type = Type::kNone;
    const auto sums = [&](Element element) { return form.m * form.n / (32 * packed(element)); };
    const auto bits = [](Element element) { return width(element) == 64 ? 64U : 32U; };
    const std::uint32_t factor = 32 * packed(form.left);
    return share(operand(0), bits(form.sum), sums(form.sum), true, false) &&
           share(operand(1), bits(form.left), form.m * form.k / factor, false, is_wmma) &&
           share(operand(2), bits(form.right), form.k * form.n / factor, false, is_wmma) &&
           share(operand(3), bits(form.addend), sums(form.addend), false, false) &&
           finish(Operation::kMatrixMultiply);
}

// Like only(), for elements that are not register types.
bool Selector::matrix_words(Words words) {
    for (const std::uint32_t modifier : instruction_->modifiers) {
        const std::string_view word = module_.names[modifier];
        if (element_named(word) == Element::kNone && std::find(words.begin(), words.end(), word) == words.end()) {
            return refuse();
        }
    }
    return true;
}

// wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {…}, [p], stride; wmma.store.d.… [p], {…}, stride.
bool Selector::matrix_share(bool is_load) {
    MatrixForm& form = draft_.matrix;
    std::string_view shape;
    for (const std::uint32_t modifier : instruction_->modifiers) {
        const std::string_view word = module_.names[modifier];
        if (const Element element = element_named(word); element != Element::kNone) {
            form.left = element;
        } else if (word.starts_with("m")) {
            shape = word;
        }
    }
    form.role = has("a") ? MatrixForm::Role::kLeft : has("b") ? MatrixForm::Role::kRight : MatrixForm::Role::kSum;
    form.by_columns = has("col");
    const bool is_sum = form.role == MatrixForm::Role::kSum;
    const Operand& where = operand(is_load ? 1 : 0);
    const Operand& what = operand(is_load ? 0 : 1);
    if (operands() < 2 || operands() > 3 || !where.address || draft_.op.guarded != 0 || !read_shape(shape, form) ||
        !is_shape(form, true) || has("row") == has("col") ||
        is_sum != (form.left == Element::kF32 || form.left == Element::kS32 ||
                   (is_sum && (form.left == Element::kF16 || form.left == Element::kF64))) ||
        !matrix_words({"load", "store", "a", "b", "c", "d", "sync", "aligned", "row", "col", "global", "shared",
                       "shared::cta", shape})) {
        return refuse(draft_.op.guarded != 0 ? "under a predicate" : "");
    }
    const bool is_right = form.role == MatrixForm::Role::kRight;
    if (width(form.left) < 8 && is_right != form.by_columns) {
        return refuse();
    }
    const StateSpace space = has("global")                        ? StateSpace::kGlobal
                             : has_any({"shared", "shared::cta"}) ? StateSpace::kShared
                                                                  : StateSpace::kNone;
    draft_.pick.type = Type::kNone;
    if (!address(where, space)) {
        return false;
    }
    form.offset = draft_.op.immediate;
    draft_.op.flags = is_load ? 0 : 1;
    const std::uint32_t rows = is_right ? form.k : form.m;
    const std::uint32_t columns = form.role == MatrixForm::Role::kLeft ? form.k : form.n;
    if (operands() == 3) {
        if (!from(kB, operand(2), 32)) {
            return false;
        }
    } else {
        draft_.slots[kB] = {Slot::Kind::kConstant, false, 32, 0, form.by_columns ? rows : columns};
    }
    const std::uint32_t own = rows * columns / (32 * packed(form.left));
    form.registers = what.kind == Operand::Kind::kVector ? what.count : 1;
    if (form.registers % own != 0) {
        return refuse(fmt::format("{} registers where {} are a lane's share", form.registers, own));
    }
    const bool in_line = packed(form.left) == 1 || is_right == form.by_columns;
    draft_.accesses = static_cast<std::uint16_t>(own * (in_line ? 1 : packed(form.left)));
    return share(what, width(form.left) == 64 ? 64 : 32, form.registers, is_load, false) &&
           finish(is_load ? Operation::kMatrixLoad : Operation::kMatrixStore);
}

// ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {…}, [p]; stmatrix.… [p], {…};
bool Selector::matrix_rows(bool is_load) {
    const Operand& where = operand(is_load ? 1 : 0);
    const Operand& what = operand(is_load ? 0 : 1);
    const unsigned count = has("x4") ? 4 : has("x2") ? 2 : 1;
    if (operands() != 2 || type() != Type::kB16 || !has("m8n8") || !where.address ||
        (what.kind == Operand::Kind::kVector ? what.count : 1U) != count ||
        !only({"sync", "aligned", "m8n8", "x1", "x2", "x4", "trans", "shared", "shared::cta"})) {
        return refuse();
    }
    const StateSpace space = has_any({"shared", "shared::cta"}) ? StateSpace::kShared : StateSpace::kNone;
    draft_.pick.type = Type::kNone;
    if (!address(where, space) || !vector_places(what, 32, is_load)) {
        return false;
    }
    draft_.space = StateSpace::kShared;
    draft_.op.mode.address.transposed = has("trans");
    draft_.op.flags = is_load ? 0 : 1;
    return finish(is_load ? Operation::kRowsLoad : Operation::kRowsStore);
}

// cvt.rna.tf32.f32 d, a: a float that is left with 10 bits behind the point.
bool Selector::convert_to_tf32() {
    if (operands() != 2 || !has_any({"rna", "rn", "rz"}) || (has("rna") && has("relu")) ||
        !matrix_words({"rna", "rn", "rz", "relu", "tf32", "f32"})) {
        return refuse();
    }
    draft_.pick.type = Type::kF32;  // what a constant is
    return into(kD, operand(0), 32) && from(kA, operand(1), 32) && finish(Operation::kConvertTf32);
}

bool Selector::matrix() {
    if (name_ == "mma") {
        return matrix_product(false);
    }
    if (name_ == "wmma") {
        return has("mma") ? matrix_product(true) : matrix_share(has("load"));
    }
    if (name_ == "ldmatrix" || name_ == "stmatrix") {
        return matrix_rows(name_ == "ldmatrix");
    }
    if (name_ == "movmatrix") {
        return operands() == 2 && type() == Type::kB16 && only({"sync", "aligned", "m8n8", "trans"}) &&
               has("trans") && into(kD, operand(0), 32) && from(kA, operand(1), 32) &&
               finish(Operation::kMatrixTranspose);
    }
    return false;
}

}  // namespace kymo::gpu::ptx
