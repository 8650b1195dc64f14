// `progress=` of long calls: False nothing, True a line on standard error, or a function (done, of); _progress.py.
#pragma once

#include <nanobind/nanobind.h>

namespace stiction::python {

// Whom to tell; none: nobody. With the GIL.
inline nanobind::object teller(nanobind::handle progress, const char* label) {
  if (progress.is(nanobind::handle(Py_False))) return nanobind::none();
  return nanobind::module_::import_("stiction._progress").attr("teller")(progress, label);
}

}  // namespace stiction::python
