// The constraints of one sentence: states of a tracker (tracker.h) with the transitions between them, learned on demand.
//
// This table computes each transition once and remembers it, also for later searches with the same constraints. Pieces of one layout in which no text begins share a transition of states
// without matches.
#pragma once

#include <stddef.h>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "tracker.h"

namespace pinpoint {

// The remaining cost of a text until it meets its constraints: `engine.search.tracker.RemainingCost`.
struct Remaining {
  int32_t missing = 0;  // constraint tokens still to come
  int32_t needed = 0;   // pieces still to come before the end
  bool closes = false;  // an open word must be closed before the next phrase
  bool may_end = true;
};

class Constraints {
 public:
  explicit Constraints(Tracker);
  Constraints(const Constraints&) = delete;

  int num_phrases() const { return tracker_.num_phrases(); }
  size_t num_learned() const { return states_.size() + steps_.size(); }  // what the table's memory grows with
  int num_tokens() const { return num_tokens_; }  // the paper's C
  bool is_bounded() const { return tracker_.is_bounded(); }  // texts may become invalid

  // Learns the states' transitions that are unknown; returns true if any of the learned ones is dead. Looks for an
  // interruption between them.
  bool learn(std::vector<std::pair<int32_t, int32_t>> states_and_pieces, const Watch&);
  bool knows(int32_t state, int32_t piece) const { return state <= DEAD || steps_.count(key(state, piece)); }
  int32_t next(int32_t state, int32_t piece) const { return state <= DEAD ? state : steps_.at(key(state, piece)).state; }
  // (P,): the occurrences that the piece confirms; null: none.
  const int32_t* completed(int32_t state, int32_t piece) const;

  bool may_die(int32_t state) const { return at(state).facts.may_die; }
  bool in_prefix(int32_t state) const { return at(state).facts.in_prefix; }
  // The remaining cost of a text in this state that has met `met` and `more` occurrences of each phrase (null: none).
  Remaining remaining(int32_t state, const std::vector<int32_t>& met, const int32_t* more) const;
  // Pieces that advance an unmet phrase, with repetitions; the end if the text ends with a phrase that ends the text.
  std::vector<int32_t> forced(int32_t state, const std::vector<int32_t>& met, bool may_end, int32_t end);
  // The pieces that may follow a text that is `in_prefix`.
  std::vector<int32_t> prefix_pieces(int32_t state);
  // The pieces of the prefix that leave no choice, with the state and the occurrences behind them: the model reads them in
  // one pass (`rows.forced_prefix`).
  struct Beginning {
    std::vector<int32_t> pieces;
    int32_t state;
    std::vector<int32_t> met;  // by phrase
  };
  Beginning forced_prefix(const Vocabulary&, int32_t max_length, const Watch&);

 private:
  using Facts = Tracker::Facts;
  struct Step {
    int32_t state, completion;
  };
  struct State {
    Tracker::Facts facts;
    bool is_known = false, knows_forced = false;
    std::vector<std::vector<int32_t>> forced;  // by phrase
  };

  uint64_t key(int32_t state, int32_t piece) const;
  const State& at(int32_t state) const { return states_[state]; }
  void enter(int32_t state);
  bool is_lacking(int p, const Facts&, const std::vector<int32_t>& met, const int32_t* more, bool others_lack) const;
  bool others_lack(const Facts&, const std::vector<int32_t>& met, const int32_t* more) const;
  int32_t to_go(int p, const Facts&, bool others_lack) const;

  Tracker tracker_;
  const std::vector<PhraseAutomaton::Phrase>& phrases_;  // of the tracker
  int num_tokens_ = 0;
  bool has_ends_ = false;
  std::vector<int32_t> layouts_;  // by piece; odd ones glue to their left
  std::vector<State> states_;
  std::unordered_map<uint64_t, Step> steps_;
  std::vector<int32_t> completions_;  // rows of P occurrences
};

}  // namespace pinpoint
