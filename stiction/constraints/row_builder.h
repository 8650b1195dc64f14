// Turns touching pairs, joint limits, dry joint friction, loops and servos into rows (theory §3.1 to §3.5, §3.9).
//
// A row is a covector on the relative motion of two bodies: with the spatial velocity (ω, v) of a body about its tree's
// reference point, c = W_aᵀ V_a + W_bᵀ V_b. Three rows are handled at once: a Covector holds six packs whose lanes are
// the rows.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "stiction/collision/contact_point.h"
#include "stiction/constraints/constraint_settings.h"
#include "stiction/constraints/row_set.h"
#include "stiction/dynamics/coupled_lengths.h"
#include "stiction/dynamics/relative_motion.h"
#include "stiction/model/model.h"

namespace stiction {

// A frame whose third axis is the normal; the tangents vary smoothly with it away from the pole they are built about.
Matrix3 contact_frame(const Vector3& normal);
// The same with the first tangent along the projection of `direction`, where it has one.
Matrix3 contact_frame(const Vector3& normal, const Vector3& direction);

// What becomes of a contact point.
enum class PointRole : std::uint8_t {
  usual,   // a row where it may close in the step
  exact,   // a row in any case, whose gap is kept exactly
  passes,  // no row: the bodies pass each other
};

// A part of what the actuators of a degree of freedom exert (sim/servo_law.h): λ ∈ ±bound or, where that is infinite,
// λ ≥ 0, and −σ ∈ N(λ) with σ = sign · v⁺ + offset + compliance · λ.
// With a degree of freedom from the number of velocities on, v⁺ is the rate of a coupled length.
struct ServoRow {
  int dof = 0, part = 0;
  double sign = 1.0;
  double bound = 0.0;  // N·m·s or N·s
  double offset = 0.0, compliance = 0.0;
  bool is_two_sided = false;  // any λ: σ = 0
};

class RowBuilder {
 public:
  explicit RowBuilder(std::shared_ptr<const Model> model);

  struct Inputs {
    const DynamicsData& dynamics;  // kinematics and factor at q
    const double* q = nullptr;
    const double* v = nullptr;       // velocity at the beginning of the step
    const double* v_free = nullptr;  // velocity at its end without constraints
    std::span<const ContactPoint> contacts;
    const PointRole* roles = nullptr;  // by contact; null: all are usual
    // Contacts farther than this become rows only where the free motion brings them nearer than it, m; nearer ones
    // likewise where nothing that touches is quick enough to close their gap, see row_margin().
    double contact_margin = 0.0;
    double time_step = 0.0;
    const ConstraintSettings& settings;
    const char* asleep = nullptr;                   // by tree: no rows for its joints; null: none sleeps
    std::span<const ServoRow> servos = {};          // of trees awake, ascending
    const CoupledLengths* lengths = nullptr;        // at q; of models without tendons null will do
    std::span<const ServoRow> coupled_servos = {};  // of lengths of trees awake, ascending
  };
  // Fills `rows`: contacts in their order, lower limits, upper limits, dry friction, each of joints, then of tendons;
  // loops; torsion of contacts, rolling of contacts; servos; guesses stay zero. The partners of torsion and rolling are
  // constraints of the step.
  void build(const Inputs& in, RowSet& rows);

  // The contacts that became rows in the last build are its first constraints: which point each is, its frame R_WC.
  int num_contacts() const { return static_cast<int>(points_.size()); }
  int point(int contact) const { return points_[contact]; }
  const Matrix3& frame(int contact) const { return frames_[contact]; }
  // By how much the surfaces of a contact move along each other although their bodies do not: γ_T of its first two rows.
  bool has_moving_surface(int contact) const { return has_moving_surfaces_ && is_carried_[contact] != 0; }
  Pack4 surface_velocity(int contact) const {
    return has_moving_surface(contact) ? surface_velocity_[contact] : Pack4{};
  }

 private:
  struct Covector {
    Pack4 angular[3] = {}, linear[3] = {};  // lanes: rows of the constraint
  };
  struct Side {  // a body of a constraint with its part of the rows
    int body = -1;
    Covector w;
  };
  // A body with the rows of a point of it, along axes that are columns; nothing for the world.
  Side point_side(const Inputs& in, int body, const Matrix3& axes, const Vector3& point, double sign) const;
  static Covector turning_rows(const Matrix3& axes, double sign);
  static Pack4 apply(const Covector& w, const Pack8& velocity) {
    const Pack4 a = velocity[0] * w.angular[0] + velocity[1] * w.angular[1] + velocity[2] * w.angular[2];
    const Pack4 l = velocity[4] * w.linear[0] + velocity[5] * w.linear[1] + velocity[6] * w.linear[2];
    return a + l;
  }

  const Matrix3& frame_of(const Inputs& in, const ContactPoint& point, const PairMaterial& material);
  const PairMaterial& material_of(const ContactPoint& point);
  struct NormalTerms {
    double offset = 0.0, compliance = 0.0;
  };
  NormalTerms normal_terms(const Inputs& in, const ContactPoint& point, const PairMaterial& material,
                           double c_free) const;
  double row_margin(const Inputs& in);  // m
  void add_contact(const Inputs& in, int index, double margin, RowSet& rows);
  static void release_held_normal(const Pack4& mobility, StepConstraint& contact);
  static void soften(const Inputs& in, const Pack4& mobility, StepConstraint& contact);
  void add_limits(const Inputs& in, RowSet& rows);
  // row_torques.cpp
  void learn_materials();
  Vector3 surface_velocity_at(const Inputs& in, int shape, const Vector3& point) const;
  void note_surface(const Inputs& in, const ContactPoint& point, const Matrix3& frame);
  void add_friction_torques(const Inputs& in, RowSet& rows);
  void add_torsion(const Inputs& in, int contact, double ratio, RowSet& rows);
  void add_rolling(const Inputs& in, int contact, double ratio, RowSet& rows);
  struct LimitedDof {
    int dof = 0, position = 0, tree = 0;  // limited joints have one position
    double lower = 0.0, upper = 0.0;
  };
  void add_limit(const Inputs& in, const LimitedDof& limited, bool upper, double gap, RowSet& rows);
  void add_dry_friction(const Inputs& in, RowSet& rows);
  void add_loops(const Inputs& in, RowSet& rows);
  void add_servos(const Inputs& in, RowSet& rows);
  // row_tendons.cpp
  void learn_lengths();
  int coupled_number(int length) const { return model_->num_velocities() + length; }
  bool is_length_asleep(const Inputs& in, int length) const;
  bool is_length_at_rest(const Inputs& in, int length) const;
  // A row of scale · ℓ̇, and of other_scale · ℓ̇ of another one (−1: none).
  void begin_length_row(const Constraint& law, const ConstraintIdentity& id, const Inputs& in, int length, int other,
                        RowSet& rows);
  void add_length_row(const Inputs& in, int length, double scale, int other, double other_scale, RowSet& rows);
  void add_tendon_limits(const Inputs& in, bool upper, RowSet& rows);
  void add_tendon_friction(const Inputs& in, RowSet& rows);
  void add_tendon_equality(const Inputs& in, int loop, RowSet& rows);
  void add_coupled_servos(const Inputs& in, RowSet& rows);
  void add_frame_loop(const Inputs& in, int loop, RowSet& rows);
  void add_joint_equality(const Inputs& in, int loop, RowSet& rows);
  void add_loop_block(const Inputs& in, int loop, int block, int row_count, const Side& a, const Side& b,
                      const Vector3& error, RowSet& rows);
  double turning(const Inputs& in, int body);
  static void set_equality_doubt(RowSet& rows);
  // Value and slope of Σ c_k x^k.
  static std::pair<double, double> polynomial(const std::array<double, 5>& c, double x) {
    double value = c[0], slope = 0.0, power = 1.0;
    for (int k = 1; k < 5; ++k) {
      slope += k * c[k] * power;
      power *= x;
      value += c[k] * power;
    }
    return {value, slope};
  }
  static void set_loop_offset(const Inputs& in, const Loop& loop, int row_count, const Vector3& error, RowSet& rows);
  Pack4 add_sides(const Inputs& in, const Side& a, const Side& b, RowSet& rows);
  Pack4* add_path(int body, RowSet& rows) const;  // zero columns for all nodes on the way to a body
  // Visits the nodes of two paths (a body −1: none) in ascending order: visit(node, whether on a, whether on b).
  template <class Visit>
  void for_each_node(int body_a, int body_b, Visit&& visit) const;
  void add_dof_row(const Inputs& in, int dof, double scale, int other_dof, double other_scale, RowSet& rows);
  Pack4 relative_velocity(const Inputs& in, const Side& a, const Side& b);
  const Pack8& free_velocity(const Inputs& in, int body);
  const Pack8* chain(const Inputs& in, int body);
  bool is_asleep(const Inputs& in, int body) const { return body >= 0 && in.asleep && in.asleep[tree_of(body)]; }
  // Whether a gap between two trees (−1: the world) is no more than rounding leaves of none.
  bool is_negligible(const Inputs& in, double gap, int tree_a, int tree_b) const {
    return std::abs(gap) <= ConstraintSettings::negligible_gap && is_at_rest(in, tree_a) && is_at_rest(in, tree_b);
  }
  bool is_at_rest(const Inputs& in, int tree) const;
  int tree_of(int body) const { return body < 0 ? -1 : model_->bodies[body].tree; }
  // The tree through which a constraint of the body meets others: none for what no impulse moves.
  int coupling_tree(int body) const { return model_->is_movable(body) ? model_->bodies[body].tree : -1; }

  std::shared_ptr<const Model> model_;
  // Nodes on the way from the root to each body, and all their velocities; the first columns count from the root.
  std::vector<int> path_begin_, path_velocity_begin_, path_velocity_;
  std::vector<RowSet::Segment> path_;
  std::vector<int> chain_begin_;      // of each body in chain_
  std::vector<Pack8> chain_;          // motion columns through the factor
  std::vector<char> chain_known_;     // this step
  std::vector<Pack8> velocity_;       // of bodies, at v_free
  std::vector<char> velocity_known_;  // this step
  std::vector<LimitedDof> limited_dofs_;
  std::vector<int> dry_dofs_;
  std::vector<double> dof_chain_, other_chain_;
  std::vector<int> length_trees_begin_, length_trees_;  // of coupled lengths
  std::vector<double> dense_row_;                       // by velocity, zero between uses
  std::vector<char> on_row_;                            // by node, zero between uses
  std::vector<int> row_nodes_, row_chain_;
  std::vector<int> points_;
  std::vector<Matrix3> frames_;
  // Of the last contact, kept for the next one: most share them.
  Vector3 shared_normal_ = Vector3::Zero();
  Matrix3 shared_frame_, directed_frame_;
  std::array<int, 2> pair_shapes_{-1, -1};
  PairMaterial pair_material_;
  bool has_friction_torques_ = false, has_moving_surfaces_ = false;  // some material of the model does
  std::vector<char> is_carried_;                                     // by contact, where surfaces move
  std::vector<Pack4> surface_velocity_;
};

// Rows c_k = sign · axis_k · (v + ω × arm), axes being columns.
inline RowBuilder::Side RowBuilder::point_side(const Inputs& in, int body, const Matrix3& axes, const Vector3& point,
                                               double sign) const {
  Side side{body, {}};
  if (body < 0) return side;
  const Vec3<double> lanes = to_vec3(point) - in.dynamics.reference[model_->bodies[body].tree];
  const double arm[3] = {lanes.x(), lanes.y(), lanes.z()};
  Covector& w = side.w;
  for (int d = 0; d < 3; ++d) w.linear[d] = Pack4{sign * axes(d, 0), sign * axes(d, 1), sign * axes(d, 2), 0.0};
  w.angular[0] = arm[1] * w.linear[2] - arm[2] * w.linear[1];
  w.angular[1] = arm[2] * w.linear[0] - arm[0] * w.linear[2];
  w.angular[2] = arm[0] * w.linear[1] - arm[1] * w.linear[0];
  return side;
}

inline Pack4 RowBuilder::relative_velocity(const Inputs& in, const Side& a, const Side& b) {
  Pack4 c{};
  if (a.body >= 0) c += apply(a.w, free_velocity(in, a.body));
  if (b.body >= 0) c += apply(b.w, free_velocity(in, b.body));
  return c;
}

template <class Visit>
void RowBuilder::for_each_node(int body_a, int body_b, Visit&& visit) const {
  constexpr int none = std::numeric_limits<int>::max();
  const auto begin = [&](int body) { return path_.data() + (body < 0 ? 0 : path_begin_[body]); };
  const auto end = [&](int body) { return path_.data() + (body < 0 ? 0 : path_begin_[body + 1]); };
  const auto *s = begin(body_a), *s_end = end(body_a), *t = begin(body_b), *t_end = end(body_b);
  while (s != s_end || t != t_end) {
    const int node_a = s != s_end ? s->node : none, node_b = t != t_end ? t->node : none;
    const int node = std::min(node_a, node_b);
    s += node_a == node;
    t += node_b == node;
    visit(node, node_a == node, node_b == node);
  }
}

}  // namespace stiction
