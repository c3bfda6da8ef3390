#include "tracker.h"

#include <algorithm>
#include <limits>

namespace pinpoint {

Tracker::Tracker(const Vocabulary& vocabulary, PhraseAutomaton phrases,
                 std::optional<PrefixAvoidAutomaton> prefix_avoid, bool fits_in_a_piece)
    : vocabulary_(vocabulary), phrases_(std::move(phrases)), prefix_avoid_(std::move(prefix_avoid)),
      fits_in_a_piece_(fits_in_a_piece) {
  for (int32_t p = 0; p < num_phrases(); p++)
    if (phrases_.phrases()[p].max_count >= 0) limited_.push_back(p);
}

int32_t Tracker::start() {
  if (!num_phrases() && !prefix_avoid_) return FREE;
  CountsLeft left;
  for (int32_t p : limited_) left.push_back(phrases_.phrases()[p].max_count);
  const int32_t prefix_avoid = prefix_avoid_ ? prefix_avoid_states_.number({}) : NOTHING_TO_BREAK;
  return number(phrase_states_.number(phrases_.start()), prefix_avoid, std::move(left));
}

int32_t Tracker::follow(int32_t state, int32_t piece, PhraseAutomaton::Counts counts) {
  if (state <= DEAD) return state;
  Node node = at(state);
  if (node.prefix_avoid != NOTHING_TO_BREAK) {
    std::optional<PrefixAvoidAutomaton::State> after =
        prefix_avoid_->after(prefix_avoid_states_[node.prefix_avoid], piece);
    if (!after) return DEAD;
    if (!prefix_avoid_->is_done(*after)) {
      node.prefix_avoid = prefix_avoid_states_.number(std::move(*after));
    } else if (num_phrases()) {
      node.prefix_avoid = NOTHING_TO_BREAK;
    } else {
      return FREE;
    }
  }
  std::vector<int32_t> confirmed(num_phrases());
  PhraseAutomaton::State phrases = phrases_.after(phrase_states_[node.phrases], piece, confirmed.data());
  if (!limited_.empty()) {
    for (size_t i = 0; i < limited_.size(); i++) node.left[i] -= confirmed[limited_[i]];
    std::vector<int32_t> sure(num_phrases());
    phrases_.count_sure(phrases, sure.data());
    if (least_left(node.left, sure) < 0) return DEAD;
  }
  for (int32_t p = 0; p < num_phrases(); p++) counts[p] += confirmed[p];
  return number(phrase_states_.number(std::move(phrases)), node.prefix_avoid, std::move(node.left));
}

// The fewest further occurrences that any limited phrase may have after `counts` of each.
int32_t Tracker::least_left(const CountsLeft& left, const std::vector<int32_t>& counts) const {
  int32_t least = std::numeric_limits<int32_t>::max();
  for (size_t i = 0; i < limited_.size(); i++) least = std::min(least, left[i] - counts[limited_[i]]);
  return least;
}

Tracker::Facts Tracker::describe(int32_t state) const {
  Facts facts;
  facts.pending.assign(num_phrases(), 0);
  facts.to_go.assign(num_phrases(), 0);
  if (state <= DEAD) return facts;
  const Node& node = at(state);
  const PhraseAutomaton::State& phrases = phrase_states_[node.phrases];
  const Context& context = phrases.context;
  const bool is_unfinished = context.unfinished.size != 0;
  facts.may_have_space = !(context.is_first || context.is_open);
  facts.is_idle = phrases.is_idle();
  facts.is_idle_behind_space = facts.may_have_space && phrases_.is_idle_behind_space(phrases);
  facts.is_open = context.is_open || is_unfinished;
  facts.ends_here = phrases_.ends_here(phrases);
  phrases_.count_pending(phrases, facts.pending.data());
  facts.to_go = phrases_.to_go(phrases);
  const PhraseAutomaton::Missing missing = phrases_.shared_missing(phrases);
  facts.shared_missing = missing.num_pieces;
  facts.shared_under_way = missing.is_under_way;
  const int32_t left = least_left(node.left, facts.pending);
  facts.is_met_if_ended = phrases_.shared_met(phrases) && !is_unfinished && left >= 0;
  // a piece that contains a phrase twice is not foreseen; a text that dies of it is dropped in the same step
  const bool may_occur = fits_in_a_piece_ || !phrases.partial.empty() || !phrases.pending.empty() || is_unfinished;
  facts.may_die = left <= 0 && may_occur;
  if (node.prefix_avoid == NOTHING_TO_BREAK) return facts;
  const PrefixAvoidAutomaton::State& prefix_avoid = prefix_avoid_states_[node.prefix_avoid];
  if (!prefix_avoid_->is_idle(prefix_avoid)) facts.is_idle = facts.is_idle_behind_space = false;
  facts.may_die = true;
  facts.is_met_if_ended = facts.is_met_if_ended && prefix_avoid_->may_end(prefix_avoid);
  facts.in_prefix = prefix_avoid_->in_prefix(prefix_avoid);
  facts.prefix_left = prefix_avoid_->pieces_left(prefix_avoid);
  return facts;
}

std::vector<std::vector<int32_t>> Tracker::forced(int32_t state) const {
  if (state <= DEAD) return std::vector<std::vector<int32_t>>(num_phrases());
  return phrases_.next_pieces(phrase_states_[at(state).phrases]);
}

std::vector<int32_t> Tracker::prefix_pieces(int32_t state) const {
  return prefix_avoid_->prefix_pieces(prefix_avoid_states_[at(state).prefix_avoid]);
}

std::vector<int32_t> Tracker::layouts() const {
  std::vector<int32_t> found = vocabulary_.layouts;
  for (const Spelling& spelling : phrases_.spellings()) found[spelling.pieces[0]] = NO_LAYOUT;
  const auto drop = [&](uint32_t code) {
    if (const auto pieces = vocabulary_.pieces_with.find(code); pieces != vocabulary_.pieces_with.end())
      for (int32_t piece : pieces->second) found[piece] = NO_LAYOUT;
  };
  const auto drop_all = [&](const Patterns& patterns) {
    for (const Pattern& pattern : patterns) {
      if (!pattern.ignores_case) drop(pattern.text[0]);
      for (const Character& character : vocabulary_.alphabet)
        if (pattern.ignores_case && character.lower == pattern.text[0]) drop(character.code);
    }
  };
  drop_all(phrases_.patterns());
  if (prefix_avoid_) drop_all(prefix_avoid_->patterns());
  return found;
}

}  // namespace pinpoint
