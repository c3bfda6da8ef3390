// The encoder: all that the decoder reads of a source.
#pragma once

#include "pass.h"
#include "watch.h"

namespace pinpoint {

// Encodes a source: its states `memory` (S, E), and the keys and values `cross` (decoder layers, 2, S, E) that each
// decoder layer makes of them. Throws Stopped between two layers.
void encode(const Model& model, const int32_t* source, int length, const Watch& watch, float* memory, float* cross);

}  // namespace pinpoint
