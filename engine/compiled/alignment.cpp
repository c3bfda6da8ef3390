#include "alignment.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace pinpoint {

FloatLinear::FloatLinear(int num_outputs, int num_inputs, const float* weights, const float* bias, float factor)
    : num_outputs_(num_outputs),
      num_inputs_(num_inputs),
      numbers_(static_cast<size_t>(stride()) * num_inputs),
      bias_(stride()) {
  for (int n = 0; n < num_outputs; ++n) {
    if (bias != nullptr) bias_[n] = factor * bias[n];
    float* column = numbers_.data() + static_cast<size_t>(n / COLUMNS) * COLUMNS * num_inputs + n % COLUMNS;
    for (int k = 0; k < num_inputs; ++k) {
      column[static_cast<size_t>(k) * COLUMNS] = factor * weights[static_cast<size_t>(n) * num_inputs + k];
    }
  }
}

std::vector<float> FloatLinear::multiply(const Kernels& kernels, const std::vector<float>& x, int num_rows) const {
  std::vector<float> y(static_cast<size_t>(num_rows) * stride());
  kernels.multiply_floats({numbers_.data(), bias_.data(), stride(), num_inputs_}, x.data(), num_rows, y.data());
  return y;
}

AlignmentHead::AlignmentHead(const Model& model, int head_size, const float* query, const float* query_bias,
                             const float* key, const float* key_bias)
    : model_(model),
      head_size_(head_size),
      query_(head_size, 2 * model.config.model_size, query, query_bias, 1 / std::sqrt(static_cast<float>(head_size))),
      key_(head_size, 2 * model.config.model_size, key, key_bias),
      ones_(model.config.model_size, 1.0f),
      zeros_(model.config.model_size) {}

// Appends what the head reads of a piece: its embedding and a state, each normalised.
void AlignmentHead::add_features(int32_t piece, const float* state, std::vector<float>& features) const {
  const int size = model_.config.model_size;
  const float* embedding = model_.embedding + static_cast<size_t>(piece) * size;
  for (const float* part : {embedding, state}) {
    features.resize(features.size() + size);
    model_.kernels.normalise(part, size, ones_.data(), zeros_.data(), features.data() + features.size() - size);
  }
}

void AlignmentHead::logits(PrefixTree& tree, const int32_t* source, int source_length, const float* memory,
                           const std::vector<std::vector<int>>& paths, float* logits) const {
  std::vector<int> nodes;
  std::unordered_map<int, int> row_of;
  for (const std::vector<int>& path : paths) {
    for (const int node : path) {
      if (row_of.emplace(node, static_cast<int>(nodes.size())).second) nodes.push_back(node);
    }
  }
  tree.read(nodes.data(), static_cast<int>(nodes.size()), 1);
  std::vector<float> sources, targets;
  for (int s = 0; s < source_length; ++s) {
    add_features(source[s], memory + static_cast<size_t>(s) * model_.config.model_size, sources);
  }
  for (const int node : nodes) add_features(tree.piece(node), tree.first_layer(node), targets);
  const int num_rows = static_cast<int>(nodes.size());
  const std::vector<float> padded_keys = key_.multiply(model_.kernels, sources, source_length);
  std::vector<float> keys, queries;  // without the padding
  const auto cut = [&](const std::vector<float>& rows, int stride, std::vector<float>& to) {
    for (size_t first = 0; first < rows.size(); first += stride) {
      to.insert(to.end(), rows.begin() + first, rows.begin() + first + head_size_);
    }
  };
  cut(padded_keys, key_.stride(), keys);
  cut(query_.multiply(model_.kernels, targets, num_rows), query_.stride(), queries);
  const FloatLinear by_keys(source_length, head_size_, keys.data(), nullptr);
  const std::vector<float> products = by_keys.multiply(model_.kernels, queries, num_rows);
  for (const std::vector<int>& path : paths) {
    for (const int node : path) {
      logits = std::copy_n(products.data() + static_cast<size_t>(row_of.at(node)) * by_keys.stride(), source_length, logits);
    }
  }
}

void word_probabilities(const float* logits, int num_rows, int num_columns, const Words& sources, const Words& targets,
                        float* probabilities) {
  const auto at = [&](const std::vector<float>& table, int row, int column) { return table[static_cast<size_t>(row) * num_columns + column]; };
  // The softmax of each row, or of each column.
  const auto normalised = [&](bool is_of_rows) {
    std::vector<float> found(logits, logits + static_cast<size_t>(num_rows) * num_columns);
    const int num_lines = is_of_rows ? num_rows : num_columns, length = is_of_rows ? num_columns : num_rows;
    const size_t to_line = is_of_rows ? num_columns : 1, to_next = is_of_rows ? 1 : num_columns;
    for (int line = 0; line < num_lines; ++line) {
      float* const first = found.data() + line * to_line;
      float highest = first[0], sum = 0;
      for (int i = 1; i < length; ++i) highest = std::max(highest, first[i * to_next]);
      for (int i = 0; i < length; ++i) sum += first[i * to_next] = std::exp(first[i * to_next] - highest);
      for (int i = 0; i < length; ++i) first[i * to_next] /= sum;
    }
    return found;
  };
  const std::vector<float> to_source = normalised(true), to_target = normalised(false);
  for (const auto& [first_row, behind_row] : targets) {
    for (const auto& [first_column, behind_column] : sources) {
      float surest = 0, surest_back = 0;
      for (int row = first_row; row < behind_row; ++row) {
        float sum = 0;
        for (int column = first_column; column < behind_column; ++column) sum += at(to_source, row, column);
        surest = std::max(surest, sum);
      }
      for (int column = first_column; column < behind_column; ++column) {
        float sum = 0;
        for (int row = first_row; row < behind_row; ++row) sum += at(to_target, row, column);
        surest_back = std::max(surest_back, sum);
      }
      *probabilities++ = (surest + surest_back) / 2;
    }
  }
}

}  // namespace pinpoint
