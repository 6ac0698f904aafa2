/* Functions of several shapes, compiled for other processors by make_rows.py: leaf, ordinary frame, large frame,
   frame of unknown size, many saved registers, saved floating-point registers, two returns. */
void other(void*);

__attribute__((noinline)) int leaf(int x) {
    return x * 3;
}

int ordinary(int x) {
    int values[4] = {x, x, x, x};
    other(values);
    return values[0] + leaf(x);
}

int large(int x) {
    char bytes[70000];
    other(bytes);
    return bytes[x];
}

int of_unknown_size(int x) {
    char* bytes = __builtin_alloca(x);
    other(bytes);
    return bytes[0];
}

int many_saved(int a, int b, int c, int d) {
    other(&a);
    return a * b + c * d;
}

double floating(double a, double b, double c) {
    other(&a);
    return a * b + c;
}

int two_returns(int a, int b) {
    if (a == 0) {
        return b;
    }
    other(&a);
    if (a == 7) {
        return leaf(b);
    }
    other(&b);
    return a + b;
}
