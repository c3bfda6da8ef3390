#include "finished.h"

#include <algorithm>

namespace pinpoint {

double score_of(const Task& task, double log_prob, int32_t length) {
  if (task.score == Score::NORMALISED) return log_prob / std::max(1, length);
  if (task.score == Score::LOG_PROB) return log_prob;
  return log_prob + task.reward * std::min<double>(length, task.target_length);
}

void FinishedPool::add(const Hypothesis& found, int32_t text) {
  num_finished_++;
  if (!has_top_ || found.length > top_.length || found.total > top_.total) {
    has_top_ = true;
    top_ = found;
    top_text_ = text;
  }
  best_total_ = std::max(best_total_, found.total);
  const auto [place, is_new] = place_of_text_.emplace(text, by_text_.size());
  if (is_new) {
    by_text_.push_back(found);
    texts_.push_back(text);
  } else if (found.ranking_score > by_text_[place->second].ranking_score) {
    by_text_[place->second] = found;
  }
}

std::vector<Hypothesis> FinishedPool::best() const {
  const bool top_first = task_.stopping == Stopping::OPENNMT && has_top_;
  std::vector<Hypothesis> found;
  for (size_t i = 0; i < by_text_.size(); i++)
    if (!top_first || texts_[i] != top_text_) found.push_back(by_text_[i]);
  std::stable_sort(found.begin(), found.end(),
                   [](const Hypothesis& a, const Hypothesis& b) { return a.ranking_score > b.ranking_score; });
  if (top_first) found.insert(found.begin(), top_);
  if (found.size() > static_cast<size_t>(task_.nbest)) found.resize(task_.nbest);
  return found;
}

bool FinishedPool::is_full() const { return by_text_.size() >= static_cast<size_t>(std::min(task_.nbest, task_.beam)); }

double FinishedPool::pruning_total() const { return is_full() || task_.prunes_by_first ? best_total_ : NEVER_REACHED; }

int FinishedPool::beam_left() const {
  if (task_.stopping == Stopping::SHRINKING && !task_.keeps_finished) return std::max(0, task_.beam - num_finished_);
  return task_.beam;
}

bool FinishedPool::is_over(double live_total, int32_t length) const {
  switch (task_.stopping) {
    case Stopping::OPTIMAL: {
      if (by_text_.size() < static_cast<size_t>(task_.nbest)) return false;
      return best().back().ranking_score >= score_of(task_, live_total, task_.max_length);
    }
    case Stopping::OPENNMT: return has_top_ && top_.length == length && top_.total >= live_total;
    case Stopping::SHRINKING: return num_finished_ >= task_.beam;
    case Stopping::FIRST_FINISHED: return num_finished_ > 0;
    case Stopping::BEAM_FINISHED: return num_finished_ >= task_.beam && is_full();
    case Stopping::ALL_FINISHED: return false;
  }
  return false;
}

}  // namespace pinpoint
