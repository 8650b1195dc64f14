// What became of one throw, by step: the truth, the learned model and the data-driven one, alike.
#pragma once

#include "stiction/learning/learned_simulator.h"
#include "stiction/learning/throws.h"

namespace stiction {

struct ThrowTrack {
  MatrixX q;                   // by step (rows), after it
  std::vector<int> dimension;  // of the patch in the step; −1: none
  std::vector<int> state;      // PatchState, −1 where there is no patch or (data-driven) nobody says
  MatrixX impulse;             // by step (rows): of all contacts, world axes, N·s
  MatrixX center;              // by step (rows): of the patch, body axes, from the centre of mass, m; zero without
};

ThrowTrack track_truth(Simulator& simulator, const ThrowStart& start, int steps, const PatchSettings& settings = {});
ThrowTrack track_learned(LearnedSimulator& simulator, const ThrowStart& start, int steps);
ThrowTrack track_data_driven(DataDrivenSimulator& simulator, const ThrowStart& start, int steps);

}  // namespace stiction
