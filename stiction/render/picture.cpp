// Triangles are set up once; the picture is then made in bands of rows, so that samples stay in the cache and memory
// does not grow with the picture. In a band: planes and opaque things, then things that are seen through from far to
// near, then the marks of contacts. Every layer is shaded once for each thing that a pixel shows of it.
#include "stiction/render/picture.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "stiction/render/shading.h"

namespace stiction::raster {
namespace {

constexpr int rows_per_band = 32;
constexpr std::uint32_t plane_flag = 0x80000000;  // of an id: a thing that is a plane, not a triangle

struct DrawnTriangle {
  ScreenTriangle screen;
  std::uint32_t source;  // in Scene::triangles
};

// Drawn together: all that is opaque, one thing that is seen through, all marks.
struct Layer {
  float opacity = 1.0F;
  bool in_front = false;
  double depth = 0.0;                               // m, of a thing that is seen through
  std::vector<std::vector<std::uint32_t>> by_band;  // drawn triangles
};

class Picture {
 public:
  Picture(const Scene& scene, const View& view, const Framing& framing, const PictureOptions& options)
      : scene_(scene),
        view_(view),
        options_(options),
        near_(1e-4 * framing.extent),
        look_(look_of(options.dark)),
        shadows_(make_shadows(framing)),
        shader_(look_, view_, framing, shadows_ ? &*shadows_ : nullptr),
        buffer_(options.width, turned_grid, true),
        colors_(static_cast<std::size_t>(options.width) * rows_per_band) {}

  Image draw() {
    make_layers();
    Image image(options_.width, options_.height);
    for (int y = 0; y < options_.height; y += rows_per_band) draw_band(y, image);
    return image;
  }

 private:
  std::optional<ShadowMap> make_shadows(const Framing& framing) const;
  void make_layers();
  void set_up_triangle(std::uint32_t index, Layer& layer);
  void draw_band(int y_begin, Image& image);
  void resolve(float opacity, int y_begin, int y_end);
  Light shade_samples(std::uint32_t id, double x, double y) const;
  bool are_one_surface(std::uint32_t a, std::uint32_t b) const;

  const Scene& scene_;
  const View& view_;
  PictureOptions options_;
  double near_;  // nothing nearer to the eye is drawn, m
  Look look_;
  std::optional<ShadowMap> shadows_;
  Shader shader_;
  SampleBuffer buffer_;
  std::vector<Light> colors_;  // of the band
  std::vector<DrawnTriangle> drawn_;
  std::vector<ScreenTriangle> parts_;
  std::vector<std::pair<std::uint32_t, Affine>> planes_;  // things, nearness
  std::vector<Layer> layers_;
};

// Over what the picture is about, and not much of the rest: the cells of the map would become large.
std::optional<ShadowMap> Picture::make_shadows(const Framing& framing) const {
  if (!options_.shadows) return std::nullopt;
  const int size = std::max(options_.width, options_.height) <= 800 ? 1024 : 2048;
  std::optional<ShadowMap> map(std::in_place, direction_to_sun(), framing.center, 2.0 * framing.extent, size);
  map->draw(scene_);
  return map;
}

void Picture::make_layers() {
  const std::size_t num_bands = static_cast<std::size_t>((options_.height + rows_per_band - 1) / rows_per_band);
  const auto new_layer = [&] { return Layer{.by_band = std::vector<std::vector<std::uint32_t>>(num_bands)}; };
  Layer opaque = new_layer(), marks = new_layer();
  marks.in_front = true;
  std::vector<int> layer_of(scene_.things.size(), -1);
  for (std::size_t k = 0; k < scene_.things.size(); ++k) {
    const Thing& thing = scene_.things[k];
    if (thing.geometry && std::holds_alternative<Plane>(*thing.geometry)) {
      const Vector3 normal = thing.pose.rotation.col(2);
      const double height = normal.dot(view_.eye - thing.pose.position);
      if (!(height > 0.0)) continue;  // from below everything is seen through it
      // 1/z of the point where the ray meets the plane: −n·ray / height, affine in x and y.
      const Vector3 down = -normal / height;
      Affine nearness{down.dot(view_.axes.col(0)) / view_.focal, down.dot(view_.axes.col(1)) / view_.focal, 0.0};
      nearness.constant = down.dot(view_.axes.col(2)) - nearness.by_x * view_.center_x - nearness.by_y * view_.center_y;
      planes_.emplace_back(static_cast<std::uint32_t>(k), nearness);
    } else if (thing.opacity < 1.0 && !thing.is_mark) {
      layer_of[k] = static_cast<int>(layers_.size());
      layers_.push_back(new_layer());
      layers_.back().opacity = static_cast<float>(thing.opacity);
      layers_.back().depth = view_.to_view(thing.pose.position).z();
    }
  }
  for (std::uint32_t t = 0; t < scene_.triangles.size(); ++t) {
    const int thing = scene_.triangles[t].thing;
    set_up_triangle(t, scene_.things[thing].is_mark ? marks : layer_of[thing] >= 0 ? layers_[layer_of[thing]] : opaque);
  }
  std::stable_sort(layers_.begin(), layers_.end(), [](const Layer& a, const Layer& b) { return a.depth > b.depth; });
  layers_.insert(layers_.begin(), std::move(opaque));
  layers_.push_back(std::move(marks));
}

void Picture::set_up_triangle(std::uint32_t index, Layer& layer) {
  const Triangle& triangle = scene_.triangles[index];
  // What is turned away from the eye is not seen, of solids.
  if (!triangle.both_sides && triangle.normal.cast<double>().dot(view_.eye - triangle.corners[0]) <= 0.0) return;
  std::array<Vector3, 3> p;
  for (int k = 0; k < 3; ++k) p[k] = view_.to_view(triangle.corners[k]);
  std::array<Vector3, 4> cut;
  int size = 0;
  for (int k = 0; k < 3; ++k) {
    const Vector3 &a = p[k], &b = p[(k + 1) % 3];
    if (a.z() >= near_) cut[size++] = a;
    if ((a.z() >= near_) != (b.z() >= near_)) cut[size++] = a + ((near_ - a.z()) / (b.z() - a.z())) * (b - a);
  }
  for (int k = 0; k < size; ++k) {
    const double nearness = 1.0 / cut[k].z();
    cut[k] = {view_.center_x + view_.focal * cut[k].x() * nearness,
              view_.center_y + view_.focal * cut[k].y() * nearness, nearness};
  }
  parts_.clear();
  set_up(std::span(cut).first(size), options_.width, options_.height, triangle.both_sides, parts_);
  for (const ScreenTriangle& part : parts_) {
    const auto number = static_cast<std::uint32_t>(drawn_.size());
    drawn_.push_back({part, index});
    for (int band = part.y_begin / rows_per_band; band * rows_per_band < part.y_end; ++band) {
      layer.by_band[band].push_back(number);
    }
  }
}

void Picture::draw_band(int y_begin, Image& image) {
  const int y_end = std::min(y_begin + rows_per_band, options_.height), band = y_begin / rows_per_band;
  buffer_.begin(y_begin, y_end);
  for (const auto& [thing, nearness] : planes_) buffer_.draw_everywhere(nearness, thing | plane_flag);
  bool is_first = true;
  for (const Layer& layer : layers_) {
    const std::vector<std::uint32_t>& triangles = layer.by_band[band];
    if (!is_first) {
      if (triangles.empty()) continue;
      if (layer.in_front) {
        buffer_.begin(y_begin, y_end);
      } else {
        buffer_.forget_ids();
      }
    } else {
      for (int y = y_begin; y < y_end; ++y) {
        for (int x = 0; x < options_.width; ++x) {
          // Only where something of it is seen.
          const SampleIds& ids = buffer_.ids(x, y);
          const bool covered = ids[0] != nothing && ids[1] != nothing && ids[2] != nothing && ids[3] != nothing;
          if (!covered) {
            colors_[static_cast<std::size_t>(y - y_begin) * options_.width + x] = shader_.sky_at(x + 0.5, y + 0.5);
          }
        }
      }
    }
    for (const std::uint32_t t : triangles) buffer_.draw(drawn_[t].screen, t);
    resolve(layer.opacity, y_begin, y_end);
    is_first = false;
  }
  std::uint8_t* out = image.bytes().data() + 3 * static_cast<std::size_t>(y_begin) * options_.width;
  for (std::size_t k = 0; k < static_cast<std::size_t>(y_end - y_begin) * options_.width; ++k) {
    for (int c = 0; c < 3; ++c) *out++ = to_byte(colors_[k][c]);
  }
}

bool Picture::are_one_surface(std::uint32_t a, std::uint32_t b) const {
  if (a == b) return true;
  if ((a | b) & plane_flag) return false;
  const Triangle &s = scene_.triangles[drawn_[a].source], &t = scene_.triangles[drawn_[b].source];
  return s.thing == t.thing && ((s.is_smooth && t.is_smooth) || s.normal == t.normal);
}

Light Picture::shade_samples(std::uint32_t id, double x, double y) const {
  if (id & plane_flag) {
    const std::uint32_t thing = id & ~plane_flag;
    const auto plane = std::find_if(planes_.begin(), planes_.end(), [&](const auto& p) { return p.first == thing; });
    const double nearness = plane->second.at(x, y);
    return shader_.shade_plane(scene_.things[thing], x, y, shader_.point_at(x, y, 1.0 / std::max(nearness, 1e-12)));
  }
  const DrawnTriangle& drawn = drawn_[id];
  const double nearness = drawn.screen.nearness.at(x, y);
  const double depth = nearness > 0.0 ? 1.0 / nearness : near_;  // the middle of samples may lie beside a thin triangle
  return shader_.shade(scene_, scene_.triangles[drawn.source], shader_.point_at(x, y, depth));
}

void Picture::resolve(float opacity, int y_begin, int y_end) {
  const SamplePattern& pattern = buffer_.pattern();
  for (int y = y_begin; y < y_end; ++y) {
    for (int x = 0; x < options_.width; ++x) {
      const SampleIds ids = buffer_.ids(x, y);
      Light sum = Light::Zero();
      int covered = 0;
      for (int k = 0, done = 0; k < 4; ++k) {
        if (ids[k] == nothing || (done >> k & 1)) continue;
        double sum_x = 0.0, sum_y = 0.0;
        int count = 0;
        for (int j = k; j < 4; ++j) {
          if (ids[j] == nothing || (done >> j & 1) || !are_one_surface(ids[k], ids[j])) continue;
          done |= 1 << j;
          sum_x += pattern.x[j], sum_y += pattern.y[j], ++count;
        }
        sum += static_cast<float>(count) * shade_samples(ids[k], x + sum_x / count, y + sum_y / count);
        covered += count;
      }
      if (covered == 0) continue;
      Light& color = colors_[static_cast<std::size_t>(y - y_begin) * options_.width + x];
      const float part = opacity * static_cast<float>(covered) / 4.0F;
      color =
          part >= 1.0F ? Light(sum / 4.0F) : Light((1.0F - part) * color + part / static_cast<float>(covered) * sum);
    }
  }
}

}  // namespace

Image draw_picture(const Scene& scene, const View& view, const Framing& framing, const PictureOptions& options) {
  return Picture(scene, view, framing, options).draw();
}

}  // namespace stiction::raster
