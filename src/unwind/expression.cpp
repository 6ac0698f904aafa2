#include "unwind/expression.h"

#include "unwind/byte_reader.h"

namespace kymo::unwind {

namespace {

enum Operation : std::uint8_t {
    kDeref = 0x06,
    kConst1u = 0x08,
    kConst1s = 0x09,
    kConst2u = 0x0A,
    kConst2s = 0x0B,
    kConst4u = 0x0C,
    kConst4s = 0x0D,
    kConst8u = 0x0E,
    kConst8s = 0x0F,
    kConstu = 0x10,
    kConsts = 0x11,
    kDup = 0x12,
    kDrop = 0x13,
    kOver = 0x14,
    kPick = 0x15,
    kSwap = 0x16,
    kRot = 0x17,
    kAbs = 0x19,
    kAnd = 0x1A,
    kDiv = 0x1B,
    kMinus = 0x1C,
    kMod = 0x1D,
    kMul = 0x1E,
    kNeg = 0x1F,
    kNot = 0x20,
    kOr = 0x21,
    kPlus = 0x22,
    kPlusUconst = 0x23,
    kShl = 0x24,
    kShr = 0x25,
    kShra = 0x26,
    kXor = 0x27,
    kBra = 0x28,
    kEq = 0x29,
    kGe = 0x2A,
    kGt = 0x2B,
    kLe = 0x2C,
    kLt = 0x2D,
    kNe = 0x2E,
    kSkip = 0x2F,
    kLit0 = 0x30,
    kLit31 = 0x4F,
    kBreg0 = 0x70,
    kBreg31 = 0x8F,
    kBregx = 0x92,
    kDerefSize = 0x94,
    kNop = 0x96,
};

std::uint64_t sign_extended(std::int64_t value) {
    return static_cast<std::uint64_t>(value);
}

// The operations on the two topmost values; false: not one of them, or a division by zero.
bool binary(std::uint8_t operation, std::uint64_t left, std::uint64_t right, std::uint64_t* result) {
    const auto signed_left = static_cast<std::int64_t>(left);
    const auto signed_right = static_cast<std::int64_t>(right);
    switch (operation) {
        case kAnd:
            *result = left & right;
            return true;
        case kDiv:  // signed; the one overflow there is wraps
            *result = right == 0                   ? 0
                      : right == ~std::uint64_t{0} ? 0 - left
                                                   : sign_extended(signed_left / signed_right);
            return right != 0;
        case kMinus:
            *result = left - right;
            return true;
        case kMod:  // unsigned
            *result = right == 0 ? 0 : left % right;
            return right != 0;
        case kMul:
            *result = left * right;
            return true;
        case kOr:
            *result = left | right;
            return true;
        case kPlus:
            *result = left + right;
            return true;
        case kShl:
            *result = right < 64 ? left << right : 0;
            return true;
        case kShr:
            *result = right < 64 ? left >> right : 0;
            return true;
        case kShra:
            *result = sign_extended(signed_left >> (right < 64 ? right : 63));
            return true;
        case kXor:
            *result = left ^ right;
            return true;
        case kEq:
            *result = left == right;
            return true;
        case kGe:
            *result = signed_left >= signed_right;
            return true;
        case kGt:
            *result = signed_left > signed_right;
            return true;
        case kLe:
            *result = signed_left <= signed_right;
            return true;
        case kLt:
            *result = signed_left < signed_right;
            return true;
        case kNe:
            *result = left != right;
            return true;
        default:
            return false;
    }
}

class Machine {
  public:
    Machine(std::span<const std::uint8_t> code, const RegisterFile& registers, const MemoryView& memory)
        : code_(code), reader_(code), registers_(registers), memory_(memory) {}

    void push(std::uint64_t value) {
        if (depth_ == kExpressionStack) {
            fail(ExpressionError::kBad);
            return;
        }
        stack_[depth_++] = value;
    }

    ExpressionError run(std::uint64_t* result, unsigned* operations) {
        for (; !reader_.at_end() && error_ == ExpressionError::kNone; --*operations) {
            if (*operations == 0) {
                return ExpressionError::kBad;
            }
            step(reader_.u8());
        }
        if (reader_.failed()) {
            fail(ExpressionError::kBad);
        }
        *result = pop();
        return error_;
    }

  private:
    void fail(ExpressionError error) {
        if (error_ == ExpressionError::kNone) {
            error_ = error;
        }
    }

    std::uint64_t pop() {
        if (depth_ == 0) {
            fail(ExpressionError::kBad);
            return 0;
        }
        return stack_[--depth_];
    }

    void push_register(std::uint64_t number) {
        const std::int64_t offset = reader_.sleb();
        std::uint64_t value = 0;
        if (!registers_.get(number, &value)) {
            fail(ExpressionError::kUnknownRegister);
        }
        push(value + sign_extended(offset));
    }

    void load(std::uint64_t size) {
        const std::uint64_t address = pop();
        std::uint64_t value = 0;
        if (size == 0 || size > 8) {
            fail(ExpressionError::kBad);
        } else if (error_ == ExpressionError::kNone && !memory_.read_bytes(address, &value, size)) {
            fail(ExpressionError::kOutsideMemory);
            value = address;
        }
        push(value);
    }

    void pick(std::uint64_t from_top) {
        if (from_top >= depth_) {
            fail(ExpressionError::kBad);
            return;
        }
        push(stack_[depth_ - 1 - from_top]);
    }

    void jump(std::int64_t distance) {
        const std::int64_t target = static_cast<std::int64_t>(reader_.position()) + distance;
        if (target < 0 || target > static_cast<std::int64_t>(code_.size())) {
            fail(ExpressionError::kBad);
            return;
        }
        reader_ = ByteReader(code_, static_cast<std::uint64_t>(target));
    }

    void rotate() {  // the third becomes the second, the second the top, the top the third
        const std::uint64_t first = pop();
        const std::uint64_t second = pop();
        const std::uint64_t third = pop();
        push(first);
        push(third);
        push(second);
    }

    void step(std::uint8_t operation) {
        if (operation >= kLit0 && operation <= kLit31) {
            push(operation - kLit0);
            return;
        }
        if (operation >= kBreg0 && operation <= kBreg31) {
            push_register(operation - kBreg0);
            return;
        }
        switch (operation) {
            case kDeref:
                load(8);
                return;
            case kDerefSize:
                load(reader_.u8());
                return;
            case kConst1u:
                push(reader_.u8());
                return;
            case kConst1s:
                push(sign_extended(reader_.read<std::int8_t>()));
                return;
            case kConst2u:
                push(reader_.u16());
                return;
            case kConst2s:
                push(sign_extended(reader_.read<std::int16_t>()));
                return;
            case kConst4u:
                push(reader_.u32());
                return;
            case kConst4s:
                push(sign_extended(reader_.read<std::int32_t>()));
                return;
            case kConst8u:
            case kConst8s:
                push(reader_.u64());
                return;
            case kConstu:
                push(reader_.uleb());
                return;
            case kConsts:
                push(sign_extended(reader_.sleb()));
                return;
            case kBregx:
                push_register(reader_.uleb());
                return;
            case kDup:
                pick(0);
                return;
            case kOver:
                pick(1);
                return;
            case kPick:
                pick(reader_.u8());
                return;
            case kDrop:
                pop();
                return;
            case kSwap: {
                const std::uint64_t first = pop();
                const std::uint64_t second = pop();
                push(first);
                push(second);
                return;
            }
            case kRot:
                rotate();
                return;
            case kAbs: {
                const std::uint64_t value = pop();
                push(static_cast<std::int64_t>(value) < 0 ? 0 - value : value);
                return;
            }
            case kNeg:
                push(0 - pop());
                return;
            case kNot:
                push(~pop());
                return;
            case kPlusUconst: {
                const std::uint64_t constant = reader_.uleb();
                push(pop() + constant);
                return;
            }
            case kSkip:
                jump(reader_.read<std::int16_t>());
                return;
            case kBra: {
                const std::int16_t distance = reader_.read<std::int16_t>();
                if (pop() != 0) {
                    jump(distance);
                }
                return;
            }
            case kNop:
                return;
            default: {
                const std::uint64_t right = pop();
                const std::uint64_t left = pop();
                std::uint64_t result = 0;
                if (!binary(operation, left, right, &result)) {
                    fail(ExpressionError::kBad);
                }
                push(result);
                return;
            }
        }
    }

    std::span<const std::uint8_t> code_;
    ByteReader reader_;
    const RegisterFile& registers_;
    const MemoryView& memory_;
    std::uint64_t stack_[kExpressionStack];
    unsigned depth_ = 0;
    ExpressionError error_ = ExpressionError::kNone;
};

}  // namespace

ExpressionError evaluate(std::span<const std::uint8_t> expression, const RegisterFile& registers,
                         const MemoryView& memory, const std::uint64_t* initial, std::uint64_t* result,
                         unsigned* operations) {
    Machine machine(expression, registers, memory);
    if (initial != nullptr) {
        machine.push(*initial);
    }
    return machine.run(result, operations);
}

}  // namespace kymo::unwind
