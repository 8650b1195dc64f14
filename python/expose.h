// One function per room, in the order in which the rooms know each other.
#pragma once

#include <nanobind/nanobind.h>

namespace stiction::python {

void expose_contact(nanobind::module_& module);
void expose_solvers(nanobind::module_& module);
void expose_io(nanobind::module_& module);

}  // namespace stiction::python
