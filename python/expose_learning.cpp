// The room `learning`: perceptrons, data, training, the learned contact model and the chain that ends in it.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "expose.h"
#include "stiction/learning/learned_chain.h"
#include "stiction/learning/learned_simulator.h"
#include "stiction/learning/perceptron_file.h"
#include "stiction/learning/throw_track.h"
#include "stiction/learning/train_contact.h"

namespace stiction::python {
namespace {

using namespace nb::literals;
using SharedModel = std::shared_ptr<const Model>;

std::optional<PatchState> to_state(const std::optional<std::string>& name) {
  if (!name) return {};
  for (int k = 0; k < num_patch_states; ++k) {
    if (to_string(static_cast<PatchState>(k)) == *name) return static_cast<PatchState>(k);
  }
  throw nb::value_error(("state '" + *name + "' is none of static, dynamic, detach").c_str());
}

// Fields by name; what is left over is refused.
class Keywords {
 public:
  explicit Keywords(const nb::kwargs& given) : given_(given), left_(given.size()) {}
  template <class Value>
  void take(const char* name, Value& value) {
    if (!given_.contains(name)) return;
    Value taken{};
    if (!nb::try_cast(nb::borrow<nb::object>(given_[name]), taken)) {
      throw nb::type_error((std::string(name) + " is of the wrong type").c_str());
    }
    value = std::move(taken);
    names_.push_back(name);
    --left_;
  }
  void finish() const {
    if (left_ == 0) return;
    for (const auto& item : given_) {
      const auto name = nb::cast<std::string>(item.first);
      if (std::find(names_.begin(), names_.end(), name) == names_.end()) {
        throw nb::type_error(("there is no setting '" + name + "'").c_str());
      }
    }
  }

 private:
  const nb::kwargs& given_;
  std::size_t left_;
  std::vector<std::string> names_;
};

void take_ranges(Keywords& keywords, ThrowRanges& ranges) {
  keywords.take("lowest", ranges.lowest);
  keywords.take("highest", ranges.highest);
  keywords.take("speed", ranges.speed);
  keywords.take("vertical_speed", ranges.vertical_speed);
  keywords.take("spin", ranges.spin);
  keywords.take("impact_speed", ranges.impact_speed);
}

GenerateSettings generate_settings(const nb::kwargs& given) {
  GenerateSettings settings;
  Keywords keywords(given);
  take_ranges(keywords, settings.ranges);
  keywords.take("solver", settings.solver);
  keywords.take("time_step", settings.time_step);
  keywords.take("steps", settings.steps);
  keywords.take("seed", settings.seed);
  keywords.take("most_static", settings.most_static);
  keywords.take("dimension", settings.dimension);
  keywords.finish();
  return settings;
}

nb::tuple start_tuple(ThrowStart&& start) {
  return nb::make_tuple(to_numpy(std::move(start.q)), to_numpy(std::move(start.v)));
}

nb::dict track_dict(ThrowTrack&& track) {
  nb::dict dict;
  dict["q"] = copy_matrix_to_numpy(track.q);
  dict["dimension"] = nb::cast(track.dimension);
  dict["state"] = nb::cast(track.state);
  dict["impulse"] = copy_matrix_to_numpy(track.impulse);
  dict["center"] = copy_matrix_to_numpy(track.center);
  return dict;
}

ThrowStart to_start(const ArrayLike& q, const ArrayLike& v, const Model& model) {
  ThrowStart start{to_vector(q, "q"), to_vector(v, "v")};
  if (start.q.size() != model.num_positions() || start.v.size() != model.num_velocities()) {
    throw nb::value_error("q or v do not have the sizes of the model");
  }
  return start;
}

nb::dict curve_dict(const NetworkCurve& curve) {
  nb::dict dict;
  dict["network"] = curve.network;
  dict["num_samples"] = curve.num_samples;
  dict["best_epoch"] = curve.best_epoch;
  dict["constant_inputs"] = nb::cast(curve.constant_inputs);
  std::vector<double> training, validation;
  for (const EpochReport& report : curve.epochs) {
    training.push_back(report.training_loss);
    validation.push_back(report.validation_loss);
  }
  dict["training_loss"] = nb::cast(training);
  dict["validation_loss"] = nb::cast(validation);
  return dict;
}

nb::dict score_dict(const PatchScore& score) {
  nb::dict dict;
  dict["num_samples"] = score.num_samples;
  dict["num_sliding"] = score.num_sliding;
  dict["classifier_accuracy"] = score.classifier_accuracy;
  nb::list confusion, recall;
  for (const auto& row : score.confusion) confusion.append(nb::make_tuple(row[0], row[1], row[2]));
  for (const double share : score.recall) recall.append(share);
  dict["confusion"] = confusion;
  dict["recall"] = recall;
  dict["regressor_accuracy"] = score.regressor_accuracy;
  dict["regressor_r2"] = score.regressor_r2;
  dict["whole_accuracy"] = score.whole_accuracy;
  dict["whole_r2"] = score.whole_r2;
  return dict;
}

nb::tuple train(const ContactData& data, const std::string& features, const nb::object& progress,
                const nb::kwargs& given) {
  ContactTrainingSettings settings;
  settings.features = to_feature_set(features);
  Keywords keywords(given);
  const auto take = [&](const std::string& prefix, TrainingSettings& of) {
    keywords.take((prefix + "_hidden").c_str(), of.hidden);
    keywords.take((prefix + "_epochs").c_str(), of.epochs);
    keywords.take((prefix + "_batch").c_str(), of.batch);
    keywords.take((prefix + "_learning_rate").c_str(), of.learning_rate);
    keywords.take((prefix + "_dropout").c_str(), of.dropout);
    keywords.take((prefix + "_patience").c_str(), of.patience);
  };
  take("classifier", settings.classifier);
  take("regressor", settings.regressor);
  keywords.take("seed", settings.classifier.seed);
  settings.regressor.seed = settings.classifier.seed;
  keywords.take("with_contact", settings.with_contact);
  keywords.take("with_whole", settings.with_whole);
  keywords.take("fewest_samples", settings.fewest_samples);
  keywords.finish();
  // Ctrl-C between epochs; an exception of the callback is the caller's.
  const ContactTrainingCallback callback = [&](const std::string& network, const EpochReport& report) {
    const nb::gil_scoped_acquire acquired;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (progress.is_none()) return true;
    const nb::object answer =
        progress(network, report.epoch, report.epochs, report.training_loss, report.validation_loss);
    return !(nb::isinstance<nb::bool_>(answer) && !nb::cast<bool>(answer));
  };
  ContactTraining training;
  {
    const nb::gil_scoped_release released;
    training = train_contact(data, settings, callback);
  }
  nb::list curves;
  for (const NetworkCurve& curve : training.curves) curves.append(curve_dict(curve));
  return nb::make_tuple(std::move(training.networks), curves);
}

nb::dict learned_report(const LearnedReport& report) {
  nb::dict dict;
  dict["num_contact_steps"] = report.num_contact_steps;
  dict["num_static"] = report.num_static;
  dict["num_dynamic"] = report.num_dynamic;
  dict["num_detach"] = report.num_detach;
  dict["num_released"] = report.num_released;
  dict["num_pushed"] = report.num_pushed;
  dict["num_braked"] = report.num_braked;
  dict["largest_penetration"] = report.largest_penetration;
  dict["num_uncertified_steps"] = report.num_uncertified_steps;
  dict["dimension"] = report.outcome.dimension;
  dict["said"] = std::string(to_string(report.outcome.said));
  return dict;
}

void expose_networks(nb::module_& module) {
  nb::class_<Perceptron>(module, "Perceptron", "A multi-layer perceptron with its standardisation inside")
      .def_static(
          "load", [](const PathLike& path) { return load_perceptron(to_path(path)); }, "path"_a)
      .def(
          "save", [](const Perceptron& p, const PathLike& path) { save_perceptron(to_path(path), p); }, "path"_a)
      .def_prop_ro("sizes", &Perceptron::sizes, "Inputs, hidden units by layer, outputs")
      .def_prop_ro("task", [](const Perceptron& p) { return std::string(to_string(p.task)); })
      .def(
          "evaluate",
          [](const Perceptron& p, const ArrayLike& input) { return to_numpy(p.evaluate(to_vector(input, "input"))); },
          "input"_a, "Outputs, or the probabilities of classes");

  nb::class_<ContactNetworks>(module, "ContactNetworks", "The networks of one pair of body and surface")
      .def_static(
          "load", [](const PathLike& path) { return ContactNetworks::load(to_path(path)); }, "path"_a)
      .def(
          "save", [](const ContactNetworks& n, const PathLike& path) { n.save(to_path(path)); }, "path"_a)
      .def_static(
          "random",
          [](const std::string& features, double time_step, const std::vector<int>& hidden, std::uint64_t seed) {
            return ContactNetworks::random(to_feature_set(features), time_step, hidden, seed);
          },
          "features"_a = "patch", "time_step"_a = 2e-3, "hidden"_a = std::vector<int>{16, 8}, "seed"_a = 1,
          "Any weights, for tests of what holds whatever the networks say")
      .def_prop_ro("features", [](const ContactNetworks& n) { return std::string(to_string(n.features)); })
      .def_ro("time_step", &ContactNetworks::time_step)
      .def_rw("provenance", &ContactNetworks::provenance)
      .def_prop_ro("has_contact", &ContactNetworks::has_contact)
      .def_prop_ro("has_whole", &ContactNetworks::has_whole);
}

void expose_data(nb::module_& module) {
  nb::class_<ContactData>(module, "ContactData", "Contact instances that networks learn from")
      .def_static(
          "load", [](const PathLike& path) { return ContactData::load(to_path(path)); }, "path"_a)
      .def(
          "save", [](const ContactData& d, const PathLike& path) { d.save(to_path(path)); }, "path"_a)
      .def("__len__", [](const ContactData& d) { return d.samples.size(); })
      .def("append", &ContactData::append, "other"_a)
      .def_ro("mass", &ContactData::mass)
      .def_ro("time_step", &ContactData::time_step)
      .def_rw("provenance", &ContactData::provenance)
      .def_prop_ro(
          "counts",
          [](const ContactData& d) {
            nb::list all;
            for (const auto& row : d.counts()) all.append(nb::make_tuple(row[0], row[1], row[2]));
            return all;
          },
          "By dimension of the patch: static, dynamic, detach");
  module.def(
      "thrown_box",
      [](const ArrayLike& half_size, double density, double friction, double friction_2) {
        ThrownBody body = ThrownBody::box(to_vector3(half_size, "half_size"));
        body.density = density, body.friction = friction, body.friction_2 = friction_2;
        return body.model();
      },
      "half_size"_a, "density"_a = 1000.0, "friction"_a = 1.0, "friction_2"_a = -1.0,
      "A box over the plane z = 0; friction_2 >= 0: along y, and friction along x");
  module.def(
      "thrown_prism",
      [](double radius, double half_length, double density, double friction, double friction_2) {
        ThrownBody body = ThrownBody::pentagonal_prism(radius, half_length);
        body.density = density, body.friction = friction, body.friction_2 = friction_2;
        return body.model();
      },
      "radius"_a, "half_length"_a, "density"_a = 1000.0, "friction"_a = 1.0, "friction_2"_a = -1.0,
      "A regular pentagonal prism over the plane z = 0");
  module.def(
      "thrown_hull",
      [](const ArrayLike& points, double density, double friction, double friction_2) {
        const MatrixX rows = to_matrix(points, "points");
        if (rows.cols() != 3) throw nb::value_error("points: three columns are wanted");
        ThrownBody body;
        for (Eigen::Index i = 0; i < rows.rows(); ++i) body.points.push_back(rows.row(i).transpose());
        body.density = density, body.friction = friction, body.friction_2 = friction_2;
        return body.model();
      },
      "points"_a, "density"_a = 1000.0, "friction"_a = 1.0, "friction_2"_a = -1.0,
      "The convex hull of points over the plane z = 0, its centre of mass at the origin");
  module.def(
      "generate_throws",
      [](const SharedModel& model, int count, const nb::kwargs& settings) {
        const GenerateSettings of = generate_settings(settings);
        const nb::gil_scoped_release released;
        return generate_throws(model, count, of);
      },
      "model"_a, "count"_a, "settings"_a,
      "Every contact instance of throws; settings: those of GenerateSettings and ThrowRanges");
  module.def(
      "generate_collisions",
      [](const SharedModel& model, int count, const nb::kwargs& settings) {
        const GenerateSettings of = generate_settings(settings);
        const nb::gil_scoped_release released;
        return generate_collisions(model, count, of);
      },
      "model"_a, "count"_a, "settings"_a, "Single collisions on random corners, edges and faces");
  module.def(
      "throw_start",
      [](const SharedModel& model, std::uint64_t seed, int index, const nb::kwargs& given) {
        ThrowRanges ranges;
        Keywords keywords(given);
        take_ranges(keywords, ranges);
        keywords.finish();
        return start_tuple(throw_start(*model, ranges, seed, index));
      },
      "model"_a, "seed"_a, "index"_a, "ranges"_a, "Start number `index` of a seed: (q, v)");
  module.def(
      "train_contact", &train, "data"_a, "features"_a = "patch", "progress"_a = nb::none(), "settings"_a,
      "(ContactNetworks, learning curves). settings: classifier_hidden, regressor_epochs, ..., with_whole, seed");
  module.def(
      "score_contact",
      [](const ContactNetworks& networks, const ContactData& data) {
        nb::list all;
        for (const PatchScore& score : score_contact(networks, data)) all.append(score_dict(score));
        return all;
      },
      "networks"_a, "data"_a, "By dimension of the patch: accuracies, confusion, recall, R2");
}

template <class AnySimulator>
void expose_state(nb::class_<AnySimulator>& of) {
  of.def(
        "set_position", [](AnySimulator& s, const ArrayLike& q) { s.set_position(to_vector(q, "q")); }, "q"_a)
      .def(
          "set_velocity", [](AnySimulator& s, const ArrayLike& v) { s.set_velocity(to_vector(v, "v")); }, "v"_a)
      .def_prop_ro("q", [](const AnySimulator& s) { return copy_to_numpy(s.state().q); })
      .def_prop_ro("v", [](const AnySimulator& s) { return copy_to_numpy(s.state().v); })
      .def_prop_ro("time", [](const AnySimulator& s) { return s.state().time; });
}

void expose_simulators(nb::module_& module) {
  nb::class_<LearnedSimulator> learned(module, "LearnedSimulator",
                                       "One free body against fixed ground by learned contact");
  expose_state(learned);
  learned
      .def(
          "__init__",
          [](LearnedSimulator* self, const SharedModel& model, const ContactNetworks& networks) {
            new (self) LearnedSimulator(model, networks);
          },
          "model"_a, "networks"_a)
      .def(
          "step", [](LearnedSimulator& s, int count) { return learned_report(s.step(count)); }, "count"_a = 1)
      .def("reset", &LearnedSimulator::reset)
      .def_prop_ro("report", [](const LearnedSimulator& s) { return learned_report(s.report()); })
      .def(
          "force_state",
          [](LearnedSimulator& s, const std::optional<std::string>& name) { s.force_state(to_state(name)); },
          "state"_a.none(), "What the classifier would say; None: it says so itself")
      .def(
          "track",
          [](LearnedSimulator& s, const ArrayLike& q, const ArrayLike& v, int steps) {
            return track_dict(track_learned(s, to_start(q, v, s.simulator().model()), steps));
          },
          "q"_a, "v"_a, "steps"_a, "A throw from a start: q, dimension, state, impulse and centre by step");
  nb::class_<DataDrivenSimulator> driven(module, "DataDrivenSimulator",
                                         "The purely data-driven baseline: impulses by the networks alone");
  expose_state(driven);
  driven
      .def(
          "__init__",
          [](DataDrivenSimulator* self, const SharedModel& model, const ContactNetworks& networks) {
            new (self) DataDrivenSimulator(model, networks);
          },
          "model"_a, "networks"_a)
      .def(
          "step", [](DataDrivenSimulator& s, int count) { s.step(count); }, "count"_a = 1)
      .def("reset", &DataDrivenSimulator::reset)
      .def_prop_ro("largest_penetration", &DataDrivenSimulator::largest_penetration)
      .def(
          "track",
          [](DataDrivenSimulator& s, const ArrayLike& q, const ArrayLike& v, int steps) {
            return track_dict(track_data_driven(s, to_start(q, v, s.model()), steps));
          },
          "q"_a, "v"_a, "steps"_a);
  module.def(
      "track_throw",
      [](const SharedModel& model, const ArrayLike& q, const ArrayLike& v, int steps, const std::string& solver,
         double time_step) {
        Simulator simulator(model, {.time_step = time_step, .solver = solver});
        return track_dict(track_truth(simulator, to_start(q, v, *model), steps));
      },
      "model"_a, "q"_a, "v"_a, "steps"_a, "solver"_a = "auto", "time_step"_a = 2e-3, "The truth of a throw, by step");

  nb::class_<LearnedChain> chain(module, "LearnedChain", "A tree whose last body meets the ground by learned contact");
  expose_state(chain);
  chain
      .def(
          "__init__",
          [](LearnedChain* self, const SharedModel& model, const std::string& distal, const ContactNetworks& networks,
             double tolerance) { new (self) LearnedChain(model, distal, networks, {.tolerance = tolerance}); },
          "model"_a, "distal"_a, "networks"_a, "tolerance"_a = 1e-6)
      .def(
          "force_state", [](LearnedChain& s, const std::optional<std::string>& name) { s.force_state(to_state(name)); },
          "state"_a.none())
      .def(
          "step",
          [](LearnedChain& s, int count) {
            const LearnedChainReport& report = s.step(count);
            nb::dict dict;
            dict["num_contact_steps"] = report.num_contact_steps;
            dict["num_unconverged"] = report.num_unconverged;
            dict["num_frozen"] = report.num_frozen;
            dict["num_evaluations"] = report.num_evaluations;
            dict["num_other_contact_steps"] = report.num_other_contact_steps;
            dict["largest_penetration"] = report.largest_penetration;
            dict["mismatch"] = report.mismatch;
            dict["dimension"] = report.outcome.dimension;
            dict["said"] = std::string(to_string(report.outcome.said));
            dict["impulse"] = copy_to_numpy(report.outcome.impulse.linear);
            dict["joint_impulse"] = copy_to_numpy(report.joint_impulse);
            return dict;
          },
          "count"_a = 1);
}

}  // namespace

void expose_learning(nb::module_& module) {
  expose_networks(module);
  expose_data(module);
  expose_simulators(module);
  module.def(
      "powell_hybrid",
      [](const nb::callable& function, const ArrayLike& guess, double tolerance, int max_evaluations) {
        VectorX x = to_vector(guess, "guess");
        const PowellReport report = powell_hybrid(
            [&](VectorView at, VectorOut f) {
              const VectorX value = to_vector(function(copy_to_numpy(at)), "function");
              if (value.size() != f.size()) throw nb::value_error("function: as many values as unknowns are wanted");
              f = value;
            },
            x, {.tolerance = tolerance, .max_evaluations = max_evaluations});
        return nb::make_tuple(to_numpy(std::move(x)), std::string(to_string(report.status)), report.evaluations);
      },
      "function"_a, "guess"_a, "tolerance"_a = 1e-10, "max_evaluations"_a = 0, "(x, status, evaluations)");
}

}  // namespace stiction::python
