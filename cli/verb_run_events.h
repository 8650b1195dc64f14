// `stiction run SCENE… --event-driven`: from event to event, and how it went.
#pragma once

#include "cli/verb_run.h"

namespace stiction::cli {

// As run_scene().
int run_scene_by_events(const RunOptions& options);

}  // namespace stiction::cli
