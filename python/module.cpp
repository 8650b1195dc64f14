#include <nanobind/nanobind.h>

#include "arrays.h"
#include "expose.h"
#include "stiction/version.h"

NB_MODULE(_stiction, module) {
#if defined(__AVX2__)  // a wheel meets any processor: say so before an instruction does
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    throw nanobind::import_error("this build of stiction needs a processor with AVX2 and FMA (x86-64-v3)");
  }
#endif
  module.attr("__version__") = STICTION_VERSION;
  module.doc() =
      "Stiction: contact core, models, dynamics and simulator. Names and meanings are those of the C++ headers.";
  stiction::python::import_numpy();
  stiction::python::expose_contact(module);
  stiction::python::expose_solvers(module);
  stiction::python::expose_geometry(module);
  stiction::python::expose_model(module);
  stiction::python::expose_builder(module);
  stiction::python::expose_edit(module);
  stiction::python::expose_sim(module);
  stiction::python::expose_sensors(module);
  stiction::python::expose_inverse_step(module);
  stiction::python::expose_events(module);
  stiction::python::expose_assembly(module);
  stiction::python::expose_learning(module);
  stiction::python::expose_io(module);
  stiction::python::expose_load(module);
  stiction::python::expose_write(module);
  stiction::python::expose_recording(module);
  stiction::python::expose_view(module);
  stiction::python::expose_render(module);
  stiction::python::expose_compare(module);
}
