// Requests in flight: how each was begun, so that its completion can be counted.
//
// A hash table of handles, shared by all threads under one lock (a request may be completed by another thread than
// it was begun by). The same handle may be present twice, because an MPI library may return the same one for all
// requests that complete at once; the older one is then used first. Costs 48 bytes per request in flight; doubled,
// never freed.
#pragma once

#include "mpi/channels.h"

#include <mpi.h>

namespace kymo::mpi {

struct Request {
    const Group* group = nullptr;
    std::int64_t bytes = 0;  // of a send
    int peer = kEverybody;   // in the group; of a receive from any source, unknown until its end
    Direction direction = Direction::kSend;
    bool is_persistent = false;
    bool is_active = true;  // a persistent one: begun and not yet completed
    bool is_cancelled = false;
};

void note_request(MPI_Request handle, const Request& request);
// Reads the request without changing it. False: not known, or not active.
bool look_at_request(MPI_Request handle, Request* request);
// Returns a completed request; a persistent one stays, inactive. False: not known, or not active.
bool take_request(MPI_Request handle, Request* request);
// Begins a persistent request.
bool start_request(MPI_Request handle, Request* request);
// Removes the request, whatever it was; returns as take_request() for an active one.
bool drop_request(MPI_Request handle, Request* request);
void cancel_request(MPI_Request handle);

// Messages matched and not yet received (MPI_Mprobe): the communicator they came by.
void note_message(MPI_Message message, const Group* group, int source);
bool take_message(MPI_Message message, const Group** group, int* source);

}  // namespace kymo::mpi
