#include "view/exports/spool.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace kymo::view {

Spool::~Spool() {
    if (file_ != nullptr) {
        (void)std::fclose(file_);
    }
}

void Spool::put_away(Text& text) {
    if (file_ == nullptr && error_ == 0) {
        file_ = std::tmpfile();
        error_ = file_ == nullptr ? errno : 0;
    }
    std::size_t done = 0;
    while (error_ == 0 && done < text.buffer.size()) {
        const ssize_t wrote = ::pwrite(fileno(file_), text.buffer.data() + done, text.buffer.size() - done,
                                       static_cast<off_t>(end_ + done));
        if (wrote > 0) {
            done += static_cast<std::size_t>(wrote);
        } else if (errno != EINTR) {
            error_ = errno;
        }
    }
    text.pieces.push_back({end_, text.buffer.size()});
    end_ += text.buffer.size();
    text.buffer.clear();
}

Result<void> Spool::play(std::size_t text, Output& out) {
    return play(text, [&out](std::string_view bytes) { out.write(bytes); });
}

Result<void> Spool::play(std::size_t text, const std::function<void(std::string_view)>& each) {
    Text& from = texts_[text];
    std::string bytes;
    for (const Piece& piece : from.pieces) {
        bytes.resize(piece.bytes);
        std::size_t done = 0;
        while (error_ == 0 && done < bytes.size()) {
            const ssize_t read =
                ::pread(fileno(file_), bytes.data() + done, bytes.size() - done, static_cast<off_t>(piece.at + done));
            if (read > 0) {
                done += static_cast<std::size_t>(read);
            } else if (read == 0 || errno != EINTR) {
                error_ = read == 0 ? EIO : errno;
            }
        }
        if (error_ != 0) {
            return Error{ErrorKind::kNoSpace, std::string("a temporary file: ") + std::strerror(error_),
                         "make space in /tmp"};
        }
        each(bytes);
    }
    if (!from.buffer.empty()) {
        each(from.buffer);
    }
    from = {};
    return {};
}

}  // namespace kymo::view
