// Equalities and keyframes.
#include <algorithm>

#include "stiction/io/mjcf/mujoco/mjcf_reader.h"

namespace stiction {
// Coefficients of y = y₀ + Σ c_k (x − x₀)ᵏ in powers of x.
std::array<double, 5> expand_polynomial(const mjtNum* c, double x0, double y0) {
  std::array<double, 5> out{};
  for (int k = 4; k >= 0; --k) {  // Horner: out ← out (x − x₀) + c_k
    for (int i = 4; i > 0; --i) out[i] = out[i - 1] - x0 * out[i];
    out[0] = -x0 * out[0] + c[k];
  }
  out[0] += y0;
  return out;
}

void MjcfReader::read_equalities() {
  for (int equality = 0; equality < m_.neq; ++equality) {
    const std::string label = label_of(mjOBJ_EQUALITY, equality);
    const int type = m_.eq_type[equality];
    if (without_constraint(mjDSBL_EQUALITY)) {
      ignored_.add("equality", label, "the options of the file switch equalities off");
    } else if (!m_.eq_active0[equality]) {
      ignored_.add("equality", label, "not active when the simulation starts");
    } else if (type == mjEQ_CONNECT || type == mjEQ_WELD) {
      read_connect(equality);
    } else if (type == mjEQ_JOINT) {
      read_joint_equality(equality);
    } else if (type == mjEQ_TENDON && !couples_known_tendons(equality)) {
      ignored_.add("equality", label, "couples a tendon that moves nothing");
    } else if (type == mjEQ_TENDON) {
      read_tendon_equality(equality);
    } else {
      ignored_.add("equality", label, "couples flexible bodies");
    }
  }
}

// Where both name sites, their frames coincide. Where both name bodies, connect holds the anchor in body 1 and then in
// body 2; weld the anchor in body 2, then the same point and the orientation of body 2 in body 1.
void MjcfReader::read_connect(int equality) {
  const bool weld = m_.eq_type[equality] == mjEQ_WELD, of_sites = m_.eq_objtype[equality] == mjOBJ_SITE;
  const int object[2] = {m_.eq_obj1id[equality], m_.eq_obj2id[equality]};
  const mjtNum* data = m_.eq_data + mjNEQDATA * equality;
  int body[2];
  Pose frame[2];
  for (int k = 0; k < 2; ++k) {
    body[k] = of_sites ? m_.site_bodyid[object[k]] : object[k];
    if (of_sites) {
      frame[k] = pose(m_.site_pos + 3 * object[k], m_.site_quat + 4 * object[k]);
    } else {
      frame[k] = Pose(vector3(data + 3 * (weld ? 1 - k : k)));
    }
  }
  if (weld && !of_sites) frame[0].rotation = quaternion(data + 6).normalized().toRotationMatrix();
  if (carrier_of(body[0]) == carrier_of(body[1])) {
    ignored_.add("equality", label_of(mjOBJ_EQUALITY, equality), "joins what is rigidly joined already");
    return;
  }
  LoopOptions options;
  options.name = prefixed(name_of(mjOBJ_EQUALITY, equality));
  options.kind = weld ? LoopKind::weld : LoopKind::point;
  options.body_a = builder_body(body[0]), options.body_b = builder_body(body[1]);
  options.pose_a = placed(body[0], frame[0]), options.pose_b = placed(body[1], frame[1]);
  builder_.add_loop(options);
}

void MjcfReader::read_joint_equality(int equality) {
  const int a = m_.eq_obj1id[equality], b = m_.eq_obj2id[equality];
  const mjtNum* data = m_.eq_data + mjNEQDATA * equality;
  const double y0 = m_.qpos0[m_.jnt_qposadr[a]], x0 = b >= 0 ? m_.qpos0[m_.jnt_qposadr[b]] : 0.0;
  LoopOptions options;
  options.name = prefixed(name_of(mjOBJ_EQUALITY, equality));
  options.kind = LoopKind::joint_equality;
  options.joint_a = joint_name(a);
  if (b >= 0) {
    options.joint_b = joint_name(b);
    options.coefficients = expand_polynomial(data, x0, y0);
  } else {
    options.coefficients = {data[0] + y0, 0.0, 0.0, 0.0, 0.0};
  }
  builder_.add_loop(options);
}

// qpos of a keyframe as ours: quaternions (x, y, z, w), free bodies moved with the file.
// Bodies in their order: MuJoCo keeps the places of those that motion capture moves apart from the joints.
VectorX MjcfReader::keyframe_position(int key) const {
  std::vector<double> q;
  const auto add_free = [&](const mjtNum* position, const mjtNum* rotation) {
    // A quaternion of any length is one; MuJoCo normalises it when it is used.
    const Quaternion turned = Quaternion(options_.pose.rotation) * quaternion(rotation).normalized();
    const Vector3 place = options_.pose * vector3(position);
    q.insert(q.end(), place.begin(), place.end());
    q.insert(q.end(), turned.coeffs().begin(), turned.coeffs().end());
  };
  for (int body = 1; body < m_.nbody; ++body) {
    if (is_kinematic_[body]) {
      const int place = m_.nmocap * key + m_.body_mocapid[body];
      add_free(m_.key_mpos + 3 * place, m_.key_mquat + 4 * place);
    }
    for (int joint = m_.body_jntadr[body]; joint < m_.body_jntadr[body] + m_.body_jntnum[body]; ++joint) {
      const mjtNum* given = m_.key_qpos + m_.nq * key + m_.jnt_qposadr[joint];
      if (m_.jnt_type[joint] == mjJNT_FREE) {
        add_free(given, given + 3);
      } else if (m_.jnt_type[joint] == mjJNT_BALL) {
        const Quaternion turned = quaternion(given);
        q.insert(q.end(), turned.coeffs().begin(), turned.coeffs().end());
      } else {
        q.push_back(*given);
      }
    }
  }
  return ConstVectorMap(q.data(), static_cast<Eigen::Index>(q.size()));
}

VectorX MjcfReader::keyframe_velocity(int key) const {
  std::vector<double> v;
  for (int body = 1; body < m_.nbody; ++body) {
    if (is_kinematic_[body]) v.insert(v.end(), 6, 0.0);
    for (int joint = m_.body_jntadr[body]; joint < m_.body_jntadr[body] + m_.body_jntnum[body]; ++joint) {
      static constexpr int counts[] = {6, 3, 1, 1};
      const mjtNum* given = m_.key_qvel + m_.nv * key + m_.jnt_dofadr[joint];
      const std::size_t first = v.size();
      v.insert(v.end(), given, given + counts[m_.jnt_type[joint]]);
      if (m_.jnt_type[joint] == mjJNT_FREE) {  // its linear velocity is in world axes
        Eigen::Map<Vector3>{v.data() + first} = options_.pose.rotation * vector3(given);
      }
    }
  }
  return ConstVectorMap(v.data(), static_cast<Eigen::Index>(v.size()));
}

void MjcfReader::read_keyframes() {
  const bool same_joints = options_.base == BaseKind::as_in_file;
  for (int key = 0; key < m_.nkey; ++key) {
    if (!same_joints) {
      ignored_.add("key", label_of(mjOBJ_KEY, key), "its positions are those of the bases as in the file");
      continue;
    }
    Keyframe keyframe;
    keyframe.name = prefixed(name_of(mjOBJ_KEY, key));
    keyframe.time = m_.key_time[key];
    keyframe.q = keyframe_position(key);
    keyframe.v = keyframe_velocity(key);
    keyframe.control.resize(static_cast<Eigen::Index>(control_of_.size()));
    for (std::size_t k = 0; k < control_of_.size(); ++k) {
      keyframe.control[static_cast<Eigen::Index>(k)] = m_.key_ctrl[m_.nu * key + control_of_[k]];
    }
    keyframe.activation.resize(static_cast<Eigen::Index>(activation_of_.size()));
    for (std::size_t k = 0; k < activation_of_.size(); ++k) {
      keyframe.activation[static_cast<Eigen::Index>(k)] = m_.key_act[m_.na * key + activation_of_[k]];
    }
    KeyframeScope scope;
    if (m_.nbody > 1) scope.first_body = body_of_[1], scope.end_body = body_of_[m_.nbody - 1] + 1;
    scope.first_actuator = first_actuator_;
    scope.end_actuator = first_actuator_ + static_cast<int>(control_of_.size());
    builder_.add_keyframe(keyframe, scope);
  }
}

}  // namespace stiction
