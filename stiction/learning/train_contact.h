// Trains the networks of a contact model from samples, and measures them on others.
#pragma once

#include <functional>

#include "stiction/learning/contact_samples.h"
#include "stiction/learning/training.h"

namespace stiction {

// The paper's sizes: 256-180-80, 100 epochs, a tenth dropped out; 512-360-180, 1000 epochs, a twentieth.
TrainingSettings paper_classifier();
TrainingSettings paper_regressor();

struct ContactTrainingSettings {
  FeatureSet features = FeatureSet::patch;
  TrainingSettings classifier = paper_classifier(), regressor = paper_regressor();
  bool with_contact = true;  // classifiers and regressors
  bool with_whole = false;   // the purely data-driven ones, by the settings of the regressor
  int fewest_samples = 50;   // of a network; fewer are refused

  void validate() const;
};

struct NetworkCurve {
  std::string network;  // "point.classifier"
  int num_samples = 0, best_epoch = 0;
  std::vector<EpochReport> epochs;
  std::vector<int> constant_inputs;
};

struct ContactTraining {
  ContactNetworks networks;
  std::vector<NetworkCurve> curves;
};

// After every epoch, with the name of the network; false stops that network.
using ContactTrainingCallback = std::function<bool(const std::string&, const EpochReport&)>;

// Throws std::invalid_argument where a dimension of patches, or the sliding ones of it, has too few samples.
ContactTraining train_contact(const ContactData& data, const ContactTrainingSettings& settings,
                              const ContactTrainingCallback& callback = {});

// Of one dimension of patches.
struct PatchScore {
  int num_samples = 0, num_sliding = 0;
  // Rows: what was; columns: what the classifier says.
  std::array<std::array<int, num_patch_states>, num_patch_states> confusion{};
  double classifier_accuracy = 0.0;               // share that is right
  std::array<double, num_patch_states> recall{};  // by state; NaN where there is none
  // Of frictional impulses of sliding patches, linear part: 1 − mean‖e‖/mean‖p‖, and R² over all components.
  double regressor_accuracy = 0.0, regressor_r2 = 0.0;
  // Of the data-driven networks on the whole impulse of all samples; NaN where there are none.
  double whole_accuracy = 0.0, whole_r2 = 0.0;
};
std::array<PatchScore, 3> score_contact(const ContactNetworks& networks, const ContactData& data,
                                        const std::function<void(std::size_t)>& done = {});

}  // namespace stiction
