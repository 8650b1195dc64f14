// The problem of an island against dense algebra: G = J M⁻¹ Jᵀ, in both forms.
#include "stiction/constraints/problem_builder.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "stiction/constraints/islands.h"
#include "stiction/constraints/row_builder.h"
#include "stiction/dynamics/dynamics_data.h"
#include "stiction/dynamics/mechanics.h"
#include "stiction/model/model_builder.h"
#include "tests/support/dense.h"

namespace stiction {
namespace {

// A free trunk with legs of three joints, and boxes beside it; contacts at given points of given bodies.
struct World {
  std::shared_ptr<const Model> model;
  std::vector<ContactPoint> points;

  World(int legs, int boxes, int contacts) {
    ModelBuilder builder;
    const Inertia inertia{1.3, Vector3(0.02, 0.01, -0.03), Vector3(0.03, 0.04, 0.05).asDiagonal()};
    const auto add = [&](const std::string& name, int parent, const Pose& pose, const JointOptions& joint) {
      const int body = builder.add_body(
          {.name = name, .parent = parent, .pose = pose, .joint = joint, .joints = {}, .inertia = inertia});
      ShapeOptions shape;
      shape.body = body;
      shape.geometry = Sphere{0.05};
      builder.add_shape(shape);
      return body;
    };
    builder.add_shape({.geometry = Plane{}});
    const int trunk = add("trunk", -1, Pose(Vector3(0, 0, 1)), {});
    for (int leg = 0; leg < legs; ++leg) {
      int parent = trunk;
      for (int k = 0; k < 3; ++k) {
        JointOptions joint;
        joint.kind = JointKind::revolute;
        joint.axis = Vector3(1.0 * (k == 0), 1.0 * (k > 0), 0.1 * leg).normalized();
        joint.lower = -1e-4;
        joint.initial_position = 0.3 * k * (leg % 2);
        parent =
            add("leg" + std::to_string(leg) + std::to_string(k), parent, Pose(Vector3(0.1, 0.2 * leg, -0.3)), joint);
      }
    }
    for (int k = 0; k < boxes; ++k) add("box" + std::to_string(k), -1, Pose(Vector3(2.0 + k, 0, 0)), {});
    model = builder.build();
    std::mt19937 random(3);
    std::uniform_real_distribution<double> unit(-1.0, 1.0);
    const int shapes = static_cast<int>(model->shapes.size());
    for (int k = 0; k < contacts; ++k) {
      ContactPoint point;
      point.id = {k % 3 == 0 ? 0 : 1 + (5 * k + 2) % (shapes - 1), 1 + (3 * k) % (shapes - 1),
                  static_cast<std::uint64_t>(k)};
      if (point.id.shape_a == point.id.shape_b) point.id.shape_a = 0;
      point.normal = Vector3(unit(random), unit(random), unit(random)).normalized();
      point.position = Vector3(unit(random), unit(random), unit(random));
      points.push_back(point);
    }
  }
};

// Two parts of what a servo exerts on the first joint of the first leg.
const std::vector<ServoRow> servos{
    {.dof = 6, .part = 0, .sign = 1.0, .bound = 0.5, .offset = 0.3, .compliance = 2.0},
    {.dof = 6, .part = 1, .sign = -1.0, .bound = no_limit, .offset = -0.1, .compliance = 3.0}};

MatrixX reference(const World& world, const RowBuilder& builder, const DynamicsData& data, const RowSet& rows) {
  const Model& model = *world.model;
  int m = 0;
  for (const StepConstraint& r : rows.constraints) m += r.law.rows;
  MatrixX jacobian = MatrixX::Zero(m, model.num_velocities());
  int row = 0;
  for (int i = 0; i < rows.num_constraints(); ++i) {
    if (rows[i].id.source == ConstraintSource::contact) {
      const ContactPoint& p = world.points[builder.point(i)];
      const int a = model.shapes[p.id.shape_a].body, b = model.shapes[p.id.shape_b].body;
      jacobian.middleRows<3>(row) =
          builder.frame(i).transpose() * (point_jacobian(model, data, a, p.position).topRows<3>() -
                                          point_jacobian(model, data, b, p.position).topRows<3>());
    } else {
      const bool servo = rows[i].id.source == ConstraintSource::servo;
      const double sign = servo ? servos[rows[i].id.second].sign : 1.0;
      jacobian(row, rows[i].id.first) = rows[i].id.source == ConstraintSource::upper_limit ? -1.0 : sign;
    }
    row += rows[i].law.rows;
  }
  return product(jacobian, testing::solve_positive(inertia_matrix(model, data), jacobian.transpose()));
}

void check(int legs, int boxes, int contacts, DelassusForm form) {
  const World world(legs, boxes, contacts);
  const Model& model = *world.model;
  DynamicsData data(model);
  VectorX v = VectorX::LinSpaced(model.num_velocities(), -1.0, 1.0);
  update_kinematics(model, model.initial_position.data(), v.data(), data);
  update_inertia(model, data);
  factor_inertia(model, nullptr, data);
  RowBuilder builder(world.model);
  RowSet rows;
  const ConstraintSettings settings;
  builder.build({.dynamics = data,
                 .q = model.initial_position.data(),
                 .v = v.data(),
                 .v_free = v.data(),
                 .contacts = world.points,
                 .contact_margin = 1.0,
                 .time_step = 1e-3,
                 .settings = settings,
                 .servos = servos},
                rows);
  for (int k = 0; k < 2; ++k) {
    const StepConstraint& constraint = rows[rows.num_constraints() - 2 + k];
    EXPECT_EQ(constraint.id.source, ConstraintSource::servo);
    EXPECT_EQ(constraint.law.kind, k == 0 ? ConstraintKind::dry_friction : ConstraintKind::unilateral);
    EXPECT_EQ(constraint.free_velocity[0], servos[k].sign * v[6] + servos[k].offset);
    EXPECT_EQ(constraint.compliance[0], servos[k].compliance);
    EXPECT_TRUE(rows[rows.num_constraints() - 3 + k].id < constraint.id);
  }
  std::vector<int> all(rows.num_constraints());
  std::iota(all.begin(), all.end(), 0);
  ProblemBuilder problem_builder;
  const ContactProblem& problem = problem_builder.build(model, rows, all);
  ASSERT_EQ(problem.form(), form);
  const MatrixX truth = reference(world, builder, data, rows);
  ASSERT_EQ(truth.rows(), problem.num_rows());
  EXPECT_LE((problem.to_dense() - truth).cwiseAbs().maxCoeff(), 1e-12 * truth.cwiseAbs().maxCoeff());
  if (form == DelassusForm::dense) {  // padding is zero: solvers run over whole packs
    const DelassusDense& g = problem.dense();
    for (int j = 0; j < g.size; ++j) {
      for (int i = g.size; i < g.stride; ++i) EXPECT_EQ(g.column(j)[i], 0.0);
    }
  }
}

TEST(ProblemBuilder, OneTreeIsDense) {
  for (const int contacts : {1, 2, 5, 8, 11, 16, 22}) check(4, 0, contacts, DelassusForm::dense);
}

TEST(ProblemBuilder, MechanismsOfSeveralTreesAreDense) {
  for (const int contacts : {1, 3, 9, 25}) check(2, 3, contacts, DelassusForm::dense);
}

// Free bodies alone; many rows; velocities with many others between them.
TEST(ProblemBuilder, SeveralTreesAreFactored) {
  for (const int contacts : {3, 9, 20}) check(0, 3, contacts, DelassusForm::factored);
  for (const int contacts : {33, 60}) check(2, 3, contacts, DelassusForm::factored);
  check(2, 25, 12, DelassusForm::factored);
}

// A box on a carriage.
TEST(ProblemBuilder, MassesThatDifferMuchAreFactored) {
  for (const double mass : {1.0, 100.0, 1e4}) {
    ModelBuilder builder;
    JointOptions slide;
    slide.kind = JointKind::prismatic;
    slide.axis = Vector3::UnitX();
    const auto add = [&](const std::string& name, const JointOptions& joint, double m) {
      const Inertia inertia{m, Vector3::Zero(), m * Matrix3::Identity()};
      const int body = builder.add_body(
          {.name = name, .parent = -1, .pose = Pose(), .joint = joint, .joints = {}, .inertia = inertia});
      ShapeOptions shape;
      shape.body = body;
      shape.geometry = Sphere{0.05};
      builder.add_shape(shape);
    };
    add("carriage", slide, mass);
    add("box", {}, 1.0);
    const auto model = builder.build();
    DynamicsData data(*model);
    const VectorX v = VectorX::Zero(model->num_velocities());
    update_kinematics(*model, model->initial_position.data(), v.data(), data);
    update_inertia(*model, data);
    factor_inertia(*model, nullptr, data);
    ContactPoint point;
    point.id = {0, 1, 0};
    point.normal = Vector3::UnitX();
    RowBuilder row_builder(model);
    RowSet rows;
    const ConstraintSettings settings;
    row_builder.build({.dynamics = data,
                       .q = model->initial_position.data(),
                       .v = v.data(),
                       .v_free = v.data(),
                       .contacts = {&point, 1},
                       .contact_margin = 1.0,
                       .time_step = 1e-3,
                       .settings = settings},
                      rows);
    const int all[] = {0};
    ProblemBuilder problem_builder;
    EXPECT_EQ(problem_builder.build(*model, rows, all).form(),
              mass < 1000.0 ? DelassusForm::dense : DelassusForm::factored)
        << mass;
  }
}

TEST(Islands, ComponentsInOrderOfTheirFirstConstraint) {
  RowSet rows;
  rows.clear();
  const int trees[][2] = {{3, -1}, {0, 1}, {-1, 3}, {4, -1}, {1, 2}, {4, 4}};
  for (const auto& t : trees) {
    rows.begin_constraint(Constraint::make_unilateral(), {}, t[0], t[1]);
  }
  Islands islands;
  islands.find(rows, 6);
  ASSERT_EQ(islands.size(), 3);
  const auto list = [&](int k) {
    const auto members = islands.constraints(k);
    return std::vector<int>(members.begin(), members.end());
  };
  EXPECT_EQ(list(0), (std::vector<int>{0, 2}));
  EXPECT_EQ(list(1), (std::vector<int>{1, 4}));
  EXPECT_EQ(list(2), (std::vector<int>{3, 5}));
  EXPECT_EQ(islands.island_of_tree(2), 1);
  EXPECT_EQ(islands.island_of_tree(5), -1);
}

}  // namespace
}  // namespace stiction
