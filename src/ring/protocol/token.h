// A token: a checked frame that is held to be read and filled.
//
// The request in it alone fixes where everything lies: its entries, then in reduce mode one record an entry, in
// append mode one part a slot that was passed, each of the same size. A slot that was passed over is a hole: it has
// its place among the parts, and it is counted: contributed + holes = next - first, in every token that open() lets
// through. One that was opened or made here stays so whatever is called. Bounded by kMaxFrameBytes.
#pragma once

#include "ring/protocol/frame.h"
#include "ring/protocol/record.h"

#include <span>
#include <utility>
#include <vector>

namespace kymo::ring {

class Token {
  public:
    Token() = default;

    // Takes bytes from elsewhere. The token is to be used only after kNone.
    static Refusal open(Bytes frame, Token& token);

    // An empty one for the span [first, end). Of `header`, the fields that count are set to nothing yet.
    // Precondition: entries that is_valid() allows, at most kMaxEntries; first < end <= slots.
    static Token make(std::uint32_t slots, std::uint64_t job, std::uint64_t epoch, TokenHeader header,
                      std::span<const Entry> entries);

    static bool is_valid(const Entry& entry);
    // Of a token with that span when it comes home; 0: it would be greater than kMaxFrameBytes.
    static std::size_t bytes_at_home(Mode mode, std::size_t entries, std::size_t slots);

    [[nodiscard]] const Prefix& prefix() const { return prefix_; }
    [[nodiscard]] const TokenHeader& header() const { return header_; }
    [[nodiscard]] std::vector<Entry> entries() const;
    // Exactly these, in that order.
    [[nodiscard]] bool asks(std::span<const Entry> entries) const;
    [[nodiscard]] std::size_t bytes() const { return frame_.size(); }
    [[nodiscard]] std::uint32_t holes() const { return header_.next - header_.first - header_.contributed; }

    // The slots from next to `slot` are passed over. Precondition: next <= slot <= end.
    void skip_to(Slot slot);
    // What slot `next` has to say: a record an entry; part.slot is next, part.state no hole. `latched` is in the
    // manager's clock, as estimated.
    void contribute(const Part& part, std::uint64_t latched, std::span<const Record> records);
    // Who has it in hand tells what an earlier token cost it: ns of processor time.
    void note_work(std::uint64_t work);

    // Reduce mode: of an entry, over all slots that contributed.
    [[nodiscard]] Record record(std::size_t entry) const;
    // Append mode: of the slot first + index, for index < next - first.
    [[nodiscard]] Part part(std::size_t index) const;
    [[nodiscard]] Record record(std::size_t index, std::size_t entry) const;

    // The frame as it is to be sent, counted as sent.
    [[nodiscard]] Bytes send();

  private:
    [[nodiscard]] std::size_t parts_at() const;
    [[nodiscard]] std::size_t part_bytes() const;
    [[nodiscard]] Refusal check() const;
    [[nodiscard]] bool holes_add_up() const;
    void note_holes(Slot first, std::uint32_t count);

    Prefix prefix_{};
    TokenHeader header_{};
    Bytes frame_;  // its head is written by send()
};

}  // namespace kymo::ring
