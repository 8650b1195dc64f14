#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "stiction/io/mesh/dae_geometry.h"
#include "stiction/io/mesh/mesh_file.h"
#include "tests/support/refused.h"

namespace stiction {
namespace {

// A wedge of volume 1/6 whose parts the tests replace.
struct Dae {
  std::string unit = "<unit meter='1'/>";
  std::string array = "<float_array id='pa' count='12'>0 0 0 1 0 0 0 1 0 0 0 1</float_array>";
  std::string accessor =
      "<accessor source='#pa' count='4' stride='3'><param name='X'/><param name='Y'/><param name='Z'/></accessor>";
  std::string inputs = "<input semantic='VERTEX' source='#v' offset='0'/>";
  std::string groups = "<triangles count='4'>INPUTS<p>0 2 1 0 1 3 1 2 3 0 3 2</p></triangles>";
  std::string library = "";
  std::string nodes = "<node name='part'><instance_geometry url='#g'/></node>";
  std::string scene = "<scene><instance_visual_scene url='#s'/></scene>";

  std::string text() const {
    std::string all =
        "<COLLADA><asset>" + unit + "</asset><library_geometries><geometry id='g'><mesh>\n<source id='p'>" + array +
        "<technique_common>" + accessor +
        "</technique_common></source><vertices id='v'><input semantic='POSITION' source='#p'/></vertices>\n" + groups +
        "</mesh></geometry></library_geometries>\n" + library + "<library_visual_scenes><visual_scene id='s'>\n" +
        nodes + "</visual_scene></library_visual_scenes>" + scene + "</COLLADA>";
    for (std::size_t at; (at = all.find("INPUTS")) != std::string::npos;) all.replace(at, 6, inputs);
    return all;
  }
  MeshData read() const { return parse_dae(text(), "a.dae"); }
};

TEST(MeshDae, PrimitivesOfAllKinds) {
  const std::string cases[] = {
      "<triangles count='4'>INPUTS<p>0 2 1 0 1 3 1 2 3 0 3 2</p></triangles>",
      "<triangles>INPUTS<p> 0 2 1\n0 1 3\t1 2 3 0 3 2 </p></triangles>",
      "<polylist count='4'>INPUTS<vcount>3 3 3 3</vcount><p>0 2 1 0 1 3 1 2 3 0 3 2</p></polylist>",
      "<polygons count='4'>INPUTS<p>0 2 1</p><p>0 1 3</p><p>1 2 3</p><p>0 3 2</p></polygons>",
      "<trifans count='2'>INPUTS<p>0 2 1 3 2</p><p>1 2 3</p></trifans>",
      "<tristrips count='2'>INPUTS<p>2 1 0 3</p><p>1 2 3 0</p></tristrips>",
      "<lines count='1'>INPUTS<p>0 1</p></lines><triangles count='1'>INPUTS<p>0 2 1</p></triangles>"
      "<polylist count='3'>INPUTS<vcount>3 3 3</vcount><p>0 1 3 1 2 3 0 3 2</p></polylist>",
      "<triangles count='0'>INPUTS</triangles><triangles count='4'>INPUTS<p>0 2 1 0 1 3 1 2 3 0 3 2</p></triangles>",
  };
  for (const std::string& groups : cases) {
    Dae dae;
    dae.groups = groups;
    const MeshData mesh = dae.read();
    EXPECT_EQ(4u, mesh.triangles.size()) << groups;
    EXPECT_NEAR(1.0 / 6.0, mesh.volume(), 1e-15) << groups;
  }
}

TEST(MeshDae, SourcesWithStrideOffsetAndOtherInputs) {
  Dae dae;
  dae.array = "<float_array count='17'>9 9 0 0 0 7 0 0 1 7 0 1 0 7 1 0 0</float_array>";
  dae.accessor =
      "<accessor count='4' offset='2' stride='4'><param name='Z'/><param name='Y'/><param "
      "name='X'/><param/></accessor>";
  dae.inputs =
      "<input semantic='NORMAL' source='#none' offset='0'/><input semantic='VERTEX' source='#v' offset='1'/>"
      "<input semantic='TEXCOORD' source='#none' offset='2'/>";
  dae.groups =
      "<triangles count='4'>INPUTS<p>-1 0 5 -1 1 5 -1 2 5  0 0 0 0 3 0 0 1 0  0 1 0 0 3 0 0 2 0  0 0 0 0 2 0 0 3 "
      "0</p></triangles>";
  // The fourth X lies at 2 + 3·4 + 2 = 16, the last number.
  const MeshData mesh = dae.read();
  EXPECT_EQ(4u, mesh.vertices.size());
  EXPECT_EQ(Vector3(1, 0, 0), mesh.vertices[1]);
  EXPECT_EQ(Vector3(0, 0, 1), mesh.vertices[3]);
}

TEST(MeshDae, TransformsInTheirOrderInstancesAndNames) {
  Dae dae;
  dae.unit = "<unit meter='0.01'/>";
  dae.library =
      "<library_nodes><node id='both'><instance_geometry url='#g'/><node name='inner'><scale>2 2 2</scale>"
      "<instance_geometry url='#g'/></node></node></library_nodes>";
  dae.nodes =
      "<node name='outer'><translate>100 0 0</translate><rotate>0 0 2 90</rotate><instance_node url='#both'/>"
      "<node><matrix>1 0 0 0 0 1 0 0 0 0 1 300 0 0 0 1</matrix><instance_node url='#both'/></node></node>";
  const MeshData mesh = dae.read();
  ASSERT_EQ(4u, mesh.parts.size());
  EXPECT_EQ("both", mesh.parts[0].name);
  EXPECT_EQ("inner", mesh.parts[1].name);
  // Nodes come before instances. Of the second, x̂ scaled by 2, shifted up by 3 m, turned about z, shifted by 1 m.
  const Vector3 tip = mesh.vertices[4 * 1 + 2];  // triangle 0 2 1: the third used is corner 1
  EXPECT_NEAR(1.0, tip.x(), 1e-12);
  EXPECT_NEAR(0.02, tip.y(), 1e-12);
  EXPECT_NEAR(3.0, tip.z(), 1e-12);
  EXPECT_NEAR(18e-6 / 6.0, mesh.volume(), 1e-15);
  dae.library = "<library_controllers><controller id='c'><skin source='#g'/></controller></library_controllers>";
  dae.nodes = "<node><lookat>0 0 0 0 0 -1 0 1 0</lookat><instance_controller url='#c'/></node>";  // looks as a camera
                                                                                                  // does: identity
  EXPECT_NEAR(1e-6 / 6.0, dae.read().volume(), 1e-18);
  EXPECT_NEAR(0.0, (dae.read().vertices[2] - Vector3(0.01, 0, 0)).norm(), 1e-15);
}

double area_of(const std::vector<Vector3>& corners, const std::vector<std::array<int, 3>>& triangles) {
  double area = 0.0;
  for (const auto& t : triangles) {
    area += 0.5 * (corners[t[1]] - corners[t[0]]).cross(corners[t[2]] - corners[t[0]]).norm();
  }
  return area;
}

TEST(MeshDae, ConcavePolygonsAreCutInside) {
  // An L and a star: fans of their first corner would lie outside.
  const std::vector<Vector3> ell = {{2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}, {0, 0, 0}, {2, 0, 0}};
  std::vector<Vector3> star;
  for (int k = 0; k < 10; ++k) {
    const double angle = std::numbers::pi * k / 5.0, r = k % 2 ? 0.4 : 1.0;
    star.emplace_back(0.0, r * std::cos(angle), r * std::sin(angle));
  }
  const double star_area = 10 * 0.5 * 0.4 * 1.0 * std::sin(std::numbers::pi / 5.0);
  const std::pair<std::vector<Vector3>, double> cases[] = {{ell, 3.0}, {star, star_area}};
  for (auto [corners, area] : cases) {
    for (int turned = 0; turned < 2; ++turned) {
      for (std::size_t first = 0; first < corners.size(); ++first) {
        std::vector<std::array<int, 3>> triangles;
        triangulate(corners, triangles);
        EXPECT_EQ(corners.size() - 2, triangles.size());
        EXPECT_NEAR(area, area_of(corners, triangles), 1e-12) << first;
        std::rotate(corners.begin(), corners.begin() + 1, corners.end());
      }
      std::reverse(corners.begin(), corners.end());
    }
  }
  // Degenerate ones end, and give no corner that is not there.
  std::vector<std::array<int, 3>> triangles;
  triangulate({}, triangles);
  triangulate({{0, 0, 0}, {1, 0, 0}}, triangles);
  EXPECT_TRUE(triangles.empty());
  triangulate(std::vector<Vector3>(9, Vector3::Ones()), triangles);
  triangulate({{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}, {2, 2, 0}}, triangles);  // crosses itself
  for (const auto& t : triangles) EXPECT_TRUE(t[0] >= 0 && t[0] < 9 && t[1] < 9 && t[2] < 9);
}

TEST(MeshDae, WhatIsDeclaredMustBeThere) {
  const auto with = [](std::string Dae::* part, const std::string& text) {
    Dae dae;
    dae.*part = text;
    return dae.text();
  };
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_REFUSED(parse_dae(text, "a.dae"), part);
    EXPECT_REFUSED(parse_dae(text, "a.dae"), "a.dae:");
  };
  // Numbers.
  expect(with(&Dae::array, "<float_array count='13'>0 0 0 1 0 0 0 1 0 0 0 1</float_array>"),
         "<float_array count=\"13\">: there are 12 numbers");
  expect(with(&Dae::array, "<float_array count='4000000000'>0</float_array>"), "a whole number is wanted");
  expect(with(&Dae::array, "<float_array count='-1'>0</float_array>"), "must not be negative");
  expect(with(&Dae::array, "<float_array count='12'>0 0 0 nan 0 0 0 1 0 0 0 1</float_array>"), "finite numbers");
  expect(with(&Dae::array, "<float_array count='12'>0 0 0 1e999 0 0 0 1 0 0 0 1</float_array>"), "finite numbers");
  expect(with(&Dae::array, "<float_array count='12'>0 0 0 x 0 0 0 1 0 0 0 1</float_array>"), "x is not a number");
  expect(with(&Dae::accessor, "<accessor count='5' stride='3'/>"), "the array ends before: it has 12 numbers");
  expect(with(&Dae::accessor, "<accessor count='1000000000' stride='1000000000' offset='1000000000'/>"), "ends before");
  expect(with(&Dae::accessor, "<accessor count='4'/>"), "a stride of 1 has no room");
  expect(with(&Dae::accessor, ""), "it is missing");
  // Indices.
  const auto list = [](const std::string& p) { return "<triangles count='1'>INPUTS<p>" + p + "</p></triangles>"; };
  expect(with(&Dae::groups, list("0 1 4")), "<p>: entry 2 names vertex 4; there are 4");
  expect(with(&Dae::groups, list("0 1 -1")), "entry 2 names vertex -1");
  expect(with(&Dae::groups, list("0 0.5 1")), "entry 1, 0.5, is not a whole number");
  expect(with(&Dae::groups, list("0 1e0 1")), "entry 1, 1e0, is not a whole number");
  expect(with(&Dae::groups, list("0 99999999999 1")), "entry 1, 99999999999, is not a whole number");
  expect(with(&Dae::groups, list("0 1 2 3")), "4 corners make no triangles");
  expect(with(&Dae::groups, list("0 1 2 0 1 3")), "<triangles count=\"1\">: there are 2");
  expect(with(&Dae::groups, "<triangles count='1'>INPUTS</triangles>"), "<triangles count=\"1\">: there are 0");
  expect(with(&Dae::groups, "<polylist count='1'>INPUTS<p>0 1 2</p></polylist>"), "<vcount>: it is missing");
  expect(with(&Dae::groups, "<polylist count='1'>INPUTS<vcount>4</vcount><p>0 1 2</p></polylist>"),
         "polygon 0 has 4 corners; <p> has 3 left");
  expect(with(&Dae::groups, "<polylist count='1'>INPUTS<vcount>-3</vcount><p>0 1 2</p></polylist>"), "has -3 corners");
  expect(with(&Dae::groups, "<polylist count='1'>INPUTS<vcount>3</vcount><p>0 1 2 3</p></polylist>"), "3 are taken");
  expect(with(&Dae::groups, "<polylist count='2'>INPUTS<vcount>3</vcount><p>0 1 2</p></polylist>"), "there are 1");
  expect(with(&Dae::groups, "<polygons>INPUTS<ph><p>0 1 2</p><h>0 1 2</h></ph></polygons>"), "holes");
  expect(with(&Dae::inputs, ""), "no <input> has the semantic VERTEX");
  expect(with(&Dae::inputs, "<input semantic='VERTEX' source='#v' offset='2000000000'/>"), "a whole number is wanted");
  expect(with(&Dae::inputs, "<input semantic='VERTEX' source='#v' offset='64'/>"), "must be 0 … 63");
  expect(with(&Dae::inputs, "<input semantic='VERTEX' source='#w' offset='0'/>"), "no <vertices> with this id");
  expect(with(&Dae::inputs, "<input semantic='VERTEX' source='#v' offset='0'/><input semantic='N' offset='4'/>"),
         "no multiple of 5");
  // The scene.
  expect(with(&Dae::unit, "<unit meter='0'/>"), "must be positive");
  expect(with(&Dae::scene, ""), "<scene>: it is missing");
  expect(with(&Dae::scene, "<scene><instance_visual_scene url='#t'/></scene>"), "no <visual_scene> with this id");
  expect(with(&Dae::scene, "<scene><instance_visual_scene url='b.dae#s'/></scene>"), "leads out of the file");
  expect(with(&Dae::nodes, "<node><instance_geometry url='#h'/></node>"), "<instance_geometry url=\"#h\">");
  expect(with(&Dae::nodes, "<node><matrix>1 2 3</matrix></node>"), "16 numbers are wanted");
  expect(with(&Dae::nodes, "<node><matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 1 1</matrix></node>"), "last row");
  expect(with(&Dae::nodes, "<node><rotate>0 0 0 90</rotate></node>"), "axis");
  expect(with(&Dae::nodes, "<node><skew>45 0 1 0 1 0 0</skew></node>"), "not read");
  expect(
      with(&Dae::nodes, "<node><scale>1e200 1 1</scale><scale>1e200 1 1</scale><instance_geometry url='#g'/></node>"),
      "to infinity");
}

TEST(MeshDae, NodesThatContainThemselvesAndMultiply) {
  Dae dae;
  dae.nodes = "<node id='a'><instance_node url='#b'/></node><node id='b'><instance_node url='#a'/></node>";
  EXPECT_REFUSED(dae.read(), "does one contain itself?");
  // Each doubles the one before: 2^40 nodes of 4 kB.
  dae.nodes = "<node id='n0'><instance_geometry url='#g'/></node>";
  for (int k = 0; k < 40; ++k) {
    const std::string before = "<instance_node url='#n" + std::to_string(k) + "'/>";
    dae.nodes += "<node id='n" + std::to_string(k + 1) + "'>" + before + before + "</node>";
  }
  EXPECT_REFUSED(dae.read(), "more than 100000 nodes");
  std::string deep = "<node>";
  for (int k = 0; k < 300; ++k) deep = "<node>" + deep;
  for (int k = 0; k < 301; ++k) deep += "</node>";
  dae.nodes = deep;
  EXPECT_REFUSED(dae.read(), "nested more than 200 deep");
  std::string many;
  for (int k = 0; k < 4'100'000; ++k) many += "<a/>";
  dae.nodes = many + many;
  EXPECT_REFUSED(dae.read(), "tags");
}

}  // namespace
}  // namespace stiction
