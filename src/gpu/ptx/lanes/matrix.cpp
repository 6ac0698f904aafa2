// Matrix products, and moving the warp's shares of matrices to and from memory.
//
// Elements are made double precision numbers, in which products are exact and, of all types but double itself, sums
// nearly so; a sum is rounded once, when it is stored. Double precision sums are a chain of fused multiply-adds.
#include "gpu/ptx/matrix.h"

#include "gpu/ptx/lanes/half_number.h"
#include "gpu/ptx/lanes/places.h"

namespace kymo::gpu::ptx::KYMO_LANES {
namespace {

constexpr unsigned kMostElements = 32 * 256;  // of a matrix

struct List {
    MatrixForm form;
    const std::uint32_t* places;
};

List list_of(const Warp& warp, const Op& op) {
    List list;
    const std::uint32_t* const at = warp.lists + op.immediate;
    __builtin_memcpy(static_cast<void*>(&list.form), at, sizeof list.form);
    list.places = at + kMatrixWords;
    return list;
}

constexpr unsigned bits_of(Element element) {
    return kElementBits[static_cast<unsigned>(element)];
}
constexpr unsigned packed(Element element) {  // in a register
    const unsigned bits = bits_of(element);
    return bits == 0 || bits >= 32 ? 1 : 32 / bits;
}

// A lane's element of a share: of which row and column.
struct At {
    unsigned row;
    unsigned column;
};
At left_at(const MatrixForm& form, unsigned p, unsigned r, unsigned lane, unsigned i) {
    const unsigned rows = form.m / 8;
    return {lane / 4 + 8 * (r % rows), lane % 4 * p + i + 4 * p * (r / rows)};
}
At right_at(const MatrixForm& form, unsigned p, unsigned r, unsigned lane, unsigned i) {
    const unsigned rows = form.k / (4 * p);
    return {lane % 4 * p + i + 4 * p * (r % rows), lane / 4 + 8 * (r / rows)};
}
At sum_at(const MatrixForm& form, unsigned element, unsigned lane) {
    const unsigned rows = form.m / 8;
    const unsigned block = element / 2;
    return {lane / 4 + 8 * (block % rows), lane % 4 * 2 + element % 2 + 8 * (block / rows)};
}

// An element of a register that holds `word`; whole numbers and halves are exact in double.
double element_of(Element element, std::uint32_t word, unsigned i) {
    switch (element) {
        case Element::kF16:
            return static_cast<double>(to_float(Half{static_cast<std::uint16_t>(word >> 16U * i)}));
        case Element::kBf16:
            return static_cast<double>(to_float(Bfloat{static_cast<std::uint16_t>(word >> 16U * i)}));
        case Element::kTf32:
            return static_cast<double>(as<float>(word & 0xFFFF'E000U));
        case Element::kF32:
            return static_cast<double>(as<float>(word));
        case Element::kS8:
            return static_cast<std::int8_t>(word >> 8U * i);
        case Element::kU8:
            return static_cast<std::uint8_t>(word >> 8U * i);
        case Element::kS4:
            return static_cast<std::int32_t>(word << (28U - 4U * i)) >> 28U;
        case Element::kU4:
            return word >> 4U * i & 15U;
        case Element::kB1:
            return word >> i & 1U;
        case Element::kS32:
            return static_cast<std::int32_t>(word);
        case Element::kF64:
        case Element::kNone:
            break;
    }
    return 0;
}

double element_of(const Warp& warp, std::uint32_t place, Element element, unsigned lane, unsigned i) {
    return element == Element::kF64 ? lanes<double>(warp, place)[lane]
                                    : element_of(element, lanes<std::uint32_t>(warp, place)[lane], i);
}

std::uint32_t whole(double value, bool saturate) {
    const auto sum = static_cast<std::int64_t>(value);
    if (!saturate) {
        return static_cast<std::uint32_t>(sum);
    }
    return static_cast<std::uint32_t>(sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum);
}

bool all_lanes(Warp& warp, std::uint32_t mask) {
    if (mask == kAllLanes) {
        return true;
    }
    warp.fault.kind = FaultKind::kPartial;
    warp.fault.lane = static_cast<std::uint8_t>(__builtin_ctz(mask));
    warp.fault.address = mask;
    return false;
}

// sum[m][n] += Σ left[m][k] right[k][n], in the order of k.
template <bool Fused>
void multiply(const MatrixForm& form, const double* left, const double* right, double* sum) {
    for (unsigned m = 0; m < form.m; ++m) {
        double* const into = sum + std::size_t{m} * form.n;
        for (unsigned k = 0; k < form.k; ++k) {
            const double factor = left[m * form.k + k];
            const double* const row = right + std::size_t{k} * form.n;
            KYMO_VECTOR
            for (unsigned n = 0; n < form.n; ++n) {
                into[n] = Fused ? __builtin_fma(factor, row[n], into[n]) : into[n] + factor * row[n];
            }
        }
    }
}

// Of single bits a xor b is their distance.
void count_differences(const MatrixForm& form, const double* left, const double* right, double* sum) {
    for (unsigned m = 0; m < form.m; ++m) {
        for (unsigned k = 0; k < form.k; ++k) {
            for (unsigned n = 0; n < form.n; ++n) {
                sum[m * form.n + n] += left[m * form.k + k] != right[k * form.n + n] ? 1 : 0;
            }
        }
    }
}

bool product(Warp& warp, const Op& op, std::uint32_t mask) {
    if (!all_lanes(warp, mask)) {
        return false;
    }
    const List list = list_of(warp, op);
    const MatrixForm& form = list.form;
    alignas(64) double left[kMostElements];
    alignas(64) double right[kMostElements];
    alignas(64) double sum[32 * 32];
    const unsigned sums = form.m * form.n / kLanes;  // a lane's
    const unsigned p = packed(form.left);
    const unsigned p_sum = packed(form.sum);
    const unsigned p_addend = packed(form.addend);
    const std::uint32_t* const into = list.places;
    const std::uint32_t* place = into + sums / p_sum;
    for (unsigned r = 0; r < form.m * form.k / (kLanes * p); ++r, ++place) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            for (unsigned i = 0; i < p; ++i) {
                const At at = left_at(form, p, r, lane, i);
                left[at.row * form.k + at.column] = element_of(warp, *place, form.left, lane, i);
            }
        }
    }
    for (unsigned r = 0; r < form.k * form.n / (kLanes * p); ++r, ++place) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            for (unsigned i = 0; i < p; ++i) {
                const At at = right_at(form, p, r, lane, i);
                right[at.row * form.n + at.column] = element_of(warp, *place, form.right, lane, i);
            }
        }
    }
    for (unsigned j = 0; j < sums; ++j) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            const At at = sum_at(form, j, lane);
            sum[at.row * form.n + at.column] = element_of(warp, place[j / p_addend], form.addend, lane, j % p_addend);
        }
    }
    if (form.exclusive) {
        count_differences(form, left, right, sum);
    } else if (form.sum == Element::kF64) {
        multiply<true>(form, left, right, sum);
    } else {
        multiply<false>(form, left, right, sum);
    }
    for (unsigned j = 0; j < sums; ++j) {
        const std::uint32_t to = into[j / p_sum];
        if (to == 0) {
            continue;  // a sink
        }
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            const At at = sum_at(form, j, lane);
            const double value = sum[at.row * form.n + at.column];
            switch (form.sum) {
                case Element::kF64:
                    lanes<double>(warp, to)[lane] = value;
                    break;
                case Element::kF32:
                    lanes<float>(warp, to)[lane] = canonical(static_cast<float>(value));
                    break;
                case Element::kF16:
                    lanes<std::uint16_t>(warp, to)[2 * lane + j % 2] = to_half(value).bits;
                    break;
                default:
                    lanes<std::uint32_t>(warp, to)[lane] = whole(value, form.saturate);
            }
        }
    }
    return true;
}

// Which bytes of memory a lane's register, or a part of it, is: `parts` accesses of `bytes` each.
struct Share {
    unsigned parts;
    unsigned bytes;
    unsigned packed;  // elements a register
};
Share share_of(const MatrixForm& form) {
    const unsigned p = packed(form.left);
    const unsigned size = bits_of(form.left);
    const bool in_line = p == 1 || (form.role == MatrixForm::Role::kRight) == form.by_columns;
    return {in_line ? 1 : p, in_line ? p * size / 8 : size / 8, p};
}

// wmma.load and wmma.store: form.left is the element's type, whatever the role. One log an access.
bool move_share(Warp& warp, const Op& op, std::uint32_t mask, StateSpace space, bool is_load) {
    if (!all_lanes(warp, mask)) {
        return false;
    }
    const List list = list_of(warp, op);
    const MatrixForm& form = list.form;
    const Share share = share_of(form);
    const unsigned size = bits_of(form.left);
    const std::uint64_t base = (op.mode.address.wide ? lanes<std::uint64_t>(warp, op.a)[0]
                                                     : std::uint64_t{lanes<std::uint32_t>(warp, op.a)[0]}) +
                               static_cast<std::uint64_t>(form.offset);
    const std::uint64_t stride = lanes<std::uint32_t>(warp, op.b)[0];
    const unsigned whole_share = (form.role == MatrixForm::Role::kLeft    ? form.m * form.k
                                  : form.role == MatrixForm::Role::kRight ? form.k * form.n
                                                                          : form.m * form.n) /
                                 (kLanes * share.packed);
    for (unsigned r = 0; r < form.registers; ++r) {
        const unsigned own = r % whole_share;  // some shares are there twice
        for (unsigned part = 0; part < share.parts; ++part) {
            const bool is_logged = warp.log != nullptr && op.log != kNoLog && r < whole_share;
            LoggedAccess* const log = is_logged ? &warp.log[op.log + r * share.parts + part] : nullptr;
            if (log != nullptr) {
                log->mask = mask;
            }
            for (unsigned lane = 0; lane < kLanes; ++lane) {
                const At at = form.role == MatrixForm::Role::kLeft    ? left_at(form, share.packed, own, lane, part)
                              : form.role == MatrixForm::Role::kRight ? right_at(form, share.packed, own, lane, part)
                                                                      : sum_at(form, own * share.packed + part, lane);
                const std::uint64_t element =
                    form.by_columns ? at.column * stride + at.row : at.row * stride + at.column;
                const std::uint64_t address = base + element * size / 8;
                if (log != nullptr) {
                    log->address[lane] = address;
                }
                std::uint64_t place = 0;
                if (!one_place(warp, op, space, lane, address, share.bytes, place)) {
                    return false;
                }
                auto* const inside = reinterpret_cast<std::byte*>(warp.frame + list.places[r]) +
                                     std::size_t{lane} * (size == 64 ? 8U : 4U) + std::size_t{part} * share.bytes;
                auto* const memory = reinterpret_cast<std::byte*>(place);
                if (is_load && list.places[r] != 0) {
                    __builtin_memcpy(inside, memory, share.bytes);
                } else if (!is_load) {
                    __builtin_memcpy(memory, inside, share.bytes);
                }
            }
        }
    }
    return true;
}

template <StateSpace S, bool IsLoad>
bool share(Warp& warp, const Op& op, std::uint32_t mask) {
    return move_share(warp, op, mask, S, IsLoad);
}

// ldmatrix and stmatrix: op.count matrices of 8×8 halves; lane 8 i + j has the address of row j of matrix i.
template <StateSpace S, bool IsLoad>
bool rows(Warp& warp, const Op& op, std::uint32_t mask) {
    if (!all_lanes(warp, mask)) {
        return false;
    }
    Places places;
    const std::uint32_t addressing = op.count == 4 ? kAllLanes : (1U << 8U * op.count) - 1U;
    if (!places_of<S>(warp, op, addressing, 16, places)) {
        return false;
    }
    const std::uint32_t registers[4] = {IsLoad ? op.d : op.b, op.more[0], op.more[1], op.more[2]};
    for (unsigned matrix = 0; matrix < op.count; ++matrix) {
        if (registers[matrix] == 0) {
            continue;
        }
        auto* const held = lanes<std::uint16_t>(warp, registers[matrix]);
        for (unsigned i = 0; i < 2 * kLanes; ++i) {
            const bool transposed = op.mode.address.transposed;
            const unsigned row = transposed ? i % 8 : i / 8;
            const unsigned column = transposed ? i / 8 : i % 8;
            auto* const memory = reinterpret_cast<std::byte*>(places.at[8 * matrix + row]) + std::size_t{2} * column;
            if (IsLoad) {
                __builtin_memcpy(&held[i], memory, 2);
            } else {
                __builtin_memcpy(memory, &held[i], 2);
            }
        }
    }
    return true;
}

// movmatrix.trans: the element at (row, column) comes from (column, row).
bool transpose(Warp& warp, const Op& op, std::uint32_t mask) {
    if (!all_lanes(warp, mask)) {
        return false;
    }
    const std::uint16_t* const x = lanes<std::uint16_t>(warp, op.a);
    std::uint16_t result[2 * kLanes];
    for (unsigned i = 0; i < 2 * kLanes; ++i) {
        result[i] = x[i % 8 * 8 + i / 8];
    }
    __builtin_memcpy(lanes<std::uint16_t>(warp, op.d), result, sizeof result);
    return true;
}

// To 10 bits behind the point: ties go to even or, rounded so, away; or towards 0.
bool to_tf32(Warp& warp, const Op& op, std::uint32_t mask) {
    const std::uint32_t* const x = lanes<std::uint32_t>(warp, op.a);
    const Rounding rounding = op.mode.rounding;
    const bool relu = (op.flags & kReluFlag) != 0;
    each(lanes<std::uint32_t>(warp, op.d), mask, [=](unsigned i) {
        const std::uint32_t half = rounding == Rounding::kAway   ? 0x1000U
                                   : rounding == Rounding::kZero ? 0U
                                                                 : 0xFFFU + (x[i] >> 13U & 1U);
        const bool finite = (x[i] & 0x7F80'0000U) != 0x7F80'0000U;
        const bool nan = (x[i] & 0x7FFF'FFFFU) > 0x7F80'0000U;
        const std::uint32_t value = nan && rounding != Rounding::kAway ? kCanonicalNan : finite ? x[i] + half : x[i];
        return relu && !nan && (x[i] & 0x8000'0000U) != 0 ? 0U : value & 0xFFFF'E000U;
    });
    return true;
}

template <StateSpace S>
Handler mover(const Pick& wanted) {
    switch (wanted.operation) {
        case Operation::kMatrixLoad:
            return share<S, true>;
        case Operation::kMatrixStore:
            return share<S, false>;
        case Operation::kRowsLoad:
            return rows<S, true>;
        case Operation::kRowsStore:
            return rows<S, false>;
        default:
            return nullptr;
    }
}

}  // namespace

Handler pick_matrix(const Pick& wanted) {
    switch (wanted.operation) {
        case Operation::kMatrixMultiply:
            return product;
        case Operation::kMatrixTranspose:
            return transpose;
        case Operation::kConvertTf32:
            return to_tf32;
        default:
            break;
    }
    return wanted.space == StateSpace::kGlobal   ? mover<StateSpace::kGlobal>(wanted)
           : wanted.space == StateSpace::kShared ? mover<StateSpace::kShared>(wanted)
           : wanted.space == StateSpace::kNone   ? mover<StateSpace::kNone>(wanted)
                                                 : nullptr;
}

}  // namespace kymo::gpu::ptx::KYMO_LANES
