// One function per room, in the order in which the rooms know each other.
#pragma once

#include <nanobind/nanobind.h>

namespace stiction::python {

void expose_contact(nanobind::module_& module);
void expose_solvers(nanobind::module_& module);
void expose_geometry(nanobind::module_& module);  // model: poses, shapes, inertias
void expose_model(nanobind::module_& module);
void expose_builder(nanobind::module_& module);       // model: ModelBuilder
void expose_edit(nanobind::module_& module);          // model: what there is, changed, copied, pickled
void expose_sim(nanobind::module_& module);           // and dynamics, which are questions to a simulator too
void expose_sensors(nanobind::module_& module);       // model and sim: adds to the classes of both
void expose_inverse_step(nanobind::module_& module);  // sim
void expose_events(nanobind::module_& module);        // sim: from event to event
void expose_assembly(nanobind::module_& module);      // sim
void expose_learning(nanobind::module_& module);
void expose_io(nanobind::module_& module);
void expose_load(nanobind::module_& module);       // io: robot files, read
void expose_write(nanobind::module_& module);      // io: robot files, written
void expose_recording(nanobind::module_& module);  // io
void expose_view(nanobind::module_& module);       // viewer; after expose_recording, whose class it adds to
void expose_render(nanobind::module_& module);     // render; adds to the classes of sim and of recordings
void expose_compare(nanobind::module_& module);    // sim and viewer: comparisons and their pages

}  // namespace stiction::python
