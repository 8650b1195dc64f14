#include "stiction/learning/contact_samples.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "../support/refused.h"
#include "stiction/learning/safetensors.h"
#include "stiction/learning/throws.h"
#include "stiction/learning/train_contact.h"
#include "tests/support/sanitized.h"

namespace stiction {
namespace {

std::shared_ptr<const Model> box_model() {
  ThrownBody body = ThrownBody::box({0.1, 0.07, 0.05});
  body.friction = 0.5;
  return body.model();
}

PatchPoint point(double x, double y, double gap = 0.0) {
  return {{x, y, -1.0}, Vector3::UnitZ(), gap, gap / 2e-3};
}

TEST(ContactPatch, DimensionCentreAndAxis) {
  std::vector<int> chosen;
  const auto patch_of = [&](const std::vector<PatchPoint>& points) { return find_patch(points, {}, 2e-3, {}, chosen); };
  EXPECT_EQ(patch_of({}).dimension, -1);
  EXPECT_EQ(patch_of({point(1, 2)}).dimension, 0);
  EXPECT_EQ(patch_of({point(1, 2), point(1.00001, 2)}).dimension, 0);
  const ContactPatch line = patch_of({point(0, 0), point(0.3, 0.4), point(0.15, 0.2)});
  EXPECT_EQ(line.dimension, 1);
  EXPECT_NEAR(std::abs(line.direction.dot(Vector3(0.6, 0.8, 0))), 1.0, 1e-12);
  const ContactPatch surface = patch_of({point(0, 0), point(2, 0), point(2, 1), point(0, 1)});
  EXPECT_EQ(surface.dimension, 2);
  EXPECT_LT((surface.center - Vector3(1, 0.5, -1)).norm(), 1e-12);
  EXPECT_NEAR(surface.radius, std::sqrt(1 + 0.25), 1e-12);
  EXPECT_NEAR(std::abs(surface.direction.x()), 1.0, 1e-12);
}

TEST(ContactPatch, PointsThatTouchOrWillTouch) {
  std::vector<int> chosen;
  const BodyVelocity down{Vector3(0, 0, -1), Vector3::Zero()}, up{Vector3(0, 0, 1), Vector3::Zero()};
  const std::vector<PatchPoint> points{point(0, 0, 1e-3), point(1, 0, 3e-3), point(0, 1, 5e-5)};
  EXPECT_EQ(find_patch(points, down, 2e-3, {}, chosen).num_points, 2);  // 2 mm of way
  EXPECT_EQ(chosen, (std::vector<int>{0, 2}));
  EXPECT_EQ(find_patch(points, up, 2e-3, {}, chosen).num_points, 1);  // what touches, touches
}

// The impulse of all contacts explains the change of velocity: p = M (v⁺ − v1), to the solver's rounding.
TEST(ContactSamples, ImpulseIsTheChangeOfMomentum) {
  Simulator simulator(box_model(), {.time_step = 2e-3});
  double worst = 0.0;
  int contacts = 0;
  for (int k = 0; k < 5; ++k) {
    const ThrowStart start = throw_start(simulator.model(), {.lowest = 0.0, .highest = 0.1}, 3, k);
    simulator.set_position(start.q);
    simulator.set_velocity(start.v);
    for (int i = 0; i < 300; ++i) {
      const RigidBody body = rigid_body(simulator.model(), 0, simulator.state().q);
      const BodyVelocity v1 = flight_velocity(
          body, body_velocity(simulator.model(), 0, simulator.state().q, simulator.state().v), {0, 0, -9.81}, 2e-3);
      simulator.step();
      const PatchImpulse p = patch_impulse(simulator.contacts(), 0, body.center, 2e-3);
      contacts += p.linear.norm() > 0;
      worst = std::max(worst, (p.linear / body.mass + v1.linear - simulator.state().v.head<3>()).norm());
      const Vector3 spin = body.rotation * simulator.state().v.tail<3>();
      worst = std::max(worst, (body.world_inverse_inertia() * p.angular + v1.angular - spin).norm());
    }
  }
  EXPECT_GT(contacts, 300);
  EXPECT_LT(worst, 1e-11);
}

TEST(ContactSamples, CollisionsHaveThePatchAskedFor) {
  for (int d = 0; d < 3; ++d) {
    GenerateSettings settings;
    settings.dimension = d;
    const ContactData data = generate_collisions(box_model(), 400, settings);
    const auto counts = data.counts();
    int of_it = 0, all = 0;
    for (int e = 0; e < 3; ++e) {
      for (const int count : counts[static_cast<std::size_t>(e)]) {
        all += count;
        if (e == d) of_it += count;
      }
    }
    EXPECT_GT(all, 300);
    EXPECT_GT(of_it, 0.95 * all) << "dimension " << d;
    EXPECT_GT(counts[static_cast<std::size_t>(d)][0], 5);
    EXPECT_GT(counts[static_cast<std::size_t>(d)][1], 5);
    EXPECT_GT(counts[static_cast<std::size_t>(d)][2], 0);
  }
}

TEST(ContactSamples, LabelsAreThoseOfTheLaw) {
  const ContactData data = generate_collisions(box_model(), 600, {});
  int sliding = 0, at_the_cone = 0;
  for (const ContactSample& sample : data.samples) {
    const RigidBody body = data.body(sample);
    if (sample.state == PatchState::detaching) {
      EXPECT_LT(sample.impulse.linear.norm(), 1e-5 * body.mass);
    } else {
      EXPECT_GT(sample.impulse.linear.z(), 0.0);
      const double tangential = sample.impulse.linear.head<2>().norm();
      EXPECT_LE(tangential, 0.5 * sample.impulse.linear.z() * (1 + 1e-6));  // Coulomb, μ 0.5
      if (sample.state == PatchState::sliding && sample.dimension == 0) {
        ++sliding;
        at_the_cone += tangential > 0.499 * sample.impulse.linear.z();
      }
    }
  }
  EXPECT_GT(sliding, 50);
  EXPECT_GT(at_the_cone, 0.95 * sliding);  // the others sit on a corner while another one comes down
}

TEST(ContactSamples, ThrowsRepeatAndComeBack) {
  GenerateSettings settings;
  settings.steps = 300;
  const ContactData data = generate_throws(box_model(), 3, settings);
  ASSERT_GT(data.samples.size(), 60U);
  EXPECT_EQ(generate_throws(box_model(), 3, settings).samples.size(), data.samples.size());
  const std::string path =
      (std::filesystem::temp_directory_path() / ("stiction_samples_" + std::to_string(::getpid()))).string();
  data.save(path);
  const ContactData again = ContactData::load(path);
  TensorFile file = read_safetensors(path);
  std::filesystem::remove(path);
  ASSERT_EQ(again.samples.size(), data.samples.size());
  EXPECT_EQ(again.provenance, data.provenance);
  for (std::size_t i = 0; i < data.samples.size(); ++i) {
    EXPECT_EQ(again.samples[i].rotation, data.samples[i].rotation);
    EXPECT_EQ(again.samples[i].impulse.angular, data.samples[i].impulse.angular);
    EXPECT_EQ(again.samples[i].state, data.samples[i].state);
    EXPECT_EQ(again.samples[i].points[0].promise, data.samples[i].points[0].promise);
  }
  const auto refused = [&](const char* name, std::size_t entry, double value, const char* part) {
    TensorFile broken = file;
    broken.tensors[name].values[entry] = value;
    EXPECT_REFUSED(ContactData::from_bytes(to_safetensors(broken), "f"), part);
  };
  refused("velocity", 7, std::nan(""), "f: samples: velocity of sample 1 is not finite");
  refused("state", 2, 3.0, "state of sample 2 is 3");
  refused("num_points", 0, 1.5, "num_points of sample 0 is 1.5");
  refused("rotation", 0, 2.0, "rotation of sample 0 is no rotation");
  refused("points", 3, 2.0, "a normal of sample 0");
}

// Turning the scene about the normal turns the frame, and changes no input: the networks' impulse turns with it.
TEST(ContactFeatures, PatchFeaturesTurnWithTheScene) {
  const ContactData data = generate_collisions(box_model(), 90, {});
  const Matrix3 turn = Eigen::AngleAxisd(1.1, Vector3::UnitZ()).toRotationMatrix();
  for (const ContactSample& sample : data.samples) {
    ContactSample turned = sample;
    turned.rotation = turn * sample.rotation;
    turned.velocity = {turn * sample.velocity.linear, turn * sample.velocity.angular};
    for (PatchPoint& p : turned.points) p.offset = turn * p.offset;
    std::vector<int> chosen;
    ContactFeatures a, b;
    ContactPatch patch = find_patch(sample.all_points(), sample.velocity, data.time_step, data.patch, chosen);
    find_features(FeatureSet::patch, data.body(sample), sample.velocity, patch, sample.all_points(), chosen, a);
    patch = find_patch(turned.all_points(), turned.velocity, data.time_step, data.patch, chosen);
    find_features(FeatureSet::patch, data.body(turned), turned.velocity, patch, turned.all_points(), chosen, b);
    EXPECT_LT((a.input - b.input).norm(), 1e-10);
    EXPECT_LT((turn * a.frame - b.frame).norm(), 1e-10);
  }
}

TEST(TrainContact, LearnsCollisionsBetterThanByChance) {
  const ContactData data = generate_collisions(box_model(), testing::sanitized ? 2000 : 20000, {});
  GenerateSettings other;
  other.seed = 2;
  const ContactData held_out = generate_collisions(box_model(), 600, other);
  ContactTrainingSettings settings;
  settings.classifier = {.hidden = {64, 32}, .epochs = 80, .batch = 64, .learning_rate = 3e-3};
  settings.regressor = settings.classifier;
  settings.with_whole = true;
  const ContactTraining training = train_contact(data, settings);
  EXPECT_EQ(training.curves.size(), 9U);
  const auto scores = score_contact(training.networks, held_out);
  for (const PatchScore& score : scores) {
    if (testing::sanitized) continue;  // too few samples to learn much from; that nothing is out of bounds counts
    EXPECT_GT(score.classifier_accuracy, 0.85);
    EXPECT_GT(score.regressor_accuracy, 0.6);
    EXPECT_GT(score.regressor_r2, 0.8);
    EXPECT_GT(score.whole_r2, 0.5);
  }
  settings.fewest_samples = 100000;
  EXPECT_REFUSED(train_contact(data, settings), "for point patches; at least 100000");
}

}  // namespace
}  // namespace stiction
