// 2,000 short threads, fifty at a time.
#include "../burn.h"

#include <pthread.h>

static void* compute(void* number) {
    burn(*(int*)number % 10 == 0 ? 2 : 0);
    return number;
}

int main(void) {
    static int numbers[2000];
    long sum = 0;
    for (int begin = 0; begin < 2000; begin += 50) {
        pthread_t threads[50];
        for (int i = 0; i < 50; ++i) {
            numbers[begin + i] = begin + i;
            MUST(pthread_create(&threads[i], NULL, compute, &numbers[begin + i]) == 0);
        }
        for (int i = 0; i < 50; ++i) {
            void* result = NULL;
            MUST(pthread_join(threads[i], &result) == 0);
            sum += *(int*)result;
        }
    }
    printf("sum %ld\n", sum);
    return 0;
}
