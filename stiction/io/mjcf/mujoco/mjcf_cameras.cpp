// Cameras of the file, which pictures are taken from.
#include <numbers>

#include "stiction/io/mjcf/mujoco/mjcf_reader.h"

namespace stiction {

void MjcfReader::read_cameras() {
  static constexpr CameraMode modes[] = {CameraMode::fixed, CameraMode::track, CameraMode::track_com,
                                         CameraMode::target, CameraMode::target_com};
  for (int k = 0; k < m_.ncam; ++k) {
    const int body = m_.cam_bodyid[k];
    MountedCamera camera;
    camera.name = prefixed(name_of(mjOBJ_CAMERA, k));
    camera.frame = builder_body(body);
    camera.pose = placed(body, pose(m_.cam_pos + 3 * k, m_.cam_quat + 4 * k));
    camera.mode = modes[m_.cam_mode[k]];
    const bool turns = camera.mode == CameraMode::target || camera.mode == CameraMode::target_com;
    if (turns) camera.target = m_.cam_targetbodyid[k] > 0 ? builder_body(m_.cam_targetbodyid[k]) : -1;
    const double degrees = m_.cam_fovy[k];
    const std::string label = label_of(mjOBJ_CAMERA, k);
    if (m_.cam_projection[k] != mjPROJ_PERSPECTIVE) {
      ignored_.add("camera", label, "parallel projection: pictures are in perspective");
    } else if (degrees > 0.0 && degrees < 180.0) {
      camera.field_of_view = degrees * std::numbers::pi / 180.0;
    } else {
      ignored_.add("camera", label, "fovy outside of 0 ... 180 degrees: 45 are taken");
    }
    if (m_.cam_intrinsic[4 * k + 2] != 0.0F || m_.cam_intrinsic[4 * k + 3] != 0.0F) {
      ignored_.add("camera", label, "principal point: the line of sight is in the middle of pictures");
    }
    builder_.add_camera(camera);
  }
}

}  // namespace stiction
