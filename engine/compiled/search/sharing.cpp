#include "sharing.h"

#include <algorithm>

namespace pinpoint {

namespace {

// Gives the phrase one more occurrence, moving others along an augmenting path; whether one was found.
bool augment(int32_t phrase, const std::vector<Serves>& serves, std::vector<int32_t>& phrase_of,
             std::vector<bool>& tried) {
  for (size_t number = 0; number < serves.size(); number++) {
    if (tried[number] || !std::binary_search(serves[number].begin(), serves[number].end(), phrase)) continue;
    tried[number] = true;
    if (phrase_of[number] < 0 || augment(phrase_of[number], serves, phrase_of, tried)) {
      phrase_of[number] = phrase;
      return true;
    }
  }
  return false;
}

}  // namespace

bool Assignment::is_as_good_as(const Assignment& other) const {
  return end <= other.end && std::includes(serves.begin(), serves.end(), other.serves.begin(), other.serves.end());
}

SharedForms::SharedForms(std::vector<Member> members) : members_(std::move(members)) {
  std::stable_sort(members_.begin(), members_.end(),
                   [](const Member& a, const Member& b) { return a.num_pieces > b.num_pieces; });
}

Assignments SharedForms::take(const Assignments& assignments, const Serves& serves, int32_t start, int32_t end) const {
  Assignments after;
  for (const Assignment& assignment : assignments) {
    if (assignment.end <= start) {
      std::vector<Serves> more = assignment.serves;
      more.insert(std::upper_bound(more.begin(), more.end(), serves), serves);
      const std::vector<int32_t>& phrases = served(more);
      if (std::find(phrases.begin(), phrases.end(), -1) == phrases.end()) after.push_back({std::move(more), end});
    }
    after.push_back(assignment);
  }
  return after;
}

const std::vector<int32_t>& SharedForms::served(const std::vector<Serves>& serves) const {
  const auto [place, is_new] = served_.try_emplace(serves);
  if (!is_new) return place->second;
  std::vector<int32_t> phrase_of(serves.size(), -1);
  for (const Member& member : members_)
    for (int32_t left = member.count; left > 0; left--) {
      std::vector<bool> tried(serves.size());
      if (!augment(member.phrase, serves, phrase_of, tried)) break;
    }
  place->second = std::move(phrase_of);
  return place->second;
}

int32_t SharedForms::missing(const std::vector<Serves>& serves) const {
  const std::vector<int32_t>& phrases = served(serves);
  int32_t found = 0;
  for (const Member& member : members_) {
    const auto met = std::count(phrases.begin(), phrases.end(), member.phrase);
    found += (member.count - static_cast<int32_t>(met)) * member.num_pieces;
  }
  return found;
}

int32_t SharedForms::least_missing(const Assignments& assignments) const {
  int32_t least = missing(assignments.front().serves);
  for (const Assignment& one : assignments) least = std::min(least, missing(one.serves));
  return least;
}

Assignments settled(Assignments assignments, int32_t horizon) {
  Assignments best;
  for (Assignment& one : assignments) {
    if (one.end <= horizon) one.end = Assignment::LONG_AGO;
    if (std::any_of(best.begin(), best.end(), [&](const Assignment& other) { return other.is_as_good_as(one); }))
      continue;
    best.erase(std::remove_if(best.begin(), best.end(),
                              [&](const Assignment& other) { return one.is_as_good_as(other); }),
               best.end());
    best.push_back(std::move(one));
  }
  return best;
}

}  // namespace pinpoint
