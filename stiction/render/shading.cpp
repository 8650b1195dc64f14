#include "stiction/render/shading.h"

#include <algorithm>
#include <cmath>

namespace stiction::raster {
namespace {

float smooth_step(double low, double high, double x) {
  const double t = std::clamp((x - low) / (high - low), 0.0, 1.0);
  return static_cast<float>(t * t * (3.0 - 2.0 * t));
}

// A round length between grid lines that suits the size of the scene.
double grid_cell(double extent) {
  const double wanted = extent / 3.0, power = std::pow(10.0, std::floor(std::log10(wanted)));
  return power * (wanted < 2.0 * power ? 1.0 : wanted < 5.0 * power ? 2.0 : 5.0);
}

// How much of [x − w/2, x + w/2] lies on lines of width `line` about the whole numbers.
double line_cover(double x, double w, double line) {
  const auto sum = [line](double at) {
    const double whole = std::floor(at + 0.5), rest = at - whole;  // rest in [−½, ½)
    return line * whole + std::clamp(rest, -0.5 * line, 0.5 * line);
  };
  return (sum(x + 0.5 * w) - sum(x - 0.5 * w)) / w;
}

// The normal that a curved surface has at a point of its frame.
Vector3 normal_of(const Geometry& geometry, const Vector3& p) {
  if (const auto* capsule = std::get_if<Capsule>(&geometry)) {
    return {p.x(), p.y(), p.z() - std::clamp(p.z(), -capsule->half_length, capsule->half_length)};
  }
  if (std::holds_alternative<Cylinder>(geometry)) return {p.x(), p.y(), 0.0};
  if (const auto* ellipsoid = std::get_if<Ellipsoid>(&geometry)) return p.array() / ellipsoid->radii.array().square();
  return p;
}

}  // namespace

Look look_of(bool dark) {
  const Palette& palette = dark ? Palette::dark() : Palette::light();
  Look look;
  look.sky = to_light(palette.sky);
  look.zenith = dark ? to_light(Color{10, 12, 16}) : to_light(Color{198, 212, 229});
  look.ground = to_light(palette.ground);
  look.ground_line = to_light(palette.ground_line);
  // On level ground sun and sky together are 1: the ground has the colour of the palette where no shadow falls.
  look.sun = dark ? Light(0.80F, 0.79F, 0.76F) : Light(0.68F, 0.66F, 0.62F);
  look.from_above = Light::Ones() - static_cast<float>(direction_to_sun().z()) * look.sun;
  look.from_below = dark ? Light(0.14F, 0.15F, 0.17F) : Light(0.22F, 0.22F, 0.21F);
  return look;
}

Vector3 direction_to_sun() {
  return Vector3(-0.42, -0.62, 1.25).normalized();
}

Shader::Shader(const Look& look, const View& view, const Framing& framing, const ShadowMap* shadows)
    : look_(look), view_(view), shadows_(shadows), to_sun_(direction_to_sun()), grid_cell_(grid_cell(framing.extent)) {
  const double distance = (view.eye - framing.center).norm();
  haze_begin_ = distance + 3.0 * framing.extent;
  haze_end_ = distance + 22.0 * framing.extent;
}

SeenPoint Shader::point_at(double x, double y, double depth) const {
  const Vector3 ray = view_.ray(x, y);
  return {view_.eye + depth * ray, depth, -ray.normalized()};
}

Light Shader::sky_at(double x, double y) const {
  const Vector3 ray = view_.ray(x, y);
  const float t = smooth_step(0.0, 0.9, ray.z() / ray.norm());
  return look_.sky + t * (look_.zenith - look_.sky);
}

Light Shader::lit(const Light& color, const Vector3& normal, const SeenPoint& point, float gloss) const {
  const float upward = static_cast<float>(0.5 + 0.5 * normal.z());
  Light light = color * (look_.from_below + upward * (look_.from_above - look_.from_below));
  const double facing = normal.dot(to_sun_);
  if (facing <= 0.0) return light;
  const float sun = shadows_ ? shadows_->light_at(point.position, normal) : 1.0F;
  if (sun <= 0.0F) return light;
  light += sun * static_cast<float>(facing) * color * look_.sun;
  if (gloss > 0.0F) {
    const double middle = std::max(0.0, normal.dot((to_sun_ + point.toward).normalized()));
    const double m4 = middle * middle * middle * middle, m16 = m4 * m4 * m4 * m4;
    light += sun * gloss * static_cast<float>(m16 * m16) * look_.sun;
  }
  return light;
}

Light Shader::through_haze(const Light& light, const SeenPoint& point) const {
  if (point.depth < haze_begin_) return light;
  return light + smooth_step(haze_begin_, haze_end_, point.depth) * (look_.sky - light);
}

// Boxes beside each other stay apart: their edges are darker, a pixel wide, where the box is large enough in the
// picture.
float Shader::edge_factor(const Vector3& half_size, const Vector3& local, const SeenPoint& point) const {
  const double pixel = point.depth / view_.focal;
  const double smallest = half_size.minCoeff() / pixel;
  if (smallest < 2.0) return 1.0F;
  // Of the distances to the faces the smallest is zero: the point lies on one. The next is that to the edge.
  Vector3 inside = (half_size - local.cwiseAbs()) / pixel;
  std::sort(inside.data(), inside.data() + 3);
  const float depth = 0.42F * smooth_step(2.0, 8.0, smallest);
  return 1.0F - depth * (1.0F - smooth_step(0.3, 1.5, inside[1]));
}

Light Shader::shade(const Scene& scene, const Triangle& triangle, const SeenPoint& point) const {
  const Thing& thing = scene.things[triangle.thing];
  Vector3 normal = triangle.normal.cast<double>();
  Light color = thing.color;
  if (triangle.is_smooth && thing.geometry) {
    normal = (thing.pose.rotation * normal_of(*thing.geometry, thing.pose.to_local(point.position))).normalized();
  } else if (triangle.both_sides && normal.dot(point.toward) < 0.0) {
    normal = -normal;
  }
  if (thing.is_mark) return color * static_cast<float>(0.75 + 0.25 * std::max(0.0, normal.dot(point.toward)));
  if (const auto* box = thing.geometry ? std::get_if<Box>(thing.geometry) : nullptr) {
    color *= edge_factor(box->half_size, thing.pose.to_local(point.position), point);
  }
  return through_haze(lit(color, normal, point, 0.10F), point);
}

Light Shader::shade_plane(const Thing& plane, double x, double y, const SeenPoint& point) const {
  const Vector3 normal = plane.pose.rotation.col(2);
  // A pixel is a parallelogram on the ground; how far it reaches along the axes of the grid.
  const auto on_plane = [&](double u, double v) {
    const Vector3 ray = view_.ray(u, v);
    const double depth = normal.dot(plane.pose.position - view_.eye) / normal.dot(ray);
    const Vector3 local = plane.pose.to_local(view_.eye + depth * ray);
    return Vector2(local.x() / grid_cell_, local.y() / grid_cell_);
  };
  const Vector2 here = on_plane(x, y), right = on_plane(x + 0.5, y) - here, below = on_plane(x, y + 0.5) - here;
  const Vector2 width = 2.0 * (right.cwiseAbs() + below.cwiseAbs()) + Vector2::Constant(1e-9);
  Light color = look_.ground;
  if (width.allFinite() && width.maxCoeff() < 4.0) {
    constexpr double line = 0.022;
    const double a = line_cover(here.x(), width.x(), line), b = line_cover(here.y(), width.y(), line);
    color += static_cast<float>(a + b - a * b) * (look_.ground_line - look_.ground);
  }
  return through_haze(lit(color, normal, point, 0.0F), point);
}

std::uint8_t to_byte(float light) {
  static const std::array<std::uint8_t, 4097> table = [] {
    std::array<std::uint8_t, 4097> values;
    for (int k = 0; k <= 4096; ++k) {
      const double x = k / 4096.0;
      values[k] = static_cast<std::uint8_t>(
          std::lround(255.0 * (x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1.0 / 2.4) - 0.055)));
    }
    return values;
  }();
  return table[static_cast<int>(std::clamp(light, 0.0F, 1.0F) * 4096.0F + 0.5F)];
}

}  // namespace stiction::raster
