// What of a program is its users' own: code that they can change. Every part that names a place asks here.
//
// Not their own: the C and C++ libraries, the loader, run-time libraries of OpenMP, MPI and tasks, what headers of
// those put into the program (std::sort, inlined or instantiated), Go's run time, start-up code and linkage tables.
// Libraries in the system's directories and among an interpreter's packages are not, either. If every executable is
// the system's (xz, g++, python3), those are own code.
#pragma once

#include "program/symbols.h"
#include "spacetime/profile/profile.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace kymo::spacetime {

// Of the language's and the system's run time, by names alone: of the load image's file ("libc.so.6"), of the
// function as in the source, and of the file its code comes from. Each may be empty. Pure.
bool is_runtime(std::string_view module, std::string_view function, std::string_view file);
// Of a function whose code comes from `file`.
bool is_runtime(const program::Function& function, std::string_view file);

// The load image of a message library (MPI and what it is made of): not the users' own, but its calls are what its
// waiting is known by.
bool is_message_library(std::string_view module);

// CPython's program or library: python3.11, libpython3.11.so.1.0.
bool is_python(std::string_view module);

// The load image of an interpreter: its functions say nothing of the code that it runs.
bool is_interpreter(std::string_view module);

// The name of a function without its return type, parameters and what encloses them:
// "void std::sort<int*>(int*, int*)" is "std::sort<int*>".
std::string_view qualified_name(std::string_view function);

// What the compiler may have written itself for a class: its caller is what can be changed.
enum class SpecialMember : std::uint8_t { kNone, kCopy, kDestructor };
// "Point::Point(Point const&)", "Point::operator=(Point const&)": copies; "Point::~Point()". Pure.
SpecialMember special_member(std::string_view function);

// By function of `symbols`: whether it is the users' own. Cost: linear in functions, images and processes.
std::vector<bool> own_functions(const Profile& profile, const program::Symbols& symbols);

}  // namespace kymo::spacetime
