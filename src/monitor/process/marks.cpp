// The program's own calls: the functions that include/kymo/monitor.h looks up.

#include "monitor/interpose/real.h"
#include "monitor/process/log.h"
#include "monitor/sampling/sampling.h"
#include "monitor/threads/busy.h"
#include "monitor/threads/registry.h"
#include "monitor/threads/stream.h"

using namespace kymo::monitor;

// kind as recording::MarkKind. Costs a clock reading and a row; on threads that are not measured, the row goes to the
// process's stream.
KYMO_INTERPOSE void kymo_monitor_mark(int kind, const char* name, long long value) {
    using kymo::recording::Mark;
    using kymo::recording::MarkKind;
    constexpr std::size_t kLongestName = 255;
    if (!process.running() || !process.is_this_process() || kind < 0 || kind > 4) {
        return;
    }
    const auto what = static_cast<MarkKind>(kind);
    const std::size_t length = name == nullptr ? 0 : __builtin_strlen(name);
    Mark mark;
    mark.kind = static_cast<std::uint64_t>(kind);
    mark.name = {name, length > kLongestName ? kLongestName : length};
    mark.value = value;
    if (what == MarkKind::kStart || what == MarkKind::kStop) {
        const kymo::Quiet quiet;
        if ((what == MarkKind::kStop) == process.paused()) {
            return;  // it is so already
        }
        what == MarkKind::kStop ? Sampling::pause() : Sampling::resume();
        mark.time = clock_now();
        process_log.write(mark);
        return;
    }
    ThreadState* thread = this_thread();
    if (thread == nullptr) {
        const kymo::Quiet quiet;
        mark.time = clock_now();
        process_log.write(mark);
        return;
    }
    // Cheaper than masking signals: while busy, the handler leaves the sample in the ring for the next one.
    const Busy busy(*thread);
    if (busy.may_write()) {
        mark.time = clock_now();
        if (announce(*thread)) {
            thread->writer.append(mark);
        }
    }
}
