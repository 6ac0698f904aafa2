// Arithmetic of all widths, to the bit. Built without contraction, so that the host rounds as often.
#include "small.h"

#include <cmath>

PROGRAM(product_of_64_bits) {
    const small::Word a = (static_cast<small::Word>(in[i]) << 32) | in[(i + 1) % n];
    const small::Word b = (static_cast<small::Word>(in[(i + 2) % n]) << 32) | in[(i + 3) % n];
    const small::Word low = (a & 0xFFFFFFFFU) * (b & 0xFFFFFFFFU);
    const small::Word middle = (a >> 32) * (b & 0xFFFFFFFFU) + (low >> 32);
    const small::Word other = (a & 0xFFFFFFFFU) * (b >> 32) + (middle & 0xFFFFFFFFU);
    return ((a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32)) ^ (a * b);
}
END_PROGRAM

PROGRAM(division_of_64_bits) {
    const long long a = static_cast<long long>((static_cast<small::Word>(in[i]) << 33) ^ in[(i + 5) % n]) * (i % 2 != 0 ? -1 : 1);
    const long long b = static_cast<long long>(in[(i + 1) % n] % 100000) - 50000;
    return b == 0 ? 7 : static_cast<small::Word>(a / b * 31 + a % b);
}
END_PROGRAM

PROGRAM(check_sum) {
    unsigned crc = 0xFFFFFFFFU;
    for (int k = 0; k < 4; ++k) {
        crc ^= in[(i + k) % n] & 0xFFU;
        for (int bit = 0; bit < 8; ++bit) {
            crc = crc >> 1 ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
        }
    }
    return ~crc;
}
END_PROGRAM

PROGRAM(single_precision) {
    float x = static_cast<float>(in[i] % 10007) / 7.0F;
    float sum = 0;
    for (int k = 1; k < 12; ++k) {
        x = x * 0.75F + static_cast<float>(in[(i + k) % n] % 100) - 3.5F;
        sum += sqrtf(fabsf(x)) / static_cast<float>(k) - fminf(x, 2.0F);
    }
    unsigned bits;
    memcpy(&bits, &sum, sizeof bits);
    return bits;
}
END_PROGRAM

PROGRAM(double_precision) {
    double x = static_cast<double>(in[i]) / 1000.0;
    double sum = 1;
    for (int k = 1; k < 12; ++k) {
        sum = sum * 1.0625 + x / (k + 0.3) - sqrt(x + k);
        x = floor(sum) * 0.5 + fabs(x - sum) * 0.125 + static_cast<double>(in[(i + k) % n] % 50);
    }
    small::Word bits;
    memcpy(&bits, &sum, sizeof bits);
    return bits;
}
END_PROGRAM

PROGRAM(narrow_integers) {
    signed char a = static_cast<signed char>(in[i]);
    unsigned char b = static_cast<unsigned char>(in[(i + 1) % n]);
    short c = static_cast<short>(in[(i + 2) % n]);
    unsigned short d = static_cast<unsigned short>(in[(i + 3) % n]);
    for (int k = 0; k < 9; ++k) {
        a = static_cast<signed char>(a * 3 + c);
        b = static_cast<unsigned char>(b ^ (a >> 2));
        c = static_cast<short>(c - b * d);
        d = static_cast<unsigned short>(d + (c < 0 ? 1 : a));
    }
    return static_cast<small::Word>(static_cast<long long>(a)) * 65537 + b * 257U + static_cast<unsigned short>(c) + d;
}
END_PROGRAM

PROGRAM(shifts_and_bits) {
    unsigned x = in[i];
    small::Word y = in[(i + 1) % n] | static_cast<small::Word>(in[(i + 2) % n]) << 31;
    unsigned count = 0;
    for (unsigned left = x; left != 0; left &= left - 1) {
        ++count;
    }
    for (unsigned k = 0; k < 7; ++k) {
        const unsigned by = (x >> k) % 31 + 1;
        x = x << by | x >> (32 - by);
        y = y >> (by + 7) ^ y << (by + 3);
    }
    return x + y + count;
}
END_PROGRAM

PROGRAM(conversions) {
    const double x = (static_cast<double>(in[i] % 2000003) - 1000001) / 16.0;
    const float f = static_cast<float>(x);
    const long long whole = static_cast<long long>(x);
    const int rounded = static_cast<int>(rint(x));
    const unsigned char byte = static_cast<unsigned char>(static_cast<int>(f) & 0xFF);
    return static_cast<small::Word>(whole) * 3 + static_cast<small::Word>(static_cast<long long>(rounded)) + byte +
           static_cast<small::Word>(static_cast<float>(in[(i + 1) % n])) +
           static_cast<small::Word>(static_cast<long long>(static_cast<float>(whole) * 2.0F));
}
END_PROGRAM

PROGRAM(comparisons) {
    const float values[6] = {0.0F, -0.0F, 1.0F, INFINITY, -INFINITY, NAN};
    unsigned told = 0;
    for (int a = 0; a < 6; ++a) {
        const float x = values[(a + in[i]) % 6];
        const float y = values[(a * 5 + in[(i + 1) % n]) % 6];
        told = told * 64 + (x < y) + 2 * (x <= y) + 4 * (x == y) + 8 * (x != y) + 16 * !(x >= y) + 32 * (fmaxf(x, y) > 0);
    }
    return told;
}
END_PROGRAM

PROGRAM(fixed_point) {
    int x = static_cast<int>(in[i] % 131072) - 65536;
    for (int k = 0; k < 8; ++k) {
        const long long square = static_cast<long long>(x) * x;
        x = static_cast<int>(square >> 16) - static_cast<int>(in[(i + k) % n] % 70000);
        x = x > 131071 ? 131071 : x < -131072 ? -131072 : x;
    }
    return static_cast<unsigned>(x);
}
END_PROGRAM

int main() {
    return small::run_all<product_of_64_bits, division_of_64_bits, check_sum, single_precision, double_precision, narrow_integers,
                          shifts_and_bits, conversions, comparisons, fixed_point>()
               ? 0
               : 1;
}
