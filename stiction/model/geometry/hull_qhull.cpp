// The only file that knows Qhull.
#include <libqhull_r/qhull_ra.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "stiction/math/refuse.h"
#include "stiction/model/geometry/hull_triangulation.h"

namespace stiction {
namespace {

// What Qhull prints, kept for the message of an exception.
class CapturedStream {
 public:
  CapturedStream() : stream_(open_memstream(&text_, &size_)) {}
  ~CapturedStream() {
    std::fclose(stream_);
    std::free(text_);
  }
  CapturedStream(const CapturedStream&) = delete;
  CapturedStream& operator=(const CapturedStream&) = delete;
  std::FILE* file() { return stream_; }
  std::string first_line() {
    std::fflush(stream_);
    const std::string all(text_, size_);
    return all.substr(0, all.find('\n'));
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* stream_;
};

struct QhullSession {
  qhT state{};
  explicit QhullSession(std::FILE* errors) { qh_zero(&state, errors); }
  ~QhullSession() {
    qh_freeqhull(&state, !qh_ALL);
    int blocks = 0, bytes = 0;
    qh_memfreeshort(&state, &blocks, &bytes);
  }
  QhullSession(const QhullSession&) = delete;
  QhullSession& operator=(const QhullSession&) = delete;
};

double signed_volume(const HullTriangulation& hull) {
  double volume = 0.0;
  const Vector3& o = hull.vertices[hull.triangles[0][0]];
  for (const auto& [a, b, c] : hull.triangles) {
    volume += (hull.vertices[a] - o).dot((hull.vertices[b] - o).cross(hull.vertices[c] - o));
  }
  return volume;
}

}  // namespace

HullTriangulation triangulate_hull(std::span<const Vector3> points, bool joggled) {
  // Centred and scaled, so that Qhull's rounding bounds are those of the shape, not of where it lies.
  Vector3 lower = points[0], upper = points[0];
  for (const Vector3& p : points) lower = lower.cwiseMin(p), upper = upper.cwiseMax(p);
  const Vector3 middle = 0.5 * (lower + upper);
  const double scale = 1.0 / (upper - lower).maxCoeff();
  std::vector<Vector3> scaled(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) scaled[i] = scale * (points[i] - middle);

  CapturedStream errors;
  QhullSession session(errors.file());
  qhT* qh = &session.state;
  char options[] = "qhull Qt Pp", joggled_options[] = "qhull QJ Pp";
  const int failed = qh_new_qhull(qh, 3, static_cast<int>(points.size()), scaled[0].data(), False,
                                  joggled ? joggled_options : options, nullptr, errors.file());
  if (failed) refuse("convex hull of ", points.size(), " points: Qhull says ", errors.first_line());

  std::vector<int> index(points.size(), -1);
  HullTriangulation hull;
  facetT* facet;
  vertexT *vertex, **vertexp;
  FORALLfacets {
    FOREACHvertex_(facet->vertices) index[qh_pointid(qh, vertex->point)] = 0;
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (index[i] < 0) continue;
    index[i] = static_cast<int>(hull.vertices.size());
    hull.vertices.push_back(points[i]);
  }
  FORALLfacets {
    std::array<int, 3> triangle{-1, -1, -1};
    int k = 0;
    FOREACHvertex_(facet->vertices) {
      if (k < 3) triangle[k] = index[qh_pointid(qh, vertex->point)];
      ++k;
    }
    if (k != 3) return {};  // not a triangle: the caller asks again, joggled
    if (facet->toporient) std::swap(triangle[1], triangle[2]);
    hull.triangles.push_back(triangle);
  }
  if (signed_volume(hull) < 0.0) {
    for (auto& triangle : hull.triangles) std::swap(triangle[1], triangle[2]);
  }
  return hull;
}

}  // namespace stiction
