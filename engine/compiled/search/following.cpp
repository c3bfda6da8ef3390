#include "following.h"

#include <algorithm>
#include <limits>

namespace pinpoint {

Following::Following(const int32_t* pieces, const uint8_t* is_required, int length, double strength)
    : is_needed_(length >= 0), strength_(strength) {
  for (int j = 0; j < length; j++) {
    pieces_.push_back(pieces[j]);
    changed_.push_back(is_required[j] ? REQUIRED_CHANGES : 1);
  }
}

// The number of changes is a whole number, so that sums are exact in any order.
template <class Seen>
void Following::next_line(const Costs& costs, int32_t piece, Seen seen) const {
  double entry = costs[0] + 1;  // the piece is added
  seen(entry);
  for (size_t j = 0; j < pieces_.size(); j++) {
    const double kept = costs[j] + (pieces_[j] == piece ? 0 : changed_[j]);  // or replaced
    entry = std::min({costs[j + 1] + 1, kept, entry + changed_[j]});
    seen(entry);
  }
}

Following::Costs Following::start(const std::vector<int32_t>& pieces) const {
  if (!is_needed_) return {};
  Costs costs{0};
  for (double changes : changed_) costs.push_back(costs.back() + changes);
  for (int32_t piece : pieces) costs = after(costs, piece);
  const double least = *std::min_element(costs.begin(), costs.end());
  for (double& entry : costs) entry -= least;
  return costs;
}

Following::Costs Following::after(const Costs& costs, int32_t piece) const {
  if (!is_needed_) return {};
  Costs line;
  line.reserve(costs.size());
  next_line(costs, piece, [&](double entry) { line.push_back(entry); });
  return line;
}

double Following::least_after(const Costs& costs, int32_t piece) const {
  double least = std::numeric_limits<double>::infinity();
  next_line(costs, piece, [&](double entry) { least = std::min(least, entry); });
  return least;
}

double Following::penalty_after(const Costs& costs, int32_t piece) const {
  return strength_ * least_after(costs, piece);
}

Following::Likely Following::likely(const Costs& costs) const {
  const double unlike = least_after(costs, NO_PIECE);
  Likely found{strength_ * unlike, {}};
  for (size_t j = 0; j < pieces_.size(); j++)
    if (costs[j] < unlike) found.pieces.push_back(pieces_[j]);
  return found;
}

}  // namespace pinpoint
