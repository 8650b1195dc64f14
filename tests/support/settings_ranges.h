// Every number of every struct of settings is set out of its range: validate() must refuse it and name it with its
// value. tests/check_settings.py finds structs without validate() and numbers that no test tries.
//
//     EXPECT_RANGE(SimulatorSettings, threads, 0, 1025);         // NaN and infinity are tried by themselves
//     EXPECT_RANGE_WITH(model, RenderSettings, width, 0);        // validate(model)
//     EXPECT_RANGE_OR_INFINITE(LiveViewSettings, speed, 0.0);    // infinity is in the range
//     ANY_VALUE(TrainingSettings, seed)                          // all are
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "stiction/math/refuse.h"

namespace stiction::testing {

template <class Settings, class Number, class... Arguments>
void expect_refused(const Settings& settings, const std::string& name, Number value, const Arguments&... arguments) {
  try {
    settings.validate(arguments...);
    ADD_FAILURE() << message(name, " may be ", value);
  } catch (const std::invalid_argument& refused) {
    const std::string said = refused.what(), wanted = message(name, " is ", value);
    EXPECT_NE(said.find(wanted), std::string::npos) << '\'' << said << "' is not about '" << wanted << '\'';
  }
}

template <class Settings, class Owner, class Field, class... Arguments>
void expect_range(Field Owner::* field, const std::string& name, bool may_be_infinite,
                  std::initializer_list<double> outside, const Arguments&... arguments) {
  using Number = std::remove_all_extents_t<Field>;
  EXPECT_NO_THROW(Settings{}.validate(arguments...)) << "the defaults";
  std::vector<double> values(outside);
  if constexpr (std::is_floating_point_v<Number>) {
    values.push_back(std::numeric_limits<double>::quiet_NaN());
    values.push_back(-std::numeric_limits<double>::infinity());
    if (!may_be_infinite) values.push_back(std::numeric_limits<double>::infinity());
  }
  for (const double value : values) {
    Settings settings{};
    if constexpr (std::is_array_v<Field>) {
      (settings.*field)[std::extent_v<Field> - 1] = static_cast<Number>(value);
    } else {
      settings.*field = static_cast<Number>(value);
    }
    expect_refused(settings, name, static_cast<Number>(value), arguments...);
  }
}

}  // namespace stiction::testing

#define EXPECT_RANGE(Settings, field, ...) \
  stiction::testing::expect_range<Settings>(&Settings::field, #field, false, {__VA_ARGS__})
#define EXPECT_RANGE_WITH(argument, Settings, field, ...) \
  stiction::testing::expect_range<Settings>(&Settings::field, #field, false, {__VA_ARGS__}, argument)
#define EXPECT_RANGE_OR_INFINITE(Settings, field, ...) \
  stiction::testing::expect_range<Settings>(&Settings::field, #field, true, {__VA_ARGS__})
#define ANY_VALUE(Settings, field) static_assert(std::is_arithmetic_v<decltype(Settings::field)>)
