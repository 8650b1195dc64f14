#include "cli/verb_learn.h"

#include <charconv>
#include <cstdio>
#include <iostream>

#include "cli/exit_code.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "stiction/io/load.h"
#include "stiction/math/refuse.h"

namespace stiction::cli {
namespace {

constexpr std::array<const char*, 3> dimension_names{"point", "line", "surface"};

std::vector<double> numbers_after(const std::string& shape, std::size_t begin, std::size_t wanted) {
  std::vector<double> numbers;
  const char* at = shape.data() + begin;
  const char* end = shape.data() + shape.size();
  while (at < end) {
    double value = 0.0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc() || !(value > 0.0) || (next < end && *next != ',')) {
      refuse("--shape ", shape, ": positive numbers separated by commas are wanted");
    }
    numbers.push_back(value);
    at = next + 1;
  }
  if (numbers.size() != wanted) refuse("--shape ", shape, ": ", wanted, " numbers are wanted");
  return numbers;
}

std::shared_ptr<const Model> model_of(const LearnGenerateOptions& options) {
  ThrownBody body;
  if (options.shape.rfind("box:", 0) == 0) {
    const auto n = numbers_after(options.shape, 4, 3);
    body = ThrownBody::box({n[0], n[1], n[2]});
  } else if (options.shape.rfind("prism:", 0) == 0) {
    const auto n = numbers_after(options.shape, 6, 2);
    body = ThrownBody::pentagonal_prism(n[0], n[1]);
  } else {
    return load_model(options.shape).model;
  }
  if (options.friction.empty() || options.friction.size() > 2) refuse("--friction: one or two numbers are wanted");
  body.density = options.density;
  body.friction = options.friction[0];
  body.friction_2 = options.friction.size() == 2 ? options.friction[1] : -1.0;
  return body.model();
}

ContactData read_all(const std::vector<std::string>& paths) {
  ContactData data = ContactData::load(paths.front());
  for (std::size_t k = 1; k < paths.size(); ++k) data.append(ContactData::load(paths[k]));
  return data;
}

void print_counts(const ContactData& data) {
  std::printf("%-8s %10s %10s %10s\n", "patch", "static", "dynamic", "detach");
  const auto counts = data.counts();
  for (std::size_t d = 0; d < 3; ++d) {
    std::printf("%-8s %10d %10d %10d\n", dimension_names[d], counts[d][0], counts[d][1], counts[d][2]);
  }
}

void print_scores(const std::array<PatchScore, 3>& scores) {
  std::printf("%-8s %9s %9s %11s %9s %9s %9s %11s %7s %11s %7s\n", "patch", "samples", "sliding", "classifier",
              "static", "dynamic", "detach", "regressor", "R2", "data-driven", "R2");
  for (std::size_t d = 0; d < 3; ++d) {
    const PatchScore& s = scores[d];
    std::printf("%-8s %9d %9d %10.2f%% %8.2f%% %8.2f%% %8.2f%% %10.2f%% %7.4f %10.2f%% %7.4f\n", dimension_names[d],
                s.num_samples, s.num_sliding, 100 * s.classifier_accuracy, 100 * s.recall[0], 100 * s.recall[1],
                100 * s.recall[2], 100 * s.regressor_accuracy, s.regressor_r2, 100 * s.whole_accuracy, s.whole_r2);
  }
}

void write_curves(std::ostream& out, const std::vector<NetworkCurve>& curves) {
  out << "network,epoch,training loss,validation loss\n";
  for (const NetworkCurve& curve : curves) {
    for (const EpochReport& epoch : curve.epochs) {
      out << message(curve.network, ",", epoch.epoch, ",", epoch.training_loss, ",", epoch.validation_loss, "\n");
    }
  }
}

}  // namespace

int learn_generate(const LearnGenerateOptions& options) {
  check_outputs({{"OUT", options.out}}, {options.shape});
  const auto model = model_of(options);
  if (options.kind != "collisions" && options.kind != "throws") {
    refuse("--kind ", options.kind, ": collisions or throws are wanted");
  }
  Progress progress;
  const auto done = [&](int k) {
    if (progress.due())
      progress.show(message(bar(1.0 * k / options.count), " ", k, " of ", options.count, " ", options.kind));
  };
  ContactData data = options.kind == "throws" ? generate_throws(model, options.count, options.settings, done)
                                              : generate_collisions(model, options.count, options.settings, done);
  progress.clear();
  data.provenance["shape"] = options.shape;
  data.save(options.out);
  print_counts(data);
  std::printf("%zu samples in %s\n", data.samples.size(), options.out.c_str());
  return exit_success;
}

int learn_train(LearnTrainOptions options) {
  options.settings.features = to_feature_set(options.features);
  check_outputs({{"--output", options.out}, {"--curves", options.curves, false}}, options.data);
  if (!options.classifier_hidden.empty()) options.settings.classifier.hidden = options.classifier_hidden;
  if (!options.regressor_hidden.empty()) options.settings.regressor.hidden = options.regressor_hidden;
  const ContactData data = read_all(options.data);
  print_counts(data);
  const ContactTraining training =
      train_contact(data, options.settings, [](const std::string& network, const EpochReport& report) {
        if (report.epoch == 1 || report.epoch == report.epochs || report.epoch % 10 == 0) {
          std::fprintf(stderr, "%-20s epoch %d of %d: loss %.4g, validation %.4g\n", network.c_str(), report.epoch,
                       report.epochs, report.training_loss, report.validation_loss);
        }
        return true;
      });
  for (const NetworkCurve& curve : training.curves) {
    std::printf("%-20s %d samples, %zu epochs, best %d", curve.network.c_str(), curve.num_samples, curve.epochs.size(),
                curve.best_epoch);
    if (!curve.constant_inputs.empty()) {
      std::printf("; constant inputs, which carry nothing:");
      const auto names = feature_names(options.settings.features);
      for (const int i : curve.constant_inputs) std::printf(" %s", names[static_cast<std::size_t>(i)].c_str());
    }
    std::printf("\n");
  }
  training.networks.save(options.out);
  if (!options.curves.empty()) {
    write_output(options.curves, [&](std::ostream& out) { write_curves(out, training.curves); });
  }
  std::printf("networks in %s\n", options.out.c_str());
  return exit_success;
}

int learn_evaluate(const LearnEvaluateOptions& options) {
  const ContactNetworks networks = ContactNetworks::load(options.networks);
  const ContactData data = read_all(options.data);
  if (data.time_step != networks.time_step) {
    refuse(options.data.front(), ": time_step is ", data.time_step, "; the networks have ", networks.time_step);
  }
  Progress progress;
  const std::size_t count = data.samples.size();
  const auto scores = score_contact(networks, data, [&](std::size_t k) {
    const double share = static_cast<double>(k) / static_cast<double>(count);
    if (progress.due()) progress.show(message(bar(share), " ", k, " of ", count, " samples"));
  });
  progress.clear();
  print_scores(scores);
  return exit_success;
}

}  // namespace stiction::cli
