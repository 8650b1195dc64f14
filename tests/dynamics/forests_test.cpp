#include "forests.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace stiction::testing {
namespace {

class Random {
 public:
  explicit Random(unsigned seed) : generator_(seed) {}
  double operator()() { return normal_(generator_); }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(generator_); }
  Vector3 vector() { return {(*this)(), (*this)(), (*this)()}; }
  Vector3 direction() { return vector().normalized(); }
  Quaternion rotation() { return Quaternion((*this)(), (*this)(), (*this)(), (*this)()).normalized(); }
  Pose pose() { return {rotation(), 0.3 * vector()}; }
  Inertia inertia(bool centred) {
    Inertia i;
    i.mass = std::exp((*this)());
    if (!centred) i.com = 0.2 * vector();
    const Vector3 extent = (0.1 * vector()).cwiseAbs() + Vector3::Constant(0.05);
    const Matrix3 r = rotation().toRotationMatrix();
    const Vector3 squares = extent.cwiseAbs2();
    i.moment = r * (i.mass * (squares.sum() * Matrix3::Identity() - Matrix3(squares.asDiagonal()))) * r.transpose();
    i.moment = (0.5 * (i.moment + i.moment.transpose())).eval();
    return i;
  }

 private:
  std::mt19937 generator_;
  std::normal_distribution<double> normal_;
};

constexpr JointKind kinds[] = {JointKind::fixed,     JointKind::ball,        JointKind::revolute, JointKind::revolute,
                               JointKind::prismatic, JointKind::cylindrical, JointKind::planar,   JointKind::universal};

}  // namespace

std::shared_ptr<const Model> random_forest(unsigned seed) {
  Random random(seed);
  ModelBuilder builder;
  builder.set_gravity(Vector3(0.5, -0.7, -9.81));
  const int trees = 2 + random.below(4);
  for (int tree = 0; tree < trees; ++tree) {
    const int first = tree, kind = (tree + static_cast<int>(seed)) % 3;  // single free body, free tree, fixed tree
    static_cast<void>(first);
    std::vector<int> bodies;
    const int size = kind == 0 ? 1 : 2 + random.below(8);
    for (int k = 0; k < size; ++k) {
      BodyOptions body;
      body.parent = bodies.empty() ? -1 : bodies[std::max(0, static_cast<int>(bodies.size()) - 1 - random.below(3))];
      body.pose = random.pose();
      body.joint.kind = kind != 2 && k == 0 ? JointKind::free : kinds[random.below(8)];
      if (k == 0 && body.joint.kind == JointKind::fixed) body.joint.kind = JointKind::ball;
      if (body.joint.kind != JointKind::free) {
        body.joint.pose = random.pose();
        body.joint.axis = random.direction();
        body.joint.axis_2 = body.joint.axis.unitOrthogonal();
        if (random.below(2)) body.joint.armature = 0.3;
      }
      body.inertia = random.inertia(kind == 0);
      bodies.push_back(builder.add_body(body));
    }
  }
  return builder.build();
}

Motion random_motion(const Model& model, unsigned seed) {
  Random random(seed + 1000);
  const int n = model.num_velocities();
  Motion m{model.initial_position, VectorX(n), VectorX(n), VectorX(n)};
  for (VectorX* x : {&m.v, &m.a, &m.tau}) {
    for (int j = 0; j < n; ++j) (*x)[j] = random();
  }
  VectorX far(n);
  for (int j = 0; j < n; ++j) far[j] = random();
  const VectorX start = m.q;
  integrate(model, start, far, 1.0, m.q);
  return m;
}

TEST(Forests, have_joints_of_every_kind) {
  std::set<JointType> joints;
  std::set<std::string> roots;
  for (unsigned seed = 0; seed < 12; ++seed) {
    const auto model = random_forest(seed);
    for (const Body& body : model->bodies) joints.insert(body.joint);
    for (const Tree& tree : model->trees) {
      roots.insert(tree.is_single_free_body                                  ? "single"
                   : model->bodies[tree.first_body].joint == JointType::free ? "free"
                                                                             : "fixed");
    }
  }
  EXPECT_EQ(joints.size(), 4u);
  EXPECT_EQ(roots.size(), 3u);
}

}  // namespace stiction::testing
