#include "job_program.h"

#include <utility>

namespace job {
namespace {

constexpr int kPoints = 64;
double field[kPoints];

// NOLINTBEGIN(readability-magic-numbers): any arithmetic will do.
template <int Number>
[[gnu::noinline]] double kernel(double flux) {
    for (int i = 1; i + 1 < kPoints; ++i) {
        field[i] = 0.25 * (field[i - 1] + field[i + 1]) + 0.5 * field[i] + flux * (Number + 1);
        flux = flux * 0.99 + field[i] / (i + Number + 1);
    }
    return flux + field[Number];
}

template <int... Numbers>
[[gnu::noinline]] double solve_all(std::integer_sequence<int, Numbers...> /*all*/) {
    return (kernel<Numbers>(1.0) + ... + 0.0);
}

using AllKernels = std::make_integer_sequence<int, kymo::bench::kKernels>;

[[gnu::noinline]] double solve() {
    return solve_all(AllKernels());
}

template <typename Function>
std::uint64_t address_of(Function* function) {
    return reinterpret_cast<std::uintptr_t>(function);
}

template <int... Numbers>
std::array<std::uint64_t, kymo::bench::kKernels> kernel_addresses(std::integer_sequence<int, Numbers...> /*all*/) {
    return {address_of(&kernel<Numbers>)...};
}

}  // namespace

extern "C" {
[[gnu::noinline]] double MPI_Waitall(double value) {
    for (volatile double& each : field) {
        value += each;
    }
    return value;
}
[[gnu::noinline]] double MPI_Allreduce(double value) {
    for (volatile double& each : field) {
        value = value * 0.5 + each;
    }
    return value;
}
}

namespace {

[[gnu::noinline]] double exchange_halo(double value) {
    return MPI_Waitall(value) + 1;
}
[[gnu::noinline]] double reduce_residual(double value) {
    return MPI_Allreduce(value) + 1;
}
[[gnu::noinline]] double advance_step(double value) {
    return reduce_residual(exchange_halo(solve() + value)) + 1;
}
[[gnu::noinline]] double run_steps(int steps) {
    double value = 0;
    for (int i = 0; i < steps; ++i) {
        value = advance_step(value);
    }
    return value;
}
// NOLINTEND(readability-magic-numbers)

}  // namespace
}  // namespace job

namespace kymo::bench {

ProgramCode program_code() {
    return {.main = job::address_of(&job::run_steps),
            .advance = job::address_of(&job::advance_step),
            .solve = job::address_of(&job::solve),
            .exchange = job::address_of(&job::exchange_halo),
            .reduce = job::address_of(&job::reduce_residual),
            .waitall = job::address_of(&job::MPI_Waitall),
            .allreduce = job::address_of(&job::MPI_Allreduce),
            .kernels = job::kernel_addresses(job::AllKernels())};
}

}  // namespace kymo::bench
