// Prints the table of docs/closed-forms.md: motions with closed forms, by time step, with the observed order.
#include "tests/support/closed_forms.h"

#include <cmath>
#include <cstdio>
#include <exception>

namespace {

using stiction::testing::ClosedForm;
using stiction::testing::Shrinks;

void print(const ClosedForm& form) {
  double last = 0.0;
  for (const double dt : form.time_steps) {
    const double ours = form.measure(dt), error = ours - form.exact;
    const bool first = dt == form.time_steps.front();
    if (first) {
      std::printf("| %s | %s = %.9g %s |", form.scene.c_str(), form.formula.c_str(), form.exact, form.unit.c_str());
    } else {
      std::printf("| | |");
    }
    std::printf(" %g ms | %.9g | %.1e |", 1e3 * dt, ours, error);
    if (form.shrinks == Shrinks::exact) {
      std::printf(" exact |\n");
    } else if (form.shrinks == Shrinks::located) {
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
    for (const ClosedForm& form : stiction::testing::contact_forms()) print(form);
    for (const ClosedForm& form : stiction::testing::support_forms()) print(form);
    for (const ClosedForm& form : stiction::testing::mechanism_forms()) print(form);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_closed_forms: %s\n", error.what());
    return 2;
  }
}
