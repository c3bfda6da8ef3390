// Several threads search with one model of the compiled core, without Python: for ThreadSanitizer (sanitized.py).
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "../../engine/compiled/interface.h"

namespace {

constexpr int PIECES = 70, SIZE = 32, HEADS = 2, INNER = 64, LAYERS = 2, POSITIONS = 64, NUM_THREADS = 4, STEPS = 12;

std::mt19937 random_numbers(7);

std::vector<float> numbers(size_t count) {
  std::normal_distribution<float> draw(0, 0.3f);
  std::vector<float> found(count);
  for (float& number : found) number = draw(random_numbers);
  return found;
}

void check(bool is_right, const char* what) {
  if (is_right) return;
  std::fprintf(stderr, "%s: %s\n", what, pinpoint_last_error());
  std::exit(1);
}

void set_linear(PinpointModel* model, const std::string& name, int num_outputs, int num_inputs) {
  const std::vector<float> weights = numbers(static_cast<size_t>(num_outputs) * num_inputs);
  const std::vector<float> bias = numbers(num_outputs);
  const char* key = name.c_str();
  check(!pinpoint_model_set_linear(model, key, weights.data(), bias.data(), num_outputs, num_inputs, nullptr, 0), key);
}

void set_norm(PinpointModel* model, const std::string& name) {
  const std::vector<float> gain(SIZE, 1.0f), bias(SIZE);
  check(!pinpoint_model_set_norm(model, name.c_str(), gain.data(), bias.data(), SIZE), name.c_str());
}

void set_feed_forward(PinpointModel* model, const std::string& name) {
  set_norm(model, name + ".norm");
  set_linear(model, name + ".inner", INNER, SIZE);
  set_linear(model, name + ".outer", SIZE, INNER);
}

void set_attention(PinpointModel* model, const std::string& name) {
  set_norm(model, name + ".norm");
  set_linear(model, name + ".qkv", 3 * SIZE, SIZE);
  set_linear(model, name + ".out", SIZE, SIZE);
}

void set_weights(PinpointModel* model) {
  for (int layer = 0; layer < LAYERS; ++layer) {
    const std::string encoder = "encoder." + std::to_string(layer), decoder = "decoder_layers." + std::to_string(layer);
    set_attention(model, encoder + ".attention");
    set_feed_forward(model, encoder + ".feed_forward");
    set_attention(model, decoder + ".attention");
    set_norm(model, decoder + ".cross.norm");
    set_linear(model, decoder + ".cross.q", SIZE, SIZE);
    set_linear(model, decoder + ".cross.kv", 2 * SIZE, SIZE);
    set_linear(model, decoder + ".cross.out", SIZE, SIZE);
    set_feed_forward(model, decoder + ".feed_forward");
  }
  set_norm(model, "encoder_norm");
  set_norm(model, "decoder_norm");
  set_linear(model, "output", PIECES, SIZE);
  check(!pinpoint_model_check(model), "the model is not complete");
}

int32_t go_on() { return 0; }

// The log-probabilities after a few prefixes of a source, all added up: the same in every thread.
double searched(const PinpointModel* model) {
  const std::vector<int32_t> source = {5, 9, 3, 2}, starts = {1};
  const int length = static_cast<int>(source.size());
  std::vector<float> memory(length * SIZE), cross(static_cast<size_t>(LAYERS) * 2 * length * SIZE), row(PIECES);
  check(!pinpoint_encode(model, source.data(), length, go_on, memory.data(), cross.data()), "encode");
  PinpointTree* tree = pinpoint_tree_new(model, cross.data(), length, starts.data(), 1, 1 << 20);
  check(tree != nullptr, "a tree");
  check(!pinpoint_tree_watch(tree, go_on), "watch");
  double sum = 0;
  int32_t nodes[2] = {0, 0};
  for (int step = 0; step < STEPS; ++step) {
    check(!pinpoint_tree_expand(tree, nodes, 2), "expand");
    for (const int32_t node : nodes) {
      check(!pinpoint_tree_log_probs(tree, &node, 1, row.data()), "log_probs");
      for (const float log_prob : row) sum += log_prob;
    }
    const int32_t pieces[2] = {4 + step, 30 + step};
    check(!pinpoint_tree_children(tree, nodes, pieces, 2, nodes), "children");
  }
  pinpoint_tree_free(tree);
  return sum;
}

}  // namespace

int main() {
  const std::vector<float> embedding = numbers(PIECES * SIZE), positions = numbers(POSITIONS * SIZE);
  const PinpointConfig config = {PIECES, PIECES, SIZE, HEADS, INNER, INNER, LAYERS, LAYERS, POSITIONS, 0, 0, 0, 0};
  PinpointModel* model = pinpoint_model_new(&config, embedding.data(), nullptr, positions.data(), nullptr);
  check(model != nullptr, "a model");
  set_weights(model);
  const double expected = searched(model);
  std::vector<double> found(NUM_THREADS);
  std::vector<std::thread> threads;
  for (double& own : found) {
    threads.emplace_back([&own, model] {
      for (int round = 0; round < 5; ++round) own = searched(model);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const double own : found) check(own == expected, "a thread found other log-probabilities");
  pinpoint_model_free(model);
  return 0;
}
