#include "stiction/io/mesh/mesh_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "stiction/model/geometry/convex_hull.h"
#include "stiction/model/geometry/triangle_mesh.h"
#include "tests/support/refused.h"

namespace stiction {
namespace {

const Vector3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};

std::string binary_stl(const std::string& header = "wedge", std::uint32_t declared = 4) {
  std::string bytes = header;
  bytes.resize(80, ' ');
  bytes.append(reinterpret_cast<const char*>(&declared), 4);
  for (const auto& face : faces) {
    float numbers[12] = {};
    for (int c = 0; c < 3; ++c) {
      for (int k = 0; k < 3; ++k) numbers[3 + 3 * c + k] = static_cast<float>(corners[face[c]][k]);
    }
    bytes.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
    bytes.append(2, '\0');
  }
  return bytes;
}

std::string text_stl() {
  std::string text = "solid wedge\n";
  for (const auto& face : faces) {
    text += " facet normal 0 0 0\r\n  outer loop\n";
    for (const int c : face) {
      text += "   vertex " + std::to_string(corners[c].x()) + " " + std::to_string(corners[c].y()) + " " +
              std::to_string(corners[c].z()) + "\n";
    }
    text += "  endloop\n endfacet\n";
  }
  return text + "endsolid wedge\n";
}

const char* const dae = R"(<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g" name="wedge"><mesh>
<source id="p"><float_array id="pa" count="12">0 0 0 100 0 0 0 100 0 0 0 100</float_array>
<technique_common><accessor source="#pa" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3 1 2 3 0 3 2</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n" name="part"><translate>0 0 200</translate>
<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>)";

void expect_wedge(const MeshData& mesh) {
  EXPECT_EQ(4u, mesh.vertices.size());  // corners at the same place are one
  EXPECT_EQ(4u, mesh.triangles.size());
  EXPECT_NEAR(1.0 / 6.0, mesh.volume(), 1e-7);
}

TEST(MeshFile, StlInBothForms) {
  expect_wedge(parse_stl(binary_stl(), "a.stl"));
  expect_wedge(parse_stl(binary_stl("solid but binary"), "a.stl"));
  expect_wedge(parse_stl(binary_stl() + "appended", "a.stl"));
  expect_wedge(parse_stl(text_stl(), "a.stl"));
}

TEST(MeshFile, BrokenStl) {
  EXPECT_REFUSED(parse_stl("", "a.stl"), "a.stl: has 0 bytes");
  EXPECT_REFUSED(parse_stl(binary_stl("x", 5), "a.stl"), "declares 5 triangles, 334 bytes, but has only 284");
  EXPECT_REFUSED(parse_stl(binary_stl("x", 0xFFFFFFFF), "a.stl"), "declares 4294967295 triangles");
  EXPECT_REFUSED(parse_stl(std::string(84, '\0'), "a.stl"), "no triangle");
  EXPECT_REFUSED(parse_stl("solid\nvertex 0 0\n", "a.stl"), "a.stl:2: \"\" is no finite number");
  EXPECT_REFUSED(parse_stl("solid\nvertex 0 0 nan\n", "a.stl"), "\"nan\" is no finite number");
  EXPECT_REFUSED(parse_stl("solid\nvertex 0 0 0\nendloop\n", "a.stl"), "a.stl:3: the facet has 1 corners");
  EXPECT_REFUSED(parse_stl("solid\nvertex 0 0 0\n", "a.stl"), "ends within");
  EXPECT_REFUSED(parse_stl("solid\nhello\n", "a.stl"), "\"hello\" is no word");
  std::string infinite = binary_stl();
  const float huge = INFINITY;
  std::memcpy(infinite.data() + 84 + 12, &huge, 4);
  EXPECT_REFUSED(parse_stl(infinite, "a.stl"), "must be finite");
}

TEST(MeshFile, ObjWithPolygonsPartsAndNegativeNumbers) {
  const MeshData mesh = parse_obj(
      "# a cube and a wedge\nmtllib x.mtl\no cube\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1 \nv 1 0 1\nv 1 1 1\nv 0 "
      "1 1\n"
      "vn 0 0 1\nvt 0 0\ns off\nusemtl m\nf 4//1 3//1 2//1 1//1\nf 5/1 6/1 7/1 8/1\nf 1/1/1 2/1/1 6/1/1 5/1/1\nf 2 3 "
      "\\\n 7 6\n"
      "f 3 4 8 7\nf 4 1 5 8\ng big wedge\r\nv 2 0 0\nv 3 0 0\nv 2 1 0\nv 2 0 1\nf -4 -2 -3\nf -4 -3 -1\nf -3 -2 -1\nf "
      "-4 -1 -2\n",
      "a.obj");
  EXPECT_EQ(12u + 4u, mesh.triangles.size());
  EXPECT_NEAR(1.0 + 1.0 / 6.0, mesh.volume(), 1e-15);
  ASSERT_EQ(2u, mesh.parts.size());
  EXPECT_EQ("big wedge", mesh.parts[1].name);
  EXPECT_NEAR(1.0, mesh.part("cube").volume(), 1e-15);
  EXPECT_EQ(4u, mesh.part("big wedge").vertices.size());
  EXPECT_REFUSED(mesh.part("ball"), "there is 'cube', 'big wedge'");
}

TEST(MeshFile, BrokenObj) {
  EXPECT_REFUSED(parse_obj("", "a.obj"), "a.obj: there is no triangle");
  EXPECT_REFUSED(parse_obj("v 0 0\n", "a.obj"), "a.obj:1: ");
  EXPECT_REFUSED(parse_obj("v 0 0 0\nf 1 2 3\n", "a.obj"), "a.obj:2: a face names vertex 2; there are 1 so far");
  EXPECT_REFUSED(parse_obj("v 0 0 0\nf 0 1 1\n", "a.obj"), "vertex 0");
  EXPECT_REFUSED(parse_obj("v 0 0 0\nf 1 1 -2\n", "a.obj"), "vertex -2");
  EXPECT_REFUSED(parse_obj("v 0 0 0\nf 1 1 99999999999999999999\n", "a.obj"), "no corner");
  EXPECT_REFUSED(parse_obj("v 0 0 0\nf 1 1 0.5\n", "a.obj"), "a.obj:2: ");
  EXPECT_REFUSED(parse_obj("v 0 0 0\nf 1 1 1.0\n", "a.obj"), "1.0");
  EXPECT_REFUSED(parse_obj("v 0 0 0\nf 1 1 nan\n", "a.obj"), "nan");
  EXPECT_REFUSED(parse_obj("v 0 0 0\nf 1 1\n", "a.obj"), "a face of 2 corners");
  EXPECT_REFUSED(parse_obj("v 0 0 0\nf 1 1 \\", "a.obj"), "a face of 2 corners");
}

TEST(MeshFile, ColladaWithItsTransformsAndUnit) {
  const MeshData mesh = parse_dae(dae, "a.dae");
  EXPECT_NEAR(1.0 / 6.0, mesh.volume(), 1e-6);
  double top = 0.0, lowest = 1e9;
  for (const Vector3& v : mesh.vertices) top = std::max(top, v.z()), lowest = std::min(lowest, v.z());
  EXPECT_NEAR(3.0, top, 1e-6);  // the up direction is not applied: z stays z
  EXPECT_NEAR(2.0, lowest, 1e-6);
  ASSERT_EQ(1u, mesh.parts.size());
  EXPECT_EQ("part", mesh.parts[0].name);
  EXPECT_REFUSED(parse_dae("<COLLADA", "a.dae"), "a.dae:1: ");
  EXPECT_REFUSED(parse_dae("", "a.dae"), "a.dae: ");
}

TEST(MeshFile, FilesByTheirEnding) {
  const std::string folder = testing::TempDir() + "/stiction_mesh";
  std::filesystem::create_directories(folder);
  const auto write = [&](const std::string& name, const std::string& bytes) {
    std::ofstream(folder + "/" + name, std::ios::binary) << bytes;
    return folder + "/" + name;
  };
  expect_wedge(read_mesh(write("a.STL", binary_stl())));
  expect_wedge(read_mesh(write("a.dae", dae)));
  EXPECT_REFUSED(read_mesh(write("a.ply", "x")), "'.ply' is no known format");
  EXPECT_REFUSED(read_mesh(folder + "/none.stl"), "none.stl: there is no such file");
  EXPECT_REFUSED(
      read_mesh(write("empty.dae", "<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'/>")),
      "empty.dae:1: <COLLADA>: <scene>: it is missing");

  MeshCache cache;
  const std::string path = write("b.stl", binary_stl());
  const MeshCache::Hull& hull = cache.hull(path, Vector3(1, 1, -2));
  EXPECT_NEAR(2.0 / 6.0, hull.hull->volume(), 1e-7);
  EXPECT_NEAR(1.0, hull.filling, 1e-6);
  EXPECT_FALSE(hull.thinned);
  EXPECT_EQ(hull.hull.get(), cache.hull(path, Vector3(1, 1, -2)).hull.get());
  EXPECT_NE(hull.hull.get(), cache.hull(path, Vector3(1, 1, 1)).hull.get());
  // A mirrored surface keeps its outside outside.
  EXPECT_NEAR(2.0 / 6.0, cache.mesh(path)->scaled({1, 1, -2}).volume(), 1e-7);
  EXPECT_EQ(4, cache.terrain(path, Vector3(1, 1, -2))->num_triangles());
  std::filesystem::remove_all(folder);
}

TEST(MeshFile, HullsOfTooManyVerticesAreThinnedOut) {
  const std::string path = testing::TempDir() + "/stiction_sphere.obj";
  const int n = ConvexHull::max_vertices + 2000;
  {
    std::ofstream file(path);
    file.precision(17);
    for (int k = 0; k < n; ++k) {
      const double z = 1.0 - (2.0 * k + 1.0) / n, r = std::sqrt(1.0 - z * z), a = 2.4 * k;
      file << "v " << r * std::cos(a) << " " << r * std::sin(a) << " " << z << "\n";
    }
    for (int k = 1; k + 2 <= n; ++k) file << "f " << k << " " << k + 1 << " " << k + 2 << "\n";
  }
  MeshCache cache;
  const MeshCache::Hull& hull = cache.hull(path, Vector3::Ones());
  EXPECT_TRUE(hull.thinned);
  EXPECT_LE(hull.hull->num_vertices(), 2048);
  EXPECT_NEAR(4.0 / 3.0 * M_PI, hull.hull->volume(), 0.02);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace stiction
