"""Which MPI calls are counted, and as what: a name, a kind (wrappers.py has a function for each), and the roles of its parameters,
called as mpi.h calls them. Nothing here depends on an MPI library; what the installed one lacks is left out by the generator, and said."""


CALLS = {}


def add(names, kind, **roles):
    for name in names.split():
        CALLS[name] = (kind, roles)


# Point to point.
add("Send Bsend Ssend Rsend", "send", comm="comm", peer="dest", count="count", type="datatype")
add("Isend Ibsend Issend Irsend", "start_send", comm="comm", peer="dest", count="count", type="datatype", request="request")
add("Recv", "receive", comm="comm", peer="source", status="status")
add("Irecv", "start_receive", comm="comm", peer="source", request="request")
add("Sendrecv", "exchange", comm="comm", peer="dest", count="sendcount", type="sendtype", status="status")
add("Sendrecv_replace", "exchange", comm="comm", peer="dest", count="count", type="datatype", status="status")
add("Probe", "probe", comm="comm", status="status")
add("Iprobe", "probe", comm="comm", status="status", flag="flag")
add("Mprobe", "match", comm="comm", status="status", message="message")
add("Improbe", "match", comm="comm", status="status", message="message", flag="flag")
add("Mrecv", "receive_matched", message="message", status="status")
add("Imrecv", "start_receive_matched", message="message", request="request")

# Persistent.
add("Send_init Bsend_init Ssend_init Rsend_init", "make_send", comm="comm", peer="dest", count="count", type="datatype", request="request")
add("Recv_init", "make_receive", comm="comm", peer="source", request="request")
add("Start", "start", request="request")
add("Startall", "start_all", count="count", requests="array_of_requests")

# Completion.
add("Wait", "complete_one", request="request", status="status")
add("Test", "complete_one", request="request", status="status", flag="flag")
add("Waitall", "complete_all", count="count", requests="array_of_requests", statuses="array_of_statuses")
add("Testall", "complete_all", count="count", requests="array_of_requests", statuses="array_of_statuses", flag="flag")
add("Waitany", "complete_any", count="count", requests="array_of_requests", index="index", status="status")
add("Testany", "complete_any", count="count", requests="array_of_requests", index="index", status="status", flag="flag")
add("Waitsome Testsome", "complete_some", count="incount", requests="array_of_requests", done="outcount",
    indices="array_of_indices", statuses="array_of_statuses")
add("Request_free", "free_request", request="request")
add("Cancel", "cancel", request="request")

# Collective: `bytes` is what this process puts in, as an expression over roles (see wrappers.py).
for prefix in ("", "I"):
    for name, bytes_of, root in [
        ("Barrier", "none", None), ("Bcast", "root_block", "root"),
        ("Gather", "block", "root"), ("Gatherv", "block", "root"), ("Scatter", "root_all", "root"), ("Scatterv", "root_vector", "root"),
        ("Allgather", "block", None), ("Allgatherv", "block", None),
        ("Alltoall", "all", None), ("Alltoallv", "vector", None), ("Alltoallw", "vector_types", None),
        ("Reduce", "reduced", "root"), ("Allreduce", "reduced", None), ("Reduce_scatter", "reduced_vector", None),
        ("Reduce_scatter_block", "reduced_all", None), ("Scan", "reduced", None), ("Exscan", "reduced", None),
        ("Neighbor_allgather", "block", None), ("Neighbor_allgatherv", "block", None), ("Neighbor_alltoall", "block_out", None),
        ("Neighbor_alltoallv", "vector_out", None), ("Neighbor_alltoallw", "vector_types_out", None)]:
        spelled = prefix + (name if not prefix else name[0].lower() + name[1:])
        CALLS[spelled] = ("collective", {"bytes": bytes_of, "root": root, "request": "request" if prefix else None})

# One-sided.
for prefix in ("", "R"):
    for name in ("Put", "Get", "Accumulate", "Get_accumulate"):
        spelled = prefix + (name if not prefix else name[0].lower() + name[1:])
        CALLS[spelled] = ("one_sided", {"request": "request" if prefix else None})
add("Fetch_and_op Compare_and_swap", "one_sided", request=None)
add("Win_fence Win_complete Win_wait Win_start Win_post Win_lock_all Win_unlock_all Win_flush_all Win_flush_local_all Win_sync", "synchronise", rank=None)
add("Win_lock Win_unlock Win_flush Win_flush_local", "synchronise", rank="rank")
add("Win_test", "synchronise", rank=None)

# Files. `_begin` and `_end` are the halves of a collective access.
for kind, direction in (("read", "kRead"), ("write", "kWrite")):
    for how in ("", "_at", "_all", "_at_all", "_shared", "_ordered"):
        add(f"File_{kind}{how}", "transfer", file="fh", status="status", direction=direction)
    for how in ("", "_at", "_all", "_at_all", "_shared"):
        add(f"File_i{kind}{how}", "start_transfer", file="fh", request="request", direction=direction)
    for how in ("_all", "_at_all", "_ordered"):
        add(f"File_{kind}{how}_begin", "begin_transfer", file="fh", direction=direction)
        add(f"File_{kind}{how}_end", "transfer", file="fh", status="status", direction=direction)
add("File_open", "open", file="fh", path="filename")
add("File_close", "forget_file", file="fh")

# Other processes: what waits for them, as a barrier does.
add("Comm_spawn Comm_spawn_multiple Comm_accept Comm_connect", "collective", bytes="none", root="root", request=None)

# Fortran gives texts with a length behind all arguments, each compiler in its own way: in C alone.
ONLY_C = ["File_open", "Comm_spawn", "Comm_spawn_multiple", "Comm_accept", "Comm_connect"]

# What makes communicators and windows: all that belong to one call these in the same order.
add("Comm_dup Comm_dup_with_info Comm_split Comm_split_type Comm_create Comm_create_group Cart_create Cart_sub Graph_create Dist_graph_create "
    "Dist_graph_create_adjacent Intercomm_create Intercomm_merge", "make", made="MPI_Comm")
add("Win_create Win_allocate Win_allocate_shared Win_create_dynamic", "make", made="MPI_Win")

# What handles are forgotten by.
add("Comm_free Comm_disconnect", "forget_comm", comm="comm")
add("Type_free", "forget_type", type="type")
add("Win_free", "forget_win", win="win")
