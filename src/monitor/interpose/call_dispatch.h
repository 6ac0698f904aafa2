// System calls that are dispatched to the program itself (PR_SET_SYSCALL_USER_DISPATCH, as Wine uses it): while a
// byte of the thread enables it, each call outside of one stretch of code raises SIGSYS instead, including the one
// by which every handler returns. Such a thread is counted, but not sampled, until it ends the dispatch; the
// recording has a note of it. The program's calls of the C library in that time are dispatched as well, which is its
// own concern.
#pragma once

namespace kymo::monitor {

// Makes the prctl() of that option, by call(data), in a thread that is not being sampled if it then dispatches.
long call_with_dispatch(bool begins, long (*call)(void*), void* data);

template <typename Call>
long with_dispatch(bool begins, Call call) {
    return call_with_dispatch(
        begins, [](void* data) { return static_cast<long>((*static_cast<Call*>(data))()); }, &call);
}

}  // namespace kymo::monitor
