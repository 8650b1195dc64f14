// Prints the table of bench/results/closed-forms.md: motions with closed forms, by time step, with the observed order.
#include "tests/support/closed_forms.h"

#include <cmath>
#include <cstdio>
#include <exception>
#include <string>

namespace {

using stiction::testing::ClosedForm;
using stiction::testing::Shrinks;

std::string exact_value(const ClosedForm& form) {
  char number[32];
  std::snprintf(number, sizeof number, "%.9g", form.exact);
  return (form.formula.empty() ? "" : form.formula + " = ") + number + (form.unit.empty() ? "" : " " + form.unit);
}

// What is exact whatever Δt takes one line, with the largest error of the three.
void print_exact(const ClosedForm& form) {
  double ours = 0.0, largest = -1.0;
  for (const double dt : form.time_steps) {
    const double value = form.measure(dt), error = std::abs(value - form.exact);
    if (error > largest) ours = value, largest = error;
  }
  std::printf("| %s | %s | %g, %g, %g ms | %.9g | %.0e | exact |\n", form.scene.c_str(), exact_value(form).c_str(),
              1e3 * form.time_steps[0], 1e3 * form.time_steps[1], 1e3 * form.time_steps[2], ours, largest);
}

void print(const ClosedForm& form) {
  if (form.shrinks == Shrinks::exact) return print_exact(form);
  double last = 0.0;
  for (const double dt : form.time_steps) {
    const double ours = form.measure(dt), error = ours - form.exact;
    const bool first = dt == form.time_steps.front();
    if (first) {
      std::printf("| %s | %s |", form.scene.c_str(), exact_value(form).c_str());
    } else {
      std::printf("| | |");
    }
    std::printf(" %g ms | %.9g | %.1e |", 1e3 * dt, ours, error);
    if (form.shrinks == Shrinks::located) {
      std::printf(" %.2f Δt |\n", std::abs(error) / dt);
    } else if (first) {
      std::printf(" |\n");
    } else {
      std::printf(" %.2f |\n", std::log2(std::abs(last / error)));
    }
    last = error;
  }
}

}  // namespace

int main() {
  try {
    std::printf("| form | exact | Δt | ours | error | order |\n| --- | --- | ---: | ---: | ---: | ---: |\n");
    for (const ClosedForm& form : stiction::testing::closed_forms()) print(form);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_closed_forms: %s\n", error.what());
    return 2;
  }
}
