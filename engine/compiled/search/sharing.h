// Phrases that share a form: which of them the occurrences in a text can meet. The twin of `engine/search/sharing.py`.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace pinpoint {

using Serves = std::vector<int32_t>;  // the phrases that an occurrence fits, ascending

// A set of occurrences that do not overlap and that are all needed; `end` is the end of the last one while others may still
// overlap it, counted back from the end of the text.
struct Assignment {
  static constexpr int32_t LONG_AGO = -(1 << 30);
  std::vector<Serves> serves;
  int32_t end = LONG_AGO;

  bool is_as_good_as(const Assignment& other) const;
  bool operator<(const Assignment& other) const { return std::tie(serves, end) < std::tie(other.serves, other.end); }
};
using Assignments = std::vector<Assignment>;

// A group of phrases, each of which shares a form with another one of the group.
class SharedForms {
 public:
  struct Member {
    int32_t phrase, count, num_pieces;
  };
  explicit SharedForms(std::vector<Member> members);

  // The assignments extended by one more occurrence, if it does not overlap and is needed.
  Assignments take(const Assignments&, const Serves&, int32_t start, int32_t end) const;
  // The number of pieces that these occurrences leave unmet.
  int32_t missing(const std::vector<Serves>&) const;
  int32_t least_missing(const Assignments&) const;

 private:
  // For each occurrence the phrase that it meets, or -1; meets as many pieces as possible.
  const std::vector<int32_t>& served(const std::vector<Serves>&) const;

  std::vector<Member> members_;  // those of the most pieces first
  mutable std::map<std::vector<Serves>, std::vector<int32_t>> served_;
};

// The assignments that no other dominates. Later occurrences start at `horizon` or after it.
Assignments settled(Assignments, int32_t horizon);

}  // namespace pinpoint
