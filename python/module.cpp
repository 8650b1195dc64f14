#include <nanobind/nanobind.h>

#include "arrays.h"
#include "expose.h"

NB_MODULE(_stiction, module) {
  module.doc() =
      "Stiction: contact core, models, dynamics and simulator. Names and meanings are those of the C++ headers.";
  stiction::python::import_numpy();
  stiction::python::expose_contact(module);
  stiction::python::expose_solvers(module);
  stiction::python::expose_geometry(module);
  stiction::python::expose_model(module);
  stiction::python::expose_builder(module);
  stiction::python::expose_sim(module);
  stiction::python::expose_inverse_dynamics(module);
  stiction::python::expose_assembly(module);
  stiction::python::expose_io(module);
  stiction::python::expose_load(module);
  stiction::python::expose_write(module);
  stiction::python::expose_recording(module);
  stiction::python::expose_view(module);
}
