// An image's file opened for reading names: one libdwfl session. Not thread-safe: a worker opens its own.
//
// Sources are tried until one has the recorded build id: the directories of image_search.h, the recorded path, then
// the separate debug file of that build id in those directories and below /usr/lib/debug. "[vdso]" is this process's
// own, when it is the same.
#pragma once

#include "program/image_name.h"

#include <elfutils/libdwfl.h>
#include <memory>
#include <string>

namespace kymo::program {

// The last component of a path, without the kernel's " (deleted)".
std::string module_name(std::string_view path);

class ModuleFile {
  public:
    // Never fails outright: without a usable file, module() is null and problem() has the reason, in one line.
    static ModuleFile open(const ImageName& image);

    // Image offsets are addresses of this module without conversion.
    Dwfl_Module* module() const { return module_; }
    const std::string& problem() const { return problem_; }
    // Of the file that was opened; ELF machine number 0: none was.
    const std::string& path() const { return path_; }
    std::uint16_t machine() const { return machine_; }
    // Of the separate file with its debug information; empty: none, or it lies in path().
    std::string debug_path() const;

  private:
    struct EndSession {
        void operator()(Dwfl* session) const { dwfl_end(session); }
    };

    // Null: opened. Otherwise the reason why not.
    std::string open_file(const std::string& path, const ImageName& image);
    std::string open_descriptor(int descriptor, const std::string& path, const ImageName& image);
    std::string open_vdso(const ImageName& image);
    bool open_in_directories(const std::string& path, const ImageName& image);
    bool open_debug_file(const ImageName& image);

    std::unique_ptr<Dwfl, EndSession> session_;
    Dwfl_Module* module_ = nullptr;
    std::uint16_t machine_ = 0;
    std::string path_;
    std::string problem_;
};

}  // namespace kymo::program
