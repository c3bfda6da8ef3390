// The cost of leaving a previous text: the twin of `engine/search/follow.py`, for one sentence.
#pragma once

#include <stddef.h>
#include <cstdint>
#include <vector>

namespace pinpoint {

class Following {
 public:
  using Costs = std::vector<double>;  // a line of the distance table: one more than the pieces of the text

  // Without a previous text (length -1), nothing costs anything.
  Following(const int32_t* pieces, const uint8_t* is_required, int length, double strength);

  bool is_needed() const { return is_needed_; }
  // The costs of a row that must begin with these pieces, which are free.
  Costs start(const std::vector<int32_t>& pieces) const;
  Costs after(const Costs&, int32_t piece) const;
  // Nats that a row with these costs has lost for certain after one more piece; after the end, all that it loses.
  double penalty_after(const Costs&, int32_t piece) const;
  double penalty_at_end(const Costs& costs) const { return strength_ * costs.back(); }

  struct Likely {
    double penalty;               // of a piece that is not in the previous text
    std::vector<int32_t> pieces;  // with a lower penalty
  };
  Likely likely(const Costs&) const;

 private:
  static constexpr double REQUIRED_CHANGES = 30;
  static constexpr int32_t NO_PIECE = -1;

  // Calls `seen` with each entry of the next line, in order.
  template <class Seen>
  void next_line(const Costs&, int32_t piece, Seen seen) const;
  double least_after(const Costs&, int32_t piece) const;

  bool is_needed_;
  double strength_;
  std::vector<int32_t> pieces_;
  std::vector<double> changed_;  // changes by replacing a piece or leaving it out
};

}  // namespace pinpoint
