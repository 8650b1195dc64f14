#include "stiction/io/writers/model_outline.h"

namespace stiction {

Pose joint_motion(JointType type, const double* q) {
  switch (type) {
    case JointType::free:
      return {Quaternion(q[6], q[3], q[4], q[5]), Vector3(q[0], q[1], q[2])};
    case JointType::ball:
      return {Quaternion(q[3], q[0], q[1], q[2]), Vector3::Zero()};
    case JointType::revolute:
      return {Eigen::AngleAxisd(q[0], Vector3::UnitZ()).toRotationMatrix(), Vector3::Zero()};
    case JointType::prismatic:
      return Pose(Vector3(0.0, 0.0, q[0]));
  }
  return {};
}

namespace {

// X_PB of a body of the forest.
Pose pose_at(const VectorX& position, const Body& body) {
  const Pose motion = joint_motion(body.joint, position.data() + body.first_position);
  return body.joint == JointType::free ? motion : body.placement * motion;
}

std::vector<OutlineJoint> elementary_joints(const Model& model) {
  std::vector<OutlineJoint> joints(model.bodies.size());
  for (const Joint& joint : model.joints) {
    for (int k = 0; k < joint.num_bodies; ++k) {
      OutlineJoint& elementary = joints[joint.first_body + k];
      elementary.body = joint.first_body + k;
      elementary.is_part = joint.num_bodies > 1;
      elementary.name = joint.name;
      if (elementary.is_part) elementary.name.append("_").append(std::to_string(k + 1));
    }
  }
  return joints;
}

}  // namespace

ModelOutline::ModelOutline(const Model& m, const VectorX& position) : model(m), of_body(m.bodies.size(), -1) {
  // The first frame of a body is that of the user's body with the joints; those behind it are fixed to it.
  std::vector<std::vector<const Frame*>> frames(m.bodies.size()), sites(m.bodies.size());
  for (const Frame& frame : m.frames) {
    if (frame.body >= 0) {
      (frame.is_site ? sites : frames)[frame.body].push_back(&frame);
    } else {
      (frame.is_site ? world.sites : world.fixed).push_back({frame.name, frame.pose});
    }
  }
  const std::vector<OutlineJoint> joints = elementary_joints(m);
  for (int first = 0; first < m.num_bodies();) {
    int last = first;
    while (frames[last].empty()) ++last;  // inner bodies of a chain: the next one hangs on them
    OutlineBody body;
    const Frame& own = *frames[last].front();
    const Pose to_own = own.pose.inverse();  // X_UB
    body.name = own.name;
    body.parent = m.bodies[first].parent < 0 ? -1 : of_body[m.bodies[first].parent];
    Pose x = body.parent < 0 ? Pose() : on_body[body.parent].inverse();
    for (int k = first; k <= last; ++k) x = x * pose_at(position, m.bodies[k]);
    body.pose = x * own.pose;
    Pose frame = to_own;  // of body k on U
    for (int k = last; k >= first; --k) {
      body.joints.insert(body.joints.begin(), joints[k]);
      body.joints.front().frame = frame;
      frame = frame * pose_at(position, m.bodies[k]).inverse();
    }
    body.mass = m.bodies[last].mass;
    body.com = to_own * m.bodies[last].com;
    body.inertia = to_own.rotation * m.bodies[last].inertia * to_own.rotation.transpose();
    for (std::size_t k = 1; k < frames[last].size(); ++k) {
      body.fixed.push_back({frames[last][k]->name, to_own * frames[last][k]->pose});
    }
    for (const Frame* site : sites[last]) body.sites.push_back({site->name, to_own * site->pose});
    const int index = static_cast<int>(bodies.size());
    (body.parent < 0 ? world : bodies[body.parent]).children.push_back(index);
    for (int k = first; k <= last; ++k) of_body[k] = index;
    on_body.push_back(own.pose);
    bodies.push_back(std::move(body));
    first = last + 1;
  }
  for (std::size_t s = 0; s < m.shapes.size(); ++s) {
    (m.shapes[s].body < 0 ? world : bodies[of_body[m.shapes[s].body]]).shapes.push_back(static_cast<int>(s));
  }
}

VectorX zero_position(const Model& model) {
  VectorX q = model.initial_position;
  for (const Body& body : model.bodies) {
    if (body.joint == JointType::revolute || body.joint == JointType::prismatic) q[body.first_position] = 0.0;
  }
  return q;
}

std::string ModelOutline::joint_of(int dof) const {
  const int body = model.dofs[dof].body;
  for (const OutlineJoint& joint : bodies[of_body[body]].joints) {
    if (joint.body == body) return joint.name;
  }
  return "";
}

}  // namespace stiction
