// The pair rule of materials.
#include "stiction/model/material.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stiction {
namespace {

PairMaterial friction_pair(double a, double b, FrictionRule rule) {
  return combine({.friction = a}, {.friction = b}, rule);
}

TEST(Material, FrictionByRule) {
  EXPECT_DOUBLE_EQ(friction_pair(0.25, 1.0, FrictionRule::geometric_mean).friction, 0.5);
  EXPECT_DOUBLE_EQ(friction_pair(0.25, 1.0, FrictionRule::minimum).friction, 0.25);
  EXPECT_DOUBLE_EQ(friction_pair(0.25, 1.0, FrictionRule::maximum).friction, 1.0);
  EXPECT_DOUBLE_EQ(friction_pair(0.25, 1.0, FrictionRule::arithmetic_mean).friction, 0.625);
  EXPECT_DOUBLE_EQ(friction_pair(0.25, 0.5, FrictionRule::product).friction, 0.125);
  EXPECT_EQ(friction_pair(0.0, 1.0, FrictionRule::geometric_mean).friction, 0.0);
}

TEST(Material, TheMeanOfEqualFrictionsIsThatFrictionToTheLastBit) {
  for (const double mu : {0.1, 0.3, 0.5, 0.7, 0.8, 1.1}) {
    EXPECT_EQ(friction_pair(mu, mu, FrictionRule::geometric_mean).friction, mu);
    EXPECT_EQ(friction_pair(mu, mu, FrictionRule::arithmetic_mean).friction, mu);
  }
}

TEST(Material, IsotropicPairHasOneFrictionAndNoDirection) {
  const PairMaterial pair = friction_pair(0.3, 0.7, FrictionRule::geometric_mean);
  EXPECT_EQ(pair.friction, pair.friction_2);
  EXPECT_EQ(pair.direction_of, -1);
}

TEST(Material, RestitutionIsTheLarger) {
  const auto pair = combine({.restitution = 0.2}, {.restitution = 0.7}, FrictionRule::minimum);
  EXPECT_EQ(pair.restitution, 0.7);
}

TEST(Material, SpringsAndDampersInSeries) {
  const Material soft{.compliance = 2e-4, .damping = 30.0}, softer{.compliance = 3e-4, .damping = 60.0};
  const PairMaterial pair = combine(soft, softer, FrictionRule::minimum);
  EXPECT_DOUBLE_EQ(pair.compliance, 5e-4);
  EXPECT_DOUBLE_EQ(pair.damping, 20.0);
  // Against something rigid and undamped what the surface says stays.
  const PairMaterial rigid = combine(soft, {}, FrictionRule::minimum);
  EXPECT_EQ(rigid.compliance, soft.compliance);
  EXPECT_EQ(rigid.damping, soft.damping);
  EXPECT_EQ(combine({}, soft, FrictionRule::minimum).damping, soft.damping);
}

TEST(Material, AnisotropicAgainstIsotropic) {
  const Material ski{.friction = 0.04, .friction_2 = 0.81}, snow{.friction = 0.25};
  const PairMaterial first = combine(ski, snow, FrictionRule::geometric_mean);
  EXPECT_DOUBLE_EQ(first.friction, 0.1);
  EXPECT_DOUBLE_EQ(first.friction_2, 0.45);
  EXPECT_EQ(first.direction_of, 0);
  const PairMaterial second = combine(snow, ski, FrictionRule::geometric_mean);
  EXPECT_DOUBLE_EQ(second.friction, 0.1);
  EXPECT_DOUBLE_EQ(second.friction_2, 0.45);
  EXPECT_EQ(second.direction_of, 1);
}

TEST(Material, TwoAnisotropicTakeTheDirectionsOfTheFirst) {
  const auto pair =
      combine({.friction = 0.5, .friction_2 = 0.1}, {.friction = 0.2, .friction_2 = 0.3}, FrictionRule::minimum);
  EXPECT_EQ(pair.direction_of, 0);
  EXPECT_EQ(pair.friction, 0.2);
  EXPECT_EQ(pair.friction_2, 0.1);
}

TEST(Material, EqualFrictionsAreIsotropic) {
  EXPECT_FALSE((Material{.friction = 0.4, .friction_2 = 0.4}.is_anisotropic()));
  EXPECT_FALSE((Material{.friction = 0.4}.is_anisotropic()));
  EXPECT_TRUE((Material{.friction = 0.4, .friction_2 = 0.0}.is_anisotropic()));
}

TEST(Material, HigherPriorityDecidesAlone) {
  const Material ice{.friction = 0.02, .friction_2 = 0.05, .restitution = 0.1, .compliance = 1e-5, .priority = 1};
  const Material rubber{.friction = 1.5, .restitution = 0.9, .compliance = 1e-3, .damping = 5.0};
  for (const bool ice_first : {true, false}) {
    const PairMaterial pair =
        ice_first ? combine(ice, rubber, FrictionRule::maximum) : combine(rubber, ice, FrictionRule::maximum);
    EXPECT_EQ(pair.friction, 0.02);
    EXPECT_EQ(pair.friction_2, 0.05);
    EXPECT_EQ(pair.direction_of, ice_first ? 0 : 1);
    EXPECT_EQ(pair.restitution, 0.1);
    EXPECT_EQ(pair.compliance, 1e-5);
    EXPECT_EQ(pair.damping, 0.0);
  }
}

TEST(Material, CombineIsSymmetricButForTheDirection) {
  const Material a{.friction = 0.3, .friction_2 = 0.6, .restitution = 0.5, .compliance = 1e-4, .damping = 3.0};
  const Material b{.friction = 0.9, .restitution = 0.1, .compliance = 2e-4, .damping = 7.0};
  for (const FrictionRule rule : {FrictionRule::geometric_mean, FrictionRule::minimum, FrictionRule::maximum,
                                  FrictionRule::arithmetic_mean, FrictionRule::product}) {
    const PairMaterial ab = combine(a, b, rule), ba = combine(b, a, rule);
    EXPECT_EQ(ab.friction, ba.friction) << to_string(rule);
    EXPECT_EQ(ab.friction_2, ba.friction_2) << to_string(rule);
    EXPECT_EQ(ab.damping, ba.damping);
    EXPECT_EQ(ab.direction_of, 1 - ba.direction_of);
  }
}

}  // namespace
}  // namespace stiction
