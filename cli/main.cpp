// The `stiction` command: reads the command line, calls the verb, turns exceptions into messages and exit codes.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <iostream>

#include "cli/exit_code.h"
#include "cli/shipped_scenes.h"
#include "cli/verb_compare.h"
#include "cli/verb_convert.h"
#include "cli/verb_experiment.h"
#include "cli/verb_info.h"
#include "cli/verb_learn.h"
#include "cli/verb_list.h"
#include "cli/verb_render.h"
#include "cli/verb_run.h"
#include "cli/verb_run_events.h"
#include "cli/verb_solve.h"
#include "cli/verb_view.h"
#include "stiction/version.h"

namespace stiction::cli {
namespace {

constexpr const char* exit_codes =
    "Exit code: 0 everything asked for converged, 1 a solver did not converge, 2 bad usage, or a file that cannot\n"
    "be read or written.";

// A positive and finite number.
std::string check_positive(const std::string& text) {
  double value = 0.0;
  const bool good = CLI::detail::lexical_cast(text, value) && value > 0.0 && std::isfinite(value);
  return good ? std::string() : text + " is not a positive number";
}

void add_solve(CLI::App& app, SolveOptions& options) {
  CLI::App* verb = app.add_subcommand("solve", "Solve contact problems and let the judge measure the results");
  verb->add_option("FILE", options.paths, "FCLIB problems, sequences, or folders of them (HDF5)")->required();
  options.solvers = {"auto"};
  verb->add_option("-s,--solver", options.solvers, "Solver, several separated by commas, or all; see: list solvers")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  verb->add_option("-t,--tolerance", options.run.tolerance, "Stop at this eps_nat of the solver's model")
      ->check(check_positive, "POSITIVE");
  verb->add_flag("--relative", options.run.use_relative,
                 "The tolerance refers to eps_rel, as collections are compared");
  verb->add_option("--max-iterations", options.run.max_iterations, "Largest number of iterations of every solver")
      ->check(CLI::Range(1, 1000000000));
  verb->add_option("--set", options.option_values, "Set an option of the solver, option=value; see: list options NAME")
      ->allow_extra_args(false);
  const std::map<std::string, FormChoice> forms{{"dense", FormChoice::dense}, {"sparse", FormChoice::sparse}};
  verb->add_option("--form", options.form, "Form of G handed to the solver: dense or sparse; default: as stored")
      ->transform(CLI::CheckedTransformer(forms, CLI::ignore_case).description(""));
  verb->add_option("--repeat", options.run.repeat, "Solve so many times and report the fastest")
      ->check(CLI::Range(1, 1000000));
  verb->add_flag("--cold", options.run.cold, "Sequences: start every step from zero instead of the step before");
  verb->add_flag("--json", options.json, "Print one JSON array of objects instead of tables");
  verb->add_option("--save", options.save_path, "Store problem and result as an FCLIB file (one file, one solver)");
  verb->add_option("--history", options.history_path, "Write the residual of every iteration as CSV");
  verb->footer(
      "\nColumns: model is the law the solver answers to; eps_abs, eps_rel, eps_nat are the judge's residuals under\n"
      "that law (absolute; of the scaled problem; the same with impulses above 1 divided out); 'exact law' is eps_nat\n"
      "under Signorini's and Coulomb's law, whatever the solver's own.\n\n"
      "Examples:\n"
      "  stiction solve scenes/fclib/Capsules-i101-404.hdf5\n"
      "  stiction solve scenes/fclib --solver auto,ncp-admm --tolerance 1e-6 --relative\n"
      "  stiction solve scenes/fclib/Rover1039.hdf5 --solver all --json\n"
      "  stiction solve scenes/fclib/KaplasTower-i1061-4.hdf5 --save answer.hdf5 --history history.csv\n\n" +
      std::string(exit_codes));
}

constexpr const char* model_files_help =
    "SCENE is [PREFIX=]FILE[@x,y,z[,roll,pitch,yaw]]: an MJCF (.xml), URDF or SDF file, where it stands (m; rad about\n"
    "the fixed axes x, y, z, as in URDF), and what is put before all its names. Several files make one world.\n";

void add_model_options(CLI::App* verb, ModelFileOptions& options) {
  const std::map<std::string, BaseKind> bases{
      {"file", BaseKind::as_in_file}, {"fixed", BaseKind::fixed}, {"floating", BaseKind::floating}};
  verb->add_option("--base", options.base, "Base of the robots: fixed, floating, or as the file has it (file)")
      ->transform(CLI::CheckedTransformer(bases, CLI::ignore_case).description(""));
  verb->add_option("--package-path", options.package_paths, "Folder where package:// and model:// are looked for first")
      ->allow_extra_args(false);
  verb->add_flag("--sandbox", options.sandbox, "Refuse files outside the folder of the model and --package-path");
  verb->add_flag("--repair-inertia", options.repair_inertia, "Mend impossible inertias instead of refusing them");
  verb->add_flag("--terrain-meshes", options.meshes_as_terrain,
                 "Meshes fixed to the world stay surfaces of triangles instead of convex hulls");
}

void add_model_files(CLI::App* verb, ModelFileOptions& options) {
  verb->add_option("SCENE", options.files, "Model files, each with a place: FILE@x,y,z[,roll,pitch,yaw]")->required();
  add_model_options(verb, options);
}

// What a simulation is told, whoever looks at it.
void add_simulation_options(CLI::App* verb, RunOptions& options) {
  verb->add_option("-s,--solver", options.solver, "Contact solver; see: list solvers")->capture_default_str();
  verb->add_option("--solver-option", options.solver_options, "Set an option of the solver, option=value")
      ->allow_extra_args(false);
  verb->add_option("--dt", options.time_step, "Time step, s; default: what the scene suggests")
      ->check(check_positive, "POSITIVE");
  verb->add_option("-t,--tolerance", options.tolerance, "A step is certified when its eps_nat is at most this")
      ->check(check_positive, "POSITIVE")
      ->capture_default_str();
  verb->add_option("--acceptable", options.acceptable_tolerance,
                   "A step beyond the tolerance but within this is accepted; 0: nothing but the tolerance will do")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb->add_option("--geometric-tolerance", options.geometric_tolerance,
                   "Most by which the end of a step may differ from what its rows promised, m")
      ->check(check_positive, "POSITIVE")
      ->capture_default_str();
  verb->add_flag("!--no-recheck", options.recheck, "Report contacts that a step missed, but do not solve it again");
  verb->add_option("--max-iterations", options.max_iterations, "Of the solver per island and step; 0: its own limit")
      ->check(CLI::Range(0, 1000000000))
      ->capture_default_str();
  verb->add_option(
          "--relative-compliance", options.relative_compliance,
          "Least compliance of contacts, relative to their own inverse mass: 0.01 makes heaps solvable, and is\n"
          "no rigid contact")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  verb->add_option("--relative-tangent-compliance", options.relative_tangent_compliance,
                   "The same for what friction changes in a step, for heaps of boxes; relaxes Coulomb's law")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  verb->add_option("--threads", options.threads, "Threads for islands; the result does not depend on it")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  verb->add_option("-k,--keyframe", options.start.keyframe, "Start at this keyframe of the scene, by name or number");
  verb->add_option("--set", options.start.positions, "Start with this position of a joint, joint=value[,value...]")
      ->allow_extra_args(false);
  verb->add_option("--control", options.start.controls, "Control of an actuator during the run, actuator=value")
      ->allow_extra_args(false);
  verb->add_option("--record", options.record_path, "Write a recording (HDF5): model, states, contacts, reports");
}

// From where and how; films and pictures.
void add_picture_options(CLI::App* verb, PictureOptions& options, const char* size_option) {
  verb->add_option(
      "--camera", options.camera,
      "A camera of the scene by its name, or x,y,z,tx,ty,tz: where it stands and what it looks at; default:\n"
      "all that moves is in the picture");
  verb->add_option("--follow", options.follow, "Body that the camera moves along with");
  verb->add_option(size_option, options.size, "WIDTHxHEIGHT in pixels")->capture_default_str();
  verb->add_flag("--dark", options.dark, "Pictures with a dark background");
  verb->add_flag("--contacts", options.contacts, "Pictures with contact points: sticking blue, sliding orange");
  verb->add_flag("--forces", options.forces, "Pictures with contact forces as arrows");
}

void add_run(CLI::App& app, RunOptions& options) {
  CLI::App* verb = app.add_subcommand("run", "Simulate a scene and certify every step");
  add_model_files(verb, options.model);
  add_simulation_options(verb, options);
  CLI::Option* time = verb->add_option("--time", options.time, "Time to simulate, s")
                          ->check(check_positive, "POSITIVE")
                          ->capture_default_str();
  verb->add_option("--steps", options.steps, "Number of steps, in place of --time")
      ->check(CLI::Range(1L, 1000000000000L))
      ->excludes(time);
  verb->add_option("--report", options.report_path,
                   "Write one line of CSV per step: contacts, residuals, energy, times");
  verb->add_flag("--json", options.json, "Print one JSON object instead of the summary");
  CLI::Option* events = verb->add_flag("--event-driven", options.event_driven,
                                       "From event to event in place of steps: impacts located to a tolerance\n"
                                       "(--report then has one line per event)");
  verb->add_option("--event-tolerance", options.event_tolerance, "Gaps up to here touch, m")
      ->check(check_positive, "POSITIVE")
      ->needs(events)
      ->capture_default_str();
  verb->add_option("--integrator", options.integrator, "Between events")
      ->check(CLI::IsMember({"rk4", "rk45"}))
      ->needs(events)
      ->capture_default_str();
  verb->add_option("--impact-law", options.impact_law, "How restitution acts")
      ->check(CLI::IsMember({"newton", "poisson"}))
      ->needs(events)
      ->capture_default_str();
  verb->add_option("--video", options.video_path,
                   "Write a film: .gif, .png (animated), .mp4, .webm, .mkv, .mov (by ffmpeg), or a folder of pictures");
  verb->add_option("--fps", options.frames_per_second, "Pictures a second of the film")
      ->check(CLI::Range(0.1, 1000.0))
      ->capture_default_str();
  add_picture_options(verb, options.picture, "--video-size");
  verb->footer("\n" + std::string(model_files_help) +
               "\nExamples:\n"
               "  stiction run scenes/quadruped.xml --time 5\n"
               "  stiction run scenes/quadruped.xml --keyframe drop --report steps.csv\n"
               "  stiction run scenes/four_bar.xml --control crank=6.28 --json\n"
               "  stiction run scenes/quadruped.xml --keyframe drop --video drop.gif --forces\n"
               "  stiction run scenes/ground.xml a=robot.urdf@0,0,0.5 b=robot.urdf@1,0,0.5,0,0,1.57 --base floating\n\n"
               "Ctrl-C ends the run after the step it is in; files are closed and the summary is printed.\n"
               "Exit code: 0 every step certified or accepted, 1 a step was not (or numbers are no longer finite),\n"
               "2 bad usage or a file that cannot be read or written, 128 + number of the signal that stopped the run "
               "(Ctrl-C: 130).");
}

void add_compare_files(CLI::App* verb, CompareOptions& options) {
  verb->add_option("--html", options.page_path, "Write a page with the runs side by side, to be played in a browser");
  verb->add_option("--png", options.png_path, "Write a picture: distance, energy and residuals over time");
  verb->add_option("--csv", options.csv_path, "Write the table as CSV, one line per run");
  verb->add_option("--report", options.report_path, "Write one line of CSV per step and run");
  verb->add_option("--title", options.title, "Title of page and picture; default: the name of the scene");
  verb->add_option("--every", options.every, "Steps per frame of the page; default: at most 1000 frames")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000000000}));
  verb->add_flag("--json", options.json, "Print one JSON object instead of the table");
}

void add_compare(CLI::App& app, CompareOptions& options) {
  CLI::App* verb = app.add_subcommand("compare", "Run a scene under several contact models and show what each breaks");
  add_model_files(verb, options.model);
  verb->add_option("-s,--solvers", options.solvers, "Solvers separated by commas, or all; see: list solvers")
      ->delimiter(',')
      ->allow_extra_args(false);
  verb->add_option("-m,--models", options.models,
                   "Contact models separated by commas, or all, one solver each: ncp, ccp, lcp, raisim, frictionless,\n"
                   "max_dissipation; default, where no solvers are named: all")
      ->delimiter(',')
      ->allow_extra_args(false);
  verb->add_option("--reference", options.reference, "Solver whose run the others are compared with")
      ->capture_default_str();
  verb->add_option("--dt", options.time_step, "Time step, s; default: what the scene suggests")
      ->check(check_positive, "POSITIVE");
  CLI::Option* time = verb->add_option("--time", options.time, "Time to simulate, s")
                          ->check(check_positive, "POSITIVE")
                          ->capture_default_str();
  verb->add_option("--steps", options.steps, "Number of steps, in place of --time")
      ->check(CLI::Range(1L, 1000000000000L))
      ->excludes(time);
  verb->add_option("-t,--tolerance", options.tolerance, "Asked of every solver, on eps_nat of its own law")
      ->check(check_positive, "POSITIVE")
      ->capture_default_str();
  verb->add_option("--max-iterations", options.max_iterations, "Of the solver per island and step; 0: its own limit")
      ->check(CLI::Range(0, 1000000000))
      ->capture_default_str();
  verb->add_option("--threads", options.threads, "Threads for islands; the result does not depend on it")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  verb->add_option("--parting", options.parting_distance, "Runs have parted where a body is farther apart than this, m")
      ->check(check_positive, "POSITIVE")
      ->capture_default_str();
  verb->add_option("-k,--keyframe", options.start.keyframe, "Start at this keyframe of the scene, by name or number");
  verb->add_option("--set", options.start.positions, "Start with this position of a joint, joint=value[,value...]")
      ->allow_extra_args(false);
  verb->add_option("--control", options.start.controls, "Control of an actuator during the run, actuator=value")
      ->allow_extra_args(false);
  add_compare_files(verb, options);
  verb->footer(
      "\n" + std::string(model_files_help) +
      "\nEvery run starts alike and is judged by the exact law, whatever law it solves. Columns, the largest of all "
      "steps:\n"
      "exact steps within the tolerance of the exact law; Signorini |impulse x normal velocity|; lift-off, the speed\n"
      "at which contacts that push separate; Coulomb, friction beyond the cone; dissipation, friction that is not\n"
      "against the sliding; energy that no account explains, gains positive; drift, the largest distance of a body "
      "from\n"
      "where it is in the first run; parts at, when that first exceeded --parting.\n\n"
      "Examples:\n"
      "  stiction compare scenes/compare/sliding_box.xml --keyframe slide\n"
      "  stiction compare scenes/compare/stack.xml --time 3 --solvers ncp-pgs,ccp-newton,raisim --html stack.html\n"
      "  stiction compare scenes/compare/gripper.xml -k grip --models all --csv table.csv --png plots.png\n"
      "  stiction compare scenes/quadruped.xml --solvers all --steps 200 --json\n\n"
      "Exit code: 0 the reference run is certified or accepted in every step (the others need not be), 1 it is not,\n"
      "2 bad usage or a file that cannot be read or written, 128 + number of the signal that stopped it.");
}

void add_info(CLI::App& app, InfoOptions& options) {
  CLI::App* verb = app.add_subcommand("info", "Show what is in a scene, and what of its files is ignored");
  add_model_files(verb, options.model);
  verb->add_flag("--json", options.json, "Print one JSON object");
  verb->footer("\n" + std::string(model_files_help) +
               "\nExamples:\n"
               "  stiction info scenes/quadruped.xml\n"
               "  stiction info robot.urdf --package-path ~/robots --json\n\n"
               "Exit code: 0 the scene was read, 2 bad usage or a file that cannot be read or written.");
}

void add_convert(CLI::App& app, ConvertOptions& options) {
  CLI::App* verb = app.add_subcommand("convert", "Write a scene in another format, and say what is lost");
  verb->add_option("FILE", options.model.files, "SCENE... OUT: the scene as for run, then the file to write")
      ->required()
      ->expected(2, 1000000);
  add_model_options(verb, options.model);
  verb->add_flag("--allow-loss", options.allow_loss, "Exit code 0 although something is lost");
  verb->add_flag("--json", options.json, "Print one JSON object: files, notes, lost");
  verb->footer(
      "\n" + std::string(model_files_help) +
      "\nOUT is MJCF (.xml, .mjcf), URDF (.urdf) or SDF (.sdf), by its ending. Meshes are written as OBJ files into a\n"
      "folder OUT_meshes beside it. What OUT cannot say, and what could not be read, is printed under 'lost'.\n"
      "\nExamples:\n"
      "  stiction convert robot.urdf robot.xml\n"
      "  stiction convert scenes/ground.xml scenes/robots/quadruped.xml@0,0,0.1 world.urdf --allow-loss\n\n"
      "Exit code: 0 nothing is lost, or --allow-loss; 1 OUT is written but something is lost; 2 bad usage, or a\n"
      "file that cannot be read or written.");
}

// A positive number, or max.
std::string check_speed(const std::string& text) {
  return text == "max"                  ? std::string()
         : check_positive(text).empty() ? std::string()
                                        : text + " is neither a positive number nor max";
}

void add_view(CLI::App& app, ViewOptions& options) {
  CLI::App* verb = app.add_subcommand("view", "Look at a recording, or at a scene while it is simulated, in a browser");
  verb->add_option("FILE", options.scene.model.files, "A recording (HDF5), or the files of a scene as for run")
      ->required();
  verb->add_option("-o,--output", options.page_path, "Recordings: the page; default: beside it, ending in .html");
  verb->add_option("--every", options.every, "Recordings: show every so many steps, and all that are not certified")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000000000}));
  verb->add_option("--title", options.title, "Title of the page; default: the name of the file");
  verb->add_flag("--json", options.json, "Print one JSON object: page, steps, frames, bytes; scenes: the address");
  verb->add_option("--port", options.port, "Scenes: port to listen at; 0: any that is free")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  verb->add_option("--host", options.host, "Scenes: interface to listen at; 0.0.0.0 lets other machines in")
      ->capture_default_str();
  verb->add_option("--origin", options.origins, "Scenes: a web page that may connect besides, as https://lab.example")
      ->allow_extra_args(false);
  verb->add_option("--speed", options.speed, "Scenes: simulated seconds per second, or max")
      ->check(check_speed, "NUMBER")
      ->capture_default_str();
  verb->add_flag("--paused", options.paused, "Scenes: wait for a click in the page before the first step");
  add_model_options(verb, options.scene.model);
  add_simulation_options(verb, options.scene);
  verb->footer(
      "\nA recording becomes one page that holds everything and asks the network for nothing: open it from disk, send\n"
      "it, put it on a server. A scene is simulated here and shown in a page whose address is printed; there it is\n"
      "paused, stepped and reset, bodies are pulled with ctrl and the mouse, controls, friction and solver changed.\n"
      "Both show bodies, contacts, forces and friction cones, and residual, energy and penetration over time; steps\n"
      "that are not certified are red. Press ? in the page for its keys.\n\n"
      "Examples:\n"
      "  stiction view scenes/boxes.xml                   live; prints the address; Ctrl-C ends it\n"
      "  stiction view scenes/quadruped.xml --keyframe drop --paused --speed 0.2\n"
      "  stiction view scenes/boxes.xml --record live.h5  every step, pulls too\n"
      "  stiction run scenes/boxes.xml --time 3 --record boxes.h5\n"
      "  stiction view boxes.h5                           writes boxes.html\n"
      "  stiction view long.h5 -o long.html --every 10    a smaller page\n\n"
      "The server of a scene listens on this machine alone unless --host says otherwise; the address has a token\n"
      "without which nobody gets in, and traffic is not encrypted: from afar rather use ssh -L 8000:localhost:PORT.\n"
      "With --record a reset, another friction or solver begins another file: live.h5, live-2.h5, ...\n\n"
      "Exit code: 0 the page is written, or the scene was closed by Ctrl-C; 2 bad usage, a port that is in use, or a\n"
      "file that cannot be read or written.");
}

void add_render(CLI::App& app, RenderOptions& options) {
  CLI::App* verb = app.add_subcommand("render", "Save a picture of a scene or of a recording, without a browser");
  verb->add_option("FILE", options.scene.model.files, "A recording (HDF5), or the files of a scene as for run")
      ->required();
  verb->add_option("-o,--output", options.path, "The picture (PNG); with --film: a film as for run --video")
      ->required();
  verb->add_option("--time", options.time, "Scenes: simulate so long before, s; recordings: the step at this time, s")
      ->check(CLI::NonNegativeNumber);
  verb->add_option("--step", options.step, "Recordings: this step, from 0; default: the last")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 60));
  verb->add_flag("--film", options.film, "Recordings: all of it, as a film");
  verb->add_option("--fps", options.frames_per_second, "Pictures a second of a film")
      ->check(CLI::Range(0.1, 1000.0))
      ->capture_default_str();
  add_picture_options(verb, options.picture, "--size");
  verb->add_flag("--no-shadows", options.picture.no_shadows, "Pictures without shadows");
  add_model_options(verb, options.scene.model);
  add_simulation_options(verb, options.scene);
  verb->footer(
      "\nExamples:\n"
      "  stiction render scenes/quadruped.xml -o quadruped.png\n"
      "  stiction render scenes/quadruped.xml --keyframe drop --time 0.5 --forces -o landed.png --size 1280x720\n"
      "  stiction render scenes/humanoid/humanoid.xml --camera side --dark -o humanoid.png\n"
      "  stiction render run.h5 --step 100 -o step.png\n"
      "  stiction render run.h5 --film -o run.gif\n\n"
      "Exit code: 0 the picture is written; 2 bad usage, or a file that cannot be read or written; 128 + number of "
      "the\n"
      "signal that stopped it.");
}

void add_experiment(CLI::App& app, ExperimentOptions& options) {
  CLI::App* verb = app.add_subcommand("experiment", "Run the papers' experiments, and say whether they are reproduced");
  verb->add_option("NAME", options.names, "Experiments, or all, or list")->required();
  verb->add_flag("--quick", options.quick, "The short form: seconds each, the same checks");
  verb->add_option("-o,--output", options.output, "Folder for the files")->capture_default_str();
  verb->footer(
      "\nEach writes CSV and PNG files into a folder of its own, and prints what the paper says beside what came out.\n"
      "They are part of the Python package: pip install 'stiction[experiments]'.\n\n"
      "Examples:\n"
      "  stiction experiment list\n"
      "  stiction experiment slide-direction\n"
      "  stiction experiment all --quick -o build/experiments\n\n"
      "Exit code: 0 all are reproduced, 1 one is not, 2 bad usage, a package that is missing, or a file that cannot "
      "be\n"
      "written.");
}

struct ListOptions {
  bool json = false;
  std::string solver;
  std::string folder = shipped_scenes();
};

void add_list(CLI::App& app, ListOptions& options) {
  CLI::App* verb = app.add_subcommand("list", "List the solvers, the options of one, or the scenes");
  verb->require_subcommand(1);
  verb->footer("\nExamples:\n  stiction list solvers\n  stiction list scenes\n  stiction list options ncp-admm --json");
  CLI::App* solvers = verb->add_subcommand("solvers", "Every solver: name, model, what it needs, one line");
  solvers->add_flag("--json", options.json, "Print a JSON array of objects");
  solvers->footer("\nExample:\n  stiction list solvers --json");
  CLI::App* settings = verb->add_subcommand("options", "The options of one solver with their defaults");
  settings->add_option("NAME", options.solver, "Name of the solver")->required();
  settings->add_flag("--json", options.json, "Print a JSON array of objects");
  settings->footer("\nExample:\n  stiction list options auto");
  CLI::App* scenes = verb->add_subcommand("scenes", "The scenes of a folder and what each shows");
  scenes->add_option("FOLDER", options.folder, "Folder with model files; default: the scenes that come with Stiction");
  scenes->add_flag("--json", options.json, "Print a JSON array of objects");
  scenes->footer("\nExample:\n  stiction list scenes");
}

void add_learn_generate(CLI::App* parent, LearnGenerateOptions& options) {
  CLI::App* verb = parent->add_subcommand("generate", "Simulate throws or single collisions and record every contact");
  verb->add_option("OUT", options.out, "File of contact samples (.safetensors)")->required();
  verb->add_option("--shape", options.shape,
                   "box:X,Y,Z (half sizes), prism:RADIUS,HALF_LENGTH (pentagonal), m; or a model file\n"
                   "with one free body of boxes and convex hulls over the plane z = 0")
      ->capture_default_str();
  verb->add_option("--kind", options.kind, "collisions (on random corners, edges and faces) or throws")
      ->capture_default_str();
  verb->add_option("--count", options.count, "Number of them")->check(CLI::Range(1, 100000000))->capture_default_str();
  verb->add_option("--density", options.density, "kg/m3")->check(check_positive, "POSITIVE")->capture_default_str();
  verb->add_option("--friction", options.friction, "Of the pair; two numbers: along x and along y of the ground")
      ->delimiter(',')
      ->expected(1, 2);
  verb->add_option("-s,--solver", options.settings.solver, "The truth; see: list solvers")->capture_default_str();
  verb->add_option("--dt", options.settings.time_step, "Time step, s")
      ->check(check_positive, "POSITIVE")
      ->capture_default_str();
  verb->add_option("--steps", options.settings.steps, "Of a throw")
      ->check(CLI::Range(1, 100000000))
      ->capture_default_str();
  verb->add_option("--seed", options.settings.seed, "Of the random starts")->capture_default_str();
  ThrowRanges& ranges = options.settings.ranges;
  verb->add_option("--lowest", ranges.lowest, "Least height of the lowest corner, m")->capture_default_str();
  verb->add_option("--highest", ranges.highest, "Largest one, m")->capture_default_str();
  verb->add_option("--speed", ranges.speed, "Largest horizontal component, m/s")->capture_default_str();
  verb->add_option("--vertical-speed", ranges.vertical_speed, "Largest vertical one, m/s")->capture_default_str();
  verb->add_option("--spin", ranges.spin, "Largest component of the angular velocity, rad/s")->capture_default_str();
  verb->add_option("--impact-speed", ranges.impact_speed, "Of collisions, m/s")->capture_default_str();
  verb->footer(
      "\nExamples:\n  stiction learn generate box.safetensors --count 30000\n"
      "  stiction learn generate tossed.safetensors --kind throws --count 500 --shape prism:0.1,0.05 --seed 7\n"
      "  stiction learn generate wood.safetensors --friction 0.3,0.6");
}

void add_learn_train(CLI::App* parent, LearnTrainOptions& options) {
  CLI::App* verb = parent->add_subcommand("train", "Train the networks of a contact model from samples");
  verb->add_option("DATA", options.data, "Files of contact samples of one body")->required();
  verb->add_option("-o,--output", options.out, "File of the networks (.safetensors)")->required();
  verb->add_option("--features", options.features, "patch, paper, or patch_ground (friction that depends on direction)")
      ->capture_default_str();
  ContactTrainingSettings& settings = options.settings;
  verb->add_option("--classifier-hidden", options.classifier_hidden, "Hidden units by layer (256,180,80)")
      ->delimiter(',');
  verb->add_option("--regressor-hidden", options.regressor_hidden, "Hidden units by layer (512,360,180)")
      ->delimiter(',');
  verb->add_option("--classifier-epochs", settings.classifier.epochs, "Passes over the data")->capture_default_str();
  verb->add_option("--regressor-epochs", settings.regressor.epochs, "Passes over the data")->capture_default_str();
  verb->add_option("--classifier-dropout", settings.classifier.dropout, "0 … 0.9")->capture_default_str();
  verb->add_option("--regressor-dropout", settings.regressor.dropout, "0 … 0.9")->capture_default_str();
  verb->add_option("--patience", settings.regressor.patience,
                   "Epochs without improvement until training stops; 0: never")
      ->capture_default_str();
  verb->add_option("--seed", settings.classifier.seed, "One seed, the same weights")->capture_default_str();
  verb->add_flag("--data-driven", settings.with_whole, "The purely data-driven networks as well");
  verb->add_option("--curves", options.curves, "Write the learning curves as CSV");
  verb->footer(
      "\nExamples:\n  stiction learn train box.safetensors -o networks.safetensors --regressor-epochs 100\n"
      "  stiction learn train a.safetensors b.safetensors -o both.safetensors --data-driven --curves curves.csv");
}

void add_learn(CLI::App& app, LearnGenerateOptions& generate, LearnTrainOptions& train,
               LearnEvaluateOptions& evaluate) {
  CLI::App* verb =
      app.add_subcommand("learn", "Contact models from data: generate samples, train networks, evaluate them");
  verb->require_subcommand(1);
  add_learn_generate(verb, generate);
  add_learn_train(verb, train);
  CLI::App* scores = verb->add_subcommand("evaluate", "Accuracy of networks on samples, by dimension of the patch");
  scores->add_option("NETWORKS", evaluate.networks, "File of networks")->required();
  scores
      ->add_option("DATA", evaluate.data,
                   "Files of contact samples, of other seeds than the networks were trained with")
      ->required();
  scores->footer("\nExample:\n  stiction learn evaluate networks.safetensors other.safetensors");
  verb->footer(
      "\nExamples:\n  stiction learn generate box.safetensors --count 30000\n"
      "  stiction learn train box.safetensors -o networks.safetensors --regressor-epochs 100\n"
      "  stiction learn generate other.safetensors --count 6000 --seed 2\n"
      "  stiction learn evaluate networks.safetensors other.safetensors");
}

int run(int argc, char** argv) {
  CLI::App app("Stiction: robots in contact, solved exactly and judged in every step", "stiction");
  app.set_version_flag("--version", "stiction " STICTION_VERSION);
  app.require_subcommand(1);
  app.footer(
      "\nExamples:\n"
      "  stiction run scenes/quadruped.xml --time 5\n"
      "  stiction view scenes/gallery/house_of_cards.xml\n"
      "  stiction compare scenes/compare/stack.xml --html stack.html\n"
      "  stiction solve scenes/fclib --relative\n"
      "  stiction list scenes\n\n"
      "Each has more: stiction run --help\n" +
      std::string(exit_codes));
  SolveOptions solve;
  ListOptions list;
  add_solve(app, solve);
  RunOptions scene;
  add_run(app, scene);
  CompareOptions comparison;
  add_compare(app, comparison);
  InfoOptions info;
  add_info(app, info);
  ConvertOptions conversion;
  add_convert(app, conversion);
  ViewOptions view_options;
  add_view(app, view_options);
  RenderOptions rendering;
  add_render(app, rendering);
  LearnGenerateOptions generation;
  LearnTrainOptions training;
  LearnEvaluateOptions evaluation;
  add_learn(app, generation, training, evaluation);
  add_list(app, list);
  ExperimentOptions experiment;
  add_experiment(app, experiment);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_success : exit_misuse;
  }
  if (app.got_subcommand("solve")) return solve_files(std::move(solve));
  if (app.got_subcommand("run")) return scene.event_driven ? run_scene_by_events(scene) : run_scene(scene);
  if (app.got_subcommand("compare")) return compare_scene(comparison);
  if (app.got_subcommand("info")) return show_info(info);
  if (app.got_subcommand("learn")) {
    const CLI::App* learn = app.get_subcommand("learn");
    if (learn->got_subcommand("generate")) return learn_generate(generation);
    if (learn->got_subcommand("train")) {
      training.settings.regressor.seed = training.settings.classifier.seed;
      return learn_train(std::move(training));
    }
    return learn_evaluate(evaluation);
  }
  if (app.got_subcommand("convert")) return convert_scene(conversion);
  if (app.got_subcommand("view")) return view(view_options);
  if (app.got_subcommand("experiment")) return run_experiments(experiment);
  if (app.got_subcommand("render")) {
    rendering.has_time = app.get_subcommand("render")->count("--time") > 0;
    return render_scene(rendering);
  }
  if (app.get_subcommand("list")->got_subcommand("scenes")) return list_scenes(list.folder, list.json);
  if (!list.solver.empty()) return list_options(list.solver, list.json);
  return list_solvers(list.json);
}

// A file that is opened later must not take the number of a standard stream that is closed; what is then written to
// that stream fails, and is told.
void keep_standard_streams() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) >= 0) continue;
    if (::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY) != number) std::abort();
  }
}

int guarded_run(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::cerr << "stiction: there is not enough memory\n";
  } catch (const std::exception& error) {
    std::cerr << "stiction: " << error.what() << '\n';
  }
  return exit_misuse;
}

}  // namespace
}  // namespace stiction::cli

int main(int argc, char** argv) {
  stiction::cli::keep_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a file at its limit is a write that fails, with a message
  const int code = stiction::cli::guarded_run(argc, argv);
  // Some verbs print through C, whose errors the stream does not know.
  if (std::cout.flush() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  std::cerr << "stiction: standard output: not everything could be written\n";
  return code == stiction::cli::exit_success ? stiction::cli::exit_misuse : code;
}
