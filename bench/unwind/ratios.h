// Runs the benchmarks interleaved with repetitions and prints, below the usual table, each one's median as a multiple
// of the first's: what a comparison on a noisy machine can be read from.
#pragma once

// The body of main(). Own defaults (9 repetitions, random interleaving, aggregates only) come before the caller's
// arguments, so these win. `unit`: what the counter "per" counts ("frame", "row").
int run_and_compare(int argc, char** argv, const char* unit);
