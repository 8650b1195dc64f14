// What the file holds and the model does not: nothing is dropped without a word.
#include <algorithm>

#include "stiction/io/mjcf/mujoco/mjcf_reader.h"

namespace stiction {
namespace {

constexpr const char* rigid = "contacts, limits, dry friction and equalities are rigid here";

// The compiler's defaults for solref and solimp.
constexpr mjtNum default_solref[mjNREF] = {0.02, 1.0};
constexpr mjtNum default_solimp[mjNIMP] = {0.9, 0.95, 0.001, 0.5, 2.0};

bool is_default(const mjtNum* solref, const mjtNum* solimp) {
  return std::equal(solref, solref + mjNREF, default_solref) && std::equal(solimp, solimp + mjNIMP, default_solimp);
}

bool any(const mjtNum* values, int count) {
  return std::any_of(values, values + count, [](mjtNum x) { return x != 0.0; });
}

}  // namespace

void IgnoredList::add(const std::string& kind, const std::string& name, const std::string& reason) {
  const auto same = [&](const Group& group) { return group.kind == kind && group.reason == reason; };
  auto group = std::find_if(groups_.begin(), groups_.end(), same);
  if (group == groups_.end()) group = groups_.insert(groups_.end(), Group{kind, reason, {}});
  group->names.push_back(name);
}

std::vector<IgnoredElement> IgnoredList::take(const std::string& file) const {
  constexpr std::size_t most = 4;  // names told before "and … more"
  std::vector<IgnoredElement> out;
  for (const Group& group : groups_) {
    std::string element = group.kind;
    for (std::size_t k = 0; k < std::min(most, group.names.size()); ++k) {
      if (!group.names[k].empty()) element += (k ? ", " : " ") + group.names[k];
    }
    if (group.names.size() > most) element += " and " + std::to_string(group.names.size() - most) + " more";
    out.push_back({.file = file, .element = element, .reason = group.reason});
  }
  return out;
}

void MjcfReader::note_options() {
  mjOption standard;
  MujocoLibrary::get().default_option(&standard);
  const mjOption& opt = m_.opt;
  const auto note = [&](bool differs, const char* name, const char* reason) {
    if (differs) ignored_.add("option", name, reason);
  };
  const char* own = "settings of MuJoCo's solver; the simulator has its own";
  note(opt.integrator != standard.integrator, "integrator", "the simulator has its own time stepping");
  note(opt.cone != standard.cone, "cone", "friction cones are round here");
  note(opt.impratio != standard.impratio, "impratio", own);
  note(opt.solver != standard.solver, "solver", own);
  note(opt.iterations != standard.iterations || opt.tolerance != standard.tolerance, "iterations, tolerance", own);
  note(opt.noslip_iterations != standard.noslip_iterations, "noslip_iterations", own);
  note(overrides_contacts(), "override", "of margin, solref and solimp: contacts are rigid here; its friction is used");
  note((opt.disableflags & (mjDSBL_REFSAFE | mjDSBL_EULERDAMP)) != 0, "flags", own);
  note((opt.enableflags & ~mjENBL_OVERRIDE) != 0, "enabled flags",
       "energy is always reported; the rest is MuJoCo's own");
}

void MjcfReader::note_bodies() {
  for (int body = 1; body < m_.nbody; ++body) {
    const std::string label = label_of(mjOBJ_BODY, body);
    if (m_.body_mocapid[body] >= 0 && !is_kinematic_[body]) {
      ignored_.add("body", label, "moved by motion capture, with joints below it: it stands still here");
    }
  }
}

void MjcfReader::note_joints() {
  for (int joint = 0; joint < m_.njnt; ++joint) {
    const std::string label = label_of(mjOBJ_JOINT, joint);
    const bool is_scalar = m_.jnt_type[joint] == mjJNT_HINGE || m_.jnt_type[joint] == mjJNT_SLIDE;
    const int dof = m_.jnt_dofadr[joint];
    const auto note = [&](bool present, const char* reason) {
      if (present) ignored_.add("joint", label, reason);
    };
    note(!is_scalar && m_.jnt_limited[joint], "limit of a ball joint");
    note(!is_scalar && m_.jnt_stiffness[joint] != 0.0, "spring of a ball or free joint");
    note(!is_scalar && m_.jnt_actfrclimited[joint], "actuatorfrcrange of a ball or free joint");
    note(any(m_.jnt_stiffnesspoly + mjNPOLY * joint, mjNPOLY) || any(m_.dof_dampingpoly + mjNPOLY * dof, mjNPOLY),
         "stiffness or damping that is not linear");
    note(m_.jnt_springyield[joint] != 0.0 && m_.jnt_plasticadr[joint] >= 0, "spring that yields");
    note(m_.jnt_actgravcomp[joint] && m_.jnt_actfrclimited[joint],
         "actuatorgravcomp within actuatorfrcrange: weights are carried whatever the range of the joint");
    note(m_.jnt_margin[joint] != 0.0 && m_.jnt_limited[joint], "margin of its limit");
    const bool soft_limit =
        m_.jnt_limited[joint] && !is_default(m_.jnt_solref + mjNREF * joint, m_.jnt_solimp + mjNIMP * joint);
    const bool soft_friction =
        m_.dof_frictionloss[dof] > 0.0 && !is_default(m_.dof_solref + mjNREF * dof, m_.dof_solimp + mjNIMP * dof);
    if (soft_limit || soft_friction) ignored_.add("solref, solimp of joint", label, rigid);
  }
}

void MjcfReader::note_geoms() {
  for (int geom = 0; geom < m_.ngeom; ++geom) {
    const std::string label = label_of(mjOBJ_GEOM, geom);
    const auto note = [&](bool present, const char* reason) {
      if (present) ignored_.add("geom", label, reason);
    };
    if (shape_of_[geom] < 0) continue;
    note(m_.geom_margin[geom] != 0.0 || m_.geom_gap[geom] != 0.0,
         "margin and gap: shapes touch where they touch, not margin - gap apart");
    note(m_.geom_adhesion[geom] != 0.0, "adhesion");
    if (!is_default(m_.geom_solref + mjNREF * geom, m_.geom_solimp + mjNIMP * geom)) {
      ignored_.add("solref, solimp of geom", label, rigid);
    }
  }
  for (int pair = 0; pair < m_.npair; ++pair) {
    const std::string label = label_of(mjOBJ_PAIR, pair);
    if (!is_default(m_.pair_solref + mjNREF * pair, m_.pair_solimp + mjNIMP * pair)) {
      ignored_.add("solref, solimp of pair", label, rigid);
    }
    if (any(m_.pair_solreffriction + mjNREF * pair, mjNREF)) {
      ignored_.add("solreffriction of pair", label, "friction is rigid here");
    }
    if (m_.pair_margin[pair] != 0.0 || m_.pair_gap[pair] != 0.0) {
      ignored_.add("pair", label, "margin and gap: shapes touch where they touch, not margin - gap apart");
    }
    if (m_.pair_adhesion[pair] != 0.0) ignored_.add("pair", label, "adhesion");
  }
}

void MjcfReader::note_rest() {
  for (int equality = 0; equality < m_.neq; ++equality) {
    if (!is_default(m_.eq_solref + mjNREF * equality, m_.eq_solimp + mjNIMP * equality)) {
      ignored_.add("solref, solimp of equality", label_of(mjOBJ_EQUALITY, equality), rigid);
    }
  }
  const auto each = [&](mjtSize count, int type, const char* kind, const char* reason) {
    for (int k = 0; k < count; ++k) ignored_.add(kind, label_of(type, k), reason);
  };
  for (int tendon = 0; tendon < m_.ntendon; ++tendon) {
    const bool soft_limit = m_.tendon_limited[tendon] &&
                            !is_default(m_.tendon_solref_lim + mjNREF * tendon, m_.tendon_solimp_lim + mjNIMP * tendon);
    const bool soft_friction =
        m_.tendon_frictionloss[tendon] > 0.0 &&
        !is_default(m_.tendon_solref_fri + mjNREF * tendon, m_.tendon_solimp_fri + mjNIMP * tendon);
    if (soft_limit || soft_friction) ignored_.add("solref, solimp of tendon", label_of(mjOBJ_TENDON, tendon), rigid);
  }
  each(m_.nflex, mjOBJ_FLEX, "flex", "bodies are rigid here");
  for (int plugin = 0; plugin < m_.nplugin; ++plugin) {
    if (!is_pid_plugin(plugin)) ignored_.add("plugin", label_of(mjOBJ_PLUGIN, plugin), "belongs to MuJoCo");
  }
  each(m_.nskin, mjOBJ_SKIN, "skin", "only to be seen");
  each(m_.nlight, mjOBJ_LIGHT, "light", "only to see with");
  each(m_.ntex, mjOBJ_TEXTURE, "texture", "only to be seen");
  each(m_.nnumeric, mjOBJ_NUMERIC, "numeric", "data of the user's program");
  each(m_.ntext, mjOBJ_TEXT, "text", "data of the user's program");
  each(m_.ntuple, mjOBJ_TUPLE, "tuple", "data of the user's program");
  if (m_.na > static_cast<mjtSize>(activation_of_.size()) && m_.nkey > 0) {
    ignored_.add("key", "act", "of actuators that are ignored");
  }
}

}  // namespace stiction
