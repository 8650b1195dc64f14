#include "stiction/collision/manifold/reduce.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double smallest_width = 1e-9;  // times its length: a narrower set of points is a line
constexpr double smallest_line = 1e-3;   // times the width of all points: nearer ones make no line
constexpr double share_of_width = 0.1;   // a point that lies higher than this may touch only when the body has turned
constexpr double narrow_side = 4.0;      // how much more lies on the other side of a diagonal
constexpr double kept_area = 0.8;        // of the new choice's, at which the old points stay

struct Selection {
  int size = 0;
  int index[4];
};

class PointChoice {
 public:
  PointChoice(std::span<const ContactCandidate> candidates, double margin)
      : c_(candidates), n_(static_cast<int>(std::min<std::size_t>(candidates.size(), max_clip_corners))) {
    gap_tolerance_ = gap_tolerance(margin);
    for (int i = 0; i < n_; ++i) {
      if (c_[i].gap < lowest_) lowest_ = c_[i].gap, deepest_ = i;
    }
    double low_x = infinite, high_x = -infinite, low_y = infinite, high_y = -infinite;
    for (int i = 0; i < n_; ++i) {
      low_x = std::min(low_x, c_[i].x), high_x = std::max(high_x, c_[i].x);
      low_y = std::min(low_y, c_[i].y), high_y = std::max(high_y, c_[i].y);
    }
    middle_x_ = 0.5 * (low_x + high_x), middle_y_ = 0.5 * (low_y + high_y);
    width_ = std::max(high_x - low_x, high_y - low_y);
    const double slope = 0.9 / (std::min(std::max(margin - lowest_, 0.0), share_of_width * width_) + 1e-9);
    for (int i = 0; i < n_; ++i) {
      const double root = std::max(1.0 - slope * (c_[i].gap - lowest_), 0.1);
      weight_[i] = root * root;
    }
  }

  Selection choose() const {
    // The ends of what lies deepest; where that is one place, the farthest from it.
    const double deep = lowest_ + gap_tolerance_;
    const int p = farthest_from(middle_x_, middle_y_, deep);
    int q = farthest_from(c_[p].x, c_[p].y, deep);
    if (distance_squared(q, c_[p].x, c_[p].y) <= smallest_line * smallest_line * width_ * width_)
      q = farthest_from(c_[p].x, c_[p].y, infinite);
    const double smallest = smallest_area(p, q);
    double best_left = smallest, best_right = smallest;
    int left = -1, right = -1;
    for (int i = 0; i < n_; ++i) {
      const double area = weight_[i] * turn(p, q, i);
      if (area > best_left) best_left = area, left = i;
      if (-area > best_right) best_right = -area, right = i;
    }
    Selection s;
    if (left >= 0 && right >= 0 && std::max(best_left, best_right) < narrow_side * std::min(best_left, best_right)) {
      s = {4, {p, right, q, left}};
    } else if (left >= 0 && right >= 0) {
      // Little lies on one side: two points of the other may enclose more.
      s = {4, {p, right, q, left}};
      const Selection other = best_left > best_right ? with_fourth(p, q, left) : with_fourth(q, p, right);
      if (weighted_area(other) > weighted_area(s)) s = other;
    } else if (left >= 0) {
      s = with_fourth(p, q, left);
    } else if (right >= 0) {
      s = with_fourth(q, p, right);
    } else {
      s = {2, {p, q, 0, 0}};
    }
    include_deepest(s);
    return s;
  }

  // The old points, where they are all still there and nearly as good as the new ones.
  bool keep(std::span<const std::uint64_t> old_features, const Selection& fresh, Selection& old) const {
    if (old_features.size() != 4) return false;
    for (std::uint64_t feature : old_features) {
      int found = -1;
      for (int i = 0; i < n_ && found < 0; ++i) {
        if (c_[i].feature == feature) found = i;
      }
      if (found < 0) return false;
      old.index[old.size++] = found;
    }
    double old_lowest = infinite;
    for (int i : old.index) old_lowest = std::min(old_lowest, c_[i].gap);
    return weighted_area(old) >= kept_area * weighted_area(fresh) && old_lowest <= lowest_ + gap_tolerance_;
  }

 private:
  // Twice the signed area of (a, b, c).
  double turn(int a, int b, int c) const {
    return (c_[b].x - c_[a].x) * (c_[c].y - c_[a].y) - (c_[b].y - c_[a].y) * (c_[c].x - c_[a].x);
  }
  double distance_squared(int i, double x, double y) const {
    return (c_[i].x - x) * (c_[i].x - x) + (c_[i].y - y) * (c_[i].y - y);
  }
  double smallest_area(int p, int q) const { return smallest_width * distance_squared(p, c_[q].x, c_[q].y); }
  // Of the candidates up to a gap.
  int farthest_from(double x, double y, double deep) const {
    double best = -1.0;
    int found = deepest_;
    for (int i = 0; i < n_; ++i) {
      if (c_[i].gap > deep) continue;
      const double score = weight_[i] * distance_squared(i, x, y);
      if (score > best) best = score, found = i;
    }
    return found;
  }

  // (p, q) is an edge of the hull, t to the left of it: the fourth point is the one farthest beyond (q, t) or (t, p).
  Selection with_fourth(int p, int q, int t) const {
    double best = smallest_area(p, q);
    Selection s{3, {p, q, t, 0}};
    for (int i = 0; i < n_; ++i) {
      if (i == p || i == q || i == t) continue;
      const double beyond_qt = -weight_[i] * turn(q, t, i), beyond_tp = -weight_[i] * turn(t, p, i);
      if (beyond_qt > best) best = beyond_qt, s = {4, {p, q, i, t}};
      if (beyond_tp > best) best = beyond_tp, s = {4, {p, q, t, i}};
    }
    return s;
  }

  void include_deepest(Selection& s) const {
    double lowest_chosen = infinite;
    for (int k = 0; k < s.size; ++k) lowest_chosen = std::min(lowest_chosen, c_[s.index[k]].gap);
    if (!(lowest_ < lowest_chosen - gap_tolerance_)) return;
    int nearest = 0;
    for (int k = 1; k < s.size; ++k) {
      const ContactCandidate& d = c_[deepest_];
      if (distance_squared(s.index[k], d.x, d.y) < distance_squared(s.index[nearest], d.x, d.y)) nearest = k;
    }
    s.index[nearest] = deepest_;
  }

  double weighted_area(const Selection& s) const {
    double area = 0.0, weight = 0.0;
    for (int k = 1; k + 1 < s.size; ++k) area += turn(s.index[0], s.index[k], s.index[k + 1]);
    for (int k = 0; k < s.size; ++k) weight += weight_[s.index[k]];
    return std::abs(area) * weight / s.size;
  }

  std::span<const ContactCandidate> c_;
  int n_;
  double weight_[max_clip_corners];
  double lowest_ = infinite, gap_tolerance_;
  double middle_x_, middle_y_, width_;
  int deepest_ = 0;
};

}  // namespace

int choose_points(std::span<const ContactCandidate> candidates, double margin,
                  std::span<const std::uint64_t> old_features, int chosen[4]) {
  if (candidates.size() <= 4) {
    for (std::size_t k = 0; k < candidates.size(); ++k) chosen[k] = static_cast<int>(k);
    return static_cast<int>(candidates.size());
  }
  const PointChoice choice(candidates, margin);
  Selection selection = choice.choose(), old;
  if (choice.keep(old_features, selection, old)) selection = old;
  for (int k = 0; k < selection.size; ++k) chosen[k] = selection.index[k];
  return selection.size;
}

}  // namespace stiction
