#include <nanobind/nanobind.h>

#include "expose.h"

NB_MODULE(_stiction, module) {
  module.doc() = "Stiction's contact core. Names and meanings are those of the C++ headers.";
  stiction::python::expose_contact(module);
  stiction::python::expose_solvers(module);
  stiction::python::expose_io(module);
}
