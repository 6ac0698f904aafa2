// Messages through a socket pair, sent from foo and from bar: how long does foo spend sending? The program keeps its
// own account and prints it; Kymo is asked the same without the program's help (send_in_foo.kym).
//
//     exchange [MESSAGES]        of each of two threads from each of foo and bar
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct Account {
    int socket;
    long messages;
    uint64_t sent_in_foo;
    uint64_t ns_in_foo;
    uint64_t sent_in_bar;
    uint64_t ns_in_bar;
    uint64_t bytes;
};

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
}

static volatile uint64_t sink;

// A checksum over the message, some hundred times: sending is to take as long as it does on a network.
#ifndef CHECKSUMS
#define CHECKSUMS 200
#endif
__attribute__((noinline, noclone)) int send_message(int socket, const char* text, size_t size) {
    uint64_t sum = 0;
    for (int round = 0; round < CHECKSUMS; round++) {
        for (size_t i = 0; i < size; i++) {
            sum = sum * 31 + (unsigned char)text[i];
        }
    }
    sink = sum;
    return (int)write(socket, text, size);
}

__attribute__((noinline, noclone)) void foo(struct Account* account, const char* text, size_t size) {
    const uint64_t begin = now();
    const int sent = send_message(account->socket, text, size);
    account->ns_in_foo += now() - begin;
    account->sent_in_foo++;
    account->bytes += (uint64_t)sent;
}

__attribute__((noinline, noclone)) void bar(struct Account* account, const char* text, size_t size) {
    const uint64_t begin = now();
    const int sent = send_message(account->socket, text, size);
    account->ns_in_bar += now() - begin;
    account->sent_in_bar++;
    account->bytes += (uint64_t)sent;
}

static void* receive(void* given) {
    char text[256];
    while (read(*(int*)given, text, sizeof text) > 0) {
    }
    return NULL;
}

static void* work(void* given) {
    struct Account* account = given;
    char text[100];
    memset(text, 'x', sizeof text);
    for (long i = 0; i < account->messages; i++) {
        foo(account, text, 60 + (size_t)(i % 40));
        bar(account, text, 20);
        bar(account, text, 20);
    }
    return NULL;
}

int main(int argc, char** argv) {
    enum { kThreads = 2 };
    const long messages = argc > 1 ? atol(argv[1]) : 10000;
    int ends[2];
    if (messages <= 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
        fprintf(stderr, "exchange: no messages, or no sockets\n");
        return 1;
    }
    pthread_t receiver;
    pthread_t threads[kThreads];
    struct Account accounts[kThreads];
    pthread_create(&receiver, NULL, receive, &ends[1]);
    for (int i = 0; i < kThreads; i++) {
        accounts[i] = (struct Account){.socket = ends[0], .messages = messages};
        pthread_create(&threads[i], NULL, work, &accounts[i]);
    }
    struct Account all = {0};
    for (int i = 0; i < kThreads; i++) {
        pthread_join(threads[i], NULL);
        all.sent_in_foo += accounts[i].sent_in_foo;
        all.ns_in_foo += accounts[i].ns_in_foo;
        all.sent_in_bar += accounts[i].sent_in_bar;
        all.ns_in_bar += accounts[i].ns_in_bar;
        all.bytes += accounts[i].bytes;
    }
    shutdown(ends[0], SHUT_WR);
    pthread_join(receiver, NULL);
    printf("foo sent %llu messages in %.6f ms, bar %llu in %.6f ms, %llu bytes in all\n",
           (unsigned long long)all.sent_in_foo, (double)all.ns_in_foo / 1e6, (unsigned long long)all.sent_in_bar,
           (double)all.ns_in_bar / 1e6, (unsigned long long)all.bytes);
    return 0;
}
