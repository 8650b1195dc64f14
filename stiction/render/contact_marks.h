// Contacts as points and forces as arrows. Internal to the renderer.
#pragma once

#include "stiction/render/scene.h"
#include "stiction/sim/simulator.h"

namespace stiction::raster {

// As in the viewer's page: the same in light and dark, told apart by the colour-blind.
Color regime_color(ContactRegime regime);

// Newtons that nine tenths of the contacts do not exceed; 0 where none carries a force.
double typical_force(std::span<const Contact> contacts);

struct MarkOptions {
  bool points = false, arrows = false;
  double point_radius = 0.01;      // m
  double metres_per_newton = 0.0;  // of arrows
  double least_force = 0.0;        // N; smaller ones have no arrow
};
void add_contacts(const Model& model, std::span<const Contact> contacts, const MarkOptions& options, Scene& out);

}  // namespace stiction::raster
