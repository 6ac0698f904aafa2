#include "monitor/process/kernel_numbers.h"

#include "base/namespaces/pid_namespace.h"
#include "recording/tables.h"

namespace kymo::monitor {

void KernelNumbers::find(const events::Session& session, int pid) {
    const std::uint64_t own = session.proc_device == 0 ? 0 : own_pid_namespace();
    if (session.proc_device == 0 || own == session.pid_namespace) {
        of_process_ = 0;
        return;
    }
    if (own == 0) {  // /proc is not accessible (chroot): most likely in the same namespace
        of_process_ = of_process_ == 0 ? 0 : recording::kUnknownNumber;
        return;
    }
    if (proc_device() != session.proc_device) {
        of_process_ = recording::kUnknownNumber;
        return;
    }
    const std::uint64_t number = number_behind_link("/proc/self", "");
    of_process_ = number == static_cast<std::uint64_t>(pid) ? 0 : number == 0 ? recording::kUnknownNumber : number;
}

std::uint64_t KernelNumbers::of_thread() const {
    if (of_process_ == 0 || of_process_ == recording::kUnknownNumber) {
        return of_process_;
    }
    const std::uint64_t number = number_behind_link("/proc/thread-self", "/task/");
    return number == 0 ? recording::kUnknownNumber : number;
}

}  // namespace kymo::monitor
