// Plans hooks from outside: which functions of which images are meant, which of them can be hooked, how, and why
// the others cannot.
//
// A function is hooked at its entry in the image that defines it, so that every call is seen, by a jump in place
// of its first instructions. Functions of the C library, functions chosen at load time (IFUNC) and those whose
// entry cannot be changed are hooked in the linkage tables of the images that call them: calls from inside their
// own image are not seen then. A source line is hooked at each place where a statement of it begins
// (line_points.h). What cannot be hooked safely is refused by name, with the reason.
//
// If no monitor can be loaded, the kernel stops the program instead (probes; kernel/kernel_probes.h). Its return
// probes put a kernel address into the caller's frame, which unwinders cannot pass. In a program that throws,
// exits are therefore probed at the function's return instructions, if it has no other ways out.
//
// Not thread-safe. Cost: opening an image's symbols, and decoding the code of images with requested functions
// (some 30 ns an instruction).
#pragma once

#include "base/result.h"
#include "hooks/plan/request.h"

#include <cstdint>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace kymo::hooks {

// The files to examine. An unreadable one is left out.
struct Images {
    std::vector<std::filesystem::path> files;  // the program first
    std::set<std::filesystem::path> later;     // those that the program loads by itself
};

// Requests with the same
// function share its hook: steps at entry run in the requests' order, those at exit in the reverse.
Planned plan(const Images& images, std::span<const Request> requests, Means means = Means::kHooks);

// A probe that the kernel refuses, and the reason, in words that follow the function's name.
struct NotTaken {
    Probe probe;
    std::string reason;
};
// Removes the functions of such probes, with all their probes, from the plan: they are refused.
void leave_out(Planned& planned, std::span<const NotTaken> not_taken);

// The program and the shared objects that it will be started with, as its dynamic linker finds them now. Only for
// programs that find_program (launch/program.h) accepts for the monitor: others would run.
Result<std::vector<std::filesystem::path>> images_of(const std::filesystem::path& program);
// The same for any program: starts its dynamic linker directly to list them. A static program is its only image.
Result<std::vector<std::filesystem::path>> images_listed(const std::filesystem::path& program);

}  // namespace kymo::hooks
