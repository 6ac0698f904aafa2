// Processes that send each other known numbers of messages through every kind of channel, and say what they sent:
//     channels FOLDER            one process and its children, a channel each
//     channels FOLDER threads    one process: its threads, by one pipe and by declared channels
#include <arpa/inet.h>
#include <fcntl.h>
#include <kymo/metrics.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static char bytes[4096];
static char told[8192];

static void must(int is_done, const char* what) {
    if (!is_done) {
        perror(what);
        exit(1);
    }
}

static void send_all(int to, int messages, int size) {
    for (int i = 0; i < messages; i++) {
        must(write(to, bytes, size) == size, "write");
    }
}

static void receive_all(int from, int messages, int size) {
    for (int i = 0; i < messages; i++) {
        for (int got = 0; got < size;) {
            const ssize_t now = read(from, bytes, size - got);
            must(now > 0, "read");
            got += now;
        }
    }
}

static void tell(const char* kind, int from, int to, int messages, int size) {
    char row[200];
    snprintf(row, sizeof row, "%s{\"kind\": \"%s\", \"from\": %d, \"to\": %d, \"messages\": %d, \"bytes\": %d}",
             *told ? ", " : "", kind, from, to, messages, messages * size);
    strcat(told, row);
}

// A child that does `act` and ends; waits for it where the caller has done its part.
typedef void (*Act)(int);
static int child(Act act, int descriptor) {
    const int pid = fork();
    must(pid >= 0, "fork");
    if (pid == 0) {
        act(descriptor);
        _exit(0);
    }
    return pid;
}

static void end(int pid) {
    int status;
    must(waitpid(pid, &status, 0) == pid && status == 0, "child");
}

static void read_pipe(int from) {
    receive_all(from, 100, 10);
}
static void answer(int with) {
    receive_all(with, 50, 20);
    send_all(with, 50, 30);
}
static char folder[80];
static struct sockaddr_un name_of(const char* file) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    snprintf(name.sun_path, sizeof name.sun_path, "%s/%s", folder, file);
    return name;
}
static void connect_unix(int unused) {
    (void)unused;
    const struct sockaddr_un name = name_of("socket");
    const int with = socket(AF_UNIX, SOCK_STREAM, 0);
    must(connect(with, (const struct sockaddr*)&name, sizeof name) == 0, "connect");
    send_all(with, 40, 8);
    receive_all(with, 1, 1);
}
static struct sockaddr_in address;
static void connect_tcp(int unused) {
    (void)unused;
    const int with = socket(AF_INET, SOCK_STREAM, 0);
    must(connect(with, (const struct sockaddr*)&address, sizeof address) == 0, "connect");
    for (int i = 0; i < 30; i++) {
        send_all(with, 1, 16);
        receive_all(with, 1, 24);
    }
}
static void write_fifo(int unused) {
    (void)unused;
    char path[100];
    snprintf(path, sizeof path, "%s/fifo", folder);
    const int to = open(path, O_WRONLY);
    must(to >= 0, "fifo");
    send_all(to, 15, 9);
}
static void send_datagrams(int to) {
    struct iovec parts[3] = {{bytes, 5}, {bytes, 5}, {bytes, 5}};
    struct mmsghdr messages[3];
    memset(messages, 0, sizeof messages);
    for (int i = 0; i < 3; i++) {
        messages[i].msg_hdr.msg_iov = &parts[i];
        messages[i].msg_hdr.msg_iovlen = 1;
    }
    must(sendmmsg(to, messages, 3, 0) == 3, "sendmmsg");
}
static void be_killed(int to) {
    send_all(to, 7, 11);
    kill(getpid(), SIGKILL);
}
// By streams without buffers: each of them is one write, or one read.
static void write_stream(int to) {
    FILE* file = fdopen(to, "w");
    setvbuf(file, NULL, _IONBF, 0);
    for (int i = 0; i < 9; i++) {
        must(fputs("12345", file) >= 0, "fputs");
    }
    fclose(file);
}
static void read_stream(int from) {
    FILE* file = fdopen(from, "r");
    setvbuf(file, NULL, _IONBF, 0);
    for (int i = 0; i < 8; i++) {
        must(fread(bytes, 1, 6, file) == 6, "fread");
    }
    fclose(file);
}
static void declare(int unused) {
    (void)unused;
    const kymo_channel from = kymo_shared_channel_from("jobs", 7);
    for (int i = 0; i < 12; i++) {
        kymo_end_call(from, kymo_begin_call(from), 1, 32);
    }
}

static void processes(void) {
    const int self = getpid();
    int ends[2];
    char byte;

    must(pipe(ends) == 0, "pipe");
    int pid = child(read_pipe, ends[0]);
    send_all(ends[1], 100, 10);
    tell("pipe", self, pid, 100, 10);
    end(pid);
    // Other channels get the numbers that are free now.
    close(ends[0]);
    close(ends[1]);

    must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "socketpair");
    pid = child(answer, ends[1]);
    send_all(ends[0], 50, 20);
    receive_all(ends[0], 50, 30);
    tell("unix", self, pid, 50, 20);
    tell("unix", pid, self, 50, 30);
    end(pid);
    close(ends[0]);
    close(ends[1]);

    const struct sockaddr_un name = name_of("socket");
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    must(bind(listener, (const struct sockaddr*)&name, sizeof name) == 0 && listen(listener, 1) == 0, "bind");
    pid = child(connect_unix, -1);
    int with = accept(listener, NULL, NULL);
    receive_all(with, 40, 8);
    send_all(with, 1, 1);
    tell("unix", pid, self, 40, 8);
    tell("unix", self, pid, 1, 1);
    end(pid);
    close(with);
    close(listener);

    socklen_t length = sizeof address;
    listener = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    must(bind(listener, (const struct sockaddr*)&address, sizeof address) == 0 && listen(listener, 1) == 0 &&
             getsockname(listener, (struct sockaddr*)&address, &length) == 0,
         "bind");
    pid = child(connect_tcp, -1);
    with = accept(listener, NULL, NULL);
    for (int i = 0; i < 30; i++) {
        receive_all(with, 1, 16);
        must(recv(with, bytes, sizeof bytes, MSG_PEEK | MSG_DONTWAIT) < 0, "peek");
        send_all(with, 1, 24);
    }
    tell("tcp-loopback", pid, self, 30, 16);
    tell("tcp-loopback", self, pid, 30, 24);
    end(pid);
    close(with);
    close(listener);

    char path[100];
    snprintf(path, sizeof path, "%s/fifo", folder);
    must(mkfifo(path, 0600) == 0, "mkfifo");
    pid = child(write_fifo, -1);
    with = open(path, O_RDONLY);
    receive_all(with, 15, 9);
    tell("fifo", pid, self, 15, 9);
    end(pid);
    close(with);

    must(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0, "socketpair");
    pid = child(send_datagrams, ends[1]);
    end(pid);
    must(recv(ends[0], &byte, 1, MSG_PEEK) == 1, "peek");
    for (int i = 0; i < 3; i++) {
        must(recv(ends[0], bytes, sizeof bytes, 0) == 5, "recv");
    }
    tell("unix", pid, self, 3, 5);
    close(ends[0]);
    close(ends[1]);

    must(pipe(ends) == 0, "pipe");
    pid = child(be_killed, ends[1]);
    receive_all(ends[0], 7, 11);
    waitpid(pid, NULL, 0);
    tell("pipe", pid, self, 7, 11);
    close(ends[0]);
    close(ends[1]);

    must(pipe(ends) == 0, "pipe");
    pid = child(write_stream, ends[1]);
    receive_all(ends[0], 9, 5);
    tell("pipe", pid, self, 9, 5);
    end(pid);
    close(ends[0]);
    close(ends[1]);
    must(pipe(ends) == 0, "pipe");
    pid = child(read_stream, ends[0]);
    send_all(ends[1], 8, 6);
    tell("pipe", self, pid, 8, 6);
    end(pid);
    close(ends[0]);
    close(ends[1]);

    const kymo_channel to = kymo_shared_channel_to("jobs", 7);
    for (int i = 0; i < 12; i++) {
        kymo_end_call(to, kymo_begin_call(to), 1, 32);
    }
    pid = child(declare, -1);
    tell("declared", self, pid, 12, 32);
    end(pid);
}

static int shared[2];
static void* read_shared(void* messages) {
    receive_all(shared[0], *(int*)messages, 1);
    return NULL;
}
static void* write_shared(void* messages) {
    send_all(shared[1], *(int*)messages, 1);
    return NULL;
}
static pthread_barrier_t sent;
static void* consume(void* unused) {
    const kymo_channel from = kymo_channel_from("queue", 1);
    pthread_barrier_wait(&sent);
    for (int i = 0; i < 5; i++) {
        kymo_end_call(from, kymo_begin_call(from), 1, 100);
    }
    return unused;
}

static void threads(void) {
    int counts[4] = {30, 20, 25, 25};
    pthread_t thread[5];
    must(pipe(shared) == 0, "pipe");
    for (int i = 0; i < 4; i++) {
        pthread_create(&thread[i], NULL, i < 2 ? write_shared : read_shared, &counts[i]);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(thread[i], NULL);
    }
    pthread_barrier_init(&sent, NULL, 2);
    pthread_create(&thread[4], NULL, consume, NULL);
    const kymo_channel to = kymo_channel_to("queue", 1);
    for (int i = 0; i < 5; i++) {
        kymo_end_call(to, kymo_begin_call(to), 1, 100);
    }
    pthread_barrier_wait(&sent);
    pthread_join(thread[4], NULL);
}

int main(int argc, char** argv) {
    must(argc >= 2, "usage");
    snprintf(folder, sizeof folder, "%s", argv[1]);
    if (argc > 2) {
        threads();
    } else {
        processes();
    }
    printf("{\"channels\": [%s]}\n", told);
    return 0;
}
