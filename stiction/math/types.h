// Scalars, vectors and matrices that every room shares.
#pragma once

#include <Eigen/Core>

namespace stiction {

using Vector2 = Eigen::Vector2d;
using Vector3 = Eigen::Vector3d;
using VectorX = Eigen::VectorXd;
using Matrix2 = Eigen::Matrix2d;
using Matrix3 = Eigen::Matrix3d;
using MatrixX = Eigen::MatrixXd;

// Views, so that callers may pass any contiguous storage (a NumPy array, a slice of a workspace).
using VectorView = Eigen::Ref<const VectorX>;
using VectorOut = Eigen::Ref<VectorX>;

}  // namespace stiction
