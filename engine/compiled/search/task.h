// One sentence to search: what `engine.search.sentence.Sentence` is to the Python search.
#pragma once

#include <stddef.h>
#include <cstdint>

namespace pinpoint {

enum class Score : int32_t { NORMALISED, LOG_PROB, BOUNDED_LENGTH_REWARD };
enum class Stopping : int32_t { OPTIMAL, OPENNMT, SHRINKING, FIRST_FINISHED, BEAM_FINISHED, ALL_FINISHED };
enum class Outcome : int32_t { COMPLETE, UNMET, FAILED, DEADLINE, CANCELLED };

// Plain data, filled by ctypes (`engine/search/compiled.py` has the same fields in the same order). Names are those of
// `SearchOptions`, `Scoring`, `Sentence` and `FollowedText`.
struct Task {
  double pruning_threshold, bank_threshold;  // infinity: none
  double late_penalty, repetition_penalty;
  double reward, target_length;
  double follow_strength;
  const int32_t* followed;       // (followed_length,): the pieces of the previous text
  const uint8_t* is_required;    // (followed_length,): which of them belong to required texts
  int32_t followed_length;       // -1: there is no previous text
  int32_t beam, nbest, max_children;  // max_children 0: as many as the beam is wide
  int32_t max_length, max_sentences, max_repeats;
  Score score;
  Stopping stopping;
  int32_t keeps_finished, prunes_by_first, spreads;  // booleans
};

}  // namespace pinpoint
