// What a wrapper of libkymo-mpi.so costs a call: this program has MPI calls of its own that do nothing (PMPI_Send and
// others; the rest is the installed library's), and runs itself with the wrappers before them, counting and timing.
// Processor time a call, beside the bare call; the least of several rounds. A timed call reads the processor's
// counter twice: what that alone costs here is told, too.
#include "cells/ticks.h"
#include "kymo/cells_interface.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mpi.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int kCalls = 2'000'000;
constexpr int kRounds = 7;

kymo_tick_rate rate;
std::uint64_t cells[64][64];
unsigned used = 0;

void enter(kymo_task* task) {
    task->cells = cells[63];
    task->rate = &rate;
}
std::uint64_t* channel(const kymo_channel_key*, std::uint64_t, const char*) {
    return used < 60 ? cells[used++] : nullptr;
}

template <typename Call>
double cost(const Call& call) {
    double least = 1e9;
    for (int round = 0; round < kRounds; ++round) {
        timespec begin{};
        timespec end{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
        for (int i = 0; i < kCalls; ++i) {
            call(i);
        }
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
        least = std::min(least, (static_cast<double>(end.tv_sec - begin.tv_sec) * 1e9 +
                                 static_cast<double>(end.tv_nsec - begin.tv_nsec)) /
                                    kCalls);
    }
    return least;
}

int measure(const char* mode) {
    const kymo::cells::TickRate ticks = kymo::cells::measure_ticks(5'000'000);
    rate = {static_cast<std::uint32_t>(ticks.kind), ticks.shift, ticks.multiplier};
    MPI_Init(nullptr, nullptr);
    char buffer[64] = {};
    MPI_Comm other = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    const double readings = cost([&](int) {
        const std::uint64_t begin = kymo::cells::read_ticks(ticks.kind);
        asm volatile("" ::: "memory");
        asm volatile("" ::"r"(kymo::cells::read_ticks(ticks.kind) - begin));
    });
    const double bare = cost([&](int) { PMPI_Send(buffer, 8, MPI_INT, 0, 1, MPI_COMM_WORLD); });
    const double send = cost([&](int) { MPI_Send(buffer, 8, MPI_INT, 0, 1, MPI_COMM_WORLD); });
    const double turns = cost([&](int i) {
        MPI_Send(buffer, 8, i % 2 == 0 ? MPI_INT : MPI_DOUBLE, 0, 1, i % 2 == 0 ? MPI_COMM_WORLD : other);
    });
    const double recv = cost([&](int) { MPI_Recv(buffer, 8, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); });
    const double pair = cost([&](int) {
        MPI_Request request;
        MPI_Isend(buffer, 8, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    });
    std::printf(
        "%s, ns a call beyond the bare one (%.1f): Send %.1f, Send to two communicators in turn %.1f, Recv %.1f, "
        "Isend and Wait together %.1f; two readings of the clock alone %.1f\n",
        mode, bare, send - bare, turns - bare, recv - bare, pair - 2 * bare, readings);
    MPI_Finalize();
    return 0;
}

}  // namespace

extern "C" {
int PMPI_Send(const void*, int, MPI_Datatype, int, int, MPI_Comm) {
    asm volatile("");
    return MPI_SUCCESS;
}
int PMPI_Recv(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status* status) {
    if (status != MPI_STATUS_IGNORE) {
        std::memset(status, 0, sizeof *status);
    }
    return MPI_SUCCESS;
}
int PMPI_Isend(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request* request) {
    static int something;
    *request = reinterpret_cast<MPI_Request>(&something);
    return MPI_SUCCESS;
}
int PMPI_Wait(MPI_Request* request, MPI_Status* status) {
    *request = MPI_REQUEST_NULL;
    if (status != MPI_STATUS_IGNORE) {
        std::memset(status, 0, sizeof *status);
    }
    return MPI_SUCCESS;
}
const kymo_cells_interface* kymo_monitor_cells() {
    static const kymo_cells_interface interface{1, sizeof interface, enter, nullptr, nullptr, channel};
    return &interface;
}
}

int main(int, char** argv) {
    if (const char* mode = std::getenv("KYMO_MPI"); mode != nullptr) {
        return measure(mode);
    }
    setenv("LD_PRELOAD", KYMO_MPI_LIBRARY, 1);
    for (const char* mode : {"count", "time"}) {
        setenv("KYMO_MPI", mode, 1);
        const pid_t child = fork();
        if (child == 0) {
            execl("/proc/self/exe", argv[0], nullptr);
            std::_Exit(1);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (status != 0) {
            return 1;
        }
    }
    return 0;
}
