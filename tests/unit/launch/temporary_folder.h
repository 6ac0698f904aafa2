// A fresh folder for one test, the current one while it lives.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace kymo::launch {

class TemporaryFolder {
  public:
    TemporaryFolder() : before_(std::filesystem::current_path()) {
        char name[] = "/tmp/kymo-launch-XXXXXX";
        path_ = mkdtemp(name);
        std::filesystem::current_path(path_);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        std::filesystem::current_path(before_);
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    // A file with this text, executable.
    std::filesystem::path program(const std::string& name, const std::string& text) const {
        const std::filesystem::path file = path_ / name;
        std::ofstream(file) << text;
        std::filesystem::permissions(file, std::filesystem::perms(0755));
        return file;
    }

  private:
    std::filesystem::path before_;
    std::filesystem::path path_;
};

}  // namespace kymo::launch
