#include "stiction/model/model_draft.h"

namespace stiction {

void check_mobility(const Model&) {}

}  // namespace stiction
