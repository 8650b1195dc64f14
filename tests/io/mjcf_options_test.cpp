#ifdef STICTION_MUJOCO

// LoadOptions, and files that share a world.
#include "stiction/dynamics/dynamics_data.h"
#include "stiction/model/geometry/triangle_mesh.h"
#include "tests/io/mjcf_oracle.h"
#include "tests/support/refused.h"

namespace stiction {
namespace {

using namespace testing;

// A world of two files: prefixes, poses, keyframes of a part.
TEST(Mjcf, TwoFilesInOneWorld) {
  const auto path = std::filesystem::path(::testing::TempDir()) / ("part-" + std::to_string(getpid()) + ".xml");
  std::ofstream(path) << R"(<mujoco><worldbody><geom name="post" size="0.1" pos="1 0 0"/>
    <body name="b" pos="0 1 0"><freejoint name="b"/><geom name="b" size="0.1"/>
      <body name="c" pos="0 0 1"><joint name="c" type="hinge"/><geom size="0.1" pos="0.2 0 0"/></body></body></worldbody>
    <equality><weld name="e" body1="b"/></equality>
    <actuator><motor name="m" joint="c"/></actuator>
    <keyframe><key name="k" qpos="1 2 3 1 0 0 0 0.5" qvel="1 0 0 0 0 0 2" ctrl="0.7"/></keyframe></mujoco>)";
  ModelBuilder builder;
  std::vector<IgnoredElement> ignored;
  const Quaternion quarter(Eigen::AngleAxisd(0.5 * 3.14159265358979323846, Vector3::UnitZ()));
  append_mjcf(builder, path.string(), {.prefix = "l_"}, ignored);
  append_mjcf(builder, path.string(), {.pose = Pose(quarter, Vector3(10, 0, 0)), .prefix = "r_"}, ignored);
  const auto model = builder.build();
  std::filesystem::remove(path);
  EXPECT_EQ(14, model->num_velocities());
  EXPECT_NEAR((model->shapes[model->find_shape("r_post")].pose.position - Vector3(10, 1, 0)).norm(), 0.0, 1e-12);
  EXPECT_NEAR((model->initial_position.segment<3>(8) - Vector3(9, 0, 0)).norm(), 0.0, 1e-12);
  const Keyframe& key = model->keyframes[model->find_keyframe("r_k")];
  EXPECT_NEAR((key.q.segment<3>(8) - Vector3(8, 1, 3)).norm(), 0.0, 1e-12);
  EXPECT_NEAR((key.q.segment<4>(11) - quarter.coeffs()).norm(), 0.0, 1e-12);
  EXPECT_EQ(0.5, key.q[15]);
  EXPECT_NEAR((key.v.segment<3>(7) - Vector3(0, 1, 0)).norm(), 0.0, 1e-12);
  EXPECT_EQ(2.0, key.v[13]);
  EXPECT_EQ(VectorX(key.q.head<8>()), VectorX(model->initial_position.head<8>()));
  EXPECT_EQ(0.0, key.control[0]);
  EXPECT_EQ(0.7, key.control[1]);
  // The weld holds b where the file puts it, also where the file is turned and moved.
  const Loop& weld = model->loops[1];
  EXPECT_EQ("r_e", weld.name);
  DynamicsData data(*model);
  update_kinematics(*model, model->initial_position.data(), model->initial_velocity.data(), data);
  const auto placed = [&](int body, const Pose& x) { return body < 0 ? x : body_pose(data, body) * x; };
  const Pose a = placed(weld.body_a, weld.pose_a), b = placed(weld.body_b, weld.pose_b);
  EXPECT_NEAR((a.position - b.position).norm() + (a.rotation - b.rotation).norm(), 0.0, 1e-12);
  EXPECT_NEAR((a.position - Vector3(10, 0, 0)).norm(), 0.0, 1e-12);  // the anchor is the origin of the file
  for (const IgnoredElement& i : ignored) EXPECT_EQ(path.string(), i.file);
}

TEST(Mjcf, BasesAsAsked) {
  const char* const xml = R"(<mujoco><worldbody><body name="table"><geom size="0.1"/></body>
    <body name="arm"><geom size="0.1"/><body><joint name="j"/><geom size="0.1"/></body></body>
    <body name="free" pos="3 0 0"><freejoint name="f"/><geom size="0.1"/></body></worldbody>
    <keyframe><key name="k"/></keyframe></mujoco>)";
  EXPECT_EQ(7, load_mjcf_string(xml).model->num_velocities());
  const LoadedModel fixed = load_mjcf_string(xml, {.base = BaseKind::fixed});
  EXPECT_EQ(1, fixed.model->num_velocities());
  EXPECT_TRUE(tells(fixed, "key 'k'", "bases")) << all_of(fixed);
  const LoadedModel floating = load_mjcf_string(xml, {.base = BaseKind::floating});
  EXPECT_EQ(13, floating.model->num_velocities());
  EXPECT_EQ(-1, floating.model->frames[floating.model->find_frame("table")].body);
}

// MuJoCo's compiler opens nothing outside the folder of the model and package_roots: not by "..", not by absolute
// names, through a folder of meshes, an include, another model, a flexible body or a link.
TEST(Mjcf, SandboxHoldsForEverythingThatAModelNames) {
  namespace fs = std::filesystem;
  const fs::path base = fs::path(::testing::TempDir()) / ("sandbox-" + std::to_string(getpid()));
  const fs::path in = base / "in", out = base / "out";
  fs::create_directories(in / "meshes"), fs::create_directories(out);
  const auto write = [](const fs::path& path, const std::string& text) { std::ofstream(path) << text; };
  const std::string tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  const std::string part =
      "<mujoco><worldbody><body name='p'><geom name='part' size='0.1'/></body></worldbody></mujoco>";
  for (const fs::path& folder : {in, in / "meshes", out}) {
    write(folder / "tet.obj", tetrahedron), write(folder / "part.xml", part);
  }
  fs::create_directory_symlink(out, in / "link");
  const auto mesh = [](const std::string& file, const std::string& options) {
    return "<mujoco>" + options + "<asset><mesh name='m' file='" + file +
           "'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>";
  };
  const auto load = [&](const std::string& text, bool sandbox, std::vector<std::string> roots = {}) {
    write(in / "model.xml", text);
    return load_mjcf((in / "model.xml").string(), {.package_roots = std::move(roots), .sandbox = sandbox});
  };
  EXPECT_EQ(2u,
            load(mesh("tet.obj", "<compiler meshdir='meshes'/><include file='part.xml'/>"), true).model->shapes.size());
  EXPECT_EQ(1u, load(mesh("../in/tet.obj", ""), true).model->shapes.size());
  EXPECT_EQ(1u, load(mesh((in / "tet.obj").string(), ""), true).model->shapes.size());
  const std::string outside = out.string(),
                    flexible =
                        "<mujoco><worldbody><body name='b'><flexcomp name='f' type='mesh' "
                        "file='../out/tet.obj' dim='2' mass='1' radius='0.01'/></body></worldbody></mujoco>";
  for (const std::string& text :
       {mesh("../out/tet.obj", ""), mesh(outside + "/tet.obj", ""),
        mesh("tet.obj", "<compiler meshdir='" + outside + "'/>"), mesh("tet.obj", "<compiler meshdir='../out'/>"),
        mesh("link/tet.obj", ""), mesh("tet.obj", "<compiler meshdir='link'/>"),
        std::string("<mujoco><include file='../out/part.xml'/></mujoco>"),
        "<mujoco><include file='" + outside + "/part.xml'/></mujoco>",
        std::string(
            "<mujoco><asset><model name='x' file='../out/part.xml'/></asset><worldbody><attach model='x' body='p' "
            "prefix='q'/></worldbody></mujoco>"),
        flexible}) {
    EXPECT_NO_THROW(load(text, false)) << text;
    EXPECT_REFUSED(load(text, true), "outside the folder of the model file");
    EXPECT_NO_THROW(load(text, true, {outside})) << text;
  }
  EXPECT_REFUSED(load(mesh("none.obj", ""), true), "was not found");
  // A text stands in the working directory.
  EXPECT_REFUSED(load_mjcf_string(mesh(outside + "/tet.obj", ""), {.sandbox = true}), "outside the folder");
  EXPECT_EQ(1u, load_mjcf_string(mesh(outside + "/tet.obj", ""), {.package_roots = {outside}, .sandbox = true})
                    .model->shapes.size());
  EXPECT_NO_THROW(load_mjcf(humanoid, {.sandbox = true}));
  fs::remove_all(base);
}

TEST(Mjcf, MeshesOfTheWorldStaySurfacesWhereAsked) {
  const char* const xml = R"(<mujoco><asset><mesh name="m" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/></asset>
    <worldbody><geom name="ground" type="mesh" mesh="m" pos="5 0 0"/>
      <body><freejoint/><geom name="stone" type="mesh" mesh="m"/></body></worldbody></mujoco>)";
  const LoadedModel hulls = load_mjcf_string(xml);
  EXPECT_EQ(ShapeKind::convex_hull, hulls.model->shapes[0].kind());
  const LoadedModel loaded = load_mjcf_string(xml, {.meshes_as_terrain = true});
  const Shape& ground = loaded.model->shapes[loaded.model->find_shape("ground")];
  ASSERT_EQ(ShapeKind::triangle_mesh, ground.kind());
  const auto& mesh = *std::get<std::shared_ptr<const TriangleMesh>>(ground.geometry);
  EXPECT_EQ(4, mesh.num_triangles());
  double nearest = no_limit;  // MuJoCo moves the frames of meshes; the corner (1, 0, 0) is at (6, 0, 0) all the same
  for (const Vector3& v : mesh.vertices()) nearest = std::min(nearest, (ground.pose * v - Vector3(6, 0, 0)).norm());
  EXPECT_NEAR(nearest, 0.0, 1e-6);
  EXPECT_EQ(ShapeKind::convex_hull, loaded.model->shapes[loaded.model->find_shape("stone")].kind());
}

}  // namespace
}  // namespace stiction

#endif
