// pipeline-stage: one thread works all the time, and those that hand work to it or take work from it wait for it.
#include "findings/rule.h"
#include "findings/rules/shared/stages.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::findings {
namespace {

using namespace spacetime;

constexpr double kSureOfStage = 0.8;  // how well a stage's work can be shared is not known

void claim_pipeline_stage(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const RunFacts& run = evidence.run;
    for (const Stage& stage : pipeline_stages(evidence)) {
        const ThreadFacts& facts = run.threads[stage.thread];
        const auto work = static_cast<double>(processor(facts.total));
        const auto life = static_cast<double>(facts.end - std::min(facts.begin, facts.end));
        std::vector<std::uint32_t> neighbours;
        double waited = 0;
        double others_work = 0;
        Claim claim;
        for (const StageNeighbour& neighbour : stage.neighbours) {
            neighbours.push_back(neighbour.thread);
            waited += neighbour.waited;
            others_work += static_cast<double>(processor(run.threads[neighbour.thread].total));
            claim.targets.insert(claim.targets.end(), neighbour.targets.begin(), neighbour.targets.end());
        }
        std::sort(claim.targets.begin(), claim.targets.end());
        claim.targets.erase(std::unique(claim.targets.begin(), claim.targets.end()), claim.targets.end());
        claim.own = {{stage.thread, stage.gain_ns}};
        claim.own_sure = kSureOfStage;
        claim.own_terms = set_of(Term::kUser, Term::kSystem);
        claim.node = stage.code;
        claim.threads = {stage.thread};
        const auto count = static_cast<double>(neighbours.size());
        claim.title = fmt::format(
            "{} bounds a pipeline: {} works {} of its time, and {} that {} work with it {} for it, {}{}. Shared by "
            "more threads, the run would be about {} shorter.",
            name(evidence, stage.code), thread_name(evidence, stage.thread), in_percent(work / life),
            thread_names(evidence, neighbours), does(neighbours, "exchange"), does(neighbours, "wait"),
            in_seconds(waited / count), neighbours.size() == 1 ? "" : " each", in_seconds(stage.gain_ns));
        claim.evidence = {
            seconds_of("work, the stage's thread against its neighbours on average", work / 1e9,
                       others_work / count / 1e9, others_work > 0 ? work * count / others_work : kUnknown),
            seconds_of("waiting for it, a neighbour on average", waited / count / 1e9)};
        claims->push_back(std::move(claim));
    }
}

}  // namespace

extern const Rule kPipelineStage{
    .place = 85,
    .kind = "pipeline-stage",
    .contrast = Contrast::kRun,
    .needs =
        "a thread is at work, or ready to, for nine tenths of its life; others, each with a seventh of its work and "
        "more (a twentieth, where they wait two hundred times), wait for it ten times and more in conditions, "
        "semaphores or futexes, for three tenths of theirs; or it is the only such "
        "thread of the run, and those of other processes wait so at pipes or sockets between them; or another thread "
        "of the process waits so at a pipe or socket whose other end is the stage's",
    .against =
        "the others do the same work: that is a load imbalance; or the thread takes part in theirs, a fifth of it "
        "and "
        "more: then it is a serial section; or another thread, or the processors, have nearly as "
        "much to do: then sharing the stage's work saves nothing",
    .look = claim_pipeline_stage,
    .direction =
        "let several threads do this stage (numbered pieces keep their order), cut it into two stages, or move a "
        "part "
        "of its work to a neighbour that waits",
    .confirm = "give the stage a second thread, or half of its work: its neighbours must wait half as long",
};

}  // namespace kymo::findings
