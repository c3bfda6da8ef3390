// The constraints of one sentence: states of a tracker (tracker.h) with the transitions between them, learned on demand.
//
// This table asks for each transition once and remembers it, also for later searches with the same constraints. A state
// is the number of a node of the tracker. Pieces of one layout in which no text begins share a transition of states
// without matches.
#pragma once

#include <stddef.h>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "tracker.h"

namespace pinpoint {

constexpr int32_t NO_LAYOUT = -1;      // of pieces that lead to a state of their own
constexpr int32_t FREE = 0, DEAD = 1;  // texts without constraints, and texts that have broken one

// The remaining cost of a text until it meets its constraints: `engine.search.tracker.RemainingCost`.
struct Remaining {
  int32_t missing = 0;  // constraint tokens still to come
  int32_t needed = 0;   // pieces still to come before the end
  bool closes = false;  // an open word must be closed before the next phrase
  bool may_end = true;
};

class Constraints {
 public:
  // By phrase; `required` is 0 for phrases that share a form, whose records have `shared_missing` instead.
  struct Phrase {
    int32_t required, num_pieces;
    bool is_sharing, ends_text;
  };

  // `layouts` are those of the pieces (`ConstraintTracker.layouts`); odd ones glue to their left.
  Constraints(std::vector<Phrase> phrases, int num_tokens, bool is_bounded, std::vector<int32_t> layouts,
              std::unique_ptr<Tracker>);

  int num_phrases() const { return static_cast<int>(phrases_.size()); }
  int num_tokens() const { return num_tokens_; }  // the paper's C
  bool is_bounded() const { return is_bounded_; }  // texts may become invalid

  // Learns the states' transitions that are unknown, with one question to the tracker for each `capacity` of them.
  // Returns true if any of the learned ones is dead. Looks for an interruption between questions.
  bool learn(std::vector<std::pair<int32_t, int32_t>> states_and_pieces, const Watch&);
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
  std::unique_ptr<Tracker> tracker_;
  std::vector<State> states_;
  std::vector<int32_t> new_states_;
  std::unordered_map<uint64_t, Step> steps_;
  std::vector<int32_t> completions_;  // rows of P occurrences
};

}  // namespace pinpoint
