#include "cli/step_csv.h"

#include <stdexcept>

#include "stiction/math/refuse.h"

namespace stiction::cli {

StepCsv::StepCsv(const std::string& path) : path_(path), out_(path) {
  if (!out_) refuse(path, ": cannot be written");
  out_.precision(17);
  out_ << "time,contacts,sticking,sliding,open,limits,dry_frictions,loops,servos,saturated_servos,islands,jammed_"
          "islands,status,iterations,"
          "certified,accepted,law_certified,geometry_certified,energy_certified,rechecks,"
          "eps_abs,eps_rel,eps_nat,signorini_penetration,friction_error,kinetic_energy,potential_energy,constraint_"
          "work,dissipated,actuator_work,"
          "applied_work,damped,energy_error,braked_trees,unforeseen_penetration,largest_gap_error,largest_normal_error,"
          "largest_"
          "penetration";
  for (int k = 0; k < static_cast<int>(StepStage::count); ++k) {
    out_ << ",seconds_" << to_string(static_cast<StepStage>(k));
  }
  out_ << std::endl;  // a disk that is full already shows before the first step
  if (!out_) throw std::runtime_error(path + ": cannot be written");
}

void StepCsv::add(const StepReport& r) {
  out_ << r.time << ',' << r.num_contacts << ',' << r.num_sticking << ',' << r.num_sliding << ',' << r.num_open << ','
       << r.num_limits << ',' << r.num_dry_frictions << ',' << r.num_loops << ',' << r.num_servos << ','
       << r.num_saturated_servos << ',' << r.num_islands << ',' << r.num_jammed_islands << ',' << to_string(r.status)
       << ',' << r.iterations << ',' << r.certified() << ',' << r.accepted << ',' << r.law_certified << ','
       << r.geometry_certified << ',' << r.energy_certified << ',' << r.num_rechecks << ',' << r.residuals.eps_abs
       << ',' << r.residuals.eps_rel << ',' << r.residuals.eps_nat << ',' << r.residuals.signorini_penetration << ','
       << r.friction_error << ',' << r.kinetic_energy << ',' << r.potential_energy << ',' << r.constraint_work << ','
       << r.dissipated << ',' << r.actuator_work << ',' << r.applied_work << ',' << r.damped << ',' << r.energy_error
       << ',' << r.num_braked_trees << ',' << r.unforeseen_penetration << ',' << r.largest_gap_error << ','
       << r.largest_normal_error << ',' << r.largest_penetration;
  for (const double seconds : r.seconds) out_ << ',' << seconds;
  out_ << '\n';
  if (!out_) throw std::runtime_error(path_ + ": not everything could be written");
}

void StepCsv::close() {
  out_.close();
  if (!out_) throw std::runtime_error(path_ + ": not everything could be written");
}

}  // namespace stiction::cli
