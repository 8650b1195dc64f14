#include "cli/compare_outputs.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "cli/model_files.h"

namespace stiction::cli {
namespace {

using Json = nlohmann::ordered_json;

// What a run is told by, in the order of CSV columns and JSON members; `time_step` turns steps into seconds.
Json record_of(const ComparedRun& run, double time_step) {
  const Residuals& r = run.residuals;
  const bool parted = run.parting_step >= 0;
  return {{"solver", run.solver},
          {"model", to_string(run.model)},
          {"steps", run.steps},
          {"converged_steps", run.converged_steps},
          {"certified_steps", run.certified_steps},
          {"eps_nat", r.eps_nat},
          {"signorini_complementarity", r.signorini_complementarity},
          {"signorini_penetration", r.signorini_penetration},
          {"normal_separation", r.normal_separation},
          {"coulomb", r.coulomb},
          {"dissipation", r.dissipation},
          {"energy_error", run.energy_error},
          {"energy_gain", run.energy_gain},
          {"largest_penetration", run.largest_penetration},
          {"distance", run.distance},
          {"largest_distance", run.largest_distance},
          {"parting_step", parted ? Json(run.parting_step) : Json()},
          {"parting_time", parted ? Json(static_cast<double>(run.parting_step + 1) * time_step) : Json()},
          {"seconds", run.seconds},
          {"steps_per_second", run.steps_per_second()},
          {"failure", run.failure}};
}

// Text with commas, quotes or line ends in quotes.
std::string cell(const Json& value) {
  if (value.is_null()) return "";
  if (!value.is_string()) return value.dump();
  const std::string text = value.get<std::string>();
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace

std::string comparison_to_csv(const Comparison& comparison) {
  std::string head, lines;
  for (const ComparedRun& run : comparison.runs()) {
    head.clear();
    std::string line;
    const Json record = record_of(run, comparison.simulator(0).time_step());
    for (const auto& [name, value] : record.items()) {
      head += (head.empty() ? "" : ",") + name;
      line += (name == "solver" ? "" : ",") + cell(value);
    }
    lines += line + '\n';
  }
  return head + '\n' + lines;
}

std::string comparison_to_json(const Comparison& comparison, const std::vector<std::string>& files,
                               const std::vector<IgnoredElement>& ignored) {
  Json runs = Json::array(), unread = Json::array();
  const double time_step = comparison.simulator(0).time_step();
  for (const ComparedRun& run : comparison.runs()) runs.push_back(record_of(run, time_step));
  for (const IgnoredElement& element : ignored) unread.push_back(to_line(element));
  const SimulatorSettings& settings = comparison.settings().simulator;
  const Json json = {{"files", files},
                     {"ignored", unread},
                     {"time_step", time_step},
                     {"tolerance", settings.tolerance},
                     {"judged_by", to_string(*settings.judge_model)},
                     {"parting_distance", comparison.settings().parting_distance},
                     {"runs", runs}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

ComparisonReport::ComparisonReport(const std::string& path) : path_(path), out_(path) {
  out_.precision(17);
  out_ << "time,solver,distance,kinetic_energy,potential_energy,energy_error,contacts,sticking,sliding,open,certified,"
          "eps_nat,signorini_complementarity,signorini_penetration,normal_separation,coulomb,dissipation,"
          "largest_penetration,iterations,status"
       << std::endl;
  if (!out_) throw std::runtime_error(path + ": cannot be written");
}

void ComparisonReport::add(const Comparison& comparison) {
  steps_.resize(comparison.runs().size());
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    const ComparedRun& run = comparison.runs()[k];
    if (run.steps == steps_[k]) continue;  // it has failed
    steps_[k] = run.steps;
    const StepReport& s = comparison.simulator(static_cast<int>(k)).report();
    const Residuals& r = s.residuals;
    out_ << s.time << ',' << run.solver << ',' << run.distance << ',' << s.kinetic_energy << ',' << s.potential_energy
         << ',' << s.energy_error << ',' << s.num_contacts << ',' << s.num_sticking << ',' << s.num_sliding << ','
         << s.num_open << ',' << s.law_certified << ',' << r.eps_nat << ',' << r.signorini_complementarity << ','
         << r.signorini_penetration << ',' << r.normal_separation << ',' << r.coulomb << ',' << r.dissipation << ','
         << s.largest_penetration << ',' << s.iterations << ',' << to_string(s.status) << '\n';
  }
  if (!out_) throw std::runtime_error(path_ + ": not everything could be written");
}

void ComparisonReport::close() {
  out_.close();
  if (!out_) throw std::runtime_error(path_ + ": not everything could be written");
}

}  // namespace stiction::cli
