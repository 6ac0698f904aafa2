// Nothing is wrong: conjugate gradients on a grid; each step is a product with a sparse matrix and five vector
// operations of a tenth of a millisecond. One thread, templates.
#include "planted.h"

namespace {

constexpr std::size_t kSide = 300;
constexpr int kSteps = 1'200;

using Vector = std::vector<double>;

[[gnu::noinline]] void multiply(const Vector& x, Vector& y) {
    for (std::size_t row = 1; row + 1 < kSide; ++row) {
        for (std::size_t i = row * kSide + 1; i < (row + 1) * kSide - 1; ++i) {
            y[i] = 4.1 * x[i] - x[i - 1] - x[i + 1] - x[i - kSide] - x[i + kSide];
        }
    }
}

[[gnu::noinline]] double dot(const Vector& x, const Vector& y) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

template <typename Combine>
[[gnu::noinline]] void update(Vector& x, const Vector& y, Combine combine) {
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = combine(x[i], y[i]);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const planted::Program program(argc, argv, "nothing", __FILE__);
    Vector x(kSide * kSide, 0.0);
    Vector residual(kSide * kSide, 1.0);
    Vector direction = residual;
    Vector image(kSide * kSide, 0.0);
    double square = dot(residual, residual);
    for (int step = 0; step < kSteps; ++step) {
        multiply(direction, image);
        const double length = square / std::max(1e-300, dot(direction, image));
        update(x, direction, [length](double a, double b) { return a + length * b; });
        update(residual, image, [length](double a, double b) { return a - length * b; });
        // Started anew before the numbers become denormal.
        if (step % 50 == 49) {
            std::fill(residual.begin(), residual.end(), 1.0);
        }
        const double next = dot(residual, residual);
        const double turn = step % 50 == 49 ? 0.0 : next / square;
        update(direction, residual, [turn](double a, double b) { return b + turn * a; });
        square = next;
    }
    planted::keep(x.data());
    return program.end();
}
