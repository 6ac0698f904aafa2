#include "recursion.h"

namespace {

volatile long sink = 0;

using AtBottom = void (*)(void*);

[[gnu::noinline]] long small(int depth, AtBottom at_bottom, void* context);
[[gnu::noinline]] long array(int depth, AtBottom at_bottom, void* context);
[[gnu::noinline]] long registers(int depth, AtBottom at_bottom, void* context);
[[gnu::noinline]] long many(int depth, AtBottom at_bottom, void* context, long a, long b, long c, long d);

long next(int depth, AtBottom at_bottom, void* context) {
    if (depth <= 1) {
        at_bottom(context);
        return sink;
    }
    switch (depth % 4) {
        case 0:
            return small(depth - 1, at_bottom, context);
        case 1:
            return array(depth - 1, at_bottom, context);
        case 2:
            return registers(depth - 1, at_bottom, context);
        default:
            return many(depth - 1, at_bottom, context, sink, depth, sink + 1, depth + 1);
    }
}

long small(int depth, AtBottom at_bottom, void* context) {
    return next(depth, at_bottom, context) + 1;
}

long array(int depth, AtBottom at_bottom, void* context) {
    volatile char buffer[200];
    buffer[depth % 200] = 1;
    return next(depth, at_bottom, context) + buffer[depth % 200];
}

long registers(int depth, AtBottom at_bottom, void* context) {
    const long a = sink;
    const long b = sink + 1;
    const long c = sink * 3;
    const long d = sink - 7;
    return next(depth, at_bottom, context) + a * b + c * d;
}

long many(int depth, AtBottom at_bottom, void* context, long a, long b, long c, long d) {
    const long below = next(depth, at_bottom, context);
    return below + a + b * c - d;
}

}  // namespace

void descend(int depth, void (*at_bottom)(void*), void* context) {
    sink = next(depth, at_bottom, context);
}
