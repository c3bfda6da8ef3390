#include "constraints.h"

#include <algorithm>

namespace pinpoint {

Constraints::Constraints(Tracker tracker)
    : tracker_(std::move(tracker)), phrases_(tracker_.phrases()), layouts_(tracker_.layouts()) {
  for (const PhraseAutomaton::Phrase& phrase : phrases_) {
    num_tokens_ += phrase.count * phrase.num_pieces;
    has_ends_ |= phrase.ends_text;
  }
  enter(FREE);
  enter(DEAD);
}

// Of a transition: pieces of a layout share it, where no match is under way.
uint64_t Constraints::key(int32_t state, int32_t piece) const {
  const int32_t layout = layouts_[piece];
  if (layout != NO_LAYOUT) {
    const Facts& from = at(state).facts;
    const bool has_space = from.may_have_space && layout % 2 == 0;
    if (has_space ? from.is_idle_behind_space : from.is_idle) piece = -1 - layout;
  }
  return static_cast<uint64_t>(static_cast<uint32_t>(state)) << 32 | static_cast<uint32_t>(piece);
}

bool Constraints::learn(std::vector<std::pair<int32_t, int32_t>> states_and_pieces, const Watch& watch) {
  bool any_dead = false;
  std::vector<int32_t> met(phrases_.size());
  for (const auto& [from, piece] : states_and_pieces) {
    if (knows(from, piece)) continue;
    watch.glance();
    std::fill(met.begin(), met.end(), 0);
    const int32_t state = tracker_.follow(from, piece, met.data());
    int32_t completion = -1;
    if (std::any_of(met.begin(), met.end(), [](int32_t count) { return count != 0; })) {
      completion = static_cast<int32_t>(completions_.size());
      completions_.insert(completions_.end(), met.begin(), met.end());
    }
    enter(state);
    steps_[key(from, piece)] = {state, completion};
    any_dead |= state == DEAD;
  }
  return any_dead;
}

// Makes a state known.
void Constraints::enter(int32_t state) {
  if (state >= static_cast<int32_t>(states_.size())) states_.resize(state + 1);
  if (states_[state].is_known) return;
  states_[state].facts = tracker_.describe(state);
  states_[state].is_known = true;
}

Constraints::Beginning Constraints::forced_prefix(const Vocabulary& vocabulary, int32_t max_length,
                                                  const Watch& watch) {
  Beginning found{{}, tracker_.start(), std::vector<int32_t>(phrases_.size())};
  enter(found.state);
  while (in_prefix(found.state)) {
    const std::vector<int32_t> allowed = prefix_pieces(found.state);
    if (allowed.size() != 1 || vocabulary.bans[allowed[0]] & NEVER) break;
    learn({{found.state, allowed[0]}}, watch);
    const int32_t state = next(found.state, allowed[0]);
    if (state == DEAD) break;
    std::vector<int32_t> met = found.met;
    if (const int32_t* more = completed(found.state, allowed[0]))
      for (size_t p = 0; p < met.size(); p++) met[p] += more[p];
    const Remaining left = remaining(state, met, nullptr);
    const int32_t needed = std::max<int32_t>(left.needed, !left.may_end);
    if (needed + 1 >= max_length - static_cast<int32_t>(found.pieces.size())) break;  // the search then reports why
    found.pieces.push_back(allowed[0]);
    found.state = state;
    found.met = std::move(met);
  }
  return found;
}

const int32_t* Constraints::completed(int32_t state, int32_t piece) const {
  if (state <= DEAD) return nullptr;
  const int32_t completion = steps_.at(key(state, piece)).completion;
  return completion < 0 ? nullptr : &completions_[completion];
}

// A phrase at the end of the text cannot begin before all others are met.
int32_t Constraints::to_go(int p, const Facts& state, bool others_lack) const {
  return phrases_[p].ends_text && others_lack ? phrases_[p].num_pieces : state.to_go[p];
}

bool Constraints::is_lacking(int p, const Facts& state, const std::vector<int32_t>& met, const int32_t* more,
                             bool others_lack) const {
  const int32_t unmet = phrases_[p].required() - met[p] - (more ? more[p] : 0);
  return unmet > 0 && (to_go(p, state, others_lack) > 0 || unmet > 1);
}

bool Constraints::others_lack(const Facts& state, const std::vector<int32_t>& met, const int32_t* more) const {
  if (!has_ends_) return false;
  if (state.shared_missing > 0) return true;
  for (int p = 0; p < num_phrases(); p++)
    if (!phrases_[p].ends_text && is_lacking(p, state, met, more, false)) return true;
  return false;
}

Remaining Constraints::remaining(int32_t number, const std::vector<int32_t>& met, const int32_t* more) const {
  const Facts& state = at(number).facts;
  const bool others = others_lack(state, met, more);
  bool any_lacking = state.shared_missing > 0, is_under_way = state.shared_under_way;
  Remaining found;
  found.missing = state.shared_missing;
  found.may_end = state.is_met_if_ended;
  for (int p = 0; p < num_phrases(); p++) {
    const PhraseAutomaton::Phrase& phrase = phrases_[p];
    const int32_t unmet = phrase.required() - met[p] - (more ? more[p] : 0);
    found.may_end &= unmet <= state.pending[p];
    if (unmet <= 0) continue;
    const int32_t left = to_go(p, state, others);
    any_lacking |= left > 0 || unmet > 1;
    found.missing += (unmet - 1) * phrase.num_pieces + left;
    is_under_way |= 0 < left && left < phrase.num_pieces;
  }
  const bool is_open = state.is_open && !state.in_prefix;  // a prefix closes its words itself
  found.closes = is_open && any_lacking && !is_under_way;
  found.needed = found.missing + found.closes + state.prefix_left;
  return found;
}

std::vector<int32_t> Constraints::forced(int32_t number, const std::vector<int32_t>& met, bool may_end, int32_t end) {
  State& state = states_[number];
  if (!state.knows_forced) {
    state.forced = tracker_.forced(number);
    state.knows_forced = true;
  }
  const bool others = others_lack(state.facts, met, nullptr);
  std::vector<int32_t> found;
  for (int p = 0; p < num_phrases(); p++) {
    // those of phrases that share a form are only pieces of those that are missing
    if (phrases_[p].group >= 0 || is_lacking(p, state.facts, met, nullptr, others))
      found.insert(found.end(), state.forced[p].begin(), state.forced[p].end());
  }
  if (state.facts.ends_here && may_end) found.push_back(end);
  return found;
}

std::vector<int32_t> Constraints::prefix_pieces(int32_t state) { return tracker_.prefix_pieces(state); }

}  // namespace pinpoint
