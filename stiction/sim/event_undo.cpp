// What an event-driven simulator goes back to where it is interrupted, or where anything throws: the last instant that
// was settled, with all that the bits of what follows depend on.
#include "stiction/math/refuse.h"
#include "stiction/sim/event_workspace.h"

namespace stiction {

void EventSimulator::Workspace::stop_if_asked() {
  if (interrupt == nullptr || !interrupt->check()) return;
  throw StepInterrupted(message("event-driven simulation at time ", time, ": interrupted"));
}

void EventSimulator::Workspace::set_mark() {
  mark.time = time, mark.step = step, mark.last_event = last_event;
  mark.q = q, mark.v = v;
  resting.store(mark.resting);
  mark.report = report;
  mark.num_events = events.size();
  mark.close_events = close_events;
  mark.time_steps_miss_nothing = time_steps_miss_nothing;
  mark.pending = pending;
  collider.note_changes();
}

void EventSimulator::Workspace::return_to_mark() {
  time = mark.time, step = mark.step, last_event = mark.last_event;
  q = mark.q, v = mark.v;
  resting.restore(mark.resting);
  report = mark.report;
  events.resize(mark.num_events);
  close_events = mark.close_events;
  time_steps_miss_nothing = mark.time_steps_miss_nothing;
  pending = mark.pending;
  collider.take_back(cache);
  first_current = false;
}

void EventSimulator::Workspace::go_to(double end, bool stop_at_event) {
  set_mark();
  try {
    go_on(end, stop_at_event);
  } catch (...) {
    return_to_mark();
    throw;
  }
}

}  // namespace stiction
