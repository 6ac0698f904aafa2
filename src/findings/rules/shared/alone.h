// Code that one thread runs while no other of its process is at work. Pure.
#pragma once

#include "findings/rules/shared/spare.h"
#include "spacetime/evidence/evidence.h"

#include <cstdint>

namespace kymo::findings {

struct Alone {
    ByThread times;  // ns of processor time without company
    double all = 0;  // ns of processor time
};

Alone alone_in(const spacetime::SpaceNode& node);

// Four fifths of its processor time are without company.
bool is_mostly_alone(const Alone& alone);

// Two threads or more were at work at once for a good part of the run.
bool is_parallel(const spacetime::Evidence& evidence);

// The cost of serial code inside a node: of the most expensive piece, the time that it would take less if the threads
// that run the node shared it. Serial is code that runs without company and never in two threads at once. ns. Cost:
// the occurrences of all nodes inside.
double serial_ns(const spacetime::Evidence& evidence, NodeIndex node);

}  // namespace kymo::findings
