#include "cli/verb_render.h"

#include <algorithm>
#include <iostream>

#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "cli/recording_file.h"
#include "stiction/io/recording/recording.h"
#include "stiction/math/refuse.h"

namespace stiction::cli {
namespace {

// The step that was under way at a time, or the last.
std::int64_t step_at(const RecordingReader& recording, double time) {
  const VectorX times = recording.times();
  const double* const found = std::lower_bound(times.data(), times.data() + times.size(), time - 1e-9);
  return std::min<std::int64_t>(found - times.data(), recording.num_steps() - 1);
}

int save_film(const RenderOptions& options, const RecordingReader& recording) {
  const std::int64_t steps = recording.num_steps();
  const VectorX times = recording.times();
  Film film(*recording.model(), options.picture, options.path, options.frames_per_second, times[0]);
  Interrupt interrupt;
  Progress progress;
  for (std::int64_t k = 0; k < steps && interrupt.signal() == 0; ++k) {
    if (!film.is_due(times[k])) continue;
    const VectorX q = recording.positions(k, 1).row(0).transpose();
    film.look(times[k], q, recording.contacts(k));
    if (progress.due()) {
      progress.show(bar(static_cast<double>(k) / static_cast<double>(steps)) + " " + options.path);
    }
  }
  progress.clear();
  film.close();
  std::cout << options.path << ": " << film.num_frames() << " pictures\n";
  return interrupt.signal() == 0 ? exit_success : 128 + interrupt.signal();
}

int render_recording(const RenderOptions& options) {
  const RecordingReader recording(options.scene.model.files[0]);
  if (recording.num_steps() == 0) refuse(recording.path(), ": has no steps");
  if (options.film) return save_film(options, recording);
  const std::int64_t last = recording.num_steps() - 1;
  const std::int64_t step = options.step >= 0  ? options.step
                            : options.has_time ? step_at(recording, options.time)
                                               : last;
  if (step > last) refuse("--step ", step, ": the recording has steps 0 ... ", last);
  const VectorX q = recording.positions(step, 1).row(0).transpose();
  const RenderSettings settings = picture_settings(options.picture, *recording.model());
  render(*recording.model(), q, settings, recording.contacts(step)).save(options.path);
  std::cout << options.path << ": step " << step << " at " << recording.times(step, 1)[0] << " s\n";
  return exit_success;
}

int render_model(const RenderOptions& options) {
  if (options.step >= 0) refuse("--step: is for recordings; a scene has --time");
  if (options.film)
    refuse("--film: is for recordings; a scene is filmed by: stiction run SCENE --video ", options.path);
  check_run_options(options.scene);
  const LoadedModel loaded = load_model_files(options.scene.model);
  const RenderSettings settings = picture_settings(options.picture, *loaded.model);
  Simulator simulator = make_simulator(options.scene, loaded.model);
  Interrupt interrupt;
  simulator.set_interrupt(&interrupt.for_solvers());
  Progress progress;
  const double begin = simulator.state().time;
  while (simulator.state().time < begin + options.time - 0.5 * simulator.time_step()) {
    try {
      simulator.step();
    } catch (const StepInterrupted&) {
      return 128 + interrupt.signal();
    }
    if (interrupt.signal() != 0) return 128 + interrupt.signal();
    if (progress.due()) progress.show(bar((simulator.state().time - begin) / options.time) + " simulating");
  }
  progress.clear();
  render(simulator, settings).save(options.path);
  std::cout << options.path << ": " << settings.width << " x " << settings.height << " at " << simulator.state().time
            << " s\n";
  return exit_success;
}

}  // namespace

int render_scene(const RenderOptions& options) {
  check_picture(options.picture);
  if (!options.scene.record_path.empty()) refuse("--record: is for: stiction run SCENE --record FILE");
  const std::vector<std::string>& files = options.scene.model.files;
  const bool recorded = files.size() == 1 && is_recording(files[0]);
  std::vector<std::string> inputs;
  for (const std::string& file : files) inputs.push_back(recorded ? file : parse_model_file(file).path);
  if (options.film) VideoWriter::check(options.path);
  if (!options.film || VideoWriter::is_file(options.path)) check_outputs({{"-o", options.path}}, inputs);
  return recorded ? render_recording(options) : render_model(options);
}

}  // namespace stiction::cli
