// What a call of MPI adds to its channel's cells. The wrappers (generated) call these after the real call, with C
// handles whichever language the program is in.
//
// Per channel (cells::ChannelCell): `messages` and `bytes` of a send when it is begun, of a receive when it is
// complete; of a collective and a one-sided call one message and the bytes that this process contributes (Get:
// takes out); of a file one message per access, when it is complete. `blocked`: time inside calls; of a call that
// completes several requests, in equal parts. `outstanding`: begun and not yet completed. Messages to and from
// MPI_PROC_NULL are not counted.
//
// Contract: no MPI call but PMPI_, no malloc, no exceptions; a thread writes its own rows only.
#pragma once

#include "cells/primitives.h"
#include "cells/standard.h"
#include "mpi/channels.h"
#include "mpi/generated.h"
#include "mpi/requests.h"

#include <mpi.h>

namespace kymo::mpi {

// The compiler considers them too long to inline in every wrapper; as calls they would cost as much as their work.
#define KYMO_MPI_QUICK __attribute__((always_inline)) inline

// When the call began.
struct Begin {
    std::uint64_t ticks;
    KYMO_MPI_QUICK Begin() : ticks(counting.timed ? cells::read_ticks(counting.rate.kind) : 0) {}
    [[nodiscard]] KYMO_MPI_QUICK std::uint64_t ns() const {
        if (!counting.timed) {
            return 0;
        }
        const std::uint64_t passed = cells::read_ticks(counting.rate.kind) - ticks;
        // Two processors' counters may differ by some ticks.
        return static_cast<std::int64_t>(passed) > 0 ? counting.rate.to_ns(passed) : 0;
    }
};

KYMO_MPI_QUICK std::uint64_t& cell(std::uint64_t* cells, cells::ChannelCell which) {
    return cells[static_cast<std::uint32_t>(which)];
}

KYMO_MPI_QUICK void count_call(std::uint64_t* cells, std::uint64_t ns) {
    cells::increase(cell(cells, cells::ChannelCell::kCalls), 1);
    if (ns != 0) {
        cells::increase(cell(cells, cells::ChannelCell::kBlocked), ns);
    }
}

KYMO_MPI_QUICK void count_message(std::uint64_t* cells, std::int64_t bytes) {
    const auto size = static_cast<std::uint64_t>(bytes < 0 ? 0 : bytes);
    cells::increase(cell(cells, cells::ChannelCell::kMessages), 1);
    cells::increase(cell(cells, cells::ChannelCell::kBytes), size);
    if (size > cells::load(cell(cells, cells::ChannelCell::kLargest))) {
        cells::store(cell(cells, cells::ChannelCell::kLargest), size);
    }
}

inline std::int64_t bytes_in(const MPI_Status& status) {
#ifdef OPEN_MPI
    return static_cast<std::int64_t>(status._ucount);  // the result of MPI_Get_elements_x for bytes, in 6 ns
#else
    MPI_Count bytes = 0;
    return real_calls.Get_elements_x(&status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes > 0 ? bytes : 0;
#endif
}

// An error that a call has returned, with its class's kind.
void count_error(std::uint64_t* cells, int error);
// Of one of several requests: its status, if the call's result refers to the statuses.
int error_of(int result, const MPI_Status& status);

__attribute__((noinline, cold)) inline void count_failure(std::uint64_t* cells, std::uint64_t ns, int error) {
    count_call(cells, ns);
    count_error(cells, error);
}

// The fast path of MPI_Send and MPI_Recv: the cells to add to are known before the call, so that little is kept
// across it.
struct QuickSend {
    std::uint64_t* cells = nullptr;  // null: not known
    std::int64_t bytes = 0;
    KYMO_MPI_QUICK QuickSend(MPI_Comm communicator, int peer, std::int64_t count, MPI_Datatype type) {
        const Recent::Channel* known = known_channel(communicator, peer, Direction::kSend);
        if (known != nullptr && __builtin_expect(known->type == bits_of(type), 1)) {
            cells = known->cells;
            bytes = count * known->type_size;
        }
    }
    void failed(const Begin& begin, int error) const { count_failure(cells, begin.ns(), error); }
    KYMO_MPI_QUICK void succeeded(const Begin& begin) const {
        count_call(cells, begin.ns());
        count_message(cells, bytes);
    }
};
struct QuickReceive {
    std::uint64_t* cells = nullptr;
    KYMO_MPI_QUICK QuickReceive(MPI_Comm communicator, int peer) {
        const Recent::Channel* known = known_channel(communicator, peer, Direction::kReceive);
        cells = known != nullptr ? known->cells : nullptr;
    }
    void failed(const Begin& begin, int error) const { count_failure(cells, begin.ns(), error); }
    KYMO_MPI_QUICK void succeeded(const Begin& begin, const MPI_Status& status) const {
        count_call(cells, begin.ns());
        count_message(cells, bytes_in(status));
    }
};

void sent(const Begin& begin, MPI_Comm communicator, int peer, std::int64_t count, MPI_Datatype type);
void started_send(const Begin& begin, MPI_Comm communicator, int peer, std::int64_t count, MPI_Datatype type,
                  MPI_Request request, bool is_persistent);
void received(const Begin& begin, MPI_Comm communicator, const MPI_Status& status);
void started_receive(const Begin& begin, MPI_Comm communicator, int peer, MPI_Request request, bool is_persistent);
// Both halves of MPI_Sendrecv: the time is the receive's.
void exchanged(const Begin& begin, MPI_Comm communicator, int peer, std::int64_t count, MPI_Datatype type,
               const MPI_Status& status);
void started(const Begin& begin, MPI_Request request);
// `parts`: requests that share the call's time.
void completed(std::uint64_t ns, int parts, MPI_Request request, const MPI_Status& status);
void freed(MPI_Request request);
// A call about the request ended with an error; `after` is its handle now. If the request is over, no message passed.
// `is_alone`: the call was about no other request.
void broke(std::uint64_t ns, MPI_Request before, MPI_Request after, bool is_alone, int error);
// A call with a peer ended with an error. Its arguments are checked again by MPI, because they may be the error.
void failed(const Begin& begin, MPI_Comm communicator, int peer, Direction direction, int error);
// A call that tested the request and found it not complete.
void polled(std::uint64_t ns, int parts, MPI_Request request);
// found: false where MPI_Iprobe found none.
void probed(const Begin& begin, MPI_Comm communicator, const MPI_Status& status, bool found);
void matched(const Begin& begin, MPI_Comm communicator, const MPI_Status& status, MPI_Message message, bool found);
void received_matched(const Begin& begin, MPI_Message message, const MPI_Status& status);
void started_receive_matched(const Begin& begin, MPI_Message message, MPI_Request request);

// `request` null: it blocked. `root` kEverybody: the operation has none.
void collected(const Begin& begin, MPI_Comm communicator, int root, std::int64_t bytes, const MPI_Request* request);
void accessed(const Begin& begin, MPI_Win window, int target, std::int64_t bytes, const MPI_Request* request);
// target kEverybody: fences and similar.
void synchronised(const Begin& begin, MPI_Win window, int target);

// Of a file: the amount read or written is in the status.
void opened(MPI_File file, const char* path);
void transferred(const Begin& begin, MPI_File file, Direction direction, const MPI_Status& status);
void started_transfer(const Begin& begin, MPI_File file, Direction direction, MPI_Request request);
// The first half of a split collective; the second is transferred().
void began_transfer(const Begin& begin, MPI_File file, Direction direction);

// ---- for the expressions of collectives' bytes

int size_of_group(MPI_Comm communicator);  // the remote one of an intercommunicator
int rank_in(MPI_Comm communicator);
bool is_root(MPI_Comm communicator, int root);
// Whether this process contributes data to an operation with that root: not on the root's side of an
// intercommunicator.
bool gives(MPI_Comm communicator, int root);
int destinations_of(MPI_Comm communicator);
std::int64_t sum_of(const int* counts, int size);
std::int64_t sum_of(const int* counts, const MPI_Datatype* types, int size);

}  // namespace kymo::mpi
