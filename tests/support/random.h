// Random numbers of tests: the same on every machine, in every order of tests.
#pragma once

#include <random>

#include "stiction/math/types.h"

namespace stiction::testing {

class Random {
 public:
  explicit Random(unsigned seed) : generator_(seed) {}

  double uniform(double low, double high) {
    return low + (high - low) * 0x1p-53 * static_cast<double>(generator_() >> 11);
  }
  int index(int low, int high) {  // both may come
    return low + static_cast<int>(generator_() % static_cast<unsigned>(high - low + 1));
  }
  bool chance(double p) { return uniform(0.0, 1.0) < p; }
  unsigned seed() { return static_cast<unsigned>(generator_()); }

  // Entries in −size … size.
  Vector3 vector(double size) {
    const double x = uniform(-size, size), y = uniform(-size, size), z = uniform(-size, size);
    return {x, y, z};
  }
  MatrixX matrix(int rows, int columns, double size = 1.0) {
    MatrixX out(rows, columns);
    for (double& entry : out.reshaped()) entry = uniform(-size, size);
    return out;
  }

 private:
  std::mt19937_64 generator_;
};

}  // namespace stiction::testing
