// Functions of Python on call paths: in place of each frame of CPython's evaluation function, the functions that it
// evaluates. Interpreters of another language, or of a version whose structures are not known (layout.h), keep their
// frames in C.
//
// The thread itself reads its interpreter's frames, in the handler, where no other thread changes them. The outermost
// frames are matched first: where the interpreter is just about to enter or to leave a function, the innermost
// evaluation keeps its frame in C.
#pragma once

#include "monitor/part.h"
#include "monitor/python/functions.h"
#include "unwind/path.h"

#include <cstdint>
#include <span>

namespace kymo::monitor {

class PythonFrames : public Part {
  public:
    bool begin();
    void after_fork(ThreadState* own);

    // Whether the program is such an interpreter. Else there is nothing to replace.
    bool on() const { return layout_ != nullptr; }
    // Rewrites a path of the calling thread's own stack, leaf first, in the first `count` frames of `room`; the
    // path's new length. Cost: a table look-up a function, and a system call for every page but the last few.
    std::size_t replace(std::span<unwind::Frame> room, std::size_t count);

    // Whether this is a function of Python, and its first offset: a key of recursion.
    static bool is_function(const unwind::Frame& frame, std::uint64_t* first_offset);

  private:
    // Writes the thread's functions into `room`, leaf first; the outermost one of each evaluation has address 1,
    // others 0. Their number; 0: none, or the chain cannot be followed to its end.
    std::size_t read(std::span<unwind::Frame> room);
    std::uint64_t innermost(python::Objects& objects) const;
    std::uint64_t instruction(std::uint64_t frame, std::uint64_t code) const;
    std::size_t evaluations_in(std::span<const unwind::Frame> path) const;
    static std::uint64_t evaluation_begin();
    bool is_evaluation(const unwind::Frame& frame) const {
        return frame.address - evaluation_begin() < evaluation_end_ - evaluation_begin();
    }
    void find_evaluation_end();

    const python::Layout* layout_ = nullptr;
    std::atomic<std::uint64_t> evaluation_end_{0};  // its begin: not found yet
    python::Functions functions_;
};

extern PythonFrames python_frames;

}  // namespace kymo::monitor
