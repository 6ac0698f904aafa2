// Two threads that ask and answer, ROUNDS times, through pipes: as many blocking reads in each, nearly all of them
// short. The first answer takes 0.2 s, and so does that to the last question. Meanwhile the first one computes, in
// `compute`, but once, in `compute_once`; from time to time it sleeps, so that Kymo can keep up on a busy machine.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int questions[2];
static int answers[2];
static long rounds;
static volatile double value = 1;

static void must(int good) {
    if (!good) {
        perror("long_run");
        exit(1);
    }
}

__attribute__((noinline)) void compute(int turns) {
    for (int i = 0; i < turns; ++i) {
        value = value * 1.0000001 + 0.5;
    }
}

__attribute__((noinline)) void compute_once(void) {
    for (int i = 0; i < 20000000; ++i) {
        value = value * 1.0000002 + 0.25;
    }
}

__attribute__((noinline)) void answer_late(void) {
    const struct timespec pause = {0, 200000000};
    nanosleep(&pause, NULL);
}

__attribute__((noinline)) void rest(void) {
    const struct timespec pause = {0, 300000000};
    nanosleep(&pause, NULL);
}

static void* answer(void* unused) {
    char byte;
    for (long i = 0; i < rounds; ++i) {
        must(read(questions[0], &byte, 1) == 1);
        if (i == 0 || i == rounds - 1) {
            answer_late();
        }
        must(write(answers[1], &byte, 1) == 1);
    }
    return unused;
}

__attribute__((noinline)) void ask(void) {
    char byte = 'x';
    must(write(questions[1], &byte, 1) == 1 && read(answers[0], &byte, 1) == 1);
}

__attribute__((noinline)) void ask_first(void) {
    char byte = 'x';
    must(write(questions[1], &byte, 1) == 1 && read(answers[0], &byte, 1) == 1);
}

int main(int count, char** words) {
    rounds = count > 1 ? atol(words[1]) : 1000;
    must(pipe(questions) == 0 && pipe(answers) == 0);
    pthread_t other;
    must(pthread_create(&other, NULL, answer, NULL) == 0);
    ask_first();
    compute_once();
    for (long i = 1; i < rounds; ++i) {
        ask();
        compute(5000);
        if (i % 3000 == 0) {
            rest();
        }
    }
    must(pthread_join(other, NULL) == 0);
    return 0;
}
