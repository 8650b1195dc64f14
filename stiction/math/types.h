// Scalars, vectors and matrices that every room shares.
#pragma once

#include <Eigen/Core>

#include "stiction/math/vector.h"

namespace stiction {

using Vector2 = Eigen::Vector2d;
using Vector3 = Eigen::Vector3d;
using Matrix2 = Eigen::Matrix2d;
using Matrix3 = Eigen::Matrix3d;
using MatrixX = Eigen::MatrixXd;

// Views, so that callers may pass any contiguous storage (a NumPy array, a slice of a workspace).
using VectorView = Eigen::Ref<const Eigen::VectorXd>;
using VectorOut = Eigen::Ref<Eigen::VectorXd>;
using VectorMap = Eigen::Map<Eigen::VectorXd>;
using ConstVectorMap = Eigen::Map<const Eigen::VectorXd>;

}  // namespace stiction
