// The matches of phrases that share a form: the twin of `engine/search/shared_matches.py`.
#pragma once

#include <cstdint>
#include <vector>

#include "matching.h"
#include "sharing.h"

namespace pinpoint {

using Shared = std::vector<Assignments>;  // by group

struct Spelling {
  int32_t pattern;
  std::vector<int32_t> pieces, lengths;
  int32_t size() const { return static_cast<int32_t>(pieces.size()); }
};

class SharedMatches {
 public:
  // `group_of` is by phrase; -1: it shares no form.
  SharedMatches(std::vector<int32_t> group_of, std::vector<SharedForms> groups);

  int32_t group_of(const Pattern& pattern) const { return group_of_[pattern.owner]; }
  Shared start() const { return Shared(groups_.size(), Assignments(1)); }
  // The assignments after these matches; matches of the same span are one occurrence.
  Shared take(const Patterns&, Shared, const Matches&) const;
  // The assignments after one more character, without details that cannot affect later matches.
  void move_on(const Patterns&, Shared&, const Matches& partial, const Matches& pending) const;
  // For each group, the least number of missing pieces without the partial spellings.
  std::vector<int32_t> missing(const Shared&) const;
  // Missing pieces of a group if this spelling, at this depth, is completed next, its own pieces included.
  int32_t missing_with(const Patterns&, const Shared&, const Matches& partial, const Spelling&, int32_t depth) const;
  // Missing pieces of a phrase's group after one more occurrence of it, without its own pieces.
  int32_t missing_with_another(const Shared&, int32_t phrase) const;

 private:
  int32_t least_missing(const Shared&, int32_t group, const Serves&, int32_t start) const;

  std::vector<int32_t> group_of_;
  std::vector<SharedForms> groups_;
};

}  // namespace pinpoint
