// Message queues of System V and POSIX, and semaphores of System V (those of POSIX: locks.cpp).

#include "monitor/waits/waits.h"

#include <mqueue.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <time.h>

using namespace kymo::monitor;

// NOLINTBEGIN(readability-identifier-naming): the C library's names
KYMO_WAITING_CALL(int, semop, kSemaphore, id, (int id, sembuf* changes, size_t count), (id, changes, count), noexcept)
KYMO_WAITING_CALL(int, semtimedop, kSemaphore, id, (int id, sembuf* changes, size_t count, const timespec* length),
                  (id, changes, count, length), noexcept)

KYMO_WAITING_CALL(ssize_t, msgrcv, kMessage, id, (int id, void* to, size_t bytes, long type, int flags),
                  (id, to, bytes, type, flags))
KYMO_WAITING_CALL(int, msgsnd, kMessage, id, (int id, const void* message, size_t bytes, int flags),
                  (id, message, bytes, flags))

KYMO_WAITING_CALL(ssize_t, mq_receive, kMessage, id, (mqd_t id, char* to, size_t bytes, unsigned* priority),
                  (id, to, bytes, priority))
KYMO_WAITING_CALL(ssize_t, mq_timedreceive, kMessage, id,
                  (mqd_t id, char* to, size_t bytes, unsigned* priority, const timespec* until),
                  (id, to, bytes, priority, until))
KYMO_WAITING_CALL(int, mq_send, kMessage, id, (mqd_t id, const char* from, size_t bytes, unsigned priority),
                  (id, from, bytes, priority))
KYMO_WAITING_CALL(int, mq_timedsend, kMessage, id,
                  (mqd_t id, const char* from, size_t bytes, unsigned priority, const timespec* until),
                  (id, from, bytes, priority, until))
// NOLINTEND(readability-identifier-naming)
