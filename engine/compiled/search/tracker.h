// The states of one sentence's constraints: those of its automata together, with a number each. The twin of the nodes in
// `engine/search/tracker.py` and of `engine/search/max_count.py`.
#pragma once

#include <stddef.h>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "phrases.h"
#include "prefix_avoid.h"

namespace pinpoint {

constexpr int32_t NO_LAYOUT = -1;      // of pieces that lead to a state of their own
constexpr int32_t FREE = 0, DEAD = 1;  // texts without constraints, and texts that have broken one

class Tracker {
 public:
  // What the search needs of a state; the columns of `engine/search/node_tables.py`.
  struct Facts {
    bool is_idle = false, is_idle_behind_space = false, may_have_space = false, is_open = false, ends_here = false;
    bool is_met_if_ended = true, in_prefix = false, may_die = false, shared_under_way = false;
    int32_t prefix_left = 0, shared_missing = 0;
    std::vector<int32_t> pending, to_go;  // by phrase
  };

  // `fits_in_a_piece`: a phrase with a `max_count` may occur inside a piece.
  Tracker(const Vocabulary&, PhraseAutomaton, std::optional<PrefixAvoidAutomaton>, bool fits_in_a_piece);

  int32_t num_phrases() const { return static_cast<int32_t>(phrases_.phrases().size()); }
  const std::vector<PhraseAutomaton::Phrase>& phrases() const { return phrases_.phrases(); }
  // Texts can become invalid: there is a prefix, an avoided text or a `max_count`.
  bool is_bounded() const { return prefix_avoid_.has_value() || !limited_.empty(); }
  // The state of the empty text.
  int32_t start();
  // The state after a piece; adds the occurrences that the piece confirms to `counts`.
  int32_t follow(int32_t state, int32_t piece, PhraseAutomaton::Counts counts);
  Facts describe(int32_t state) const;
  // For each phrase, the pieces that advance it.
  std::vector<std::vector<int32_t>> forced(int32_t state) const;
  // The pieces that may follow a text that is `in_prefix`.
  std::vector<int32_t> prefix_pieces(int32_t state) const;
  // The layouts of the vocabulary, without those of pieces in which a text may begin.
  std::vector<int32_t> layouts() const;

 private:
  static constexpr int32_t NOTHING_TO_BREAK = -1;  // in place of the state of prefix and avoided texts
  static constexpr int32_t FIRST = 2;              // the number of the first state
  using CountsLeft = std::vector<int32_t>;         // how many more occurrences each limited phrase may have

  struct Node {
    int32_t phrases, prefix_avoid;
    CountsLeft left;
    bool operator<(const Node& other) const {
      return std::tie(phrases, prefix_avoid, left) < std::tie(other.phrases, other.prefix_avoid, other.left);
    }
  };

  int32_t number(int32_t phrases, int32_t prefix_avoid, CountsLeft left) {
    return FIRST + nodes_.number({phrases, prefix_avoid, std::move(left)});
  }
  const Node& at(int32_t state) const { return nodes_[state - FIRST]; }
  int32_t least_left(const CountsLeft&, const std::vector<int32_t>& counts) const;

  const Vocabulary& vocabulary_;
  PhraseAutomaton phrases_;
  std::optional<PrefixAvoidAutomaton> prefix_avoid_;
  std::vector<int32_t> limited_;  // the phrases with a `max_count`
  bool fits_in_a_piece_;
  Numbered<PhraseAutomaton::State> phrase_states_;
  Numbered<PrefixAvoidAutomaton::State> prefix_avoid_states_;
  Numbered<Node> nodes_;
};

}  // namespace pinpoint
