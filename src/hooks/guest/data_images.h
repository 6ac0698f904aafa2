// Where the images lie whose data the steps read (cells/data.h), and how what a pointer leads to is read: by the
// kernel, so that a pointer that leads nowhere is no fault.
//
// Contract: as apply.h; sources() are for any thread at any time.
#pragma once

#include "cells/data.h"
#include "hooks/guest/problem.h"
#include "hooks/plan_file.h"
#include "image/loaded_image.h"

#include <cstdint>

namespace kymo::hooks {

class DataImages {
  public:
    constexpr DataImages() = default;
    DataImages(const DataImages&) = delete;
    DataImages& operator=(const DataImages&) = delete;

    // kNoReads: the kernel refuses to read what pointers lead to, and pointers are followed in the plan.
    Problem make(const Plan& plan);
    // The plan's image is loaded so. `at_start`: with the program, which is told before it runs, with one thread.
    void loaded(std::uint32_t number, const image::LoadedImage& image, bool at_start);
    void unloaded(std::uint32_t number);
    // After a fork, in the child.
    static void in_process(int pid);
    // From now on no system call is made: what is behind a pointer cannot be read.
    void follow_no_pointers();

    const cells::DataSources* sources() const { return &sources_; }

  private:
    cells::DataImage* images_ = nullptr;  // as the plan's
    cells::DataSources sources_;
};

}  // namespace kymo::hooks
