#include "tree_file.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace stiction::testing {
namespace {

double read_number(std::istream& in) {
  std::string word;  // operator>> of double reads no subnormal numbers
  if (!(in >> word)) throw std::runtime_error("tree file: a number is missing");
  return std::stod(word);
}

VectorX read_vector(std::istream& in, int size) {
  VectorX x(size);
  for (double& entry : x) entry = read_number(in);
  return x;
}

Vector3 read_vector3(std::istream& in) {
  return read_vector(in, 3);
}

BodyOptions read_body(std::istream& in) {
  BodyOptions body;
  in >> body.name >> body.parent;
  const Vector3 position = read_vector3(in);
  const VectorX quaternion = read_vector(in, 4);
  body.pose = Pose(Quaternion(quaternion[3], quaternion[0], quaternion[1], quaternion[2]), position);
  Inertia inertia;
  inertia.mass = read_number(in);
  inertia.com = read_vector3(in);
  const VectorX i = read_vector(in, 6);
  inertia.moment << i[0], i[1], i[2], i[1], i[3], i[4], i[2], i[4], i[5];
  body.inertia = inertia;
  return body;
}

JointOptions read_joint(std::istream& in) {
  const std::map<std::string, JointKind> kinds{{"free", JointKind::free},
                                               {"ball", JointKind::ball},
                                               {"revolute", JointKind::revolute},
                                               {"prismatic", JointKind::prismatic}};
  JointOptions joint;
  std::string kind;
  in >> kind >> joint.name;
  joint.kind = kinds.at(kind);
  joint.pose = Pose(read_vector3(in));
  joint.axis = read_vector3(in);
  joint.armature = read_number(in);
  return joint;
}

// Where the coordinates of the file are in the model.
struct Order {
  std::vector<int> q, v;

  Order(const Model& model, const std::vector<std::string>& joints) {
    for (const std::string& name : joints) {
      const Joint& joint = model.joints[model.find_joint(name)];
      for (int k = 0; k < joint.num_positions; ++k) q.push_back(joint.first_position + k);
      for (int k = 0; k < joint.num_velocities; ++k) v.push_back(joint.first_velocity + k);
    }
  }
  VectorX to_model(const VectorX& from, const std::vector<int>& order) const {
    VectorX to(from.size());
    for (Eigen::Index k = 0; k < from.size(); ++k) to[order[k]] = from[k];
    return to;
  }
};

void read_item(const std::string& item, std::istream& in, const Order& order, TreeSample& sample) {
  const int nq = static_cast<int>(order.q.size()), nv = static_cast<int>(order.v.size());
  if (item == "q") sample.q = order.to_model(read_vector(in, nq), order.q);
  if (item == "v") sample.v = order.to_model(read_vector(in, nv), order.v);
  if (item == "bias") sample.bias = order.to_model(read_vector(in, nv), order.v);
  if (item == "mass_matrix") {
    sample.mass_matrix.resize(nv, nv);
    for (int i = 0; i < nv; ++i) {
      for (int j = 0; j <= i; ++j) {
        const int r = order.v[i], c = order.v[j];
        sample.mass_matrix(r, c) = sample.mass_matrix(c, r) = read_number(in);
      }
    }
  }
  if (item != "pose" && item != "jacobian") return;
  std::string name;
  in >> name;
  if (item == "pose") {
    Pose& pose = sample.poses[name];
    pose.position = read_vector3(in);
    for (int r = 0; r < 3; ++r) pose.rotation.row(r) = read_vector3(in).transpose();
  } else {
    MatrixX& jacobian = sample.jacobians[name];
    jacobian.resize(6, nv);
    for (int r = 0; r < 6; ++r) jacobian.row(r) = order.to_model(read_vector(in, nv), order.v).transpose();
  }
}

}  // namespace

TreeFile read_tree_file(const std::string& path, const std::function<void(ModelBuilder&)>& dress) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot open " + path);
  ModelBuilder builder;
  std::vector<BodyOptions> bodies;
  std::vector<std::string> joints;
  TreeFile tree;
  std::unique_ptr<Order> order;
  for (std::string line; std::getline(file, line);) {
    std::istringstream in(line);
    std::string item;
    in >> item;
    if (item == "gravity") {
      builder.set_gravity(read_vector3(in));
    } else if (item == "body") {
      bodies.push_back(read_body(in));
    } else if (item == "joint") {
      bodies.back().joints.push_back(read_joint(in));
      joints.push_back(bodies.back().joints.back().name);
    } else if (item == "sample") {
      if (!tree.model) {
        for (const BodyOptions& body : bodies) builder.add_body(body);
        if (dress) dress(builder);
        tree.model = builder.build();
        order = std::make_unique<Order>(*tree.model, joints);
      }
      tree.samples.emplace_back();
    } else {
      read_item(item, in, *order, tree.samples.back());
    }
  }
  return tree;
}

}  // namespace stiction::testing
