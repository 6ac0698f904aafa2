// Processes and threads by the kernel's numbers: programs in pid namespaces have others for themselves.
#pragma once

#include "spacetime/load/file_data.h"

#include <span>

namespace kymo::spacetime {

// From a row's two numbers (recording::number_of).
void set_pid(FileData* file, std::uint64_t own, std::uint64_t kernels);

// Finds the kernel's numbers of processes that did not know them, and of their threads. The kernel's records have
// processes that execute the same program, with its code at the same place; where that is so of several, monitors
// begin in the order of these records, as they do in a process's threads. Two that begin within a millisecond may
// then be taken for one another. Cost: sorts the kernel's tasks; each process looks at those of its program.
void find_kernel_numbers(std::span<FileData* const> files);

}  // namespace kymo::spacetime
