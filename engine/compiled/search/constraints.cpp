#include "constraints.h"

#include <algorithm>

#include "tracker.h"

namespace pinpoint {

Constraints::Constraints(std::vector<Phrase> phrases, int num_tokens, bool is_bounded, std::vector<int32_t> layouts,
                         std::unique_ptr<Tracker> tracker)
    : phrases_(std::move(phrases)), layouts_(std::move(layouts)), num_tokens_(num_tokens), is_bounded_(is_bounded),
      tracker_(std::move(tracker)), states_(2) {
  for (const Phrase& phrase : phrases_) has_ends_ |= phrase.ends_text;
  for (State& state : states_) {
    state.is_known = state.knows_forced = true;
    state.pending.assign(phrases_.size(), 0);
    state.to_go.assign(phrases_.size(), 0);
  }
}

// Of a transition: pieces of a layout share it, where no match is under way.
uint64_t Constraints::key(int32_t state, int32_t piece) const {
  const int32_t layout = layouts_[piece];
  if (layout != NO_LAYOUT) {
    const State& from = at(state);
    const bool has_space = from.may_have_space && layout % 2 == 0;
    if (has_space ? from.is_idle_behind_space : from.is_idle) piece = -1 - layout;
  }
  return static_cast<uint64_t>(static_cast<uint32_t>(state)) << 32 | static_cast<uint32_t>(piece);
}

bool Constraints::learn(std::vector<std::pair<int32_t, int32_t>> states_and_pieces, const Watch& watch) {
  const auto is_before = [this](const auto& a, const auto& b) { return key(a.first, a.second) < key(b.first, b.second); };
  const auto is_same = [this](const auto& a, const auto& b) { return key(a.first, a.second) == key(b.first, b.second); };
  std::stable_sort(states_and_pieces.begin(), states_and_pieces.end(), is_before);
  states_and_pieces.erase(std::unique(states_and_pieces.begin(), states_and_pieces.end(), is_same),
                          states_and_pieces.end());
  bool any_dead = false;
  const size_t num_phrases = phrases_.size();
  for (size_t first = 0; first < states_and_pieces.size(); first += tracker_->buffers().capacity) {
    if (first) watch.glance();
    const size_t count = std::min<size_t>(tracker_->buffers().capacity, states_and_pieces.size() - first);
    for (size_t i = 0; i < count; i++)
      std::tie(tracker_->buffers().states[i], tracker_->buffers().pieces[i]) = states_and_pieces[first + i];
    tracker_->follow(static_cast<int32_t>(count));
    for (size_t i = 0; i < count; i++) {
      const int32_t* row = tracker_->buffers().completed + i * num_phrases;
      int32_t completion = -1;
      if (std::any_of(row, row + num_phrases, [](int32_t met) { return met != 0; })) {
        completion = static_cast<int32_t>(completions_.size());
        completions_.insert(completions_.end(), row, row + num_phrases);
      }
      const int32_t state = tracker_->buffers().next[i];
      const auto [from, piece] = states_and_pieces[first + i];
      steps_[key(from, piece)] = {state, completion};
      any_dead |= state == DEAD;
      if (state >= static_cast<int32_t>(states_.size())) states_.resize(state + 1);
      if (!states_[state].is_known) new_states_.push_back(state);
    }
    describe_new();
  }
  return any_dead;
}

void Constraints::enter(int32_t state) {
  if (state >= static_cast<int32_t>(states_.size())) states_.resize(state + 1);
  if (!states_[state].is_known) new_states_.push_back(state);
  describe_new();
}

void Constraints::describe_new() {
  std::sort(new_states_.begin(), new_states_.end());
  new_states_.erase(std::unique(new_states_.begin(), new_states_.end()), new_states_.end());
  const size_t num_phrases = phrases_.size(), width = Tracker::NUM_FLAGS + 2 * num_phrases;
  for (size_t first = 0; first < new_states_.size(); first += tracker_->buffers().capacity) {
    const size_t count = std::min<size_t>(tracker_->buffers().capacity, new_states_.size() - first);
    std::copy_n(&new_states_[first], count, tracker_->buffers().states);
    tracker_->describe(static_cast<int32_t>(count));
    for (size_t i = 0; i < count; i++) {
      const int32_t* record = tracker_->buffers().records + i * width;
      State& state = states_[new_states_[first + i]];
      state.is_known = true;
      state.is_idle = record[0];
      state.is_idle_behind_space = record[1];
      state.may_have_space = record[2];
      state.is_open = record[3];
      state.ends_here = record[4];
      state.is_met_if_ended = record[5];
      state.in_prefix = record[6];
      state.may_die = record[7];
      state.prefix_left = record[8];
      state.shared_missing = record[9];
      state.shared_under_way = record[10];
      state.pending.assign(record + Tracker::NUM_FLAGS, record + Tracker::NUM_FLAGS + num_phrases);
      state.to_go.assign(record + Tracker::NUM_FLAGS + num_phrases, record + width);
    }
  }
  new_states_.clear();
}

const int32_t* Constraints::completed(int32_t state, int32_t piece) const {
  if (state <= DEAD) return nullptr;
  const int32_t completion = steps_.at(key(state, piece)).completion;
  return completion < 0 ? nullptr : &completions_[completion];
}

// A phrase at the end of the text cannot begin before all others are met.
int32_t Constraints::to_go(int p, const State& state, bool others_lack) const {
  return phrases_[p].ends_text && others_lack ? phrases_[p].num_pieces : state.to_go[p];
}

bool Constraints::is_lacking(int p, const State& state, const std::vector<int32_t>& met, const int32_t* more,
                             bool others_lack) const {
  const int32_t unmet = phrases_[p].required - met[p] - (more ? more[p] : 0);
  return unmet > 0 && (to_go(p, state, others_lack) > 0 || unmet > 1);
}

bool Constraints::others_lack(const State& state, const std::vector<int32_t>& met, const int32_t* more) const {
  if (!has_ends_) return false;
  if (state.shared_missing > 0) return true;
  for (int p = 0; p < num_phrases(); p++)
    if (!phrases_[p].ends_text && is_lacking(p, state, met, more, false)) return true;
  return false;
}

Remaining Constraints::remaining(int32_t number, const std::vector<int32_t>& met, const int32_t* more) const {
  const State& state = at(number);
  const bool others = others_lack(state, met, more);
  bool any_lacking = state.shared_missing > 0, is_under_way = state.shared_under_way;
  Remaining found;
  found.missing = state.shared_missing;
  found.may_end = state.is_met_if_ended;
  for (int p = 0; p < num_phrases(); p++) {
    const Phrase& phrase = phrases_[p];
    const int32_t unmet = phrase.required - met[p] - (more ? more[p] : 0);
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
    const int32_t size = tracker_->forced(number);
    state.forced.assign(tracker_->buffers().choices, tracker_->buffers().choices + size);
    state.knows_forced = true;
  }
  const bool others = others_lack(state, met, nullptr);
  const size_t width = phrases_.empty() ? 0 : state.forced.size() / phrases_.size();
  std::vector<int32_t> found;
  for (int p = 0; p < num_phrases(); p++) {
    // tables of phrases that share a form contain only pieces of those that are missing
    if (!phrases_[p].is_sharing && !is_lacking(p, state, met, nullptr, others)) continue;
    for (size_t i = p * width; i < (p + 1) * width; i++)
      if (state.forced[i] >= 0) found.push_back(state.forced[i]);
  }
  if (state.ends_here && may_end) found.push_back(end);
  return found;
}

std::vector<int32_t> Constraints::prefix_pieces(int32_t state) {
  const int32_t count = tracker_->prefix_pieces(state);
  return {tracker_->buffers().choices, tracker_->buffers().choices + count};
}

}  // namespace pinpoint
