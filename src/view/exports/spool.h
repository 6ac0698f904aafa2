// Texts that grow side by side and are read one after another: threads' samples come mixed, and formats have a list
// a thread. What does not fit into a small buffer is kept in a file without a name.
//
// Contract: one thread. Memory: kPiece bytes and 16 a piece of a text. Errors are kept until play().
#pragma once

#include "base/result.h"
#include "view/exports/output.h"

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::view {

class Spool {
  public:
    explicit Spool(std::size_t texts) : texts_(texts) {}
    Spool(const Spool&) = delete;
    Spool& operator=(const Spool&) = delete;
    ~Spool();

    void add(std::size_t text, std::string_view bytes) {
        Text& to = texts_[text];
        to.buffer += bytes;
        if (to.buffer.size() >= kPiece) {
            put_away(to);
        }
    }
    bool is_empty(std::size_t text) const { return texts_[text].buffer.empty() && texts_[text].pieces.empty(); }
    // Writes the text and empties it, or passes it on piece by piece, each as it was added to a buffer: no add() is
    // cut in two. Error: kNoSpace, if there was none for the file.
    Result<void> play(std::size_t text, Output& out);
    Result<void> play(std::size_t text, const std::function<void(std::string_view)>& each);

  private:
    static constexpr std::size_t kPiece = 1U << 14U;
    struct Piece {
        std::uint64_t at = 0;
        std::uint64_t bytes = 0;
    };
    struct Text {
        std::string buffer;
        std::vector<Piece> pieces;
    };
    void put_away(Text& text);

    std::vector<Text> texts_;
    std::FILE* file_ = nullptr;
    std::uint64_t end_ = 0;
    int error_ = 0;
};

}  // namespace kymo::view
