// Whether two models describe the same world: by name, and by what they do, not by how the forest's frames are turned.
#pragma once

#include <gtest/gtest.h>

#include "random_model.h"
#include "stiction/model/model.h"

namespace stiction::testing {

struct Sameness {
  double tolerance = 1e-12;      // of numbers, relative to their size or to one
  double mesh_tolerance = 1e-6;  // of vertices and heights, m
  bool sites = true;             // names and places of sites
  bool joint_names = true;       // and kinds
  bool materials = true;         // friction, rule
  bool filters = true;           // which shapes may meet
  bool time_step = true;
  bool dofs = true;     // armature, damping, springs, limits
  bool initial = true;  // position
  bool colors = true;
  bool shapes = true;  // by name
  bool links = true;   // loops, actuators, keyframes
};

void expect_equal_models(const Model& a, const Model& b, const Sameness& same = {});

}  // namespace stiction::testing
