// Descriptors sent to another process and received there: with the numbers that they would have, and all of them.
#include "../burn.h"

#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int ends[2];
    MUST(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
    burn(10);
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int[8]))];
    } control;
    char byte = 'x';
    struct iovec part = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    const pid_t child = fork();
    if (child == 0) {
        int files[8];
        burn(10);
        for (int i = 0; i < 8; ++i) {
            files[i] = eventfd((unsigned)i, 0);
            MUST(files[i] >= 0);
        }
        message.msg_control = &control;
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(sizeof files);
        memcpy(CMSG_DATA(&control.header), files, sizeof files);
        MUST(sendmsg(ends[1], &message, 0) == 1);
        _exit(0);
    }
    MUST(recvmsg(ends[0], &message, 0) == 1);
    int files[8];
    memcpy(files, CMSG_DATA(&control.header), sizeof files);
    uint64_t sum = 0;
    for (int i = 1; i < 8; ++i) {
        uint64_t value = 0;
        MUST(read(files[i], &value, sizeof value) == sizeof value);
        sum += value;
    }
    MUST(wait(NULL) == child);
    burn(10);
    printf("from %d to %d, sum %d, the next is %d\n", files[0], files[7], (int)sum, dup(0));
    return 0;
}
