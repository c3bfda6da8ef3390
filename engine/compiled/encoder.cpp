#include "encoder.h"

#include <algorithm>

namespace pinpoint {

void encode(const Model& model, const int32_t* source, int length, const Watch& watch, float* memory, float* cross) {
  const Config& config = model.config;
  const int size = config.model_size;
  Pass pass(model, length, std::max(3 * size, config.encoder_feed_forward_size));
  const float* table = model.source_embedding != nullptr ? model.source_embedding : model.embedding;
  for (int s = 0; s < length; ++s) model.embed(table, source[s], s, pass.x(s));
  std::vector<const float*> keys(length);
  std::vector<float> weights(round_up(length, PLACES));
  for (const EncoderLayer& layer : model.encoder) {
    watch.glance();
    const float* qkv = pass.read(layer.attention.norm, layer.attention.qkv);
    const size_t stride = layer.attention.qkv.stride();
    for (int s = 0; s < length; ++s) keys[s] = qkv + s * stride + size;
    for (int s = 0; s < length; ++s) {
      model.kernels.attend(qkv + s * stride, keys.data(), size, length, config.num_heads, config.head_size(),
                           weights.data(), pass.mixed(s));
    }
    pass.write(layer.attention.out);
    pass.feed_forward(layer.feed_forward);
  }
  pass.finish(model.encoder_norm);
  std::copy_n(pass.x(0), static_cast<size_t>(length) * size, memory);
  const Norm as_it_is{true, {}, {}};
  for (const DecoderLayer& layer : model.decoder_layers) {
    watch.glance();
    const float* kv = pass.read(as_it_is, layer.cross.kv);
    for (int part = 0; part < 2; ++part) {
      for (int s = 0; s < length; ++s, cross += size) {
        std::copy_n(kv + static_cast<size_t>(s) * layer.cross.kv.stride() + part * size, size, cross);
      }
    }
  }
}

}  // namespace pinpoint
