// The constraints of one sentence: states of the Python tracker with the transitions between them, learned on demand.
//
// The automata of phrases, prefix and avoided texts are in one place, `engine/search/tracker.py`. This table asks for
// each transition once and remembers it, also for later searches with the same constraints. A state is the number of
// a node of the tracker. Pieces of one layout in which no text begins share a transition of states without matches.
#pragma once

#include <stddef.h>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace pinpoint {

constexpr int32_t FREE = 0, DEAD = 1;  // texts without constraints, and texts that have broken one

// The remaining cost of a text until it meets its constraints: `engine.search.tracker.RemainingCost`.
struct Remaining {
  int32_t missing = 0;  // constraint tokens still to come
  int32_t needed = 0;   // pieces still to come before the end
  bool closes = false;  // an open word must be closed before the next phrase
  bool may_end = true;
};

// Functions of Python over shared buffers (see `Constraints::Buffers`).
struct TrackerCallbacks {
  int32_t (*follow)(int32_t count);               // fills `next` and `completed` for `states` and `pieces`
  int32_t (*describe)(int32_t count);             // fills `records` for `states`
  int32_t (*forced)(int32_t state);               // fills `choices` with (P, F) pieces, -1 as padding; returns P * F
  int32_t (*prefix_pieces)(int32_t state);        // fills `choices` with the pieces that continue the prefix
};

class Constraints {
 public:
  static constexpr int NUM_FLAGS = 11;  // of a record, before `pending` and `to_go` of each phrase

  // Arrays that Python owns: (capacity,) except `completed` (capacity, P), `records` (capacity, NUM_FLAGS + 2 P).
  struct Buffers {
    int32_t *states, *pieces, *next, *completed, *records, *choices;
    int32_t capacity;
  };
  // By phrase; `required` is 0 for phrases that share a form, whose records have `shared_missing` instead.
  struct Phrase {
    int32_t required, num_pieces;
    bool is_sharing, ends_text;
  };

  // `layouts` are those of the pieces (`ConstraintTracker.layouts`); odd ones glue to their left.
  Constraints(std::vector<Phrase> phrases, int num_tokens, bool is_bounded, std::vector<int32_t> layouts, Buffers,
              TrackerCallbacks);

  int num_phrases() const { return static_cast<int>(phrases_.size()); }
  int num_tokens() const { return num_tokens_; }  // the paper's C
  bool is_bounded() const { return is_bounded_; }  // texts may become invalid

  // Learns the states' transitions that are unknown, in one call of Python for each `capacity` of them.
  // Returns true if any of the learned ones is dead.
  bool learn(std::vector<std::pair<int32_t, int32_t>> states_and_pieces);
  bool knows(int32_t state, int32_t piece) const { return state <= DEAD || steps_.count(key(state, piece)); }
  int32_t next(int32_t state, int32_t piece) const { return state <= DEAD ? state : steps_.at(key(state, piece)).state; }
  // (P,): the occurrences that the piece confirms; null: none.
  const int32_t* completed(int32_t state, int32_t piece) const;

  bool may_die(int32_t state) const { return at(state).may_die; }
  bool in_prefix(int32_t state) const { return at(state).in_prefix; }
  // The remaining cost of a text in this state that has met `met` and `more` occurrences of each phrase (null: none).
  Remaining remaining(int32_t state, const std::vector<int32_t>& met, const int32_t* more) const;
  // Pieces that advance an unmet phrase, with repetitions; the end if the text ends with a phrase that ends the text.
  std::vector<int32_t> forced(int32_t state, const std::vector<int32_t>& met, bool may_end, int32_t end);
  // The pieces that may follow a text that is `in_prefix`.
  std::vector<int32_t> prefix_pieces(int32_t state);
  // Makes a state known that no transition has led to.
  void enter(int32_t state);

 private:
  struct Step {
    int32_t state, completion;
  };
  struct State {
    bool is_idle = false, is_idle_behind_space = false, may_have_space = false;
    bool is_known = false, is_open = false, ends_here = false, is_met_if_ended = true, in_prefix = false;
    bool may_die = false, shared_under_way = false, knows_forced = false;
    int32_t prefix_left = 0, shared_missing = 0;
    std::vector<int32_t> pending, to_go;  // by phrase
    std::vector<int32_t> forced;          // (P, F)
  };
  struct Lacking {
    bool any, others;  // any phrase lacks pieces; one lacks them that does not end the text
  };

  static constexpr int32_t NO_LAYOUT = -1;
  uint64_t key(int32_t state, int32_t piece) const;
  const State& at(int32_t state) const { return states_[state]; }
  void describe_new();
  bool is_lacking(int p, const State&, const std::vector<int32_t>& met, const int32_t* more, bool others_lack) const;
  bool others_lack(const State&, const std::vector<int32_t>& met, const int32_t* more) const;
  int32_t to_go(int p, const State&, bool others_lack) const;

  std::vector<Phrase> phrases_;
  std::vector<int32_t> layouts_;  // by piece
  int num_tokens_;
  bool is_bounded_, has_ends_ = false;
  Buffers buffers_;
  TrackerCallbacks python_;
  std::vector<State> states_;
  std::vector<int32_t> new_states_;
  std::unordered_map<uint64_t, Step> steps_;
  std::vector<int32_t> completions_;  // rows of P occurrences
};

}  // namespace pinpoint
