#include "shared_matches.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace pinpoint {

SharedMatches::SharedMatches(std::vector<int32_t> group_of, std::vector<SharedForms> groups)
    : group_of_(std::move(group_of)), groups_(std::move(groups)) {}

Shared SharedMatches::take(const Patterns& patterns, Shared shared, const Matches& matches) const {
  if (shared.empty()) return shared;
  std::map<std::tuple<int32_t, int32_t, int32_t>, std::set<int32_t>> fitting;  // by end, start and group
  for (const auto& [number, since] : matches) {
    const Pattern& pattern = patterns[number];
    if (const int32_t group = group_of(pattern); group >= 0)
      fitting[{-since, -since - pattern.length(), group}].insert(pattern.owner);
  }
  for (const auto& [place, owners] : fitting) {
    const auto [end, start, group] = place;
    shared[group] = groups_[group].take(shared[group], {owners.begin(), owners.end()}, start, end);
  }
  return shared;
}

void SharedMatches::move_on(const Patterns& patterns, Shared& shared, const Matches& partial,
                            const Matches& pending) const {
  std::vector<int32_t> reach(shared.size());
  const auto reaches = [&](int32_t number, int32_t length) {
    if (const int32_t group = group_of(patterns[number]); group >= 0) reach[group] = std::max(reach[group], length);
  };
  for (const auto& [number, length] : partial) reaches(number, length);
  for (const auto& [number, since] : pending) reaches(number, since + patterns[number].length());
  for (size_t group = 0; group < shared.size(); group++) {
    for (Assignment& one : shared[group]) one.end--;
    shared[group] = settled(std::move(shared[group]), -reach[group]);
    std::sort(shared[group].begin(), shared[group].end());
  }
}

std::vector<int32_t> SharedMatches::missing(const Shared& shared) const {
  std::vector<int32_t> found;
  for (size_t group = 0; group < shared.size(); group++) found.push_back(groups_[group].least_missing(shared[group]));
  return found;
}

int32_t SharedMatches::missing_with(const Patterns& patterns, const Shared& shared, const Matches& partial,
                                    const Spelling& spelling, int32_t depth) const {
  const Pattern& pattern = patterns[spelling.pattern];
  const int32_t length = spelling.lengths[depth], group = group_of(pattern);
  std::set<int32_t> serves{pattern.owner};
  for (const auto& [number, matched] : partial) {
    const Pattern& other = patterns[number];
    if (matched == length && other.text == pattern.text && group_of(other) == group) serves.insert(other.owner);
  }
  return spelling.size() - depth + least_missing(shared, group, {serves.begin(), serves.end()}, -length);
}

int32_t SharedMatches::missing_with_another(const Shared& shared, int32_t phrase) const {
  return least_missing(shared, group_of_[phrase], {phrase}, 0);
}

int32_t SharedMatches::least_missing(const Shared& shared, int32_t group, const Serves& serves, int32_t start) const {
  return groups_[group].least_missing(groups_[group].take(shared[group], serves, start, start + 1));
}

}  // namespace pinpoint
