// The record of a process that ended before its first sample: one row, in a chunk of its own, appended to the file
// that all such processes of the run share. The parent has made that file (launch/run/short_processes.h), with its
// header and the descriptions of its tables; each append is one write() at its end, which the kernel does not mix
// with others.
#pragma once

#include "monitor/process/process.h"

namespace kymo::monitor {

struct ThreadState;

// Writes the row of this process, whose only thread is the calling one. False: it could not be written, and a file
// of its own is needed. Only one thread may be in here (ProcessLog::alone()).
bool write_short_process(ThreadState& thread, Process::End how);

}  // namespace kymo::monitor
