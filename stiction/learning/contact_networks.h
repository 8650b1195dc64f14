// The networks of one pair of body and surface, by dimension of the patch, in one file.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "stiction/learning/contact_features.h"
#include "stiction/learning/perceptron.h"

namespace stiction {

// What becomes of a patch in a step.
enum class PatchState { sticking, sliding, detaching };  // the paper's static, dynamic, detach
inline constexpr int num_patch_states = 3;
std::string_view to_string(PatchState state);  // "static", "dynamic", "detach"

struct ContactNetworks {
  FeatureSet features = FeatureSet::patch;
  PatchSettings patch;
  double time_step = 0.0;  // s, of the data; a simulator with another one is refused
  // By dimension of the patch. The classifier gives the probabilities of the states in the order of PatchState, the
  // regressor num_friction_outputs() numbers in the axes and units of the features. `whole`: of the purely data-driven
  // model, six numbers: impulse and moment about the patch centre; empty where that was not trained.
  std::array<Perceptron, 3> classifier, regressor, whole;
  std::map<std::string, std::string> provenance;  // what anybody wrote: shape, solver, samples, accuracy

  bool has_contact() const;  // classifiers and regressors are there
  bool has_whole() const;
  // Throws std::invalid_argument naming what is missing or does not fit.
  void validate() const;

  // Any weights, for tests of what holds whatever the networks say.
  static ContactNetworks random(FeatureSet set, double time_step, const std::vector<int>& hidden, std::uint64_t seed);

  void save(const std::string& path) const;
  static ContactNetworks load(const std::string& path);  // not trusted: see safetensors.h
  static ContactNetworks from_bytes(std::span<const std::byte> bytes, const std::string& name);
};

}  // namespace stiction
