#include "cli/output/serve_page.h"

#include "analysis/images.h"
#include "cli/verbs.h"
#include "serve/page_server.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <pthread.h>

namespace kymo::cli {

int serve_page(const serve::SourceOptions& options, std::uint16_t port) {
    // A folder that is not a recording is refused here, not in the browser.
    if (const auto recording = analysis::open_with_images(options.folder); !recording) {
        return fail(recording.error());
    }
    // Before threads are started, so that none of them is interrupted.
    sigset_t ends;
    sigemptyset(&ends);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        sigaddset(&ends, signal);
    }
    pthread_sigmask(SIG_BLOCK, &ends, nullptr);
    const auto server =
        serve::serve_pages(port, std::filesystem::path(options.folder + "/.").parent_path().filename().string(),
                           serve::recording_source(options));
    if (!server) {
        return fail(server.error());
    }
    fmt::print(
        "{}\nOpen it in a browser of this machine; Ctrl-C ends it. Anyone with the address can read the "
        "recording.\nFrom another machine: ssh -L {}:127.0.0.1:{} HOST, then the same address there.\n",
        (*server)->address(), (*server)->port(), (*server)->port());
    std::fflush(stdout);
    int signal = 0;
    sigwait(&ends, &signal);
    // Nothing is left to write, and an analysis may run for another minute.
    std::_Exit(0);
}

}  // namespace kymo::cli
