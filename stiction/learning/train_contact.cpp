#include "stiction/learning/train_contact.h"

#include <cmath>
#include <limits>

#include "stiction/math/refuse.h"

namespace stiction {
namespace {

constexpr std::array<const char*, 3> dimension_names{"point", "line", "surface"};

// Features of a sample and its patch.
class SampleReader {
 public:
  SampleReader(const ContactData& data, FeatureSet set) : data_(data), set_(set) {}

  const ContactFeatures& read(const ContactSample& sample) {
    patch_ = find_patch(sample.all_points(), sample.velocity, data_.time_step, data_.patch, chosen_);
    find_features(set_, data_.body(sample), sample.velocity, patch_, sample.all_points(), chosen_, features_);
    return features_;
  }
  const ContactPatch& patch() const { return patch_; }

  // Axes and units of the features. By components: GCC 12 takes Eigen's packets of three for reads out of bounds.
  VectorX friction(const ContactSample& sample) const {
    VectorX p(num_friction_outputs(sample.dimension));
    for (int k = 0; k < 2; ++k) p[k] = along(k, sample.impulse.linear) / features_.impulse_unit;
    if (p.size() == 3) p[2] = along(2, sample.impulse.angular) / features_.torque_unit;
    return p;
  }
  VectorX whole(const ContactSample& sample) const {
    VectorX p(6);
    for (int k = 0; k < 3; ++k) p[k] = along(k, sample.impulse.linear) / features_.impulse_unit;
    for (int k = 0; k < 3; ++k) p[3 + k] = along(k, sample.impulse.angular) / features_.torque_unit;
    return p;
  }

 private:
  double along(int k, const Vector3& v) const {
    const Matrix3& f = features_.frame;
    return f(0, k) * v[0] + f(1, k) * v[1] + f(2, k) * v[2];
  }

  const ContactData& data_;
  FeatureSet set_;
  std::vector<int> chosen_;
  ContactPatch patch_;
  ContactFeatures features_;
};

struct Table {
  MatrixX inputs, friction, whole;  // columns are samples
  std::vector<int> labels;
  std::vector<int> sliding;  // columns
};

Table make_table(const ContactData& data, FeatureSet set, int dimension) {
  SampleReader reader(data, set);
  std::vector<const ContactSample*> samples;
  for (const ContactSample& sample : data.samples) {
    if (sample.dimension == dimension) samples.push_back(&sample);
  }
  const auto n = static_cast<Eigen::Index>(samples.size());
  Table table{MatrixX(num_features(set), n), MatrixX(num_friction_outputs(dimension), n), MatrixX(6, n), {}, {}};
  for (Eigen::Index j = 0; j < n; ++j) {
    const ContactSample& sample = *samples[static_cast<std::size_t>(j)];
    table.inputs.col(j) = reader.read(sample).input;
    table.friction.col(j) = reader.friction(sample);
    table.whole.col(j) = reader.whole(sample);
    table.labels.push_back(static_cast<int>(sample.state));
    if (sample.state == PatchState::sliding) table.sliding.push_back(static_cast<int>(j));
  }
  return table;
}

MatrixX columns(const MatrixX& from, const std::vector<int>& chosen) {
  MatrixX to(from.rows(), static_cast<Eigen::Index>(chosen.size()));
  for (std::size_t j = 0; j < chosen.size(); ++j) to.col(static_cast<Eigen::Index>(j)) = from.col(chosen[j]);
  return to;
}

void check_count(std::size_t count, int fewest, const std::string& network, const char* kind) {
  if (static_cast<int>(count) < fewest) {
    refuse("samples: ", count, " ", kind, "for ", network, "; at least ", fewest,
           " are wanted (single collisions give all dimensions alike)");
  }
}

// Sums of what errors and impulses amount to.
struct Errors {
  double error = 0.0, size = 0.0, square = 0.0;
  std::array<double, 6> sum{}, sum_square{};
  int count = 0;

  void add(const VectorX& said, const VectorX& is) {
    double short_error = 0.0, short_size = 0.0;
    for (int k = 0; k < static_cast<int>(is.size()); ++k) {
      const double e = said[k] - is[k];
      square += e * e;
      sum[static_cast<std::size_t>(k)] += is[k];
      sum_square[static_cast<std::size_t>(k)] += is[k] * is[k];
      if (k >= 3) continue;
      short_error += e * e;
      short_size += is[k] * is[k];
    }
    error += std::sqrt(short_error);
    size += std::sqrt(short_size);
    ++count;
  }
  double accuracy() const { return count ? 1.0 - error / size : std::numeric_limits<double>::quiet_NaN(); }
  double r2() const {
    if (count == 0) return std::numeric_limits<double>::quiet_NaN();
    double variance = 0.0;
    for (std::size_t k = 0; k < sum.size(); ++k) variance += sum_square[k] - sum[k] * sum[k] / count;
    return 1.0 - square / variance;
  }
};

}  // namespace

TrainingSettings paper_classifier() {
  return {.hidden = {256, 180, 80}, .epochs = 100, .dropout = 0.1};
}
TrainingSettings paper_regressor() {
  return {.hidden = {512, 360, 180}, .epochs = 1000, .dropout = 0.05};
}

void ContactTrainingSettings::validate() const {
  classifier.validate();
  regressor.validate();
  require(fewest_samples >= 10, "fewest_samples", fewest_samples, "at least 10");
  if (!with_contact && !with_whole) refuse("training: neither with_contact nor with_whole is set: nothing to train");
}

ContactTraining train_contact(const ContactData& data, const ContactTrainingSettings& settings,
                              const ContactTrainingCallback& callback) {
  settings.validate();
  data.validate();
  ContactTraining training;
  ContactNetworks& networks = training.networks;
  networks.features = settings.features;
  networks.patch = data.patch;
  networks.time_step = data.time_step;
  networks.provenance = data.provenance;
  const auto keep = [&](const std::string& name, std::size_t samples, TrainingResult&& result, Perceptron& to) {
    training.curves.push_back({name, static_cast<int>(samples), result.best_epoch, std::move(result.curve),
                               std::move(result.constant_inputs)});
    networks.provenance[name + ".samples"] = std::to_string(samples);
    to = std::move(result.network);
  };
  for (int d = 0; d < 3; ++d) {
    const auto i = static_cast<std::size_t>(d);
    const Table table = make_table(data, settings.features, d);
    const std::string dimension = dimension_names[i];
    const auto reporter = [&](const std::string& name) -> TrainingCallback {
      if (!callback) return {};
      return [&callback, name](const EpochReport& report) { return callback(name, report); };
    };
    check_count(table.labels.size(), settings.fewest_samples, dimension + " patches", "");
    if (settings.with_contact) {
      check_count(table.sliding.size(), settings.fewest_samples, dimension + ".regressor", "sliding ones ");
      std::string name = dimension + ".classifier";
      keep(name, table.labels.size(),
           train_classifier(table.inputs, table.labels, num_patch_states, settings.classifier, reporter(name)),
           networks.classifier[i]);
      name = dimension + ".regressor";
      keep(name, table.sliding.size(),
           train_regressor(columns(table.inputs, table.sliding), columns(table.friction, table.sliding),
                           settings.regressor, reporter(name)),
           networks.regressor[i]);
    }
    if (settings.with_whole) {
      const std::string name = dimension + ".whole";
      keep(name, table.labels.size(), train_regressor(table.inputs, table.whole, settings.regressor, reporter(name)),
           networks.whole[i]);
    }
  }
  networks.validate();
  return training;
}

std::array<PatchScore, 3> score_contact(const ContactNetworks& networks, const ContactData& data,
                                        const std::function<void(std::size_t)>& done) {
  networks.validate();
  data.validate();
  std::array<PatchScore, 3> scores;
  SampleReader reader(data, networks.features);
  PerceptronScratch scratch;
  std::array<Errors, 3> friction, whole;
  std::size_t scored = 0;
  for (const ContactSample& sample : data.samples) {
    if (done) done(scored++);
    const auto i = static_cast<std::size_t>(sample.dimension);
    const ContactFeatures& features = reader.read(sample);
    PatchScore& score = scores[i];
    ++score.num_samples;
    score.num_sliding += sample.state == PatchState::sliding;
    if (!networks.classifier[i].layers.empty()) {
      VectorX odds(num_patch_states);
      networks.classifier[i].evaluate(features.input, scratch, odds);
      int said = 0;
      odds.maxCoeff(&said);
      ++score.confusion[static_cast<std::size_t>(sample.state)][static_cast<std::size_t>(said)];
    }
    const auto physical = [&](VectorX p) -> VectorX {
      const int linear = p.size() == 6 ? 3 : 2;
      const double length = data.body(sample).length();  // by which torques count beside impulses
      for (int k = 0; k < static_cast<int>(p.size()); ++k) {
        p[k] *= k < linear ? features.impulse_unit : features.torque_unit / length;
      }
      return p;
    };
    if (sample.state == PatchState::sliding && !networks.regressor[i].layers.empty()) {
      VectorX said(num_friction_outputs(sample.dimension));
      networks.regressor[i].evaluate(features.input, scratch, said);
      friction[i].add(physical(said), physical(reader.friction(sample)));
    }
    if (!networks.whole[i].layers.empty()) {
      VectorX said(6);
      networks.whole[i].evaluate(features.input, scratch, said);
      whole[i].add(physical(said), physical(reader.whole(sample)));
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    PatchScore& score = scores[i];
    int right = 0;
    for (std::size_t k = 0; k < num_patch_states; ++k) {
      int all = 0;
      for (const int count : score.confusion[k]) all += count;
      right += score.confusion[k][k];
      score.recall[k] =
          all ? static_cast<double>(score.confusion[k][k]) / all : std::numeric_limits<double>::quiet_NaN();
    }
    score.classifier_accuracy = score.num_samples ? static_cast<double>(right) / score.num_samples : 0.0;
    score.regressor_accuracy = friction[i].accuracy();
    score.regressor_r2 = friction[i].r2();
    score.whole_accuracy = whole[i].accuracy();
    score.whole_r2 = whole[i].r2();
  }
  return scores;
}

}  // namespace stiction
