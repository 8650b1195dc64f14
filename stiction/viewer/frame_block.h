// Frames as the page takes them: where the bodies are and what the contacts carry, as columns (column_codec.h).
//
//     block = F, C (32-bit, little-endian)
//             contacts of each frame (integers, F)
//             7 + 6 columns of F × B rows: position, quaternion (x, y, z, w), velocity of the centre of mass, angular
//             velocity; world axes
//             which contact of the frame before is the same (integers, C): distance to the one after the last match
//             18 columns of C rows: ContactColumn below
//
// A block stands alone: no frame needs another block. A recording is cut into such blocks; a live view sends them one
// frame at a time.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "stiction/dynamics/dynamics_data.h"
#include "stiction/sim/simulator.h"
#include "stiction/viewer/column_codec.h"

namespace stiction::viewer {

inline constexpr int num_pose_columns = 7, num_body_columns = 13;
// In the page's order. Position and normal (from b to a) in world axes; force on body a, N, and relative velocity in
// the contact frame (t1, t2, n), as a recording has them: sliding and parting are told apart to the last digit. The
// frame is rotation_with_z(normal) turned by `angle` about the normal; as most frames are just that, the column is
// mostly zero.
enum class ContactColumn {
  shape_a,
  shape_b,
  regime,
  friction,
  gap,
  position_x,
  position_y,
  position_z,
  normal_x,
  normal_y,
  normal_z,
  angle,
  force_t1,
  force_t2,
  force_n,
  velocity_t1,
  velocity_t2,
  velocity_n,
  count,
};
inline constexpr int num_contact_columns = static_cast<int>(ContactColumn::count);

class FrameBlock {
 public:
  FrameBlock(const Model& model, double time_step);

  void add(VectorView q, VectorView v, std::span<const Contact> contacts);
  int num_frames() const { return static_cast<int>(contacts_of_.size()); }
  std::size_t num_values() const;  // numbers in all columns
  Bytes encode() const;
  void clear();

 private:
  void add_bodies(VectorView q, VectorView v);
  void add_contacts(std::span<const Contact> contacts);

  const Model& model_;
  const double time_step_;
  DynamicsData dynamics_;
  std::vector<Quaternion> last_rotation_;  // signs of quaternions follow the frame before
  std::array<std::vector<float>, num_body_columns> bodies_;
  std::array<std::vector<float>, num_contact_columns> contacts_;
  std::vector<std::int32_t> contacts_of_;                       // per frame
  std::vector<std::int32_t> before_;                            // per contact: its row one frame earlier, or −1
  std::vector<std::pair<ContactIdentity, std::int32_t>> last_;  // contacts of the last frame with their rows, sorted
};

}  // namespace stiction::viewer
