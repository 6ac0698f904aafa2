// Ways that lanes take differently: loops, switches, calls, recursion, jumps.
#include "small.h"

PROGRAM(collatz) {
    (void)n;
    unsigned long long x = in[i] % 1000 + 1;
    unsigned steps = 0;
    while (x != 1) {
        x = x % 2 != 0 ? 3 * x + 1 : x / 2;
        ++steps;
    }
    return steps;
}
END_PROGRAM

PROGRAM(greatest_common_divisor) {
    unsigned a = in[i] % 100000 + 1;
    unsigned b = in[(i + 1) % n] % 100000 + 1;
    while (b != 0) {
        const unsigned rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
END_PROGRAM

PROGRAM(binary_search) {
    int low = 0;
    int high = n;
    const unsigned wanted = in[i] % 2000;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (static_cast<unsigned>(7 * middle) < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}
END_PROGRAM

PROGRAM(nested_loops_left_early) {
    unsigned sum = 0;
    for (int a = 0; a < 10; ++a) {
        if (a == static_cast<int>(in[i] % 11)) {
            continue;
        }
        for (int b = 0; b < 10; ++b) {
            if (a * b > static_cast<int>(in[(i + b) % n] % 64)) {
                break;
            }
            sum = sum * 31 + a + b;
        }
        if (sum % 17 == 3) {
            break;
        }
    }
    return sum;
}
END_PROGRAM

PROGRAM(state_machine) {
    unsigned state = i % 5;
    unsigned out = 0;
    for (int step = 0; step < 40; ++step) {
        const unsigned bit = in[(i + step) % n] >> (step % 29) & 3U;
        switch (state) {
            case 0:
                state = bit == 0 ? 1 : 2;
                break;
            case 1:
                out += 3;
                state = bit;
                break;
            case 2:
                out ^= bit << step % 20;
                // falls through
            case 3:
                state = (state + bit) % 7;
                break;
            case 5:
                return out + 1000000;
            default:
                state = 0;
                out *= 5;
        }
    }
    return out;
}
END_PROGRAM

static BOTH unsigned fibonacci(unsigned n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
PROGRAM(recursion) {
    (void)n;
    return fibonacci(in[i] % 12);
}
END_PROGRAM

static BOTH bool is_odd(unsigned n);
static BOTH bool is_even(unsigned n) {
    return n == 0 || is_odd(n - 1);
}
static BOTH bool is_odd(unsigned n) {
    return n != 0 && is_even(n - 1);
}
PROGRAM(mutual_recursion) {
    (void)n;
    return is_even(in[i] % 9) ? 2 : is_odd(in[i] % 5) ? 1 : 0;
}
END_PROGRAM

static BOTH unsigned plus(unsigned a, unsigned b) {
    return a + b;
}
static BOTH unsigned times(unsigned a, unsigned b) {
    return a * b;
}
static BOTH unsigned mixed(unsigned a, unsigned b) {
    return (a ^ b) * 2654435761U;
}
PROGRAM(function_pointers) {
    unsigned (*table[3])(unsigned, unsigned) = {plus, times, mixed};
    unsigned value = i;
    for (int step = 0; step < 6; ++step) {
        value = table[in[(i + step) % n] % 3](value, step + 3);
    }
    return value;
}
END_PROGRAM

struct Figure {
    virtual BOTH unsigned area(unsigned x) const = 0;
};
struct Square : Figure {
    BOTH unsigned area(unsigned x) const override { return x * x; }
};
struct Strip : Figure {
    unsigned width;
    BOTH explicit Strip(unsigned w) : width(w) {}
    BOTH unsigned area(unsigned x) const override { return x * width; }
};
PROGRAM(virtual_calls) {
    (void)n;
    Square square;
    Strip strip(in[i] % 7);
    const Figure* figures[2] = {&square, &strip};
    unsigned sum = 0;
    for (unsigned step = 0; step < 5; ++step) {
        sum += figures[(in[i] >> step) % 2]->area(step + i);
    }
    return sum;
}
END_PROGRAM

PROGRAM(jumps_into_shared_ends) {
    unsigned value = in[i] % 1000;
    int rounds = 0;
again:
    ++rounds;
    if (value < 3) {
        goto done;
    }
    if (value % 3 == 0) {
        value /= 3;
        goto again;
    }
    if (value % 7 == 1 && rounds < 50) {
        value += 2;
        goto again;
    }
    value -= 1 + static_cast<unsigned>(n % 2);
    goto again;
done:
    return value + 100U * rounds;
}
END_PROGRAM

int main() {
    return small::run_all<collatz, greatest_common_divisor, binary_search, nested_loops_left_early, state_machine, recursion,
                          mutual_recursion, function_pointers, virtual_calls, jumps_into_shared_ends>()
               ? 0
               : 1;
}
