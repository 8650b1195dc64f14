#include "stiction/dynamics/inverse_kinematics.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "stiction/dynamics/dynamics_data.h"
#include "stiction/dynamics/mechanics.h"
#include "stiction/math/dense.h"
#include "stiction/math/refuse.h"

namespace stiction {
namespace {

constexpr double least_damping = 1e-12, most_damping = 1e8;
constexpr double stationary = 1e-10;  // of the gradient to the error: nothing comes nearer
constexpr double crawling = 1e-5;     // of the square of the error, gained in an iteration; so many in a row are an end
constexpr int most_crawls = 5;

class RandomNumbers {  // splitmix64
 public:
  explicit RandomNumbers(std::uint64_t seed) : state_(seed) {}
  double between(double low, double high) {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return low + (high - low) * (static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53);
  }

 private:
  std::uint64_t state_;
};

Vector3 rotation_vector(const Matrix3& r) {
  const Eigen::AngleAxisd turn(r);
  return turn.angle() * turn.axis();
}

struct Errors {
  VectorX weighted;
  double position = 0.0, orientation = 0.0;
};

class Search {
 public:
  Search(const Model& model, const std::vector<FrameTarget>& targets, const InverseKinematicsSettings& settings)
      : model_(model),
        targets_(targets),
        settings_(settings),
        data_(model),
        rest_(VectorX::Zero(model.num_velocities())) {
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
      if (moves(static_cast<int>(j))) add_joint(model.joints[j]);
    }
  }

  InverseKinematics run(VectorX q) {
    const VectorX first = put_into_limits(q);
    InverseKinematics best;
    double least = no_limit;
    bool ran_out = false;
    for (int start = 0; start <= settings_.max_restarts; ++start) {
      q = start == 0 ? first : random_position(first);
      const bool is_done = descend(q, best.iterations, ran_out);
      const Errors errors = errors_at(q);
      const double size = errors.weighted.squaredNorm();
      best.restarts = start;
      if (size < least) {
        least = size;
        best.q = q, best.position_error = errors.position, best.orientation_error = errors.orientation;
      }
      if (is_done) {
        best.status = InverseKinematicsStatus::reached;
        return best;
      }
      if (dofs_.empty()) break;
    }
    best.status = ran_out ? InverseKinematicsStatus::limit : InverseKinematicsStatus::out_of_reach;
    return best;
  }

 private:
  struct MovingDof {
    int dof, position;  // position −1: of a ball or free joint
    double lower, upper;
  };

  bool moves(int joint) const {
    if (!settings_.joints.empty()) {
      return std::find(settings_.joints.begin(), settings_.joints.end(), joint) != settings_.joints.end();
    }
    return model_.joints[static_cast<std::size_t>(joint)].kind != "free";
  }

  void add_joint(const Joint& joint) {
    for (int b = joint.first_body; b < joint.first_body + joint.num_bodies; ++b) {
      const Body& body = model_.bodies[static_cast<std::size_t>(b)];
      const bool scalar = num_velocities_of(body.joint) == 1;
      for (int k = 0; k < num_velocities_of(body.joint); ++k) {
        const Dof& dof = model_.dofs[static_cast<std::size_t>(body.first_velocity + k)];
        dofs_.push_back({body.first_velocity + k, scalar ? body.first_position : -1, dof.lower, dof.upper});
      }
      if (!scalar) turning_.push_back(b);
    }
  }

  VectorX put_into_limits(VectorX q) const {
    for (const MovingDof& m : dofs_) {
      if (m.position >= 0) q[m.position] = std::clamp(q[m.position], m.lower, m.upper);
    }
    return q;
  }

  VectorX random_position(const VectorX& first) {
    VectorX q = first;
    for (const MovingDof& m : dofs_) {
      if (m.position < 0) continue;
      const bool turns =
          model_.bodies[static_cast<std::size_t>(model_.dofs[static_cast<std::size_t>(m.dof)].body)].joint ==
          JointType::revolute;
      const double room = turns ? M_PI : 1.0;
      const double low = std::isfinite(m.lower) ? m.lower : std::min(first[m.position], m.upper) - room;
      const double high = std::isfinite(m.upper) ? m.upper : std::max(first[m.position], low) + room;
      q[m.position] = random_.between(low, high);
    }
    for (const int b : turning_) {
      const Body& body = model_.bodies[static_cast<std::size_t>(b)];
      const int at = body.first_position + (body.joint == JointType::free ? 3 : 0);
      Eigen::Vector4d turn;
      do {
        for (int k = 0; k < 4; ++k) turn[k] = random_.between(-1.0, 1.0);
      } while (turn.squaredNorm() > 1.0 || turn.squaredNorm() < 1e-3);
      q.segment<4>(at) = turn.normalized();
    }
    return q;
  }

  // Kinematics at q; the targets' errors there.
  Errors errors_at(const VectorX& q) {
    update_kinematics(model_, q.data(), rest_.data(), data_);
    Errors errors;
    errors.weighted.resize(6 * static_cast<Eigen::Index>(targets_.size()));
    for (std::size_t k = 0; k < targets_.size(); ++k) {
      const FrameTarget& target = targets_[k];
      const Pose pose = pose_of(target.frame);
      const Vector3 off = target.pose.position - pose.position;
      const Vector3 turned = rotation_vector(target.pose.rotation * pose.rotation.transpose());
      errors.weighted.segment<3>(6 * static_cast<Eigen::Index>(k)) = target.position_weight * off;
      errors.weighted.segment<3>(6 * static_cast<Eigen::Index>(k) + 3) = target.orientation_weight * turned;
      if (target.position_weight > 0.0) errors.position = std::max(errors.position, off.norm());
      if (target.orientation_weight > 0.0) errors.orientation = std::max(errors.orientation, turned.norm());
    }
    return errors;
  }

  Pose pose_of(int frame) const {
    const Frame& f = model_.frames[static_cast<std::size_t>(frame)];
    return f.body < 0 ? f.pose : body_pose(data_, f.body) * f.pose;
  }

  // Of the weighted errors by the moving velocities.
  MatrixX jacobian() const {
    MatrixX all(6 * static_cast<Eigen::Index>(targets_.size()), static_cast<Eigen::Index>(dofs_.size()));
    for (std::size_t k = 0; k < targets_.size(); ++k) {
      const int body = model_.frames[static_cast<std::size_t>(targets_[k].frame)].body;
      const MatrixX j = point_jacobian(model_, data_, body, pose_of(targets_[k].frame).position);
      for (std::size_t c = 0; c < dofs_.size(); ++c) {
        const auto column = static_cast<Eigen::Index>(c);
        const auto row = 6 * static_cast<Eigen::Index>(k);
        all.col(column).segment<3>(row) = targets_[k].position_weight * j.col(dofs_[c].dof).head<3>();
        all.col(column).segment<3>(row + 3) = targets_[k].orientation_weight * j.col(dofs_[c].dof).tail<3>();
      }
    }
    return all;
  }

  bool is_met(const Errors& errors) const {
    return errors.position <= settings_.position_tolerance && errors.orientation <= settings_.orientation_tolerance;
  }

  // True where the targets are met; else it ends where nothing comes nearer, or iterations ran out.
  bool descend(VectorX& q, int& iterations, bool& ran_out) {
    Errors errors = errors_at(q);
    double damping = 1e-3;
    int crawls = 0;
    for (int k = 0; k < settings_.max_iterations; ++k) {
      if (is_met(errors)) return true;
      if (dofs_.empty()) return false;
      ++iterations;
      const MatrixX j = jacobian();
      VectorX gradient = j.transpose() * errors.weighted;
      hold_at_limits(q, gradient);
      if (gradient.norm() <= stationary * errors.weighted.norm() * (1.0 + j.norm())) return false;
      const double before = errors.weighted.squaredNorm();
      if (!improve(j, gradient, damping, q, errors)) return false;
      crawls = errors.weighted.squaredNorm() > (1.0 - crawling) * before ? crawls + 1 : 0;
      if (crawls == most_crawls) return is_met(errors);
    }
    if (is_met(errors)) return true;
    ran_out = true;
    return false;
  }

  // Joints that a step would drive out of their limits take no part in it.
  void hold_at_limits(const VectorX& q, VectorX& gradient) {
    held_.assign(dofs_.size(), 0);
    for (std::size_t c = 0; c < dofs_.size(); ++c) {
      const MovingDof& m = dofs_[c];
      if (m.position < 0) continue;
      double& g = gradient[static_cast<Eigen::Index>(c)];
      if ((q[m.position] >= m.upper && g > 0.0) || (q[m.position] <= m.lower && g < 0.0)) g = 0.0, held_[c] = 1;
    }
  }

  // One step that lowers the error; false where none does.
  bool improve(const MatrixX& j, const VectorX& gradient, double& damping, VectorX& q, Errors& errors) {
    MatrixX normal = product_of_transposed(j, j);
    for (std::size_t c = 0; c < dofs_.size(); ++c) {
      if (!held_[c]) continue;
      normal.row(static_cast<Eigen::Index>(c)).setZero();
      normal.col(static_cast<Eigen::Index>(c)).setZero();
    }
    const double size = errors.weighted.squaredNorm();
    for (; damping <= most_damping; damping *= 4.0) {
      MatrixX damped = normal;
      damped.diagonal().array() += damping;
      const VectorX step = solve_symmetric(damped, gradient);
      const VectorX next = put_into_limits(moved(q, step));
      Errors there = errors_at(next);
      if (!(there.weighted.squaredNorm() < size * (1.0 - 1e-14))) continue;
      q = next;
      errors = std::move(there);
      damping = std::max(least_damping, damping / 8.0);
      return true;
    }
    return false;
  }

  VectorX moved(const VectorX& q, const VectorX& step) const {
    VectorX v = VectorX::Zero(model_.num_velocities()), next(q.size());
    const double longest = step.cwiseAbs().maxCoeff(), scale = longest > 1.0 ? 1.0 / longest : 1.0;
    for (std::size_t c = 0; c < dofs_.size(); ++c) v[dofs_[c].dof] = scale * step[static_cast<Eigen::Index>(c)];
    integrate(model_, q, v, 1.0, next);
    return next;
  }

  const Model& model_;
  const std::vector<FrameTarget>& targets_;
  const InverseKinematicsSettings& settings_;
  DynamicsData data_;
  VectorX rest_;
  RandomNumbers random_{settings_.seed};
  std::vector<MovingDof> dofs_;
  std::vector<int> turning_;  // bodies with a quaternion among the moving joints
  std::vector<char> held_;
};

void check_target(const Model& model, const FrameTarget& target, std::size_t index) {
  if (target.frame < 0 || target.frame >= static_cast<int>(model.frames.size())) {
    refuse("target ", index, ": frame ", target.frame, " does not exist; the model has ", model.frames.size());
  }
  const std::string& name = model.frames[static_cast<std::size_t>(target.frame)].name;
  const Matrix3& r = target.pose.rotation;
  const double error = (r.transpose() * r - Matrix3::Identity()).cwiseAbs().maxCoeff();
  if (!target.pose.position.allFinite() || !(error < 1e-6) || r.determinant() < 0.0) {
    refuse("target ", index, ", frame '", name, "': the position is (", target.pose.position.transpose(),
           ") and the rotation is off by ", error);
  }
  for (const double weight : {target.position_weight, target.orientation_weight}) {
    if (!(weight >= 0.0) || !std::isfinite(weight))
      refuse("target ", index, ", frame '", name, "': a weight is ", weight);
  }
}

}  // namespace

std::string_view to_string(InverseKinematicsStatus status) {
  constexpr std::string_view names[] = {"reached", "out_of_reach", "limit"};
  return names[static_cast<int>(status)];
}

void InverseKinematicsSettings::validate(const Model& model) const {
  const auto positive = [](const char* name, double value) {
    require(value > 0.0 && std::isfinite(value), name, value, "finite and positive");
  };
  positive("position_tolerance", position_tolerance);
  positive("orientation_tolerance", orientation_tolerance);
  require(max_iterations >= 1, "max_iterations", max_iterations, "at least 1");
  require(max_restarts >= 0, "max_restarts", max_restarts, "at least 0");
  for (const int joint : joints) {
    if (joint < 0 || joint >= static_cast<int>(model.joints.size())) {
      refuse("joints: ", joint, " does not exist; the model has ", model.joints.size());
    }
  }
}

InverseKinematics inverse_kinematics(const Model& model, VectorView q, const std::vector<FrameTarget>& targets,
                                     const InverseKinematicsSettings& settings) {
  settings.validate(model);
  if (q.size() != model.num_positions())
    refuse("q has ", q.size(), " entries but the model has ", model.num_positions());
  if (!q.allFinite()) refuse("q is not finite");
  if (targets.empty()) refuse("inverse kinematics: there is no target");
  for (std::size_t k = 0; k < targets.size(); ++k) check_target(model, targets[k], k);
  return Search(model, targets, settings).run(q);
}

}  // namespace stiction
