// A tree of prefixes whose log-probabilities come from Python: tiny models of any vocabulary drive the compiled search.
#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <vector>

#include "../../engine/compiled/steps.h"

namespace {

// Fills (V,) log-probabilities of the piece behind `count` pieces; -1 after an exception.
using LogProbs = int32_t (*)(const int32_t* pieces, int32_t count, float* log_probs);

class TableSteps : public pinpoint::Steps {
 public:
  TableSteps(int size, LogProbs log_probs) : size_(size), log_probs_(log_probs), nodes_(1) {}

  int child(int node, int32_t piece) override {
    const auto [place, is_new] = children_.emplace(std::make_pair(node, piece), static_cast<int>(nodes_.size()));
    if (is_new) {
      nodes_.push_back({node, piece, nodes_[node].depth + 1, 0, {}, {}});
    }
    return place->second;
  }
  int parent(int node) const override { return nodes_[node].parent; }
  int32_t piece(int node) const override { return nodes_[node].piece; }
  int depth(int node) const override { return nodes_[node].depth; }

  void expand(const int* nodes, int count) override {
    for (int i = 0; i < count; i++) {
      Node& node = nodes_[nodes[i]];
      if (!node.logits.empty()) continue;
      std::vector<int32_t> pieces;
      for (int at = nodes[i]; at > 0; at = nodes_[at].parent) pieces.push_back(nodes_[at].piece);
      std::reverse(pieces.begin(), pieces.end());
      const int num_blocks = (size_ + pinpoint::BLOCK - 1) / pinpoint::BLOCK;
      node.logits.assign(num_blocks * pinpoint::BLOCK, -INFINITY);
      if (log_probs_(pieces.data(), static_cast<int32_t>(pieces.size()), node.logits.data()))
        throw std::runtime_error("the test's model raised an exception");
      for (int block = 0; block < num_blocks; block++) {
        const auto first = node.logits.begin() + block * pinpoint::BLOCK;
        node.maxima.push_back(*std::max_element(first, first + pinpoint::BLOCK));
      }
      for (float logit : node.logits)
        if (std::isnan(logit)) node.log_sum = NAN;
    }
  }
  const float* logits(int node) const override { return nodes_[node].logits.data(); }
  float log_sum(int node) const override { return nodes_[node].log_sum; }
  const float* block_maxima(int node) const override { return nodes_[node].maxima.data(); }
  void watch(const pinpoint::Watch&) override {}
  int vocabulary_size() const override { return size_; }
  int max_depth() const override { return 1 << 20; }

 private:
  struct Node {
    int parent = -1;
    int32_t piece = -1;
    int depth = 0;
    float log_sum = 0;  // log-probabilities are their own logits
    std::vector<float> logits, maxima;
  };

  int size_;
  LogProbs log_probs_;
  std::vector<Node> nodes_;
  std::map<std::pair<int, int32_t>, int> children_;
};

}  // namespace

extern "C" {

__attribute__((visibility("default"))) pinpoint::Steps* table_steps_new(int size, LogProbs log_probs) {
  return new TableSteps(size, log_probs);
}

__attribute__((visibility("default"))) void table_steps_free(pinpoint::Steps* steps) { delete steps; }
}
