#include "gpu/cudart/job.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace kymo::gpu::cudart {

using Json = nlohmann::ordered_json;

Json to_json(const JobOptions& options) {
    return {{"gpu", options.gpu},
            {"settings", options.settings},
            {"profiled", options.profiled},
            {"exact", options.exact},
            {"period", options.period},
            {"recording", options.recording.string()},
            {"traces", options.traces.string()},
            {"text_traces", options.text_traces},
            {"values", options.values},
            {"machine_code", options.machine_code},
            {"checks", options.checks}};
}

Result<JobOptions> job_options(const std::string& text) {
    JobOptions options;
    try {
        const Json json = Json::parse(text);
        options.gpu = json.at("gpu").get<std::string>();
        options.settings = json.at("settings").get<std::vector<std::string>>();
        options.profiled = json.at("profiled").get<bool>();
        options.exact = json.at("exact").get<bool>();
        options.period = json.at("period").get<std::uint64_t>();
        options.recording = json.at("recording").get<std::string>();
        options.traces = json.at("traces").get<std::string>();
        options.text_traces = json.at("text_traces").get<bool>();
        options.values = json.at("values").get<bool>();
        options.machine_code = json.at("machine_code").get<bool>();
        options.checks = json.at("checks").get<std::string>();
    } catch (const nlohmann::json::exception& why) {
        return Error{ErrorKind::kMalformed, std::string("job.json: ") + why.what(),
                     "start the program by kymo gpu run"};
    }
    return options;
}

Result<Job> Job::from_environment() {
    Job job;
    if (const char* gpu = std::getenv("KYMO_GPU"); gpu != nullptr && *gpu != '\0') {
        job.options_.gpu = gpu;
    }
    const char* folder = std::getenv("KYMO_GPU_JOB");
    if (folder == nullptr || *folder == '\0') {
        return job;
    }
    job.folder_ = folder;
    std::ifstream in(job.folder_ / "job.json", std::ios::binary);
    if (!in) {
        return Error{ErrorKind::kNotFound, (job.folder_ / "job.json").string() + " cannot be read",
                     "unset KYMO_GPU_JOB, or start the program by kymo gpu run"};
    }
    auto options = job_options({std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()});
    if (!options) {
        return options.error();
    }
    job.options_ = std::move(*options);
    return job;
}

void Job::tell(const Json& line) {
    if (!has_parent()) {
        return;
    }
    // Opened for each line: after a fork the child has a file of its own.
    const auto path = folder_ / ("launches-" + std::to_string(getpid()) + ".jsonl");
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0) {
        return;
    }
    // A kernel's name may come from anywhere: what is not UTF-8 is replaced.
    const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    for (std::size_t at = 0; at < text.size();) {
        const ssize_t done = write(file, text.data() + at, text.size() - at);
        if (done <= 0 && errno != EINTR) {
            break;
        }
        at += done > 0 ? static_cast<std::size_t>(done) : 0;
    }
    (void)close(file);
}

void Job::remark(const Error& error) {
    if (said_.insert(error.what).second) {
        (void)std::fprintf(stderr, "kymo: %s (%s)\n", error.what.c_str(), error.next.c_str());
    }
}

void Job::problem(const Error& error) {
    if (!said_.insert(error.what).second) {
        return;
    }
    if (has_parent()) {
        tell({{"problem", {{"what", error.what}, {"next", error.next}, {"kind", static_cast<int>(error.kind)}}}});
    } else {
        (void)std::fprintf(stderr, "kymo: %s\n", error.what.c_str());
        if (!error.next.empty()) {
            (void)std::fprintf(stderr, "kymo: %s\n", error.next.c_str());
        }
    }
}

}  // namespace kymo::gpu::cudart
