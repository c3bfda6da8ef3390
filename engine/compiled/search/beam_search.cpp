#include "beam_search.h"

#include <algorithm>
#include <cmath>

#include "banks.h"

namespace pinpoint {

namespace {

// Lets the tree ask during the search whether it must end.
class Watching {
 public:
  Watching(Steps& steps, const Watch& watch) : steps_(steps) { steps_.watch(watch); }
  ~Watching() { steps_.watch(Watch()); }

 private:
  Steps& steps_;
};

}  // namespace

BeamSearch::BeamSearch(const Task& task, Steps& steps, const Vocabulary& vocabulary, const Callbacks& python,
                       Constraints& constraints)
    : task_(task), steps_(steps), vocabulary_(vocabulary), python_(python), watch_(python.interrupted),
      constraints_(constraints),
      following_(task.followed, task.is_required, task.followed_length, task.follow_strength),
      setting_{task_, vocabulary_, python_, watch_, constraints_, following_}, pool_(task_) {}

BeamSearch::Result BeamSearch::run() {
  const Watching watching(steps_, watch_);
  try {
    watch_.look();
    begin();
    while (!has_ended_) step();
  } catch (const Stopped& stopped) {
    if (stopped.answer == FAILED_ANSWER) throw CallbackFailed();
    conclude(stopped.answer == DEADLINE_ANSWER ? Outcome::DEADLINE : Outcome::CANCELLED);
  }
  return std::move(result_);
}

// One row, behind the forced prefix, which the model reads in one pass.
void BeamSearch::begin() {
  const Constraints::Beginning beginning = constraints_.forced_prefix(vocabulary_, task_.max_length, watch_);
  Row row{};
  row.history = -1;
  row.state = beginning.state;
  row.met = beginning.met;
  if (task_.late_penalty)
    for (int32_t piece : beginning.pieces) row.endings = row.endings.after(vocabulary_.traits[piece], 1, false);
  row.changes = following_.start(beginning.pieces);
  row.remaining = constraints_.remaining(row.state, row.met, nullptr);
  read_prefix(beginning.pieces, row);
  rows_.push_back(std::move(row));
  result_.num_steps = num_pieces_;
}

void BeamSearch::read_prefix(const std::vector<int32_t>& pieces, Row& row) {
  std::vector<int> nodes{0};
  for (int32_t piece : pieces) nodes.push_back(steps_.child(nodes.back(), piece));
  if (!pieces.empty()) expand({nodes.begin(), nodes.end() - 1});
  for (size_t i = 0; i < pieces.size(); i++) {
    const double log_prob = steps_.logits(nodes[i])[pieces[i]] - steps_.log_sum(nodes[i]);
    history_.push_back({row.history, pieces[i], log_prob});
    row.history = static_cast<int32_t>(history_.size()) - 1;
    row.log_prob += log_prob;
  }
  row.node = nodes.back();
  num_pieces_ = static_cast<int32_t>(pieces.size());
}

// Takes every row one piece further (algorithm 2).
void BeamSearch::step() {
  std::vector<int> nodes;
  std::vector<std::vector<int32_t>> tokens;
  for (const Row& row : rows_) {
    watch_.glance();
    nodes.push_back(row.node);
    tokens.push_back(pieces_of(row.history));
  }
  expand(nodes);
  result_.num_model_steps++;
  result_.num_rows += static_cast<int64_t>(rows_.size());
  watch_.look();
  const int beam = pool_.beam_left();
  const int max_children = std::min({beam, task_.max_children ? task_.max_children : beam, vocabulary_.size});
  const Limits limits{beam, max_children, pool_.pruning_total() - task_.pruning_threshold, pool_.best_total()};
  Expansion expansion(setting_, steps_, rows_, tokens, num_pieces_, limits);
  const std::vector<Candidate> candidates = expansion.candidates();
  watch_.glance();
  const std::vector<bool> is_chosen = share_beam(candidates, beam);
  std::vector<Candidate> ended, going;
  for (size_t i = 0; i < candidates.size(); i++)
    if (is_chosen[i]) (candidates[i].is_end ? ended : going).push_back(candidates[i]);
  result_.num_steps++;
  store_finished(ended);
  advance(going, expansion.is_failed());
}

// Computes a few nodes at once, so that a step of many rows can be interrupted. The last call computes those that are left,
// and those that were forgotten for others.
void BeamSearch::expand(const std::vector<int>& nodes) {
  constexpr size_t NODES_AT_ONCE = 32;
  for (size_t first = 0; first + NODES_AT_ONCE < nodes.size(); first += NODES_AT_ONCE) {
    steps_.expand(&nodes[first], NODES_AT_ONCE);
    watch_.look();
  }
  steps_.expand(nodes.data(), static_cast<int>(nodes.size()));
}

// Which candidates get a place in the beam (section 3.2). With a previous text, the candidate nearest to it always does:
// it may have met few phrases so far, because the text has them further on, and would lose its place to others.
std::vector<bool> BeamSearch::share_beam(const std::vector<Candidate>& candidates, int beam) {
  std::vector<double> scores;
  std::vector<int> banks, waiting(constraints_.num_tokens() + 1);
  for (const Candidate& one : candidates) {
    scores.push_back(one.score);
    banks.push_back(one.bank);
  }
  for (double score : kept_) {
    scores.push_back(score);
    banks.push_back(constraints_.num_tokens());
  }
  for (int bank : banks) waiting[bank]++;
  const std::vector<int> places = allocate(waiting, beam, task_.spreads);
  std::vector<std::vector<size_t>> in_bank(waiting.size());
  for (size_t i = 0; i < banks.size(); i++) in_bank[banks[i]].push_back(i);
  std::vector<bool> is_chosen(scores.size());
  const auto is_better = [&](size_t a, size_t b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; };
  for (size_t bank = 0; bank < in_bank.size(); bank++) {  // there may be a hundred thousand candidates
    watch_.glance();
    std::vector<size_t>& own = in_bank[bank];
    const auto last = own.begin() + places[bank];
    std::nth_element(own.begin(), last, own.end(), is_better);
    for (auto chosen = own.begin(); chosen != last; ++chosen) is_chosen[*chosen] = true;
  }
  if (!kept_.empty()) {
    std::vector<double> still_kept;
    for (size_t i = 0; i < kept_.size(); i++)
      if (is_chosen[candidates.size() + i]) still_kept.push_back(kept_[i]);
    kept_ = std::move(still_kept);
  }
  if (following_.is_needed() && !candidates.empty()) {
    const auto is_nearer = [](const Candidate& a, const Candidate& b) {
      return a.penalty != b.penalty ? a.penalty < b.penalty : a.score > b.score;
    };
    is_chosen[std::min_element(candidates.begin(), candidates.end(), is_nearer) - candidates.begin()] = true;
  }
  return is_chosen;
}

void BeamSearch::store_finished(const std::vector<Candidate>& ended) {
  for (const Candidate& one : ended) {
    watch_.glance();
    history_.push_back({rows_[one.row].history, one.piece, one.piece_log_prob});
    const int32_t history = static_cast<int32_t>(history_.size()) - 1;
    pool_.add(hypothesis(history, result_.num_steps, one.log_prob, one.penalty, one.endings, one.num_repeats),
              text_of(history));
    if (task_.keeps_finished) kept_.push_back(one.score);
  }
}

// Makes the chosen candidates the next rows, or ends the search.
void BeamSearch::advance(std::vector<Candidate>& going, bool is_failed) {
  double best = NEVER_REACHED;
  for (const Candidate& one : going) best = std::max(best, one.score);
  if (best == NEVER_REACHED) return conclude(is_failed ? Outcome::FAILED : Outcome::COMPLETE);
  if (!task_.keeps_finished && pool_.is_over(best, result_.num_steps)) return conclude(Outcome::COMPLETE);
  std::vector<Row> rows;
  rows.reserve(going.size());
  for (const Candidate& one : going) {
    watch_.glance();
    rows.push_back(extended(one));
  }
  rows_ = std::move(rows);
  num_pieces_ = result_.num_steps;
}

Row BeamSearch::extended(const Candidate& one) {
  const Row& before = rows_[one.row];
  history_.push_back({before.history, one.piece, one.piece_log_prob});
  Row row{steps_.child(before.node, one.piece), one.state, static_cast<int32_t>(history_.size()) - 1,
          one.log_prob, one.penalty, before.met, following_.after(before.changes, one.piece),
          one.endings, one.num_repeats, one.remaining};
  if (const int32_t* completed = constraints_.completed(before.state, one.piece))
    for (size_t p = 0; p < row.met.size(); p++) row.met[p] += completed[p];
  return row;
}

// Stores the result: the n-best list or, if no hypothesis meets all constraints, the best of the last rows. A cancelled
// sentence has none, because they are no longer needed.
void BeamSearch::conclude(Outcome outcome) {
  has_ended_ = true;
  result_.outcome = outcome;
  if (outcome == Outcome::CANCELLED) return;
  result_.hypotheses = pool_.best();
  result_.is_satisfying = !result_.hypotheses.empty();
  if (result_.is_satisfying) return;
  if (outcome == Outcome::COMPLETE) result_.outcome = Outcome::UNMET;
  if (outcome == Outcome::FAILED) return;
  std::vector<Hypothesis>& efforts = result_.hypotheses;
  for (const Row& row : rows_) {
    efforts.push_back(hypothesis(row.history, num_pieces_, row.log_prob, row.penalty, row.endings, row.num_repeats));
    efforts.back().num_missing = row.remaining.missing;
  }
  std::stable_sort(efforts.begin(), efforts.end(), [](const Hypothesis& a, const Hypothesis& b) {
    return a.num_missing != b.num_missing ? a.num_missing < b.num_missing : a.ranking_score > b.ranking_score;
  });
  if (efforts.size() > static_cast<size_t>(task_.nbest)) efforts.resize(task_.nbest);
}

Hypothesis BeamSearch::hypothesis(int32_t history, int32_t length, double log_prob, double penalty,
                                  const Endings& endings, int32_t num_repeats) const {
  const double total = log_prob - penalty - setting_.placement_penalty(endings, num_repeats);
  return {history, length, 0, log_prob, score_of(task_, log_prob, length), penalty, total,
          score_of(task_, total, length)};
}

// The pieces behind a history, after the begin token.
std::vector<int32_t> BeamSearch::pieces_of(int32_t history) const {
  std::vector<int32_t> pieces;
  pieces.reserve(result_.num_steps + 2);
  walk_back(history, [&](int32_t piece, double) { pieces.push_back(piece); });
  pieces.push_back(vocabulary_.begin);
  std::reverse(pieces.begin(), pieces.end());
  return pieces;
}

// A number for the text of a hypothesis, equal for equal texts.
int32_t BeamSearch::text_of(int32_t history) {
  const std::vector<int32_t> pieces = pieces_of(history);
  if (vocabulary_.surfaces.empty())
    return checked(python_.text_number(pieces.data() + 1, static_cast<int32_t>(pieces.size()) - 1));
  std::string text;
  bool may_have_space = false;
  for (size_t i = 1; i < pieces.size(); i++) {
    const uint8_t traits = vocabulary_.traits[pieces[i]];
    if (may_have_space && !(traits & GLUES_LEFT)) text += ' ';
    text += vocabulary_.surfaces[pieces[i]];
    may_have_space = !(traits & GLUES_RIGHT);
  }
  return texts_.emplace(std::move(text), static_cast<int32_t>(texts_.size())).first->second;
}

}  // namespace pinpoint
