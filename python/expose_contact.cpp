// The room `contact`: constraints, the problem in its three forms, the judge, energy.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>
#include <variant>

#include "arrays.h"
#include "expose.h"
#include "stiction/contact/energy.h"
#include "stiction/contact/judge.h"
#include "stiction/contact/lcp_judge.h"
#include "stiction/contact/linear_complementarity_problem.h"
#include "stiction/contact/problem.h"

namespace stiction::python {
namespace {

using namespace nb::literals;
using Constraints = std::vector<Constraint>;

constexpr ContactModel all_models[] = {ContactModel::ncp,    ContactModel::ccp,          ContactModel::lcp,
                                       ContactModel::raisim, ContactModel::frictionless, ContactModel::max_dissipation};

ContactModel to_model(const std::variant<ContactModel, std::string>& model) {
  if (const auto* given = std::get_if<ContactModel>(&model)) return *given;
  std::string known;
  for (const ContactModel candidate : all_models) {
    if (to_string(candidate) == std::get<std::string>(model)) return candidate;
    known += ' ';
    known += to_string(candidate);
  }
  throw std::invalid_argument("no contact model is called '" + std::get<std::string>(model) + "'; there are:" + known);
}

int checked_index(const ContactProblem& problem, int i) {
  if (i < 0 || i >= problem.num_constraints()) {
    throw std::out_of_range("constraint " + std::to_string(i) + " of a problem with " +
                            std::to_string(problem.num_constraints()));
  }
  return i;
}

// λ or another vector over the rows of the problem.
VectorX to_rows(const ContactProblem& problem, const nb::object& value, const char* name) {
  VectorX rows = to_vector(value, name);
  if (rows.size() != problem.num_rows()) {
    throw std::invalid_argument(std::string(name) + " has " + std::to_string(rows.size()) +
                                " entries but the problem has " + std::to_string(problem.num_rows()) + " rows");
  }
  return rows;
}

// Aᵀ cut into nodes: a constraint touches a node where any of its rows has an entry there.
DelassusFactored to_factored(const Constraints& constraints, const SparseRows& factor,
                             const std::vector<int>& node_size) {
  std::vector<int> node_of, offset_of;
  for (int k = 0; k < static_cast<int>(node_size.size()); ++k) {
    if (node_size[k] < 1 || node_size[k] > DelassusFactored::max_node_size) {
      throw std::invalid_argument("node_size[" + std::to_string(k) + "] is " + std::to_string(node_size[k]) +
                                  "; it must be 1 to 6");
    }
    for (int c = 0; c < node_size[k]; ++c) {
      node_of.push_back(k);
      offset_of.push_back(c);
    }
  }
  int num_rows = 0;
  for (const Constraint& c : constraints) num_rows += c.rows;
  if (factor.rows() != num_rows || factor.cols() != static_cast<Eigen::Index>(node_of.size())) {
    throw std::invalid_argument("factor is " + std::to_string(factor.rows()) + " x " + std::to_string(factor.cols()) +
                                " but the constraints have " + std::to_string(num_rows) + " rows and the nodes " +
                                std::to_string(node_of.size()) + " velocities");
  }
  DelassusFactored factored;
  factored.node_size = node_size;
  factored.segment_begin.assign(1, 0);
  std::vector<int> position(node_size.size());
  int row = 0;
  for (const Constraint& c : constraints) {
    if (c.rows > 3) throw std::invalid_argument("a constraint has at most three rows");
    std::vector<char> touched(node_size.size(), 0);
    for (int r = 0; r < c.rows; ++r) {
      for (SparseRows::InnerIterator it(factor, row + r); it; ++it) touched[node_of[it.col()]] = 1;
    }
    for (int k = 0; k < static_cast<int>(node_size.size()); ++k) {
      if (!touched[k]) continue;
      position[k] = static_cast<int>(factored.segment.size());
      factored.segment_node.push_back(k);
      factored.segment.push_back({});
    }
    for (int r = 0; r < c.rows; ++r) {
      for (SparseRows::InnerIterator it(factor, row + r); it; ++it) {
        factored.segment[position[node_of[it.col()]]].row[r][offset_of[it.col()]] = it.value();
      }
    }
    factored.segment_begin.push_back(static_cast<int>(factored.segment.size()));
    row += c.rows;
  }
  return factored;
}

std::string describe(const Constraint& c) {
  std::string text = "Constraint(" + std::string(to_string(c.kind)) + ", rows=" + std::to_string(c.rows);
  const bool has_friction = (c.rows == 3 && c.kind != ConstraintKind::bilateral) || is_coupled(c.kind);
  if (has_friction) text += ", friction=" + std::to_string(c.friction);
  if (c.kind == ConstraintKind::anisotropic) text += ", friction_2=" + std::to_string(c.friction_2);
  if (is_coupled(c.kind)) text += ", partner=" + std::to_string(c.partner);
  if (c.bound > 0.0) text += ", bound=" + std::to_string(c.bound);
  return text + ")";
}

void expose_constraint(nb::module_& module) {
  nb::enum_<ConstraintKind>(module, "ConstraintKind",
                            "Which impulses a constraint admits (docs/theory/laws.md#sec-1-2)")
      .value("frictional", ConstraintKind::frictional, "3 rows t1, t2, n: the Coulomb cone")
      .value("anisotropic", ConstraintKind::anisotropic, "3 rows: the cone with two frictions")
      .value("viscous", ConstraintKind::viscous, "3 rows: the cone with a viscous term")
      .value("unilateral", ConstraintKind::unilateral, "1 row: an impulse >= 0")
      .value("bilateral", ConstraintKind::bilateral, "1 or 3 rows: any impulse")
      .value("dry_friction", ConstraintKind::dry_friction, "1 row: |impulse| <= bound")
      .value("torsional", ConstraintKind::torsional, "1 row: |impulse| <= friction * normal impulse of the partner")
      .value("rolling", ConstraintKind::rolling,
             "3 rows, the last one empty: the length of the first two <= friction * normal impulse of the partner");

  nb::class_<Constraint>(module, "Constraint", "One constraint of a contact problem; make it with a make_ function")
      .def_ro("kind", &Constraint::kind)
      .def_ro("rows", &Constraint::rows)
      .def_ro("first_row", &Constraint::first_row, "filled in by the problem")
      .def_ro("friction", &Constraint::friction, "no unit; of torsional and rolling friction a length, m")
      .def_ro("friction_2", &Constraint::friction_2)
      .def_ro("partner", &Constraint::partner, "index of the contact whose normal impulse bounds it; -1: none")
      .def_ro("bound", &Constraint::bound, "largest impulse of dry friction, radius of the viscous term, N s")
      .def_static("make_frictional", &Constraint::make_frictional, "mu"_a)
      .def_static("make_anisotropic", &Constraint::make_anisotropic, "mu_1"_a, "mu_2"_a)
      .def_static("make_viscous", &Constraint::make_viscous, "mu"_a, "radius"_a)
      .def_static("make_unilateral", &Constraint::make_unilateral)
      .def_static("make_bilateral", &Constraint::make_bilateral, "rows"_a)
      .def_static("make_dry_friction", &Constraint::make_dry_friction, "bound"_a)
      .def_static("make_torsional", &Constraint::make_torsional, "r"_a, "partner"_a)
      .def_static("make_rolling", &Constraint::make_rolling, "r"_a, "partner"_a)
      .def("__repr__", &describe);
}

void expose_making(nb::class_<ContactProblem>& problem) {
  const auto none = nb::none();
  problem
      .def_static(
          "from_dense",
          [](Constraints constraints, const ArrayLike& delassus, const ArrayLike& g, const ArrayLike& r) {
            return ContactProblem::from_dense(std::move(constraints), to_matrix(delassus, "delassus"),
                                              to_vector(g, "free_velocity"), to_vector(r, "compliance"));
          },
          "constraints"_a, "delassus"_a, "free_velocity"_a, "compliance"_a = none, "G as an array")
      .def_static(
          "from_sparse",
          [](Constraints constraints, const MatrixLike& delassus, const ArrayLike& g, const ArrayLike& r) {
            return ContactProblem::from_sparse(std::move(constraints), to_sparse_rows(delassus, "delassus"),
                                               to_vector(g, "free_velocity"), to_vector(r, "compliance"));
          },
          "constraints"_a, "delassus"_a, "free_velocity"_a, "compliance"_a = none, "G as a SciPy sparse matrix")
      .def_static(
          "from_factored",
          [](const Constraints& constraints, const MatrixLike& factor, const std::vector<int>& node_size,
             const ArrayLike& g, const ArrayLike& r) {
            return ContactProblem::from_factored(constraints,
                                                 to_factored(constraints, to_sparse_rows(factor, "factor"), node_size),
                                                 to_vector(g, "free_velocity"), to_vector(r, "compliance"));
          },
          "constraints"_a, "factor"_a, "node_size"_a, "free_velocity"_a, "compliance"_a = none,
          "G = A A' with A = factor; its columns are cut into nodes of 1 to 6 velocities, a free body being one node")
      .def_static(
          "from_inertia",
          [](Constraints constraints, const MatrixLike& inertia, const MatrixLike& jacobian, const ArrayLike& g,
             const ArrayLike& r) {
            return ContactProblem::from_inertia(std::move(constraints), to_sparse_rows(inertia, "inertia"),
                                                to_sparse_rows(jacobian, "jacobian"), to_vector(g, "free_velocity"),
                                                to_vector(r, "compliance"));
          },
          "constraints"_a, "inertia"_a, "jacobian"_a, "free_velocity"_a, "compliance"_a = none,
          "G = J M^-1 J', factored and never multiplied out; free_velocity is J v_f + gamma");
}

void expose_problem(nb::module_& module) {
  nb::enum_<DelassusForm>(module, "DelassusForm", "How a problem holds G")
      .value("dense", DelassusForm::dense)
      .value("sparse", DelassusForm::sparse)
      .value("factored", DelassusForm::factored);

  nb::class_<ContactProblem> problem(module, "ContactProblem",
                                     "Find impulses with velocities (G + R) impulse + g that obey every constraint's "
                                     "law. Validated once, when it is made; does not change afterwards.");
  problem.def(nb::init<>(), "The empty problem");
  expose_making(problem);
  problem.def_prop_ro("num_constraints", &ContactProblem::num_constraints)
      .def_prop_ro("num_rows", &ContactProblem::num_rows)
      .def_prop_ro("constraints",
                   [](const ContactProblem& p) { return Constraints(p.constraints().begin(), p.constraints().end()); })
      .def_prop_ro(
          "free_velocity",
          [](nb::handle_t<ContactProblem> p) { return view_of(nb::cast<const ContactProblem&>(p).free_velocity(), p); },
          "g, a read-only view, m/s")
      .def_prop_ro(
          "compliance",
          [](nb::handle_t<ContactProblem> p) { return view_of(nb::cast<const ContactProblem&>(p).compliance(), p); },
          "R, a read-only view, velocity per impulse")
      .def_prop_ro("is_rigid", &ContactProblem::is_rigid, "R = 0")
      .def_prop_ro("form", &ContactProblem::form)
      .def_prop_ro("largest_diagonal", &ContactProblem::largest_diagonal, "max diag(G); 1 if G = 0")
      .def_prop_ro("largest_free_velocity", &ContactProblem::largest_free_velocity, "max |g|; 1 if g = 0")
      .def_prop_ro("asymmetry", &ContactProblem::asymmetry, "max |G - G'| / max |G|")
      .def_prop_ro("is_symmetric", &ContactProblem::is_symmetric)
      .def(
          "diagonal_block",
          [](const ContactProblem& p, int i) {
            const int rows = p.constraint(checked_index(p, i)).rows;
            return to_numpy(MatrixX(p.diagonal_block(i).topLeftCorner(rows, rows)));
          },
          "i"_a, "Block (i, i) of G, without R")
      .def(
          "apply",
          [](const ContactProblem& p, const ArrayLike& impulse) {
            VectorX out(p.num_rows());
            p.apply(to_rows(p, impulse, "impulse"), out);
            return to_numpy(std::move(out));
          },
          "impulse"_a, "G impulse")
      .def(
          "velocity",
          [](const ContactProblem& p, const ArrayLike& impulse) {
            VectorX out(p.num_rows());
            p.velocity(to_rows(p, impulse, "impulse"), out);
            return to_numpy(std::move(out));
          },
          "impulse"_a, "(G + R) impulse + g")
      .def(
          "to_dense", [](const ContactProblem& p) { return to_numpy(p.to_dense()); }, "G as an array")
      .def(
          "to_sparse", [](const ContactProblem& p) { return to_scipy(p.to_sparse()); },
          "G as a scipy.sparse.csr_matrix")
      .def("in_form", &ContactProblem::in_form, "form"_a, "The same problem in another form (not to factored)")
      .def("symmetric_part", &ContactProblem::symmetric_part, "G replaced by (G + G')/2")
      .def("__repr__", [](const ContactProblem& p) {
        const char* const forms[] = {"dense", "sparse", "factored"};
        return "ContactProblem(" + std::to_string(p.num_constraints()) + " constraints, " +
               std::to_string(p.num_rows()) + " rows, " + forms[static_cast<int>(p.form())] + ")";
      });
}

void expose_judge(nb::module_& module) {
  nb::enum_<ContactModel>(module, "ContactModel", "Which law a solver answers to")
      .value("ncp", ContactModel::ncp, "Signorini, Coulomb and maximum dissipation: the exact law")
      .value("ccp", ContactModel::ccp, "cone complementarity: sliding contacts lift off")
      .value("lcp", ContactModel::lcp, "the cone replaced by a pyramid")
      .value("raisim", ContactModel::raisim, "Signorini and Coulomb, sliding direction bent")
      .value("frictionless", ContactModel::frictionless, "normal impulses only")
      .value("max_dissipation", ContactModel::max_dissipation, "two-phase convex program of Drumwright and Shell");

  nb::class_<Residuals>(module, "Residuals", "How physical an impulse is (docs/theory/laws.md#sec-1-4)")
      .def_ro("eps_abs", &Residuals::eps_abs, "largest of the three distances of (1-14), mixed units of the papers")
      .def_ro("eps_rel", &Residuals::eps_rel, "the same for the problem scaled to max diag(G) = 1, max |g| = 1")
      .def_ro("eps_nat", &Residuals::eps_nat, "eps_rel relative to the impulse of each constraint; `tolerance` is this")
      .def_ro("natural_map", &Residuals::natural_map, "||l - P(l - z)|| / max(1, ||g||)")
      .def_ro("signorini_complementarity", &Residuals::signorini_complementarity, "|l_N s_N|, J")
      .def_ro("signorini_penetration", &Residuals::signorini_penetration, "max(0, -s_N), m/s")
      .def_ro("coulomb", &Residuals::coulomb, "max(0, ||l_T|| - mu l_N), N s")
      .def_ro("dissipation", &Residuals::dissipation, "||l_T + mu l_N s_T/||s_T|||| where sliding, N s")
      .def_ro("normal_separation", &Residuals::normal_separation, "s_N of contacts that push, m/s")
      .def_ro("worst_constraint", &Residuals::worst_constraint, "carries eps_nat; -1 for the empty problem")
      .def("__repr__", [](const Residuals& r) {
        return nb::str("Residuals(eps_abs={:.3g}, eps_rel={:.3g}, eps_nat={:.3g}, worst_constraint={})")
            .format(r.eps_abs, r.eps_rel, r.eps_nat, r.worst_constraint);
      });

  module.def(
      "judge",
      [](const ContactProblem& problem, const ArrayLike& impulse, const std::variant<ContactModel, std::string>& model,
         double time_step) {
        const VectorX rows = to_rows(problem, impulse, "impulse");
        const JudgeSettings settings{to_model(model), time_step};
        const nb::gil_scoped_release released;
        return judge(problem, rows, settings);
      },
      "problem"_a, "impulse"_a, "model"_a = "ncp", "time_step"_a = 1.0,
      "Residuals of an impulse under a contact model, by code that no solver shares");

  nb::enum_<ContactRegime>(module, "ContactRegime")
      .value("open", ContactRegime::open)
      .value("sticking", ContactRegime::sticking)
      .value("sliding", ContactRegime::sliding);
  module.def(
      "contact_regime",
      [](const ContactProblem& problem, int constraint, const ArrayLike& impulse, const ArrayLike& velocity,
         double threshold) {
        return contact_regime(problem, checked_index(problem, constraint), to_rows(problem, impulse, "impulse"),
                              to_rows(problem, velocity, "velocity"), threshold);
      },
      "problem"_a, "constraint"_a, "impulse"_a, "velocity"_a, "threshold"_a = 1e-7);
}

void expose_energy(nb::module_& module) {
  nb::class_<ContactEnergy>(module, "ContactEnergy")
      .def_ro("change", &ContactEnergy::change, "T(v+) - T(v_f), J; exact for any impulse when gamma = 0")
      .def_ro("dissipated", &ContactEnergy::dissipated, "sum of mu l_N ||s_T|| over frictional contacts, J")
      .def_ro("impact_loss", &ContactEnergy::impact_loss, "l' G l / 2, J");
  module.def(
      "contact_energy",
      [](const ContactProblem& problem, const ArrayLike& impulse, const ArrayLike& offset) {
        return contact_energy(problem, to_vector(impulse, "impulse"), to_vector(offset, "free_velocity_offset"));
      },
      "problem"_a, "impulse"_a, "free_velocity_offset"_a = nb::none(),
      "Energy of a contact impulse; free_velocity_offset is the part of g that is not J v_f");

  nb::class_<InternalForceSplit>(module, "InternalForceSplit")
      .def_prop_ro("external",
                   [](nb::handle_t<InternalForceSplit> s) {
                     return view_of(nb::cast<const InternalForceSplit&>(s).external, s);
                   })
      .def_prop_ro("internal",
                   [](nb::handle_t<InternalForceSplit> s) {
                     return view_of(nb::cast<const InternalForceSplit&>(s).internal, s);
                   })
      .def_ro("feasible", &InternalForceSplit::feasible, "the external part stays in the cones");
  module.def(
      "split_internal_forces",
      [](const ContactProblem& problem, const ArrayLike& impulse, double rank_tolerance) {
        return split_internal_forces(problem, to_vector(impulse, "impulse"), rank_tolerance);
      },
      "problem"_a, "impulse"_a, "rank_tolerance"_a = 1e-10,
      "An impulse split into what moves the system and what only squeezes it");
}

void expose_linear_complementarity(nb::module_& module) {
  nb::class_<LinearComplementarityProblem>(module, "LinearComplementarityProblem",
                                           "Find z with w = M z + q, w >= 0, z >= 0, w'z = 0")
      .def(
          "__init__",
          [](LinearComplementarityProblem* self, const ArrayLike& matrix, const ArrayLike& offset) {
            LinearComplementarityProblem problem{to_matrix(matrix, "matrix"), to_vector(offset, "offset")};
            problem.validate();
            new (self) LinearComplementarityProblem(std::move(problem));
          },
          "matrix"_a, "offset"_a)
      .def_prop_ro(
          "matrix", [](const LinearComplementarityProblem& p) { return to_numpy(MatrixX(p.matrix)); },
          nb::rv_policy::move, "M")
      .def_prop_ro(
          "offset",
          [](nb::handle_t<LinearComplementarityProblem> p) {
            return view_of(nb::cast<const LinearComplementarityProblem&>(p).offset, p);
          },
          "q")
      .def("__len__", &LinearComplementarityProblem::size);
  nb::class_<LcpResiduals>(module, "LcpResiduals")
      .def_ro("eps_abs", &LcpResiduals::eps_abs)
      .def_ro("eps_rel", &LcpResiduals::eps_rel)
      .def_ro("eps_nat", &LcpResiduals::eps_nat)
      .def_ro("natural_map", &LcpResiduals::natural_map)
      .def_ro("negative_unknown", &LcpResiduals::negative_unknown)
      .def_ro("negative_slack", &LcpResiduals::negative_slack)
      .def_ro("complementarity", &LcpResiduals::complementarity);
  module.def(
      "judge_lcp",
      [](const LinearComplementarityProblem& problem, const ArrayLike& unknown) {
        return judge_lcp(problem, to_vector(unknown, "unknown"));
      },
      "problem"_a, "unknown"_a);
}

}  // namespace

void expose_contact(nb::module_& module) {
  expose_constraint(module);
  expose_problem(module);
  expose_judge(module);
  expose_energy(module);
  expose_linear_complementarity(module);
}

}  // namespace stiction::python
