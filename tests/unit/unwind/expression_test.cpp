#include "unwind/expression.h"

#include <gtest/gtest.h>
#include <vector>

namespace kymo::unwind {
namespace {

class Expression : public testing::Test {
  protected:
    Expression() {
        registers.set(7, 0x1000);
        registers.set(6, 0x1010);
        registers.set(16, 0x40100B);
    }

    ExpressionError run(const std::vector<std::uint8_t>& code, std::uint64_t* result) {
        unsigned operations = 1000;
        return evaluate(code, registers, MemoryView::copied(0x1000, bytes), nullptr, result, &operations);
    }
    void expect(const std::vector<std::uint8_t>& code, std::uint64_t wanted) {
        std::uint64_t result = 0;
        EXPECT_EQ(run(code, &result), ExpressionError::kNone);
        EXPECT_EQ(result, wanted);
    }
    void expect_error(const std::vector<std::uint8_t>& code, ExpressionError wanted) {
        std::uint64_t result = 0;
        EXPECT_EQ(run(code, &result), wanted);
    }

    RegisterFile registers;
    std::uint8_t bytes[32] = {0, 0, 0, 0, 0, 0, 0, 0, 0xEF, 0xCD, 0xAB, 0x89, 0x67, 0x45, 0x23, 0x01};
};

TEST_F(Expression, LinkageTableRule) {
    // breg7 8; breg16 0; lit15; and; lit11; ge; lit3; shl; plus: rsp + 8, and 8 more behind the entry's push
    const std::vector<std::uint8_t> code = {0x77, 8, 0x80, 0, 0x3F, 0x1A, 0x3B, 0x2A, 0x33, 0x24, 0x22};
    expect(code, 0x1010);
    registers.set(16, 0x401006);
    expect(code, 0x1008);
}

TEST_F(Expression, LoadsThroughTheViewOnly) {
    expect({0x76, 0x78, 0x06}, 0x0123456789ABCDEF);  // breg6 -8; deref
    expect({0x76, 0x78, 0x94, 2}, 0xCDEF);           // deref_size 2
    expect_error({0x30, 0x06}, ExpressionError::kOutsideMemory);
    expect_error({0x77, 0x19, 0x06}, ExpressionError::kOutsideMemory);  // the last 7 bytes
    expect_error({0x76, 0x78, 0x94, 9}, ExpressionError::kBad);
}

TEST_F(Expression, Constants) {
    expect({0x08, 0xFF}, 0xFF);
    expect({0x09, 0xFF}, ~std::uint64_t{0});
    expect({0x0A, 0xFE, 0xFF}, 0xFFFE);
    expect({0x0B, 0xFE, 0xFF}, ~std::uint64_t{1});
    expect({0x0C, 1, 0, 0, 0x80}, 0x80000001);
    expect({0x0D, 1, 0, 0, 0x80}, 0xFFFFFFFF80000001);
    expect({0x0E, 1, 2, 3, 4, 5, 6, 7, 8}, 0x0807060504030201);
    expect({0x10, 0x80, 0x01}, 128);
    expect({0x11, 0x7F}, ~std::uint64_t{0});
    expect({0x4F}, 31);
    expect({0x92, 7, 0x7F}, 0xFFF);
}

TEST_F(Expression, Arithmetic) {
    expect({0x3A, 0x33, 0x1C}, 7);        // 10 − 3
    expect({0x33, 0x3A, 0x1C, 0x19}, 7);  // |3 − 10|
    expect({0x3A, 0x33, 0x1B}, 3);        // 10 / 3
    expect({0x3A, 0x1F, 0x33, 0x1B}, static_cast<std::uint64_t>(-3));
    expect({0x3A, 0x33, 0x1D}, 1);
    expect({0x3A, 0x33, 0x1E}, 30);
    expect({0x3A, 0x23, 5}, 15);
    expect({0x30, 0x20}, ~std::uint64_t{0});
    expect({0x31, 0x1F, 0x33, 0x25}, ~std::uint64_t{0} >> 3U);
    expect({0x31, 0x1F, 0x33, 0x26}, ~std::uint64_t{0});
    expect({0x31, 0x08, 64, 0x24}, 0);
    expect({0x31, 0x1F, 0x31, 0x2D}, 1);  // −1 < 1: comparisons are signed
    expect_error({0x31, 0x30, 0x1B}, ExpressionError::kBad);
    expect_error({0x31, 0x30, 0x1D}, ExpressionError::kBad);
    // The one quotient that does not fit.
    expect({0x0E, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x31, 0x1F, 0x1B}, std::uint64_t{1} << 63U);
}

TEST_F(Expression, StackOperations) {
    expect({0x31, 0x32, 0x16, 0x1C}, 1);                                        // swap: 2 − 1
    expect({0x31, 0x32, 0x14, 0x1C, 0x1C}, 0);                                  // over: 1 − (2 − 1)
    expect({0x31, 0x32, 0x33, 0x17, 0x1C}, static_cast<std::uint64_t>(1 - 2));  // rot: 3 1 2
    expect({0x31, 0x32, 0x33, 0x15, 2}, 1);
    expect({0x31, 0x32, 0x13}, 1);
    expect_error({0x31, 0x15, 1}, ExpressionError::kBad);
    expect_error({0x13}, ExpressionError::kBad);
    expect_error({}, ExpressionError::kBad);
}

TEST_F(Expression, BranchesAndBounds) {
    expect({0x31, 0x28, 4, 0, 0x35, 0x2F, 1, 0, 0x36}, 6);    // taken
    expect({0x30, 0x28, 4, 0, 0x35, 0x2F, 1, 0, 0x36}, 5);    // not taken, then skips
    expect_error({0x2F, 0xFD, 0xFF}, ExpressionError::kBad);  // an endless loop ends
    expect_error({0x2F, 0x00, 0x80}, ExpressionError::kBad);  // before the beginning
    expect_error({0x2F, 0x10, 0x00}, ExpressionError::kBad);  // behind the end
    expect_error(std::vector<std::uint8_t>(kExpressionStack + 1, 0x31), ExpressionError::kBad);
    expect_error({0x0E, 1, 2}, ExpressionError::kBad);  // cut short
    expect_error({0x31, 0xE0}, ExpressionError::kBad);  // no such operation
}

TEST_F(Expression, UnknownRegisters) {
    expect_error({0x70, 0}, ExpressionError::kUnknownRegister);
    expect_error({0x92, 0xFF, 0x7F, 0}, ExpressionError::kUnknownRegister);
}

}  // namespace
}  // namespace kymo::unwind
