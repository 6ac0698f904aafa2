// C11 threads, which no interposed pthread_create sees.
#include "../burn.h"

#include <threads.h>

static int compute(void* number) {
    burn(50);
    return *(int*)number;
}

int main(void) {
    int numbers[4] = {1, 2, 3, 4}, sum = 0;
    thrd_t threads[4];
    for (int i = 0; i < 4; ++i) {
        MUST(thrd_create(&threads[i], compute, &numbers[i]) == thrd_success);
    }
    for (int i = 0; i < 4; ++i) {
        int result = 0;
        MUST(thrd_join(threads[i], &result) == thrd_success);
        sum += result;
    }
    printf("sum %d\n", sum);
    return 0;
}
