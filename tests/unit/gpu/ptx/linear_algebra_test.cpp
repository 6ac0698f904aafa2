// PolyBench's kernels as nvcc compiles them, against the same computation on the CPU: bit for bit.
//
// A multiplication and an addition that nvcc fuses are fused here too; loops add in the same order.
#include "kernels.h"

#include <array>

namespace kymo::gpu::ptx {
namespace {

class LinearAlgebra : public testing::Test {
  protected:
    Device device{kernels("linear_algebra")};
};

TEST_F(LinearAlgebra, VectorAdd) {
    const std::size_t n = 1000;
    const auto a = device.array(numbers(n, 1));
    const auto b = device.array(numbers(n, 2));
    const auto c = device.array<float>(n);
    const Totals totals = device.run_checked(
        "vector_add", {4}, {256}, Parameters().add(a.data()).add(b.data()).add(c.data()).add(static_cast<int>(n)));
    std::vector<float> wanted(n);
    std::transform(a.begin(), a.end(), b.begin(), wanted.begin(), std::plus());
    expect_equal<float>(c, wanted);
    EXPECT_EQ(totals.ctas, 4U);
}

TEST_F(LinearAlgebra, Gemm) {
    const int n = 37;
    const auto nn = static_cast<std::size_t>(n * n);
    const auto a = device.array(numbers(nn, 1));
    const auto b = device.array(numbers(nn, 2));
    const auto c = device.array(numbers(nn, 3));
    std::vector<float> wanted(c.begin(), c.end());
    const float alpha = 1.5F;
    const float beta = 0.25F;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            float sum = wanted[static_cast<std::size_t>(i * n + j)] * beta;
            for (int k = 0; k < n; ++k) {
                sum = std::fma(alpha * a[static_cast<std::size_t>(i * n + k)], b[static_cast<std::size_t>(k * n + j)],
                               sum);
            }
            wanted[static_cast<std::size_t>(i * n + j)] = sum;
        }
    }
    device.run_checked(
        "gemm", {3, 5}, {16, 8},
        Parameters().add(n).add(n).add(n).add(alpha).add(beta).add(a.data()).add(b.data()).add(c.data()));
    expect_equal<float>(c, wanted);
}

TEST_F(LinearAlgebra, AtaxGesummvSyrk) {
    const int n = 45;
    const auto size = static_cast<std::size_t>(n);
    const auto a = device.array(numbers(size * size, 1));
    const auto b = device.array(numbers(size * size, 2));
    const auto x = device.array(numbers(size, 3));
    const auto tmp = device.array<float>(size);
    const auto y = device.array<float>(size);
    device.run_checked("atax_row", {2}, {32}, Parameters().add(n).add(n).add(a.data()).add(x.data()).add(tmp.data()));
    device.run_checked("atax_column", {2}, {32},
                       Parameters().add(n).add(n).add(a.data()).add(y.data()).add(tmp.data()));
    std::vector<float> of_rows(size);
    std::vector<float> wanted(size);
    for (std::size_t i = 0; i < size; ++i) {
        of_rows[i] = dot(size, 0, [&](std::size_t j) { return std::pair(a[i * size + j], x[j]); });
    }
    for (std::size_t j = 0; j < size; ++j) {
        wanted[j] = dot(size, 0, [&](std::size_t i) { return std::pair(a[i * size + j], of_rows[i]); });
    }
    expect_equal<float>(tmp, of_rows);
    expect_equal<float>(y, wanted);

    device.run_checked("gesummv", {2}, {32},
                       Parameters()
                           .add(n)
                           .add(2.0F)
                           .add(3.0F)
                           .add(a.data())
                           .add(b.data())
                           .add(tmp.data())
                           .add(x.data())
                           .add(y.data()));
    for (std::size_t i = 0; i < size; ++i) {
        const float one = dot(size, 0, [&](std::size_t j) { return std::pair(a[i * size + j], x[j]); });
        const float two = dot(size, 0, [&](std::size_t j) { return std::pair(b[i * size + j], x[j]); });
        wanted[i] = std::fma(2.0F, one, 3.0F * two);
    }
    expect_equal<float>(y, wanted);

    const auto c = device.array(numbers(size * size, 4));
    std::vector<float> product(c.begin(), c.end());
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < size; ++j) {
            float sum = product[i * size + j] * 0.5F;
            for (std::size_t k = 0; k < size; ++k) {
                sum = std::fma(2.0F * a[i * size + k], a[j * size + k], sum);
            }
            product[i * size + j] = sum;
        }
    }
    device.run_checked("syrk", {3, 3}, {16, 16},
                       Parameters().add(n).add(n).add(2.0F).add(0.5F).add(a.data()).add(c.data()));
    expect_equal<float>(c, product);
}

TEST_F(LinearAlgebra, GemmTiledInSharedMemory) {
    const int n = 48;
    const auto size = static_cast<std::size_t>(n);
    const auto a = device.array(numbers(size * size, 1));
    const auto b = device.array(numbers(size * size, 2));
    const auto c = device.array<float>(size * size);
    device.run_checked("gemm_tiled", {3, 3}, {16, 16}, Parameters().add(n).add(a.data()).add(b.data()).add(c.data()));
    std::vector<float> wanted(size * size);
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < size; ++j) {
            wanted[i * size + j] =
                dot(size, 0, [&](std::size_t k) { return std::pair(a[i * size + k], b[k * size + j]); });
        }
    }
    expect_equal<float>(c, wanted);
}

TEST_F(LinearAlgebra, DoublesSquareRootAndDivision) {
    const int n = 40;
    const int m = 7;
    std::vector<double> values;
    for (const float value : numbers(static_cast<std::size_t>(n * m), 1)) {
        values.push_back(value * 3.7);
    }
    const auto a = device.array(values);
    const auto out = device.array<double>(values.size());
    device.run_checked("normalise", {2}, {32}, Parameters().add(n).add(m).add(a.data()).add(out.data()));
    std::vector<double> wanted(values.size());
    for (std::size_t row = 0; row < static_cast<std::size_t>(n); ++row) {
        double squares = 0;
        for (std::size_t k = 0; k < static_cast<std::size_t>(m); ++k) {
            squares = std::fma(a[row * 7 + k], a[row * 7 + k], squares);
        }
        for (std::size_t k = 0; k < static_cast<std::size_t>(m); ++k) {
            wanted[row * 7 + k] = a[row * 7 + k] / std::sqrt(squares);
        }
    }
    expect_equal<double>(out, wanted);
}

// The sums that nvcc makes of 0.2 a + 0.5 b − 0.8 c …: the second product is rounded, the others are fused.
TEST_F(LinearAlgebra, Convolution2d) {
    const std::size_t rows = 19;
    const std::size_t columns = 45;
    const auto a = device.array(numbers(rows * columns, 1));
    const auto b = device.array(std::vector<float>(rows * columns, -7.0F));
    device.run_checked(
        "convolution_2d", {3, 3}, {16, 8},
        Parameters().add(static_cast<int>(rows)).add(static_cast<int>(columns)).add(a.data()).add(b.data()));
    const std::array<float, 9> weights = {0.2F, 0.5F, -0.8F, -0.3F, 0.6F, -0.9F, 0.4F, 0.7F, 0.1F};
    std::vector<float> wanted(rows * columns, -7.0F);  // the edge stays
    for (std::size_t i = 1; i < rows - 1; ++i) {
        for (std::size_t j = 1; j < columns - 1; ++j) {
            const auto at = [&](std::size_t k) { return a[(i + k / 3 - 1) * columns + j + k % 3 - 1]; };
            float sum = std::fma(at(0), weights[0], weights[1] * at(1));
            for (std::size_t k = 2; k < 9; ++k) {
                sum = std::fma(at(k), weights[k], sum);
            }
            wanted[i * columns + j] = sum;
        }
    }
    expect_equal<float>(b, wanted);
}

class Polybench : public testing::Test {
  protected:
    // a of rows × inner times b of inner × columns, on top of `start`; a's elements first times alpha.
    static std::vector<float> product(std::span<const float> a, std::span<const float> b, std::vector<float> start,
                                      std::size_t columns, float alpha = 1) {
        const std::size_t inner = b.size() / columns;
        for (std::size_t i = 0; i < a.size() / inner; ++i) {
            for (std::size_t j = 0; j < columns; ++j) {
                start[i * columns + j] = dot(inner, start[i * columns + j], [&](std::size_t k) {
                    return std::pair(alpha * a[i * inner + k], b[k * columns + j]);
                });
            }
        }
        return start;
    }
    static std::vector<float> transposed(std::span<const float> a, std::size_t columns) {
        std::vector<float> made(a.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
            made[i % columns * (a.size() / columns) + i / columns] = a[i];
        }
        return made;
    }
    Device device{kernels("polybench")};
};

TEST_F(Polybench, TwoProducts) {
    const int ni = 21;
    const int nj = 18;
    const int nk = 25;
    const int nl = 30;
    const auto a = device.array(numbers(21 * 25, 1));
    const auto b = device.array(numbers(25 * 18, 2));
    const auto c = device.array(numbers(18 * 30, 3));
    const auto d = device.array(numbers(21 * 30, 4));
    const auto tmp = device.array<float>(21 * 18);
    std::vector<float> scaled(d.begin(), d.end());
    std::transform(scaled.begin(), scaled.end(), scaled.begin(), [](float value) { return value * 0.75F; });
    device.run_checked("mm2_first", {2, 3}, {16, 8},
                       Parameters().add(ni).add(nj).add(nk).add(1.25F).add(a.data()).add(b.data()).add(tmp.data()));
    device.run_checked("mm2_second", {2, 3}, {16, 8},
                       Parameters().add(ni).add(nl).add(nj).add(0.75F).add(tmp.data()).add(c.data()).add(d.data()));
    const std::vector<float> first = product(a, b, std::vector<float>(21 * 18), 18, 1.25F);
    expect_equal<float>(tmp, first);
    expect_equal<float>(d, product(first, c, scaled, 30));
}

TEST_F(Polybench, ThreeProducts) {
    const std::size_t n = 24;
    std::vector<std::span<float>> factors;
    for (unsigned seed = 1; seed <= 4; ++seed) {
        factors.push_back(device.array(numbers(n * n, seed)));
    }
    const auto e = device.array<float>(n * n);
    const auto f = device.array<float>(n * n);
    const auto g = device.array<float>(n * n);
    const auto multiply = [&](std::span<float> a, std::span<float> b, std::span<float> into) {
        const int size = static_cast<int>(n);
        device.run_checked("mm3_multiply", {2, 3}, {16, 8},
                           Parameters().add(size).add(size).add(size).add(a.data()).add(b.data()).add(into.data()));
    };
    multiply(factors[0], factors[1], e);
    multiply(factors[2], factors[3], f);
    multiply(e, f, g);
    const std::vector<float> zero(n * n);
    expect_equal<float>(
        g, product(product(factors[0], factors[1], zero, n), product(factors[2], factors[3], zero, n), zero, n));
}

TEST_F(Polybench, MatrixAndItsTransposeTimesVectors) {
    const std::size_t rows = 37;
    const std::size_t columns = 50;
    const int nx = static_cast<int>(rows);
    const int ny = static_cast<int>(columns);
    const auto a = device.array(numbers(rows * columns, 1));
    const auto r = device.array(numbers(rows, 2));
    const auto p = device.array(numbers(columns, 3));
    const auto s = device.array<float>(columns);
    const auto q = device.array<float>(rows);
    device.run_checked("bicg_columns", {2}, {32},
                       Parameters().add(nx).add(ny).add(a.data()).add(r.data()).add(s.data()));
    device.run_checked("bicg_rows", {2}, {32},
                       Parameters().add(nx).add(ny).add(a.data()).add(p.data()).add(q.data()));
    expect_equal<float>(s, product(transposed(a, columns), r, std::vector<float>(columns), 1));
    expect_equal<float>(q, product(a, p, std::vector<float>(rows), 1));

    const std::size_t n = 37;  // mvt, in the first n × n of the matrix
    const auto x1 = device.array(numbers(n, 4));
    const auto x2 = device.array(numbers(n, 5));
    const std::vector<float> one(x1.begin(), x1.end());
    const std::vector<float> two(x2.begin(), x2.end());
    device.run_checked("mvt_rows", {2}, {32}, Parameters().add(nx).add(a.data()).add(x1.data()).add(r.data()));
    device.run_checked("mvt_columns", {2}, {32}, Parameters().add(nx).add(a.data()).add(x2.data()).add(r.data()));
    const std::span<const float> square = a.first(n * n);
    expect_equal<float>(x1, product(square, r, one, 1));
    expect_equal<float>(x2, product(transposed(square, n), r, two, 1));
}

TEST_F(Polybench, Convolution3d) {
    const std::size_t ni = 6;
    const std::size_t nj = 13;
    const std::size_t nk = 38;
    const std::vector<float> weights = numbers(27, 1);
    const auto constant = device.module().symbol("weight");
    ASSERT_TRUE(constant.has_value());
    ASSERT_EQ(constant->bytes, 27 * sizeof(float));
    std::memcpy(reinterpret_cast<void*>(constant->address), weights.data(), constant->bytes);
    const auto in = device.array(numbers(ni * nj * nk, 2));
    const auto out = device.array(std::vector<float>(ni * nj * nk, 9.0F));
    device.run_checked("convolution_3d", {2, 2}, {32, 8},
                       Parameters().add(6).add(13).add(38).add(in.data()).add(out.data()));
    std::vector<float> wanted(ni * nj * nk, 9.0F);
    for (std::size_t i = 1; i < ni - 1; ++i) {
        for (std::size_t j = 1; j < nj - 1; ++j) {
            for (std::size_t k = 1; k < nk - 1; ++k) {
                wanted[(i * nj + j) * nk + k] = dot(27, 0, [&](std::size_t w) {
                    return std::pair(weights[w], in[((i + w / 9 - 1) * nj + j + w / 3 % 3 - 1) * nk + k + w % 3 - 1]);
                });
            }
        }
    }
    expect_equal<float>(out, wanted);
}

}  // namespace
}  // namespace kymo::gpu::ptx
