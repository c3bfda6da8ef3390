#include "expansion.h"

#include <algorithm>
#include <cmath>

namespace pinpoint {

namespace {

bool is_among(int32_t piece, const std::vector<int32_t>& pieces) {
  return std::find(pieces.begin(), pieces.end(), piece) != pieces.end();
}

template <class T>
void sort_distinct(std::vector<T>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

}  // namespace

double Setting::placement_penalty(const Endings& endings, int32_t num_repeats) const {
  return task.late_penalty * endings.late + task.repetition_penalty * std::max(num_repeats - task.max_repeats, 0);
}

Expansion::Expansion(const Setting& setting, const Steps& steps, const std::vector<Row>& rows,
                     const std::vector<std::vector<int32_t>>& tokens, int32_t length, const Limits& limits)
    : setting_(setting), rows_(rows), steps_left_(setting.task.max_length - length), limits_(limits),
      beam_(limits.beam), max_children_(limits.max_children), forced_(rows.size()), repeating_(rows.size()) {
  if (setting.constraints.num_tokens())
    for (size_t r = 0; r < rows.size(); r++) {
      setting.watch.glance();
      forced_[r] = setting.constraints.forced(rows[r].state, rows[r].met, rows[r].remaining.may_end,
                                              setting.vocabulary.end);
      sort_distinct(forced_[r]);
    }
  for (const Row& row : rows)
    before_.push_back(row.log_prob - row.penalty - setting.placement_penalty(row.endings, row.num_repeats));
  if (setting.task.repetition_penalty > 0) spare_repeats(tokens);
  queried_ = forced_;
  if (setting.following.is_needed()) follow();
  for (size_t r = 0; r < rows.size(); r++) {
    setting.watch.glance();
    scores_.emplace_back(steps, rows[r].node, setting.vocabulary, mask_of(r, tokens[r]));
    is_failed_ |= scores_.back().is_failed() || std::isnan(rows[r].log_prob);
  }
}

// Takes as many more continuations as could be repeats, so that the best k with their penalty are among them.
void Expansion::spare_repeats(const std::vector<std::vector<int32_t>>& tokens) {
  for (size_t r = 0; r < rows_.size(); r++) {
    setting_.watch.glance();
    repeating_[r] = repeating(tokens[r]);
    beam_ += static_cast<int>(repeating_[r].size());
    max_children_ += static_cast<int>(repeating_[r].size());
  }
}

// Finds the best continuations without the previous text, too, beside those that follow it. An estimate is too high
// only for the end, which takes at most one place from each row, so twice the beam is enough.
void Expansion::follow() {
  for (size_t r = 0; r < rows_.size(); r++) {
    setting_.watch.glance();
    const Following::Likely likely = setting_.following.likely(rows_[r].changes);
    before_[r] = before_[r] + rows_[r].penalty - likely.penalty;
    queried_[r].insert(queried_[r].end(), likely.pieces.begin(), likely.pieces.end());
    queried_[r].push_back(setting_.vocabulary.end);
  }
  const bool is_capped = max_children_ < std::min(beam_, setting_.vocabulary.size);
  max_children_ = is_capped ? max_children_ + 1 : 2 * beam_;
  beam_ *= 2;
}

Mask Expansion::mask_of(size_t r, const std::vector<int32_t>& tokens) {
  const Row& row = rows_[r];
  Mask mask;
  mask.may_end = row.remaining.may_end;
  const bool in_prefix = setting_.constraints.in_prefix(row.state);
  const bool is_bound = in_prefix || row.remaining.needed + 1 >= steps_left_;
  std::optional<std::vector<int32_t>> bytes = next_bytes(tokens);
  mask.kind = is_bound || bytes ? Mask::ONLY : Mask::FREE_ROW;
  if (in_prefix) {
    mask.only = setting_.constraints.prefix_pieces(row.state);
  } else if (is_bound && steps_left_ == 1) {
    mask.only = {setting_.vocabulary.end};
  } else if (bytes) {
    mask.only = std::move(*bytes);
  } else if (is_bound && row.remaining.closes) {
    mask.kind = Mask::CLOSING;
  } else if (is_bound) {
    mask.only = forced_[r];
  }
  sort_distinct(mask.only);
  return mask;
}

// The pieces that continue the unfinished character at the end of the row; nothing if its last character is whole.
std::optional<std::vector<int32_t>> Expansion::next_bytes(const std::vector<int32_t>& tokens) const {
  if (!setting_.vocabulary.any_bytes) return std::nullopt;
  const Unfinished unfinished = unfinished_behind(setting_.vocabulary, tokens);
  if (!unfinished.size) return std::nullopt;
  return pieces_after(setting_.vocabulary, unfinished);
}

std::vector<Candidate> Expansion::candidates() {
  if (is_failed_) return {};
  std::vector<Key> keys = gather();
  while (learn(keys)) keys = gather();
  std::vector<Candidate> found;
  const auto add = [&](const std::vector<Key>& more) {
    for (const Key& key : more) {
      setting_.watch.glance();
      if (Candidate candidate; weigh(key, candidate)) found.push_back(candidate);
    }
  };
  add(keys);
  const ptrdiff_t num_in_order = found.size();
  add(last_resorts(keys, found));
  std::inplace_merge(found.begin(), found.begin() + num_in_order, found.end(), [](const Candidate& a, const Candidate& b) {
    return a.row != b.row ? a.row < b.row : a.piece < b.piece;
  });
  const double floor = limits_.floor;
  found.erase(std::remove_if(found.begin(), found.end(), [&](const Candidate& one) { return !(one.score >= floor); }),
              found.end());
  if (!std::isinf(setting_.task.bank_threshold)) drop_far_ones(found);
  return found;
}

// Section 3.1: the best k continuations (at most `max_children` of one row), the forced ones, and the best one of each
// row; distinct and in order. With hundreds of phrases there are a million of them, so they are sorted row by row.
std::vector<Expansion::Key> Expansion::gather() {
  std::vector<Key> leading, keys;
  add_leading(leading);
  sort_distinct(leading);
  auto leader = leading.begin();
  for (size_t r = 0; r < rows_.size(); r++) {
    setting_.watch.glance();
    const size_t first = keys.size();
    for (; leader != leading.end() && leader->row == static_cast<int32_t>(r); ++leader) keys.push_back(*leader);
    for (int32_t piece : queried_[r])
      if (scores_[r].at(piece) > NO_LOG_PROB) keys.push_back({static_cast<int32_t>(r), piece});
    std::sort(keys.begin() + first, keys.end());
    keys.erase(std::unique(keys.begin() + first, keys.end()), keys.end());
  }
  return keys;
}

void Expansion::add_leading(std::vector<Key>& keys) {
  struct Leader {
    double score;
    Key key;
    size_t rank;  // in its row
    int num_living;
    bool operator<(const Leader& other) const {  // a heap has the greatest first: equal ones by row
      return score != other.score ? score < other.score : other.key.row < key.row;
    }
  };
  bool is_ranked = limits_.max_children < std::min(limits_.beam, setting_.vocabulary.size);
  for (const Row& row : rows_) is_ranked |= setting_.constraints.may_die(row.state);
  std::vector<Leader> heads, leading;
  const auto push = [&](int32_t r, size_t rank, int num_living) {
    RowScores::Scored found;
    if (!next_living(r, rank, found)) return false;
    heads.push_back({before_[r] + found.log_prob, {r, found.piece}, rank, num_living});
    std::push_heap(heads.begin(), heads.end());
    if (num_living == 1) keys.push_back({r, found.piece});
    return true;
  };
  for (size_t r = 0; r < rows_.size(); r++) push(static_cast<int32_t>(r), 0, 1);
  const size_t beam = beam_;
  while (!heads.empty() && (leading.size() < beam || (beam && heads.front().score == leading[beam - 1].score))) {
    setting_.watch.glance();
    std::pop_heap(heads.begin(), heads.end());
    const Leader leader = heads.back();
    heads.pop_back();
    leading.push_back(leader);
    if (!is_ranked || leader.num_living < max_children_) push(leader.key.row, leader.rank + 1, leader.num_living + 1);
  }
  // Of equal scores, the first by row come first, and in a row by piece; where a row's continuations are counted, by rank.
  if (!is_ranked)
    std::stable_sort(leading.begin(), leading.end(), [](const Leader& a, const Leader& b) {
      return a.score != b.score ? a.score > b.score : a.key < b.key;
    });
  if (leading.size() > beam) leading.resize(beam);
  for (const Leader& leader : leading) keys.push_back(leader.key);
}

// Finds the first continuation from `rank` on that is not known to break a constraint, where the row's next piece may.
bool Expansion::next_living(int32_t r, size_t& rank, RowScores::Scored& found) {
  const int32_t state = rows_[r].state;
  const bool may_die = setting_.constraints.may_die(state);
  for (;; rank++) {
    if (!scores_[r].ranked(rank, found)) return false;
    if (!may_die || found.piece == setting_.vocabulary.end || !setting_.constraints.knows(state, found.piece))
      return true;
    if (setting_.constraints.next(state, found.piece) != DEAD) return true;
  }
}

// Learns what follows the keys. True if a dead continuation took the place of a living one: they are gathered again.
bool Expansion::learn(const std::vector<Key>& keys) {
  std::vector<std::pair<int32_t, int32_t>> unknown;
  for (const Key& key : keys) {
    setting_.watch.glance();
    const int32_t state = rows_[key.row].state;
    if (key.piece != setting_.vocabulary.end && !setting_.constraints.knows(state, key.piece))
      unknown.emplace_back(state, key.piece);
  }
  return !unknown.empty() && setting_.constraints.learn(std::move(unknown), setting_.watch);
}

// Fills in the candidate; false if it cannot meet all constraints in time.
bool Expansion::weigh(const Key& key, Candidate& one) const {
  const Row& row = rows_[key.row];
  const Constraints& constraints = setting_.constraints;
  const Task& task = setting_.task;
  one.row = key.row;
  one.piece = key.piece;
  one.piece_log_prob = scores_[key.row].at(key.piece);
  one.log_prob = row.log_prob + one.piece_log_prob;
  one.is_end = key.piece == setting_.vocabulary.end;
  one.is_forced = std::binary_search(forced_[key.row].begin(), forced_[key.row].end(), key.piece);
  if (!(one.log_prob > NO_LOG_PROB)) return false;
  one.state = one.is_end ? row.state : constraints.next(row.state, key.piece);
  if (one.state == DEAD) return false;
  one.remaining = row.remaining;
  if (!one.is_end) {
    one.remaining = constraints.remaining(one.state, row.met, constraints.completed(row.state, key.piece));
    int32_t needed = one.remaining.needed;
    if (constraints.is_bounded())  // the next piece must decide a pending avoided match
      needed = std::max<int32_t>(needed, !one.remaining.may_end);
    if (needed + 1 >= steps_left_) return false;
  }
  one.bank = constraints.num_tokens() - (one.is_end ? 0 : one.remaining.missing);
  one.penalty = 0;
  if (setting_.following.is_needed())
    one.penalty = one.is_end ? setting_.following.penalty_at_end(row.changes)
                             : setting_.following.penalty_after(row.changes, key.piece);
  one.endings = row.endings;
  if (task.late_penalty > 0)
    one.endings = row.endings.after(setting_.vocabulary.traits[key.piece], task.max_sentences, row.remaining.missing > 0);
  one.num_repeats = row.num_repeats + is_among(key.piece, repeating_[key.row]);
  one.score = one.log_prob - one.penalty - setting_.placement_penalty(one.endings, one.num_repeats);
  return true;
}

// The end of rows that may end and have no other candidate: the likeliest continuation may break a phrase at the
// end of the text when no time is left to write it again, and the end is not among the best of a narrow beam.
std::vector<Expansion::Key> Expansion::last_resorts(const std::vector<Key>& keys,
                                                    const std::vector<Candidate>& found) const {
  std::vector<bool> has_any(rows_.size());
  for (const Candidate& one : found) has_any[one.row] = true;
  const int32_t end = setting_.vocabulary.end;
  std::vector<Key> ends;
  for (size_t r = 0; r < rows_.size(); r++) {
    setting_.watch.glance();
    const Key key{static_cast<int32_t>(r), end};
    if (!has_any[r] && scores_[r].at(end) > NO_LOG_PROB && !std::binary_search(keys.begin(), keys.end(), key))
      ends.push_back(key);
  }
  return ends;
}

// Freitag & Al-Onaizan 2017, section 3.2, the absolute threshold, within each bank: candidates that have met few phrases
// are always likelier than those that have met many. Finished ones count in the last bank; forced ones stay.
void Expansion::drop_far_ones(std::vector<Candidate>& candidates) const {
  std::vector<double> best(setting_.constraints.num_tokens() + 1, -INFINITY);
  best.back() = limits_.best_finished;
  for (const Candidate& one : candidates) best[one.bank] = std::max(best[one.bank], one.score);
  const auto is_far = [&](const Candidate& one) {
    return !one.is_forced && !(one.score >= best[one.bank] - setting_.task.bank_threshold);
  };
  candidates.erase(std::remove_if(candidates.begin(), candidates.end(), is_far), candidates.end());
}

}  // namespace pinpoint
