// `stiction learn generate|train|evaluate`: data of throws and collisions, networks of contact models, and how good
// they are.
#pragma once

#include <string>
#include <vector>

#include "stiction/learning/throws.h"
#include "stiction/learning/train_contact.h"

namespace stiction::cli {

struct LearnGenerateOptions {
  std::string out;
  std::string shape = "box:0.1,0.075,0.05";  // box:X,Y,Z or prism:RADIUS,HALF_LENGTH, or a model file
  std::string kind = "collisions";           // or throws
  int count = 10000;
  double density = 1000.0;
  std::vector<double> friction{1.0};  // one, or along x and along y
  GenerateSettings settings;
};

struct LearnTrainOptions {
  std::vector<std::string> data;
  std::string out, curves;
  std::string features = "patch";
  std::vector<int> classifier_hidden, regressor_hidden;
  ContactTrainingSettings settings;
};

struct LearnEvaluateOptions {
  std::string networks;
  std::vector<std::string> data;
};

int learn_generate(const LearnGenerateOptions& options);
int learn_train(LearnTrainOptions options);
int learn_evaluate(const LearnEvaluateOptions& options);

}  // namespace stiction::cli
