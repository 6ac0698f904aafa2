// Recovers from its own segmentation faults with siglongjmp, as some run times do on purpose.
#include "../burn.h"

#include <setjmp.h>
#include <signal.h>

static sigjmp_buf back;
static volatile sig_atomic_t faults;
static int* volatile nowhere = (int*)8;

static void on_fault(int number) {
    (void)number;
    faults = faults + 1;
    siglongjmp(back, 1);
}

int main(void) {
    struct sigaction action = {.sa_handler = on_fault};
    MUST(sigaction(SIGSEGV, &action, NULL) == 0);
    for (volatile int i = 0; i < 50; ++i) {
        if (sigsetjmp(back, 1) == 0) {
            burn(3);
            *nowhere = 1;
        }
    }
    printf("%d faults\n", (int)faults);
    return 0;
}
