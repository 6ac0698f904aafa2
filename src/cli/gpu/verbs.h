// The actions on a modelled GPU: a file each. As a verb's run (cli/verbs.h): argv[0] is the sub-verb's name.
#pragma once

namespace kymo::cli {

int gpu_run(int argc, char** argv);
int gpu_sweep(int argc, char** argv);
int gpu_trace(int argc, char** argv);
int gpu_list(int argc, char** argv);

}  // namespace kymo::cli
