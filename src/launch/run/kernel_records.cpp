#include "launch/run/kernel_records.h"

#include "launch/record_reach.h"

#include <cstdlib>
#include <string_view>

namespace kymo::launch {
namespace {

constexpr std::uint64_t kDrainEvery = 250'000'000;
// The delay after a mapping that may have to be copied: before its process has ended.
constexpr std::uint64_t kDrainSoon = 20'000'000;

// The period of page faults if the session samples them that way; 0: it does not.
std::uint64_t fault_period(const events::Session& session) {
    for (std::uint32_t i = 0; i < session.event_count; ++i) {
        const events::SessionEvent& event = session.events[i];
        if (event.type == PERF_TYPE_SOFTWARE && event.config == PERF_COUNT_SW_PAGE_FAULTS &&
            event.mode == events::Mode::kPeriod) {
            return event.value;
        }
    }
    return 0;
}

}  // namespace

Result<void> KernelRecords::started(RunScene& scene) {
    if (scene.settled.machine.performance_events() && !scene.settled.options.has_kernel_records) {
        settle(scene.settled, scene.program);
        rings_.append_poll(scene.wakers);
    }
    others_.emplace(scene.folder, scene.settled.monitor);
    copies_.emplace(scene.folder);
    return {};
}

// By the rings, or (session.own_switches) by the threads themselves.
void KernelRecords::settle(Settled& settled, pid_t program) {
    const events::Machine& machine = settled.machine;
    const bool rank_of_job = settled.job.has_value();
    const char* set = std::getenv("KYMO_KERNEL_RECORDS");
    const std::string_view asked = set != nullptr ? set : "";
    events::Refusal refusal = why_not_inherited(machine.processors, rank_of_job, asked);
    for (const RecordReach reach : record_reaches(machine.processors, rank_of_job, asked)) {
        if (reach == RecordReach::kOwn && machine.switch_records) {
            settled.plan.session.own_switches = true;
            settled.plan.missing.push_back({"programs and threads without the monitor", refusal.why, refusal.remedy});
            return;
        }
        const int error = rings_.open(program, reach, fault_period(settled.plan.session));
        if (error == 0) {
            return;
        }
        if (reach == RecordReach::kInherited) {
            events::Machine told = machine;
            told.switch_records = false;
            told.switch_error = error;
            refusal = events::why_no_switch_records(told);
        }
    }
    settled.plan.missing.push_back({"switch and task records", refusal.why, refusal.remedy});
}

std::uint64_t KernelRecords::tick(RunScene& scene, std::uint64_t now) {
    rings_.drain(false, [&](const KernelRecord& record) {
        scene.log.take(record);
        if (!scene.settled.options.from_outside) {  // a program measured from outside runs as any user
            others_->take(record);
            copies_->take(record);
        }
    });
    for (const BarredProcess& process : others_->look()) {
        scene.log.write_barred(process);
    }
    return rings_.is_open() ? now + (rings_.holds_mapping() ? kDrainSoon : kDrainEvery) : kNeverDue;
}

void KernelRecords::ended(RunScene& scene, RecordOutcome& outcome) {
    rings_.drain(true, [&](const KernelRecord& record) { scene.log.take(record); });
    rings_.close();
    for (const events::Missing& missing : others_->missing()) {
        scene.log.write_missing(missing);
        outcome.warnings.push_back("not measured: " + missing.what + ": " + missing.why + "; " + missing.remedy);
    }
    outcome.switches = scene.log.switches();
    outcome.lost = scene.log.lost();
}

}  // namespace kymo::launch
