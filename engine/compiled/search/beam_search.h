// Dynamic beam allocation (Post & Vilar 2018, algorithm 2) for one sentence, from its forced prefix to its n-best list.
// The twin of `engine/search/beam.py`.
#pragma once

#include <stddef.h>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "../steps.h"
#include "expansion.h"
#include "finished.h"

namespace pinpoint {

class BeamSearch {
 public:
  // All arguments must live as long as this.
  BeamSearch(const Task&, Steps&, const Vocabulary&, const Callbacks&, Constraints&);

  struct Result {
    Outcome outcome;
    bool is_satisfying;  // the hypotheses meet all constraints
    std::vector<Hypothesis> hypotheses;
    int32_t num_steps, num_model_steps;  // pieces of the rows, and calls of the model
    int64_t num_rows;                    // expanded in all steps
  };
  Result run();

  // The pieces of a hypothesis with their log-probabilities, the last one first.
  template <class Seen>
  void walk_back(int32_t history, Seen seen) const {
    for (; history >= 0; history = history_[history].before) seen(history_[history].piece, history_[history].log_prob);
  }

 private:
  struct Written {
    int32_t before, piece;  // of the history: the piece before; -1 for the first
    double log_prob;
  };

  void begin();
  void read_prefix(const std::vector<int32_t>& pieces, Row&);
  void step();
  void expand(const std::vector<int>& nodes);
  std::vector<bool> share_beam(const std::vector<Candidate>&, int beam);
  void store_finished(const std::vector<Candidate>&);
  void advance(std::vector<Candidate>& going, bool is_failed);
  void conclude(Outcome);
  Hypothesis hypothesis(int32_t history, int32_t length, double log_prob, double penalty, const Endings&,
                        int32_t num_repeats) const;
  int32_t text_of(int32_t history);
  std::vector<int32_t> pieces_of(int32_t history) const;
  Row extended(const Candidate&);

  const Task& task_;
  Steps& steps_;
  const Vocabulary& vocabulary_;
  const Callbacks& python_;
  const Watch watch_;
  Constraints& constraints_;
  Following following_;
  Setting setting_;
  FinishedPool pool_;
  std::vector<Row> rows_;
  int32_t num_pieces_ = 0;  // of each row
  std::vector<Written> history_;
  std::unordered_map<std::string, int32_t> texts_;  // of finished hypotheses, numbered
  std::vector<double> kept_;  // scores of finished hypotheses that keep their places
  Result result_{};
  bool has_ended_ = false;
};

}  // namespace pinpoint
