// A comparison as a picture: distance, energy, residual and energy error over time, one line per run.
#pragma once

#include <string>

#include "stiction/render/image.h"
#include "stiction/sim/comparison_history.h"

namespace stiction::cli {

Image plot_comparison(const Comparison& comparison, const ComparisonHistory& history, const std::string& title);

}  // namespace stiction::cli
