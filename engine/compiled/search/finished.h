// Finished hypotheses, their scores, and when the search may stop: the twins of `engine/search/finished.py` and
// `engine/search/stopping.py`.
#pragma once

#include <stddef.h>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "task.h"

namespace pinpoint {

constexpr double NEVER_REACHED = -std::numeric_limits<double>::infinity();

// `engine.search.finished.SearchHypothesis`; `history` is its last piece in the search's history.
struct Hypothesis {
  int32_t history, length, num_missing;
  double log_prob, score, penalty, total, ranking_score;
};

double score_of(const Task&, double log_prob, int32_t length);

// The finished hypotheses of one sentence: the best-scoring one for each distinct text.
class FinishedPool {
 public:
  explicit FinishedPool(const Task& task) : task_(task) {}

  // `text` is equal for equal texts. Lengths must not fall from one call to the next.
  void add(const Hypothesis& found, int32_t text);

  // The n-best list: distinct texts, highest score first.
  std::vector<Hypothesis> best() const;
  // The best finished total; -infinity while pruning by it could shorten the n-best list.
  double pruning_total() const;
  double best_total() const { return best_total_; }
  // The number of places in the beam for the next step.
  int beam_left() const;
  // True if the search may stop. `live_total` is the log-probability minus penalties of its best row in any bank.
  bool is_over(double live_total, int32_t length) const;

 private:
  bool is_full() const;

  const Task& task_;
  std::vector<Hypothesis> by_text_;  // in the order of their texts' first hypotheses
  std::vector<int32_t> texts_;
  std::unordered_map<int32_t, size_t> place_of_text_;
  int num_finished_ = 0;
  double best_total_ = NEVER_REACHED;
  bool has_top_ = false;
  Hypothesis top_{};  // the likeliest of the last step in which any finished
  int32_t top_text_ = 0;
};

}  // namespace pinpoint
