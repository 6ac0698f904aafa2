#include "mpi/count.h"

#include "mpi/real.h"

namespace kymo::mpi {
namespace {

using cells::ChannelCell;

std::uint64_t* called(const Group& group, int peer, Direction direction, std::uint64_t ns) {
    std::uint64_t* cells = cells_of(group, peer, direction);
    if (cells != nullptr) {
        count_call(cells, ns);
    }
    return cells;
}

void message(std::uint64_t* cells, std::int64_t bytes) {
    if (cells != nullptr) {
        count_message(cells, bytes);
    }
}

// The thread's own view of what is in flight: another thread may complete it, and then this cell goes below 0 there;
// the reader's sum over the threads is right.
void outstanding(std::uint64_t* cells, bool more) {
    if (cells == nullptr) {
        return;
    }
    std::uint64_t& now = cell(cells, ChannelCell::kOutstanding);
    cells::increase(now, more ? 1 : ~std::uint64_t{0});
    const std::uint64_t present = cells::load(now);
    std::uint64_t& most = cell(cells, ChannelCell::kMostOutstanding);
    if (static_cast<std::int64_t>(present) > static_cast<std::int64_t>(cells::load(most))) {
        cells::store(most, present);
    }
}

// The class is the same in every MPI library; codes are not.
int class_of(int error) {
    int kind = error;
    real_calls.Error_class(error, &kind);
    return kind;
}

// False for a peer that is MPI_PROC_NULL, or unknown: no message passes.
bool is_peer(const Group* group, int peer) {
    return group != nullptr && peer >= 0 && peer < group->size;
}

void receive_of(const Group* group, const MPI_Status& status, std::uint64_t ns) {
    if (is_peer(group, status.MPI_SOURCE)) {
        message(called(*group, status.MPI_SOURCE, Direction::kReceive, ns), bytes_in(status));
    }
}

void receive_of(MPI_Comm communicator, const MPI_Status& status, std::uint64_t ns) {
    if (std::uint64_t* cells = cells_of(communicator, status.MPI_SOURCE, Direction::kReceive)) {
        count_call(cells, ns);
        count_message(cells, bytes_in(status));
    }
}

}  // namespace

void sent(const Begin& begin, MPI_Comm communicator, int peer, std::int64_t count, MPI_Datatype type) {
    if (std::uint64_t* cells = cells_of(communicator, peer, Direction::kSend)) {
        const std::int64_t size = size_of(type);
        count_call(cells, begin.ns());
        count_message(cells, count * size);
        Recent::Channel& place = place_of(communicator, peer_and_direction(peer, Direction::kSend));
        if (place.cells == cells) {
            place.type = bits_of(type);
            place.type_size = size;
        }
    }
}

void started_send(const Begin& begin, MPI_Comm communicator, int peer, std::int64_t count, MPI_Datatype type,
                  MPI_Request request, bool is_persistent) {
    const Group* group = group_of(communicator);
    if (!is_peer(group, peer)) {
        return;
    }
    Request in_flight;
    in_flight.group = group;
    in_flight.bytes = count * size_of(type);
    in_flight.peer = peer;
    in_flight.is_persistent = is_persistent;
    in_flight.is_active = !is_persistent;
    std::uint64_t* cells = called(*group, peer, Direction::kSend, begin.ns());
    if (!is_persistent) {
        message(cells, in_flight.bytes);
        outstanding(cells, true);
    }
    note_request(request, in_flight);
}

void received(const Begin& begin, MPI_Comm communicator, const MPI_Status& status) {
    receive_of(communicator, status, begin.ns());
}

void started_receive(const Begin& begin, MPI_Comm communicator, int peer, MPI_Request request, bool is_persistent) {
    const Group* group = group_of(communicator);
    if (group == nullptr || peer == MPI_PROC_NULL) {
        return;
    }
    Request in_flight;
    in_flight.group = group;
    in_flight.peer = is_peer(group, peer) ? peer : kEverybody;
    in_flight.direction = Direction::kReceive;
    in_flight.is_persistent = is_persistent;
    in_flight.is_active = !is_persistent;
    std::uint64_t* cells = called(*group, in_flight.peer, Direction::kReceive, begin.ns());
    if (!is_persistent) {
        outstanding(cells, true);
    }
    note_request(request, in_flight);
}

void exchanged(const Begin& begin, MPI_Comm communicator, int peer, std::int64_t count, MPI_Datatype type,
               const MPI_Status& status) {
    if (std::uint64_t* cells = cells_of(communicator, peer, Direction::kSend)) {
        count_call(cells, 0);
        count_message(cells, count * size_of(type));
    }
    receive_of(communicator, status, begin.ns());
}

void started(const Begin& begin, MPI_Request handle) {
    Request request;
    if (!start_request(handle, &request)) {
        return;
    }
    std::uint64_t* cells = called(*request.group, request.peer, request.direction, begin.ns());
    if (request.direction == Direction::kSend) {
        message(cells, request.bytes);
    }
    outstanding(cells, true);
}

void completed(std::uint64_t ns, int parts, MPI_Request handle, const MPI_Status& status) {
    Request request;
    if (!take_request(handle, &request)) {
        return;
    }
    const std::uint64_t share = ns / static_cast<std::uint64_t>(parts > 0 ? parts : 1);
    std::uint64_t* begun = called(*request.group, request.peer, request.direction, share);
    outstanding(begun, false);
    int was_cancelled = 0;
    if (request.is_cancelled) {
        real_calls.Test_cancelled(&status, &was_cancelled);
    }
    if (request.direction == Direction::kRead || request.direction == Direction::kWrite) {
        message(begun, bytes_in(status));
    }
    if (request.direction == Direction::kReceive && was_cancelled == 0 && is_peer(request.group, status.MPI_SOURCE)) {
        message(cells_of(*request.group, status.MPI_SOURCE, Direction::kReceive), bytes_in(status));
    }
}

void count_error(std::uint64_t* cells, int error) {
    cells::increase(cell(cells, ChannelCell::kErrors), 1);
    switch (class_of(error)) {
        case MPI_ERR_TRUNCATE:
            return cells::increase(cell(cells, ChannelCell::kErrorsTruncated), 1);
        case MPI_ERR_BUFFER:
        case MPI_ERR_COUNT:
        case MPI_ERR_TYPE:
        case MPI_ERR_TAG:
        case MPI_ERR_COMM:
        case MPI_ERR_RANK:
        case MPI_ERR_REQUEST:
        case MPI_ERR_ROOT:
        case MPI_ERR_GROUP:
        case MPI_ERR_OP:
        case MPI_ERR_TOPOLOGY:
        case MPI_ERR_DIMS:
        case MPI_ERR_ARG:
            return cells::increase(cell(cells, ChannelCell::kErrorsArguments), 1);
        default:
            return;
    }
}

int error_of(int result, const MPI_Status& status) {
    return class_of(result) == MPI_ERR_IN_STATUS ? status.MPI_ERROR : result;
}

void broke(std::uint64_t ns, MPI_Request before, MPI_Request after, bool is_alone, int error) {
    Request request;
    if (!look_at_request(before, &request)) {
        return;
    }
    // Of several requests those that are over have no handle any more; of one alone, a persistent one is over, too.
    const bool is_over = after == MPI_REQUEST_NULL || (is_alone && request.is_persistent);
    std::uint64_t* cells = called(*request.group, request.peer, request.direction, ns);
    if (is_over && take_request(before, &request)) {
        outstanding(cells, false);
    }
    if (cells != nullptr && (is_over || is_alone)) {
        count_error(cells, error);
    }
}

void failed(const Begin& begin, MPI_Comm communicator, int peer, Direction direction, int error) {
    const Group* group = known_group_of(communicator);
    if (group == nullptr) {
        return;
    }
    if (std::uint64_t* cells = called(*group, is_peer(group, peer) ? peer : kEverybody, direction, begin.ns())) {
        count_error(cells, error);
    }
}

void polled(std::uint64_t ns, int parts, MPI_Request handle) {
    Request request;
    if (look_at_request(handle, &request)) {
        called(*request.group, request.peer, request.direction,
               ns / static_cast<std::uint64_t>(parts > 0 ? parts : 1));
    }
}

void freed(MPI_Request handle) {
    Request request;
    if (drop_request(handle, &request)) {
        outstanding(cells_of(*request.group, request.peer, request.direction), false);
    }
}

void probed(const Begin& begin, MPI_Comm communicator, const MPI_Status& status, bool found) {
    const Group* group = group_of(communicator);
    if (group != nullptr) {
        const int peer = found && is_peer(group, status.MPI_SOURCE) ? status.MPI_SOURCE : kEverybody;
        called(*group, peer, Direction::kReceive, begin.ns());
    }
}

void matched(const Begin& begin, MPI_Comm communicator, const MPI_Status& status, MPI_Message message_handle,
             bool found) {
    probed(begin, communicator, status, found);
    const Group* group = group_of(communicator);
    if (found && is_peer(group, status.MPI_SOURCE)) {
        note_message(message_handle, group, status.MPI_SOURCE);
    }
}

void received_matched(const Begin& begin, MPI_Message handle, const MPI_Status& status) {
    const Group* group = nullptr;
    int source = 0;
    if (take_message(handle, &group, &source)) {
        receive_of(group, status, begin.ns());
    }
}

void started_receive_matched(const Begin& begin, MPI_Message handle, MPI_Request request) {
    Request in_flight;
    in_flight.direction = Direction::kReceive;
    if (take_message(handle, &in_flight.group, &in_flight.peer)) {
        outstanding(called(*in_flight.group, in_flight.peer, Direction::kReceive, begin.ns()), true);
        note_request(request, in_flight);
    }
}

namespace {

void operation(const Begin& begin, const Group* group, int peer, Direction direction, std::int64_t bytes,
               const MPI_Request* handle) {
    if (group == nullptr || peer == MPI_PROC_NULL) {
        return;
    }
    const int known = is_peer(group, peer) ? peer : kEverybody;
    std::uint64_t* cells = called(*group, known, direction, begin.ns());
    message(cells, bytes);
    if (handle != nullptr) {
        Request request;
        request.group = group;
        request.peer = known;
        request.direction = direction;
        outstanding(cells, true);
        note_request(*handle, request);
    }
}

}  // namespace

void collected(const Begin& begin, MPI_Comm communicator, int root, std::int64_t bytes, const MPI_Request* request) {
    operation(begin, group_of(communicator), root == MPI_PROC_NULL ? kEverybody : root, Direction::kCollective, bytes,
              request);
}

void accessed(const Begin& begin, MPI_Win window, int target, std::int64_t bytes, const MPI_Request* request) {
    operation(begin, group_of_window(window), target, Direction::kOneSided, bytes, request);
}

void synchronised(const Begin& begin, MPI_Win window, int target) {
    if (const Group* group = group_of_window(window)) {
        called(*group, is_peer(group, target) ? target : kEverybody, Direction::kOneSided, begin.ns());
    }
}

void opened(MPI_File file, const char* path) {
    note_file(file, path);
}

void transferred(const Begin& begin, MPI_File file, Direction direction, const MPI_Status& status) {
    if (const Group* group = group_of_file(file)) {
        message(called(*group, kEverybody, direction, begin.ns()), bytes_in(status));
    }
}

void began_transfer(const Begin& begin, MPI_File file, Direction direction) {
    if (const Group* group = group_of_file(file)) {
        called(*group, kEverybody, direction, begin.ns());
    }
}

void started_transfer(const Begin& begin, MPI_File file, Direction direction, MPI_Request handle) {
    if (const Group* group = group_of_file(file)) {
        Request request;
        request.group = group;
        request.direction = direction;
        outstanding(called(*group, kEverybody, direction, begin.ns()), true);
        note_request(handle, request);
    }
}

int size_of_group(MPI_Comm communicator) {
    const Group* group = group_of(communicator);
    return group != nullptr ? group->size : 0;
}

int rank_in(MPI_Comm communicator) {
    const Group* group = group_of(communicator);
    return group != nullptr ? group->rank : 0;
}

bool is_root(MPI_Comm communicator, int root) {
    const Group* group = group_of(communicator);
    return root == MPI_ROOT || (group != nullptr && !group->is_between && root == group->rank);
}

bool gives(MPI_Comm communicator, int root) {
    const Group* group = group_of(communicator);
    return root >= 0 || group == nullptr || !group->is_between;
}

int destinations_of(MPI_Comm communicator) {
    const Group* group = group_of(communicator);
    return group != nullptr ? group->destinations : 0;
}

std::int64_t sum_of(const int* counts, int size) {
    std::int64_t sum = 0;
    for (int i = 0; counts != nullptr && i < size; ++i) {
        sum += counts[i];
    }
    return sum;
}

std::int64_t sum_of(const int* counts, const MPI_Datatype* types, int size) {
    std::int64_t sum = 0;
    for (int i = 0; counts != nullptr && types != nullptr && i < size; ++i) {
        sum += counts[i] * size_of(types[i]);
    }
    return sum;
}

}  // namespace kymo::mpi
