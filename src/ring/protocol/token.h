// A token: a checked frame, kept to be read and filled.
//
// The request in it alone determines the layout: its entries, then in reduce mode one record per entry, in append
// mode one part per passed slot, each of the same size. A slot that was passed over is a hole: it keeps its place
// among the parts and is counted, so that contributed + holes = next - first in every token that open() accepts. A
// token that was opened or made here keeps this property in every call. Bounded by kMaxFrameBytes.
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

    // Takes bytes from elsewhere. Use the token only after kNone.
    static Refusal open(Bytes frame, Token& token);

    // An empty token for the span [first, end). The counting fields of `header` are zeroed. Precondition: entries
    // that is_valid() allows, at most kMaxEntries; first < end <= slots.
    static Token make(std::uint32_t slots, std::uint64_t job, std::uint64_t epoch, TokenHeader header,
                      std::span<const Entry> entries);

    static bool is_valid(const Entry& entry);
    // Size of a token with that span when it returns; 0: it would exceed kMaxFrameBytes.
    static std::size_t bytes_at_home(Mode mode, std::size_t entries, std::size_t slots);

    [[nodiscard]] const Prefix& prefix() const { return prefix_; }
    [[nodiscard]] const TokenHeader& header() const { return header_; }
    [[nodiscard]] std::vector<Entry> entries() const;
    // Whether the token requests exactly these, in that order.
    [[nodiscard]] bool asks(std::span<const Entry> entries) const;
    [[nodiscard]] std::size_t bytes() const { return frame_.size(); }
    [[nodiscard]] std::uint32_t holes() const { return header_.next - header_.first - header_.contributed; }

    // Passes over the slots from next to before `slot`. Precondition: next <= slot <= end.
    void skip_to(Slot slot);
    // Adds the contribution of slot `next`: one record per entry; part.slot is next, part.state is not a hole.
    // `latched` is in the manager's clock, as estimated.
    void contribute(const Part& part, std::uint64_t latched, std::span<const Record> records);
    // Records what an earlier token cost the member that handles this one: ns of processor time.
    void note_work(std::uint64_t work);

    // Reduce mode: of an entry, over all slots that contributed.
    [[nodiscard]] Record record(std::size_t entry) const;
    // Append mode: of the slot first + index, for index < next - first.
    [[nodiscard]] Part part(std::size_t index) const;
    [[nodiscard]] Record record(std::size_t index, std::size_t entry) const;

    // The frame to send, counted as sent.
    [[nodiscard]] Bytes send();

  private:
    [[nodiscard]] std::size_t parts_at() const;
    [[nodiscard]] std::size_t part_bytes() const;
    [[nodiscard]] Refusal check() const;
    [[nodiscard]] bool holes_add_up() const;
    void note_holes(Slot first, std::uint32_t count);

    Prefix prefix_{};
    TokenHeader header_{};
    Bytes frame_;  // send() writes its head
};

}  // namespace kymo::ring
