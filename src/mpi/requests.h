// Requests in flight: what each was begun as, so that its completion can be counted.
//
// A hash table of handles, shared by all threads under one lock (a request may be completed by another thread than it
// was begun by). The same handle may be there twice: an MPI library may give the same one to all requests that were
// complete at once; then the older goes first. Costs 48 bytes a request in flight; doubled, never given back.
#pragma once

#include "mpi/channels.h"

#include <mpi.h>

namespace kymo::mpi {

struct Request {
    const Group* group = nullptr;
    std::int64_t bytes = 0;  // of a send
    int peer = kEverybody;   // in the group; of a receive from anyone not known before its end
    Direction direction = Direction::kSend;
    bool is_persistent = false;
    bool is_active = true;  // a persistent one: begun and not yet completed
    bool is_cancelled = false;
};

void note_request(MPI_Request handle, const Request& request);
// What it is, which stays as it is. False: not known, or not active.
bool look_at_request(MPI_Request handle, Request* request);
// What a completed request was; a persistent one stays, inactive. False: not known, or not active.
bool take_request(MPI_Request handle, Request* request);
// Begins a persistent request.
bool start_request(MPI_Request handle, Request* request);
// Gone, whatever it was; as take_request() for one that was active.
bool drop_request(MPI_Request handle, Request* request);
void cancel_request(MPI_Request handle);

// Messages matched and not yet received (MPI_Mprobe): the communicator they came by.
void note_message(MPI_Message message, const Group* group, int source);
bool take_message(MPI_Message message, const Group** group, int* source);

}  // namespace kymo::mpi
