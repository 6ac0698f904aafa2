// Waits in rarely used calls, each three times and each until a child sees this process asleep in it,
// and prints how often:
//     {"times": 3}
#include <fcntl.h>
#include <mqueue.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kTimes = 3, kCalls = 13 };

static struct {
    atomic_int ready;   // of the child: what the call waits for is so
    atomic_int called;  // of the parent: it is about to make the call
    atomic_int done;    // and is back
}* shared;

static int semaphore;
static int queue;
static mqd_t posix_queue;
static int file;
static int null;
static int empty_pipe[2];
static int full_pipe[2];  // holds kRoom bytes and no more
static int sockets[2];

enum { kRoom = 4096 };
static sigset_t signals;

struct message {
    long type;
    char text[1];
};

static void must(int good) {
    if (!good) {
        perror("older_waits");
        exit(1);
    }
}

static void nap(void) {
    const struct timespec length = {0, 1000000};
    nanosleep(&length, NULL);
}

// The caller's frame must be there while it waits: no tail call.
static int stay(int result) {
    __asm__ volatile("" : "+r"(result));
    return result;
}

static __attribute__((noinline)) int locks_file(void) {
    return stay(flock(file, LOCK_EX));
}
static __attribute__((noinline)) int locks_part(void) {
    struct flock part = {.l_type = F_WRLCK, .l_len = 10};
    return stay(fcntl(file, F_SETLKW, &part));
}
static __attribute__((noinline)) int locks_by_lockf(void) {
    return stay(lockf(file, F_LOCK, 10));
}
static __attribute__((noinline)) int takes_semaphore(void) {
    struct sembuf take = {0, -1, 0};
    return stay(semop(semaphore, &take, 1));
}
static __attribute__((noinline)) int receives_message(void) {
    struct message message;
    return msgrcv(queue, &message, sizeof message.text, 0, 0) < 0;
}
static __attribute__((noinline)) int receives_posix_message(void) {
    char text[8];
    return mq_receive(posix_queue, text, sizeof text, NULL) < 0;
}
static __attribute__((noinline)) int waits_for_signal(void) {
    siginfo_t info;
    return sigwaitinfo(&signals, &info) < 0;
}
static __attribute__((noinline)) int waits_by_sigwait(void) {
    int number = 0;
    return stay(sigwait(&signals, &number));
}
static __attribute__((noinline)) int pauses(void) {
    sigset_t none;
    sigemptyset(&none);
    sigsuspend(&none);  // always fails
    return 0;
}

static __attribute__((noinline)) int splices(void) {
    return stay(splice(empty_pipe[0], NULL, null, NULL, 1, 0) != 1);
}
static __attribute__((noinline)) int sends_file(void) {
    off_t at = 0;
    return stay(sendfile(full_pipe[1], file, &at, 1) != 1);
}
static __attribute__((noinline)) int lends_memory(void) {
    static char byte[1];
    const struct iovec part = {byte, sizeof byte};
    return stay(vmsplice(full_pipe[1], &part, 1, 0) != 1);
}
static __attribute__((noinline)) int receives_many(void) {
    char text[8];
    struct iovec part = {text, sizeof text};
    struct mmsghdr message = {.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}};
    return stay(recvmmsg(sockets[0], &message, 1, 0, NULL) != 1);
}

static int (*const kCall[kCalls])(void) = {
    locks_file,       locks_part,       locks_by_lockf, takes_semaphore, receives_message, receives_posix_message,
    waits_for_signal, waits_by_sigwait, pauses,         splices,         sends_file,       lends_memory,
    receives_many};

static void unlock(void) {
    struct flock part = {.l_type = F_UNLCK, .l_len = 10};
    flock(file, LOCK_UN);
    fcntl(file, F_SETLK, &part);
}

static void empty(void) {
    static char bytes[kRoom];
    int held = 0;
    must(ioctl(full_pipe[0], FIONREAD, &held) == 0 && (held == 0 || read(full_pipe[0], bytes, (size_t)held) == held));
}

static void fill(void) {
    static const char bytes[kRoom];
    empty();
    must(write(full_pipe[1], bytes, sizeof bytes) == sizeof bytes);
}

static void ignore(int number) {
    (void)number;
}

static int is_asleep(pid_t process) {
    char path[64];
    char text[256] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    const int stat = open(path, O_RDONLY);
    must(stat >= 0 && read(stat, text, sizeof text - 1) > 0);
    close(stat);
    const char* state = strrchr(text, ')');
    return state != NULL && state[2] == 'S';
}

// The other side: has what the call needs, until it is seen to wait.
static void serve(int call, pid_t parent, const char* path) {
    const int own = open(path, O_RDWR);
    must(own >= 0);
    if (call == 0) {
        must(flock(own, LOCK_EX) == 0);
    } else if (call < 3) {
        struct flock part = {.l_type = F_WRLCK, .l_len = 10};
        must(fcntl(own, F_SETLK, &part) == 0);
    } else if (call == 10 || call == 11) {
        fill();
    }
    atomic_fetch_add(&shared->ready, 1);
    // Several times in a row: a brief sleep on its way to the call is not the call's.
    for (int seen = 0; seen < 6;) {
        seen = atomic_load(&shared->called) == atomic_load(&shared->ready) && is_asleep(parent) ? seen + 1 : 0;
        nap();
    }
    struct sembuf give = {0, 1, 0};
    const struct message message = {1, "m"};
    close(own);  // and with it the locks
    switch (call) {
        case 3:
            must(semop(semaphore, &give, 1) == 0);
            break;
        case 4:
            must(msgsnd(queue, &message, sizeof message.text, 0) == 0);
            break;
        case 5:
            must(mq_send(posix_queue, "m", 1, 0) == 0);
            break;
        case 6:
        case 7:
        case 8:
            must(kill(parent, SIGUSR1) == 0);
            break;
        case 9:
            must(write(empty_pipe[1], "m", 1) == 1);
            break;
        case 10:
        case 11:
            empty();
            break;
        case 12:
            must(send(sockets[1], "m", 1, 0) == 1);
            break;
        default:
            break;
    }
}

int main(int argc, char** argv) {
    must(argc == 2);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    must(shared != MAP_FAILED);
    file = open(argv[1], O_RDWR | O_CREAT, 0600);
    semaphore = semget(IPC_PRIVATE, 1, 0600);
    queue = msgget(IPC_PRIVATE, 0600);
    char name[64];
    snprintf(name, sizeof name, "/kymo-older-waits-%d", (int)getpid());
    struct mq_attr attributes = {.mq_maxmsg = 4, .mq_msgsize = 8};
    posix_queue = mq_open(name, O_RDWR | O_CREAT, 0600, &attributes);
    null = open("/dev/null", O_WRONLY);
    must(null >= 0 && pipe(empty_pipe) == 0 && pipe(full_pipe) == 0 && write(file, "m", 1) == 1);
    must(fcntl(full_pipe[1], F_SETPIPE_SZ, kRoom) == kRoom && socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets) == 0);
    must(file >= 0 && semaphore >= 0 && queue >= 0 && posix_queue != (mqd_t)-1);
    mq_unlink(name);
    const struct sigaction action = {.sa_handler = ignore};
    must(sigaction(SIGUSR1, &action, NULL) == 0);
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    must(sigprocmask(SIG_BLOCK, &signals, NULL) == 0);
    const pid_t parent = getpid();
    const pid_t child = fork();
    must(child >= 0);
    if (child == 0) {
        for (int i = 0; i < kCalls * kTimes; ++i) {
            while (atomic_load(&shared->done) != i) {
                nap();
            }
            serve(i / kTimes, parent, argv[1]);
        }
        _exit(0);
    }
    for (int i = 0; i < kCalls * kTimes; ++i) {
        while (atomic_load(&shared->ready) == i) {
            nap();
        }
        atomic_fetch_add(&shared->called, 1);
        must(kCall[i / kTimes]() == 0);
        unlock();
        atomic_fetch_add(&shared->done, 1);
    }
    int status = 0;
    must(waitpid(child, &status, 0) == child && status == 0);
    semctl(semaphore, 0, IPC_RMID);
    msgctl(queue, IPC_RMID, NULL);
    printf("{\"times\": %d}\n", kTimes);
    return 0;
}
