// What a search needs of a decoder: a tree of the prefixes of one source's translations, with the logits after each.
//
// Node 0 is the empty prefix: its logits are those of the first piece of the translation. (What the decoder reads
// before the first piece, `<s>` or a language, belongs to node 0.) A row of a search is the number of a node, so that
// nothing is copied when hypotheses are chosen, and a prefix that an earlier search expanded costs nothing.
#pragma once

#include <cstdint>

#include "watch.h"

namespace pinpoint {

// Logits of consecutive pieces whose maximum is stored, too, so that a search for the best pieces can skip most blocks.
constexpr int BLOCK = 32;

class Steps {
 public:
  virtual ~Steps() = default;

  // The node of the prefix with one more piece; makes it if it is not there yet.
  virtual int child(int node, int32_t piece) = 0;
  // -1 for node 0.
  virtual int parent(int node) const = 0;
  // The last piece of the prefix; not meaningful for node 0.
  virtual int32_t piece(int node) const = 0;
  // Pieces of the prefix: 0 for node 0.
  virtual int depth(int node) const = 0;

  // Computes the results of those nodes whose results are not known; a node may occur twice. Afterwards `logits`,
  // `log_sum` and `block_maxima` may be called for these nodes, until the next `expand`: memory is bounded, and
  // results of other nodes may be forgotten (they are computed again when they are asked for).
  // Throws Stopped, std::bad_alloc, or std::length_error for a prefix that is longer than the model writes.
  virtual void expand(const int* nodes, int count) = 0;

  // (V,), unnormalised, before any mask. Behind the last piece, up to a multiple of BLOCK, stands -infinity.
  virtual const float* logits(int node) const = 0;
  // Log of the sum of the exponentials of all logits: a log-probability is `logits(node)[piece] - log_sum(node)`.
  virtual float log_sum(int node) const = 0;
  // (ceil(V / BLOCK),): the largest logit of each block.
  virtual const float* block_maxima(int node) const = 0;

  // From now on, `expand` asks before each layer whether it must end.
  virtual void watch(const Watch& watch) = 0;

  virtual int vocabulary_size() const = 0;
  // Pieces of the longest prefix that can be expanded.
  virtual int max_depth() const = 0;
};

}  // namespace pinpoint
