// One step's candidates (Post & Vilar 2018, section 3.1): which pieces may follow which rows, with score and bank.
// The twin of `engine/search/candidates.py`.
#pragma once

#include <stddef.h>
#include <cstdint>
#include <optional>
#include <vector>

#include "../steps.h"
#include "callbacks.h"
#include "row_scores.h"
#include "rows.h"
#include "task.h"
#include "vocabulary.h"

namespace pinpoint {

// What all steps of a search have in common.
struct Setting {
  const Task& task;
  const Vocabulary& vocabulary;
  const Callbacks& python;
  const Watch& watch;
  Constraints& constraints;
  const Following& following;

  double placement_penalty(const Endings& endings, int32_t num_repeats) const;
};

class Expansion {
 public:
  // `tokens` has the pieces of each row behind the begin token; all are `length` pieces long and expanded in `steps`.
  Expansion(const Setting&, const Steps& steps, const std::vector<Row>& rows,
            const std::vector<std::vector<int32_t>>& tokens, int32_t length, const Limits&);

  // All candidates that compete for the places of the beam, by row and piece.
  std::vector<Candidate> candidates();
  // True if the model returned scores that are not numbers; there are no candidates then.
  bool is_failed() const { return is_failed_; }

 private:
  struct Key {
    int32_t row, piece;
    bool operator<(const Key& other) const { return row != other.row ? row < other.row : piece < other.piece; }
    bool operator==(const Key& other) const { return row == other.row && piece == other.piece; }
  };

  Mask mask_of(size_t row, const std::vector<int32_t>& tokens);
  std::optional<std::vector<int32_t>> next_bytes(const std::vector<int32_t>& tokens) const;
  void follow();
  void spare_repeats(const std::vector<std::vector<int32_t>>& tokens);
  std::vector<Key> gather();
  void add_leading(std::vector<Key>& keys);
  bool next_living(int32_t row, size_t& rank, RowScores::Scored& found);
  bool learn(const std::vector<Key>& keys);
  bool weigh(const Key&, Candidate&) const;
  std::vector<Key> last_resorts(const std::vector<Key>& keys, const std::vector<Candidate>& found) const;
  void drop_far_ones(std::vector<Candidate>&) const;

  const Setting& setting_;
  const std::vector<Row>& rows_;
  const int32_t steps_left_;  // pieces until the length limit
  const Limits limits_;
  int beam_, max_children_;  // of continuations that are gathered: more than the limits, where penalties differ
  bool is_failed_ = false;
  std::vector<std::vector<int32_t>> forced_, queried_, repeating_;  // pieces, by row
  std::vector<double> before_;                                      // the score of each row
  std::vector<RowScores> scores_;
};

}  // namespace pinpoint
