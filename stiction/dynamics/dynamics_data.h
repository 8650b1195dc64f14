// Everything that the dynamics of a model compute from q and v, and the constants of the model in the layout of the
// kernels. All memory is taken by the constructor.
//
// Frames. Spatial quantities are in world axes about one reference point per tree: the origin of a free root, else the
// origin of the root's joint frame. They are seen from the inertial frame that moves with the velocity of that point: a
// bias force then does not depend on how fast the whole tree flies, not even in the last bit, and the bias acceleration
// of a free joint (−ω × ṗ for a resting observer) is zero.
//
// Letters: S motion columns (J = S about the reference), I inertias, M = Lᵀ D L the factored inertia matrix.
#pragma once

#include <vector>

#include "stiction/math/aligned_vector.h"
#include "stiction/math/spatial_inertia.h"
#include "stiction/model/model.h"

namespace stiction {

// What never changes about one body. Plain numbers: a factor in memory fills a pack at no cost.
struct BodyConstants {
  std::array<double, 9> rotation;  // R_PJ by columns
  std::array<double, 3> position;  // p_PJ, m
  std::array<double, 3> com;       // body axes, m
  std::array<double, 6> moment;    // xx, xy, xz, yy, yz, zz about the centre of mass, body axes, kg·m²
  double mass;                     // kg
  int parent;                      // −1: the world
  int tree;
  int first_position, first_velocity;
  int angle;  // revolute: number among the revolute joints; else −1
  JointType joint;
  bool is_massless;  // between two of several joints: no inertia, no force
};

// Where a body stands among its siblings; sums over subtrees run from the last body to the first.
enum class ChildKind : std::uint8_t {
  of_world,
  first,   // the parent is the body before: sums pass on in registers
  middle,  // adds to what the parent has received
  last,    // the first to give something to its parent
};

// Consecutive trees of one kind: single free bodies, whose inertia matrix is constant, or any others.
struct TreeRun {
  bool single_free_bodies = false;
  int first_body = 0, end_body = 0;
  int first_velocity = 0, end_velocity = 0;
};

template <class T>
struct BodyState {
  Rotation<T> rotation;       // R_WB
  Vec3<T> position;           // of the body's origin from the tree's reference, m
  SpatialVector<T> velocity;  // relative to the reference's velocity
};

template <class T>
struct DynamicsDataT {
  explicit DynamicsDataT(const Model& model);

  // ---- Constants, filled by the constructor.
  Vec3<double> gravity;                    // m/s²
  AlignedVector<BodyConstants> constants;  // per body
  std::vector<TreeRun> runs;               // in the order of bodies
  std::vector<int> parent;                 // per body
  std::vector<ChildKind> child_kind;       // per body, towards its parent
  std::vector<char> has_several_children;  // per body
  std::vector<int> tree_of;                // per body
  std::vector<int> first_velocity;         // per body, and the end
  std::vector<int> depth;                  // per velocity: number of ancestors
  std::vector<int> row_begin;              // per velocity, and the end: Model::row_begin
  std::vector<int> ancestor_row;           // per packed entry: row_begin of Model::row_ancestor
  std::vector<double> armature;            // per velocity
  std::vector<int> revolute_position;      // per revolute joint: its index in q
  std::vector<int> kinematic_velocities;   // those that no force changes, ascending: their part of M⁻¹ is zero
  int longest_chain = 0;                   // most velocities that the chain of a body has

  // ---- update_kinematics
  AlignedVector<Vec3<T>> reference;           // per tree: reference point, world, m
  AlignedVector<Vec3<T>> reference_velocity;  // per tree: velocity of a free root's origin, else zero, m/s
  AlignedVector<BodyState<T>> bodies;         // per body
  AlignedVector<SpatialVector<T>> motion;     // per velocity: S
  // Not filled for single free bodies, which need none of them:
  AlignedVector<SpatialVector<T>> acceleration;  // per body: at zero joint acceleration, minus gravity
  AlignedVector<SpatialInertia<T>> inertia;      // per body
  AlignedVector<SpatialVector<T>> force;         // per body: I a + v ×* I v, what that acceleration asks for
  AlignedVector<T> angle, sine, cosine;          // per revolute joint, padded
  Vec3<T> vis_viva;                              // Σ m ċ² + ω·J ω over bodies, by axes, J

  // ---- update_inertia (of single free bodies: bias by update_kinematics, M by the constructor)
  AlignedVector<T> bias;                          // per velocity: C(q, v) v − gravity, N or N·m
  AlignedVector<T> mass_matrix;                   // M in the packed rows of Model, armature included, padding zero
  AlignedVector<SpatialInertia<T>> composite;     // per body: of its subtree. Not for single free bodies.
  AlignedVector<SpatialVector<T>> subtree_force;  // per body: of its subtree. Not for single free bodies.

  // ---- factor_inertia: M + diag(added) = Lᵀ D L
  AlignedVector<T> factor;              // L without its unit diagonal, packed as M; zero there and in the padding
  AlignedVector<T> inverse_pivot;       // per velocity: 1/D
  AlignedVector<T> inverse_root_pivot;  // per velocity: D^(−1/2), padded
  std::vector<char> factor_has_added;   // per run of single free bodies: whether their factor contains a diagonal

  // ---- Scratch of update_inertia (motion columns by depth, four to a block, one pack per component), of
  // inverse_dynamics and of bias_of_tree.
  AlignedVector<Pack4> column_stack;
  AlignedVector<SpatialVector<T>> scratch_force, scratch_motion;
};

using DynamicsData = DynamicsDataT<double>;

}  // namespace stiction
