// backtrace(3) shows the program's own callers and nothing else: as many frames in every round, each return address
// in the function that called, and none where there is no room.
#include <execinfo.h>
#include <stdio.h>

enum { kRoom = 32 };
static void* frames[kRoom];

__attribute__((noinline)) static int take(int room) {
    const int got = backtrace(frames, room);
    __asm__ volatile("" ::: "memory");
    return got;
}

__attribute__((noinline)) static int middle(int room) {
    const int got = take(room);
    __asm__ volatile("" ::: "memory");
    return got;
}

__attribute__((noinline)) static int outer(int room) {
    const int got = middle(room);
    __asm__ volatile("" ::: "memory");
    return got;
}

static int is_near(const void* address, int (*function)(int)) {
    const char* begin = (const char*)(void*)function;
    return (const char*)address > begin && (const char*)address < begin + 64;
}

int main(void) {
    int good = 0;
    int most = 0;
    for (int i = 0; i < 1000; ++i) {
        const int got = outer(kRoom);
        good += got >= 5 && got < kRoom && is_near(frames[0], take) && is_near(frames[1], middle) &&
                is_near(frames[2], outer);
        most = got > most ? got : most;
    }
    printf("%d of 1000 whole\n", good);
    printf("%d %d %d frames\n", outer(2), outer(1), most - outer(kRoom));
    return 0;
}
