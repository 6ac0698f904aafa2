// The addresses of the images whose data the steps read (cells/data.h), and reads through pointers: by the kernel,
// so that an invalid pointer causes no fault.
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

    // kNoReads: the plan follows pointers, but the kernel refuses to read through them.
    Problem make(const Plan& plan);
    // Sets where the plan's image is loaded. `at_start`: with the program; called before it runs, with one thread.
    void loaded(std::uint32_t number, const image::LoadedImage& image, bool at_start);
    void unloaded(std::uint32_t number);
    // After a fork, in the child.
    static void in_process(int pid);
    // From now on no system call is made: data behind a pointer cannot be read.
    void follow_no_pointers();

    const cells::DataSources* sources() const { return &sources_; }

  private:
    cells::DataImage* images_ = nullptr;  // as the plan's
    cells::DataSources sources_;
};

}  // namespace kymo::hooks
