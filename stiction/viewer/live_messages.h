// What the live viewer sends to its pages. Texts are JSON objects with a "type":
//
//     model   the model as in a page of a recording (page.h), and what can be steered: actuators, keyframes, solvers,
//             materials; again whenever friction or solver changed
//     state   LiveSession::state_text()
//     error   a command was refused: "message"
//
// Bytes begin with a byte that says what they are: 1 the surfaces (model_text.h), once, before the first frame; 2 a
// frame:
//
//     2, epoch (32-bit, little-endian), one row of step columns (step_columns.h), a block of one frame (frame_block.h)
#pragma once

#include <string>
#include <string_view>

#include "stiction/viewer/column_codec.h"
#include "stiction/viewer/frame_block.h"
#include "stiction/viewer/live_session.h"

namespace stiction::viewer {

struct ModelMessage {
  std::string text;
  Bytes surfaces;
};
ModelMessage model_message(const Simulator& simulator, const LiveMaterials& materials, std::string_view title);
std::string error_message(std::string_view message);
// `block` is of the same model, and empty before and after.
Bytes frame_message(const LiveSnapshot& snapshot, FrameBlock& block);

}  // namespace stiction::viewer
