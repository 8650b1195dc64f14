// Everything that a builder must turn away, with a message that names element, field and value.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "../support/random_model.h"
#include "stiction/model/geometry/height_field.h"
#include "stiction/model/geometry/triangle_mesh.h"
#include "stiction/model/model_builder.h"

namespace stiction {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

// The message with which the calls are refused, and that it has every part.
void expect_refused(const std::function<void(ModelBuilder&)>& calls, const std::vector<std::string>& parts) {
  ModelBuilder builder;
  std::string message;
  try {
    calls(builder);
    builder.build();
  } catch (const std::invalid_argument& e) {
    message = e.what();
  }
  EXPECT_NE(message, "") << "not refused; expected " << parts[0];
  for (const std::string& part : parts) {
    EXPECT_NE(message.find(part), std::string::npos) << "'" << part << "' is not in: " << message;
  }
}

Inertia unit_inertia() {
  return {.mass = 1.0, .moment = Matrix3::Identity()};
}

// A free body 'box', an arm 'arm' on hinge 'hinge' of the world.
void add_good(ModelBuilder& b) {
  b.add_body({.name = "box", .inertia = unit_inertia()});
  b.add_body({.name = "arm", .joint = {.name = "hinge", .kind = JointKind::revolute}, .inertia = unit_inertia()});
}

TEST(ModelValidation, TheGoodModelPasses) {
  ModelBuilder builder;
  add_good(builder);
  EXPECT_NO_THROW(builder.build());
  EXPECT_NO_THROW(ModelBuilder().build());  // an empty world is a world
}

TEST(ModelValidation, World) {
  expect_refused([](auto& b) { b.set_gravity({0, nan, 0}); }, {"world", "gravity", "nan"});
  expect_refused([](auto& b) { b.set_suggested_time_step(0.0); }, {"time step", "0"});
  expect_refused([](auto& b) { b.set_suggested_time_step(nan); }, {"time step", "nan"});
  expect_refused([](auto& b) { b.set_suggested_time_step(inf); }, {"time step", "inf"});
}

TEST(ModelValidation, Parents) {
  expect_refused([](auto& b) { b.add_body({.name = "a", .parent = 0}); }, {"body 0 'a'", "parent", "0"});
  expect_refused([](auto& b) { b.add_body({.name = "a", .parent = 7}); }, {"body 0 'a'", "parent", "7"});
  expect_refused([](auto& b) { b.add_body({.name = "a", .parent = -2}); }, {"parent", "-2"});
  expect_refused([](auto& b) { b.add_shape({.name = "s", .body = 3, .geometry = Sphere{1}}); }, {"shape 0 's'", "3"});
  expect_refused([](auto& b) { b.add_site("s", 1, Pose()); }, {"site 0 's'", "body is 1"});
  expect_refused([](auto& b) { b.exclude_bodies(0, -1); }, {"body_a is 0"});
  expect_refused([](auto& b) { b.exclude_shapes(0, 1); }, {"shape 0 does not exist"});
  expect_refused([](auto& b) { b.force_pair(-1, 1); }, {"shape -1 does not exist"});
  expect_refused(
      [](auto& b) {
        b.add_shape({.geometry = Plane{}});
        b.exclude_shapes(0, 0);
      },
      {"shape 0 with itself"});
}

TEST(ModelValidation, Poses) {
  const Pose far(Vector3(0, inf, 0));
  Pose skew;
  skew.rotation(0, 1) = 0.1;
  const Pose mirrored(Matrix3(Vector3(1, 1, -1).asDiagonal()), Vector3::Zero());
  Pose undefined;
  undefined.rotation(2, 2) = nan;
  const Pose not_unit(Quaternion(1, 1, 0, 0), Vector3::Zero());
  for (const Pose& pose : {far, skew, mirrored, undefined, not_unit}) {
    expect_refused([&](auto& b) { b.add_body({.name = "a", .pose = pose}); }, {"body 0 'a'", "pose"});
    expect_refused([&](auto& b) { b.add_body({.name = "a", .joint = {.kind = JointKind::ball, .pose = pose}}); },
                   {"body 0 'a'", "joint", "pose"});
    expect_refused([&](auto& b) { b.add_shape({.pose = pose, .geometry = Sphere{1}}); }, {"shape 0", "pose"});
    expect_refused([&](auto& b) { b.add_site("s", -1, pose); }, {"site 0 's'", "pose"});
    expect_refused([&](auto& b) { b.add_loop({.pose_a = pose}); }, {"loop 0", "pose_a"});
    expect_refused([&](auto& b) { b.add_loop({.pose_b = pose}); }, {"loop 0", "pose_b"});
  }
}

TEST(ModelValidation, RotationsAreCleanedOfRounding) {
  Pose rough(Quaternion(0.6, 0.0, 0.8, 0.0), Vector3::Zero());
  rough.rotation(0, 0) += 1e-8;
  ModelBuilder builder;
  builder.add_site("s", -1, rough);
  const Matrix3 r = builder.build()->frames[0].pose.rotation;
  EXPECT_LT((r.transpose() * r - Matrix3::Identity()).norm(), 1e-15);
  EXPECT_LT((r - rough.rotation).norm(), 2e-8);
}

TEST(ModelValidation, PositionsThatOverflow) {
  const Pose far(Vector3(1.5e308, 0, 0));
  expect_refused(
      [&](auto& b) {
        const int a = b.add_body({.name = "a", .pose = far, .joint = {.kind = JointKind::fixed}});
        b.add_body({.name = "b", .parent = a, .pose = far, .joint = {.kind = JointKind::fixed}});
      },
      {"'b'", "too large"});
  expect_refused(
      [&](auto& b) {
        const int a = b.add_body({.name = "a", .pose = far, .joint = {.kind = JointKind::fixed}});
        b.add_body({.name = "b", .parent = a, .pose = far, .inertia = unit_inertia()});
      },
      {"'b'", "too large"});
  expect_refused(
      [&](auto& b) {
        const int a = b.add_body({.name = "a"});
        b.add_shape({.name = "s", .body = a, .geometry = Box{Vector3::Constant(1e308)}, .mass = 1.0});
      },
      {"'a'", "moment"});
  expect_refused(
      [&](auto& b) {
        const int a = b.add_body({.name = "a", .inertia = unit_inertia()});
        b.add_shape({.name = "s", .body = a, .geometry = Box{Vector3::Constant(1.7e308)}});
      },
      {"'s'", "too large"});
}

TEST(ModelValidation, Joints) {
  const auto with = [](const JointOptions& joint) {
    return [joint](ModelBuilder& b) {
      b.add_body({.name = "a", .joint = joint, .inertia = Inertia{.mass = 1.0, .moment = Matrix3::Identity()}});
    };
  };
  const auto hinge = [](auto change) {
    JointOptions joint{.name = "j", .kind = JointKind::revolute};
    change(joint);
    return joint;
  };
  const std::vector<std::pair<JointOptions, std::vector<std::string>>> cases = {
      {hinge([](auto& j) { j.axis = Vector3::Zero(); }), {"axis", "(0, 0, 0)", "direction"}},
      {hinge([](auto& j) { j.axis[1] = nan; }), {"axis", "nan"}},
      {hinge([](auto& j) { j.reference = inf; }), {"reference", "inf"}},
      {hinge([](auto& j) { j.initial_position = nan; }), {"initial_position", "nan"}},
      {hinge([](auto& j) { j.armature = -1.0; }), {"armature", "-1"}},
      {hinge([](auto& j) { j.damping = -0.5; }), {"damping", "-0.5"}},
      {hinge([](auto& j) { j.stiffness = -2.0; }), {"stiffness", "-2"}},
      {hinge([](auto& j) { j.rest_position = nan; }), {"rest_position", "nan"}},
      {hinge([](auto& j) { j.dry_friction = -3.0; }), {"dry_friction", "-3"}},
      {hinge([](auto& j) { j.dry_friction = inf; }), {"dry_friction", "inf"}},
      {hinge([](auto& j) { j.lower = 1.0, j.upper = -1.0; }), {"lower and upper", "1", "-1"}},
      {hinge([](auto& j) { j.lower = nan; }), {"lower", "nan"}},
      {hinge([](auto& j) { j.lower = inf, j.upper = inf; }), {"lower", "inf"}},
      {hinge([](auto& j) { j.effort_limit = -1.0; }), {"effort_limit", "-1"}},
      {hinge([](auto& j) { j.velocity_limit = nan; }), {"velocity_limit", "nan"}},
  };
  for (const auto& [joint, parts] : cases) {
    std::vector<std::string> all = parts;
    all.insert(all.begin(), {"body 0 'a'", "joint 'j'"});
    expect_refused(with(joint), all);
  }
  expect_refused(with({.kind = JointKind::universal, .axis_2 = Vector3(0, 0, 2)}), {"universal", "parallel"});
  expect_refused(with({.kind = JointKind::ball, .lower = -1.0}), {"lower", "ball"});
  expect_refused(with({.kind = JointKind::free, .stiffness = 1.0}), {"stiffness", "free"});
  expect_refused(with({.kind = JointKind::planar, .reference = 1.0}), {"reference", "planar"});
  expect_refused(with({.kind = JointKind::free, .pose = Pose(Vector3(1, 0, 0))}), {"free", "pose"});
  expect_refused(with({.kind = static_cast<JointKind>(17)}), {"kind", "17"});
}

TEST(ModelValidation, AxesAreNormalised) {
  for (const double length : {1e-160, 1.0 + 1e-9, 7.0, 1e200}) {
    ModelBuilder builder;
    builder.add_body(
        {.joint = {.kind = JointKind::prismatic, .axis = length * Vector3(0.6, 0, 0.8)}, .inertia = unit_inertia()});
    EXPECT_LT((builder.build()->bodies[0].placement.rotation.col(2) - Vector3(0.6, 0, 0.8)).norm(), 1e-15);
  }
}

TEST(ModelValidation, FreeJointsOnlyAtTheRoot) {
  expect_refused(
      [](auto& b) {
        add_good(b);
        b.add_body({.name = "child", .parent = 1, .inertia = unit_inertia()});
      },
      {"'child'", "free joint", "'arm'", "world"});
  expect_refused(
      [](auto& b) {
        b.add_body({.name = "a",
                    .joints = {{.kind = JointKind::free}, {.name = "turn", .kind = JointKind::revolute}},
                    .inertia = unit_inertia()});
      },
      {"'a'", "free joint among 2"});
  ModelBuilder builder;  // a body fixed to the world is the world
  const int stand = builder.add_body({.pose = Pose(Vector3(1, 0, 0)), .joint = {.kind = JointKind::fixed}});
  builder.add_body({.parent = stand, .pose = Pose(Vector3(0, 2, 0)), .inertia = unit_inertia()});
  EXPECT_EQ(builder.build()->initial_position.head<3>(), Vector3(1, 2, 0));
}

TEST(ModelValidation, Masses) {
  const auto with = [](const Inertia& inertia) {
    return [inertia](ModelBuilder& b) { b.add_body({.name = "a", .inertia = inertia}); };
  };
  Inertia i = unit_inertia();
  i.mass = -1.0;
  expect_refused(with(i), {"body 0 'a'", "mass is -1"});
  i.mass = nan;
  expect_refused(with(i), {"mass is nan"});
  i = unit_inertia();
  i.com[2] = inf;
  expect_refused(with(i), {"centre of mass", "inf"});
  i = unit_inertia();
  i.moment(1, 1) = nan;
  expect_refused(with(i), {"moment[1, 1]", "nan"});
  i.moment = Vector3(1, 1, 3).asDiagonal();
  expect_refused(with(i), {"'a'", "1, 1, 3", "sum"});
  i.moment = Vector3(-1, 1, 1).asDiagonal();
  expect_refused(with(i), {"'a'", "-1, 1, 1", "negative"});
  i.moment.setZero();
  expect_refused(with(i), {"'a'", "0, 0, 0", "positive"});
  i.mass = 0.0;
  expect_refused(with(i), {"'a'", "no mass"});
  i.moment.setIdentity();
  expect_refused(with(i), {"'a'", "mass is 0 but"});
  expect_refused([](auto& b) { b.add_body({.name = "a"}); }, {"'a'", "no mass", "density"});
  expect_refused(
      [](auto& b) {
        const int a = b.add_body({.name = "a", .joint = {.kind = JointKind::revolute}, .inertia = unit_inertia()});
        b.add_body({.name = "leaf", .parent = a, .joint = {.kind = JointKind::revolute}});
      },
      {"'leaf'", "no mass"});
}

TEST(ModelValidation, MassMayComeFromWhatIsFixedToABody) {
  ModelBuilder builder;
  const int frame = builder.add_body({.name = "frame"});
  const int load = builder.add_body(
      {.name = "load", .parent = frame, .pose = Pose(Vector3(1, 0, 0)), .joint = {.kind = JointKind::fixed}});
  builder.add_shape({.body = load, .geometry = Sphere{0.1}, .mass = 2.0});
  const auto model = builder.build();
  EXPECT_EQ(model->bodies[0].mass, 2.0);
  EXPECT_EQ(model->bodies[0].com, Vector3(1, 0, 0));
  EXPECT_NEAR(model->bodies[0].inertia(0, 0), 0.4 * 2.0 * 0.01, 1e-16);
}

TEST(ModelValidation, GivenInertiaOutdoesShapes) {
  ModelBuilder builder;
  const int body = builder.add_body({.inertia = unit_inertia()});
  builder.add_shape({.body = body, .pose = Pose(Vector3(1, 0, 0)), .geometry = Sphere{0.1}, .density = 1000.0});
  EXPECT_EQ(builder.build()->bodies[0].mass, 1.0);
}

TEST(ModelValidation, Shapes) {
  const auto with = [](const Geometry& geometry) {
    return [geometry](ModelBuilder& b) { b.add_shape({.name = "s", .geometry = geometry}); };
  };
  for (const double bad : {0.0, -1.0, nan, inf}) {
    std::ostringstream text;
    text << bad;
    const std::string value = text.str();
    expect_refused(with(Sphere{bad}), {"shape 0 's'", "radius", value});
    expect_refused(with(Capsule{bad, 1}), {"shape 0 's'", "radius", value});
    expect_refused(with(Capsule{1, bad}), {"shape 0 's'", "half_length", value});
    expect_refused(with(Cylinder{bad, 1}), {"shape 0 's'", "radius", value});
    expect_refused(with(Cylinder{1, bad}), {"shape 0 's'", "half_length", value});
    expect_refused(with(Ellipsoid{{1, bad, 1}}), {"shape 0 's'", "radii[1]", value});
    expect_refused(with(Box{{1, 1, bad}}), {"shape 0 's'", "half_size[2]", value});
  }
  expect_refused(with(std::shared_ptr<const ConvexHull>()), {"shape 0 's'", "null"});
  expect_refused(with(std::shared_ptr<const TriangleMesh>()), {"shape 0 's'", "null"});
  expect_refused(with(std::shared_ptr<const HeightField>()), {"shape 0 's'", "null"});
  const auto change = [](auto set) {
    return [set](ModelBuilder& b) {
      ShapeOptions shape{.name = "s", .geometry = Sphere{1.0}};
      set(shape);
      b.add_shape(shape);
    };
  };
  expect_refused(change([](auto& s) { s.material.friction = -0.5; }), {"shape 0 's'", "friction", "-0.5"});
  expect_refused(change([](auto& s) { s.material.friction = inf; }), {"friction", "inf"});
  expect_refused(change([](auto& s) { s.material.friction_2 = nan; }), {"friction_2", "nan"});
  expect_refused(change([](auto& s) { s.material.restitution = 1.5; }), {"restitution", "1.5"});
  expect_refused(change([](auto& s) { s.material.restitution = -0.1; }), {"restitution", "-0.1"});
  expect_refused(change([](auto& s) { s.material.restitution = nan; }), {"restitution", "nan"});
  expect_refused(change([](auto& s) { s.material.compliance = -1.0; }), {"compliance", "-1"});
  expect_refused(change([](auto& s) { s.material.damping = -1.0; }), {"damping", "-1"});
  expect_refused(change([](auto& s) { s.mass = -1.0; }), {"mass", "-1"});
  expect_refused(change([](auto& s) { s.density = nan; }), {"density", "nan"});
  expect_refused(change([](auto& s) { s.color[2] = 2.0; }), {"color[2]", "2"});
}

TEST(ModelValidation, TerrainIsOfTheWorld) {
  expect_refused(
      [](auto& b) {
        add_good(b);
        b.add_shape({.name = "floor", .body = 0, .geometry = Plane{}});
      },
      {"'floor'", "plane", "'box'", "world", "convex"});
  expect_refused(
      [](auto& b) {
        const int a = b.add_body({.name = "a"});
        b.add_shape({.name = "floor", .body = a, .geometry = Plane{}, .density = 1.0});
      },
      {"'floor'", "'a'", "plane", "world"});
  const std::vector<Vector3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const std::vector<std::array<int, 3>> triangles = {{0, 1, 2}};
  const Geometry mesh = TriangleMesh::make(corners, triangles);
  const Geometry field = HeightField::make(2, 2, 1.0, 1.0, std::vector<double>(4));
  for (const Geometry& terrain : {mesh, field}) {
    expect_refused(
        [&](auto& b) {
          add_good(b);
          b.add_shape({.name = "ground", .body = 1, .geometry = terrain});
        },
        {"'ground'", "'arm'", "world", "convex hulls"});
    ModelBuilder builder;
    builder.add_shape({.geometry = terrain});
    EXPECT_NO_THROW(builder.build());
  }
  ModelBuilder builder;  // fixed to the world is part of the world, and needs no mass
  const int stand = builder.add_body({.pose = Pose(Vector3(0, 0, 2)), .joint = {.kind = JointKind::fixed}});
  builder.add_shape({.body = stand, .geometry = Plane{}, .density = 1.0});
  const auto model = builder.build();
  EXPECT_EQ(model->shapes[0].body, -1);
  EXPECT_EQ(model->shapes[0].pose.position, Vector3(0, 0, 2));
}

TEST(ModelValidation, Names) {
  expect_refused(
      [](auto& b) {
        b.add_body({.name = "twin", .inertia = unit_inertia()});
        b.add_body({.name = "twin", .inertia = unit_inertia()});
      },
      {"body 'twin'", "twice"});
  expect_refused(
      [](auto& b) {
        for (int k = 0; k < 2; ++k) {
          b.add_body({.joint = {.name = "j", .kind = JointKind::revolute}, .inertia = unit_inertia()});
        }
      },
      {"joint 'j'", "twice"});
  const auto twice = [](auto add) {
    return [add](ModelBuilder& b) {
      add_good(b);
      add(b);
      add(b);
    };
  };
  expect_refused(twice([](auto& b) { b.add_shape({.name = "x", .geometry = Plane{}}); }), {"shape 'x'", "twice"});
  expect_refused(twice([](auto& b) { b.add_site("x", -1, Pose()); }), {"site 'x'", "twice"});
  expect_refused(twice([](auto& b) { b.add_loop({.name = "x", .body_a = 0}); }), {"loop 'x'", "twice"});
  expect_refused(twice([](auto& b) { b.add_actuator({.name = "x", .joint = "hinge"}); }), {"actuator 'x'", "twice"});
  expect_refused(twice([](auto& b) { b.add_keyframe({.name = "x"}); }), {"keyframe 'x'", "twice"});
}

TEST(ModelValidation, Loops) {
  const auto with = [](const LoopOptions& loop) {
    return [loop](ModelBuilder& b) {
      add_good(b);
      b.add_body({.name = "tool", .parent = 1, .joint = {.kind = JointKind::fixed}});
      b.add_loop(loop);
    };
  };
  expect_refused(with({.name = "l"}), {"loop 'l'", "world"});
  expect_refused(with({.name = "l", .body_a = 1, .body_b = 2}), {"loop 'l'", "'arm'", "'tool'", "one rigid body"});
  expect_refused(with({.name = "l", .body_a = 9}), {"body_a is 9"});
  expect_refused(with({.name = "l", .body_a = 0, .compliance = -1.0}), {"loop 0 'l'", "compliance", "-1"});
  const LoopKind equality = LoopKind::joint_equality;
  expect_refused(with({.name = "l", .kind = equality, .joint_a = "none"}), {"loop 'l'", "joint_a", "'none'"});
  expect_refused(with({.name = "l", .kind = equality, .joint_a = ""}), {"joint_a", "''"});
  expect_refused(with({.name = "l", .kind = equality, .joint_a = "hinge", .joint_b = "x"}), {"joint_b", "'x'"});
  expect_refused(with({.name = "l", .kind = equality, .joint_a = "hinge", .joint_b = "hinge"}), {"both 'hinge'"});
  expect_refused(with({.name = "l", .kind = equality, .joint_a = "box"}), {"'box'", "free", "6"});
  expect_refused(with({.name = "l", .kind = equality, .joint_a = "hinge", .coefficients = {0, nan}}),
                 {"coefficients[1]", "nan"});
}

TEST(ModelValidation, Actuators) {
  const auto with = [](const ActuatorOptions& actuator) {
    return [actuator](ModelBuilder& b) {
      add_good(b);
      b.add_actuator(actuator);
    };
  };
  expect_refused(with({.name = "m", .joint = "knee"}), {"actuator 'm'", "joint", "'knee'"});
  expect_refused(with({.name = "m", .joint = "box"}), {"actuator 'm'", "'box'", "free", "one"});
  expect_refused(with({.name = "m", .joint = "hinge", .gear = nan}), {"actuator 0 'm'", "gear", "nan"});
  expect_refused(with({.name = "m", .joint = "hinge", .kp = -1.0}), {"kp", "-1"});
  expect_refused(with({.name = "m", .joint = "hinge", .kd = -1.0}), {"kd", "-1"});
  expect_refused(with({.joint = "hinge", .control_lower = 2.0, .control_upper = 1.0}), {"control_lower", "2", "1"});
  expect_refused(with({.joint = "hinge", .force_lower = nan}), {"force_lower", "nan"});
}

TEST(ModelValidation, Keyframes) {
  const auto with = [](const Keyframe& keyframe) {
    return [keyframe](ModelBuilder& b) {
      add_good(b);
      b.add_keyframe(keyframe);
    };
  };
  VectorX q(8);
  q << 0, 0, 0, 0, 0, 0, 1, 0;
  expect_refused(with({.name = "k", .time = nan}), {"keyframe 0 'k'", "time", "nan"});
  expect_refused(with({.name = "k", .q = VectorX::Zero(3)}), {"keyframe 'k'", "q has 3", "8"});
  expect_refused(with({.name = "k", .v = VectorX::Zero(8)}), {"v has 8", "7"});
  expect_refused(with({.name = "k", .control = VectorX::Zero(1)}), {"control has 1", "0"});
  expect_refused(with({.name = "k", .q = VectorX::Zero(8)}), {"quaternion", "q[3]", "0"});
  q[7] = inf;
  expect_refused(with({.name = "k", .q = q}), {"q[7]", "inf"});
}

TEST(ModelValidation, JointsThatNothingResists) {
  const Inertia mass = unit_inertia();
  const JointOptions hinge{.kind = JointKind::revolute};
  expect_refused([&](auto& b) { b.add_body({.name = "a", .joints = {hinge, hinge}, .inertia = mass}); },
                 {"joint 'a'", "nothing resists", "armature"});
  expect_refused(
      [&](auto& b) { b.add_body({.name = "a", .joints = {{.kind = JointKind::ball}, hinge}, .inertia = mass}); },
      {"'a'", "nothing resists"});
  expect_refused(  // a massless base that only carries a ball joint
      [&](auto& b) {
        const int base = b.add_body({.name = "base"});
        b.add_body({.name = "load", .parent = base, .joint = {.kind = JointKind::ball}, .inertia = mass});
      },
      {"'base'", "nothing resists"});
  expect_refused(  // a massless body between coaxial hinges, one behind it on each of two branches
      [&](auto& b) {
        const int hub = b.add_body({.name = "hub", .joint = hinge});
        b.add_body({.name = "left", .parent = hub, .joint = hinge, .inertia = mass});
        b.add_body({.name = "right", .parent = hub, .joint = hinge, .inertia = mass});
      },
      {"'hub'", "nothing resists"});
  ModelBuilder builder;
  const JointOptions across{.kind = JointKind::revolute, .axis = Vector3::UnitX()};
  const JointOptions with_rotor{.kind = JointKind::revolute, .armature = 0.1};
  builder.add_body({.name = "euler", .joints = {hinge, across, hinge}, .inertia = mass});  // singular only at zero
  builder.add_body({.name = "rotor", .joints = {with_rotor, hinge}, .inertia = mass});
  const int dummy = builder.add_body({.name = "dummy", .joint = across});
  builder.add_body({.name = "arm", .parent = dummy, .joint = hinge, .inertia = mass});
  Inertia heavy = mass;  // a light link before a heavy one is no singularity
  heavy.mass = 1e6, heavy.moment *= 1e6;
  Inertia light = mass;
  light.mass = 1e-3, light.moment *= 1e-3;
  const int link = builder.add_body({.name = "light", .joint = hinge, .inertia = light});
  builder.add_body({.name = "heavy", .parent = link, .joint = hinge, .inertia = heavy});
  EXPECT_NO_THROW(builder.build());
}

TEST(ModelValidation, ManyPairsAreRefusedBeforeMemoryRunsOut) {
  expect_refused(
      [](auto& b) {
        add_good(b);
        for (int k = 0; k < 20000; ++k) b.add_shape({.body = k % 2, .geometry = Sphere{1.0}});
        b.exclude_bodies(0, 1);
      },
      {"pairs of shapes", "masks"});
}

TEST(ModelValidation, ABuilderMayBuildTwiceAndGoOn) {
  ModelBuilder builder;
  add_good(builder);
  const auto first = builder.build();
  builder.add_body({.inertia = unit_inertia()});
  const auto second = builder.build();
  EXPECT_EQ(first->num_bodies(), 2);
  EXPECT_EQ(second->num_bodies(), 3);
}

}  // namespace
}  // namespace stiction
