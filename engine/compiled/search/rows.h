// The live hypotheses, and their continuations by one piece: the twins of `engine/search/rows.py`.
#pragma once

#include <stddef.h>
#include <cstdint>
#include <vector>

#include "constraints.h"
#include "following.h"
#include "placement.h"

namespace pinpoint {

// A live hypothesis. All rows of a step have the same length.
struct Row {
  int node;         // of the tree of prefixes
  int32_t state;    // of the constraints
  int32_t history;  // its last piece in the search's history
  double log_prob, penalty;
  std::vector<int32_t> met;  // occurrences met so far, by phrase
  Following::Costs changes;
  Endings endings;
  int32_t num_repeats;
  Remaining remaining;
};

// Row `row` continues with `piece`.
struct Candidate {
  int32_t row, piece;
  double piece_log_prob, log_prob;  // of the piece, and of the whole hypothesis
  double score;                     // candidates are ranked by the log-probability minus all penalties
  double penalty;
  int32_t state, bank, num_repeats;
  Endings endings;
  Remaining remaining;
  bool is_end, is_forced;
};

// The limits of a step: `engine.search.candidates.Limits`.
struct Limits {
  int beam, max_children;
  double floor;          // candidates with a lower score are pruned
  double best_finished;  // counts in the last bank
};

}  // namespace pinpoint
