#include "stiction/collision/collider.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "stiction/collision/cache_journal.h"
#include "stiction/collision/cache_layout.h"
#include "stiction/collision/pair_grid.h"
#include "stiction/collision/pair_kernels.h"
#include "stiction/collision/terrain/terrain.h"
#include "stiction/math/pack_bits.h"
#include "stiction/math/refuse.h"

namespace stiction {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int most_listed_pairs = 4000;         // more allowed pairs than this: BroadPhase::many_bodies
constexpr long most_pairs_looked_at = 1000000;  // or more pairs to look at, allowed or not
constexpr double longest_way = 1e5;             // m; odometers start anew beyond, where they would lose digits
constexpr double slack = 1e-9;                  // m; rounding of odometers
constexpr double skin_of_radius = 0.1;          // how far a body moves, in its radii, before pairs are sought again

// A body with shapes: the sphere about all of them, in its frame.
struct MovingBody {
  int body = 0;
  Vector3 center = Vector3::Zero();
  double radius = 0.0;
};

struct ShapeState {
  const Shape* shape = nullptr;
  ShapeKind kind = ShapeKind::plane;
  int slot = 0;                // of its body in the odometers; the last one for the world
  bool is_body_frame = false;  // X_BS is the identity: the pose is the body's
  Pose pose;                   // X_WS, where `step` is that of the collider
  std::uint64_t step = 0;
};

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15ull + (hash << 6) + (hash >> 2);
  return hash * 0xff51afd7ed558ccdull;
}

}  // namespace

struct Collider::Workspace {
  Workspace(std::shared_ptr<const Model> m, const CollisionSettings& s);

  void list_moving_bodies();
  void list_pairs();
  std::uint64_t fingerprint() const;

  bool attach(CollisionCache& bytes);
  void update_odometers(const CollisionCache& bytes, std::span<const Pose> body_pose,
                        std::span<const double> body_reach, bool is_fresh);
  bool has_left_its_skin(std::span<const double> body_reach) const;
  void find_pairs(CollisionCache& cache, std::span<const Pose> body_pose, std::span<const double> body_reach);
  bool has_own_pairs() const;
  const PairKey* listed_pairs() const { return seeks_pairs ? cache.pairs() : allowed.data(); }
  void find_awake();
  void collide_pair(int pair, std::span<const Pose> body_pose, std::span<const double> body_reach);
  void keep_pair(const CollisionCache& bytes, int pair);
  const Pose& pose_of(ShapeState& state, std::span<const Pose> body_pose);
  void report(const PairKey& key, const Manifold& manifold);

  std::shared_ptr<const Model> model;
  CollisionSettings settings;
  bool seeks_pairs = false;  // many bodies; else all allowed pairs are in the cache from the start
  std::vector<MovingBody> moving;
  std::vector<ShapeState> shapes;
  std::vector<PairKey> allowed;  // the list of BroadPhase::pair_list
  CacheShape cache_shape;
  PairGrid grid;

  // Filled by every call.
  std::uint64_t step = 0;
  CacheView cache;
  CacheJournal journal;
  std::vector<double> travel;  // of every shape: odometer + reach of its body
  std::vector<int> awake;      // the first num_awake
  int num_awake = 0;
  std::vector<ContactPoint> points;
  Manifold manifold;
  TerrainContacts terrain;

  // Filled where pairs are sought.
  std::vector<Bounds> bounds;
  std::vector<PairKey> found, old_pairs;
  std::vector<double> old_wake;
  std::vector<std::byte> old_memory;
};

Collider::Workspace::Workspace(std::shared_ptr<const Model> m, const CollisionSettings& s)
    : model(std::move(m)), settings(s), grid(*model) {
  const int world = model->num_bodies();
  for (const Shape& shape : model->shapes) {
    ShapeState state;
    state.shape = &shape, state.kind = shape.kind(), state.slot = shape.body < 0 ? world : shape.body;
    if (shape.body < 0)
      state.pose = shape.pose, state.step = std::numeric_limits<std::uint64_t>::max();
    else
      state.is_body_frame = shape.pose.rotation == Matrix3::Identity() && shape.pose.position == Vector3::Zero();
    shapes.push_back(state);
  }
  list_moving_bodies();
  list_pairs();
  cache_shape.num_bodies = world;
  bool is_used[std::variant_size_v<Geometry>] = {};
  for (const ShapeState& state : shapes) is_used[static_cast<std::size_t>(state.kind)] = true;
  for (std::size_t i = 0; i < std::size(is_used); ++i)
    for (std::size_t j = 0; j <= i; ++j)
      if (is_used[i] && is_used[j])
        cache_shape.memory_size =
            std::max(cache_shape.memory_size, pair_memory_size(static_cast<ShapeKind>(i), static_cast<ShapeKind>(j)));
  cache_shape.memory_size = (cache_shape.memory_size + 15) & ~std::size_t{15};
  cache_shape.fingerprint = fingerprint();
  travel.assign(shapes.size(), 0.0);
}

// The bodies that carry shapes, each with the sphere about the spheres of its shapes.
void Collider::Workspace::list_moving_bodies() {
  const std::size_t n = model->bodies.size();
  std::vector<Vector3> low(n, Vector3::Constant(infinity)), high(n, Vector3::Constant(-infinity));
  for (const Shape& shape : model->shapes)
    if (shape.body >= 0) {
      low[shape.body] = low[shape.body].cwiseMin(shape.bound_center);
      high[shape.body] = high[shape.body].cwiseMax(shape.bound_center);
    }
  std::vector<int> where(n, -1);
  for (std::size_t body = 0; body < n; ++body) {
    if (!(low[body][0] <= high[body][0])) continue;
    where[body] = static_cast<int>(moving.size());
    moving.push_back({static_cast<int>(body), 0.5 * (low[body] + high[body]), 0.0});
  }
  for (const Shape& shape : model->shapes)
    if (shape.body >= 0) {
      MovingBody& m = moving[where[shape.body]];
      m.radius = std::max(m.radius, (shape.bound_center - m.center).norm() + shape.bound_radius);
    }
}

void Collider::Workspace::list_pairs() {
  seeks_pairs = settings.broad_phase == BroadPhase::many_bodies;
  const bool may_give_up = settings.broad_phase == BroadPhase::automatic;
  const int n = static_cast<int>(shapes.size()), world = model->num_bodies();
  std::vector<int> movable;
  for (int i = 0; i < n; ++i)
    if (shapes[i].slot != world) movable.push_back(i);
  std::size_t first = 0;  // movable shape after a
  long num_looked_at = 0;
  for (int a = 0; a < n && !seeks_pairs; ++a) {
    while (first < movable.size() && movable[first] <= a) ++first;
    const auto consider = [&](int b) {
      if (model->may_collide(a, b) && may_meet(shapes[a].kind, shapes[b].kind)) allowed.push_back({a, b});
    };
    if (shapes[a].slot == world) {  // what does not move meets only what does
      for (std::size_t k = first; k < movable.size(); ++k) consider(movable[k]);
      num_looked_at += static_cast<long>(movable.size() - first);
    } else {
      for (int b = a + 1; b < n; ++b) consider(b);
      num_looked_at += n - a;
    }
    seeks_pairs = may_give_up && (allowed.size() > most_listed_pairs || num_looked_at > most_pairs_looked_at);
  }
  if (seeks_pairs) allowed.clear();
}

std::uint64_t Collider::Workspace::fingerprint() const {
  std::uint64_t hash = mix(seeks_pairs ? 2 : 1, std::bit_cast<std::uint64_t>(settings.margin));
  for (const ShapeState& s : shapes) {
    hash = mix(hash, static_cast<std::uint64_t>(s.kind) * 0x100000001ull + static_cast<std::uint64_t>(s.slot));
    hash = mix(hash, std::bit_cast<std::uint64_t>(s.shape->bound_radius));
  }
  return mix(hash, allowed.size());
}

// s_b += |Δc_b| + r_b ‖ΔR_b‖_F / √2: no point of the body has moved farther (the second term is r times the chord of
// the turn). From differences of poses, so that a teleport counts like a motion.
void Collider::Workspace::update_odometers(const CollisionCache& bytes, std::span<const Pose> body_pose,
                                           std::span<const double> body_reach, bool is_fresh) {
  double* last = cache.last_placement();
  double* odometer = cache.odometer();
  bool is_sound = true;
  for (const MovingBody& m : moving) {
    // Rotation, then the centre of the sphere, as three packs.
    const Pose& now = body_pose[m.body];
    const Vector3 c = now * m.center;
    const double* r = now.rotation.data();
    const Pack4 packs[3] = {load4(r), load4(r + 4), Pack4{r[8], c[0], c[1], c[2]}};
    double* old = last + CacheView::placement_size * m.body;
    const Pack4 d0 = packs[0] - load4(old), d1 = packs[1] - load4(old + 4), d2 = packs[2] - load4(old + 8);
    const Pack4 square = d0 * d0 + d1 * d1, last_square = d2 * d2;
    const double turn2 = sum(square) + last_square[0], shift2 = last_square[1] + last_square[2] + last_square[3];
    odometer[m.body] += std::sqrt(shift2) + m.radius * std::sqrt(0.5 * turn2);
    std::memcpy(old, packs, sizeof packs);
    is_sound &= odometer[m.body] < longest_way;  // false for NaN
  }
  if (!is_sound || is_fresh) {
    journal.keep_whole(bytes);
    std::fill_n(odometer, model->num_bodies() + 1, 0.0);
    std::fill_n(cache.anchor(), model->num_bodies() + 1, -infinity);
    std::fill_n(cache.wake(), cache.num_pairs(), -infinity);
  }
  const int world = model->num_bodies();
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const int slot = shapes[i].slot;
    if (slot != world) travel[i] = odometer[slot] + (body_reach.empty() ? 0.0 : body_reach[slot]);
  }
}

// Pairs that are not listed stay apart while every body keeps within its skin, which the anchor already includes.
bool Collider::Workspace::has_left_its_skin(std::span<const double> body_reach) const {
  const double *odometer = cache.odometer(), *anchor = cache.anchor();
  for (const MovingBody& m : moving) {
    const double reach = body_reach.empty() ? 0.0 : body_reach[m.body];
    if (!(odometer[m.body] + reach <= anchor[m.body])) return true;
  }
  return false;
}

void Collider::Workspace::find_pairs(CollisionCache& bytes, std::span<const Pose> body_pose,
                                     std::span<const double> body_reach) {
  journal.keep_whole(bytes);
  const double* odometer = cache.odometer();
  double* anchor = cache.anchor();
  for (const MovingBody& m : moving) {
    const double reach = body_reach.empty() ? 0.0 : body_reach[m.body];
    anchor[m.body] = odometer[m.body] + std::max(skin_of_radius * m.radius, settings.margin) + 2.0 * reach;
  }
  bounds.resize(shapes.size());
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    ShapeState& s = shapes[i];
    bounds[i] = bounds_of(*s.shape, pose_of(s, body_pose));
    const bool is_world = s.slot == model->num_bodies();
    const double skin = is_world ? 0.0 : anchor[s.slot] - odometer[s.slot];
    bounds[i].half.array() += skin + 0.5 * settings.margin + slack;
  }
  grid.find(bounds, found);
  std::erase_if(found, [&](const PairKey& k) { return !may_meet(shapes[k.a].kind, shapes[k.b].kind); });

  // Pairs that were there before keep what they remember; both lists are sorted.
  const std::size_t size = cache_shape.memory_size;
  const int n = cache.num_pairs();
  old_pairs.assign(cache.pairs(), cache.pairs() + n);
  old_wake.assign(cache.wake(), cache.wake() + n);
  old_memory.assign(cache.memory(0), cache.memory(n));
  cache.resize(bytes, static_cast<int>(found.size()));
  std::size_t o = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    while (o < old_pairs.size() && old_pairs[o] < found[i]) ++o;
    const bool is_old = o < old_pairs.size() && old_pairs[o] == found[i];
    cache.pairs()[i] = found[i];
    cache.wake()[i] = is_old ? old_wake[o] : -infinity;
    std::byte* memory = cache.memory(static_cast<int>(i));
    if (is_old)
      std::copy_n(old_memory.data() + o * size, size, memory);
    else
      std::fill_n(memory, size, std::byte{});
  }
}

// Bytes from elsewhere may name shapes that do not exist.
bool Collider::Workspace::has_own_pairs() const {
  if (!seeks_pairs) return cache.num_pairs() == static_cast<int>(allowed.size());  // the list itself is used
  const PairKey* pairs = cache.pairs();
  const std::uint32_t num_shapes = static_cast<std::uint32_t>(shapes.size());
  const int n = cache.num_pairs();
  bool is_sound = true;
  for (int p = 0; p < n; ++p)
    is_sound &=
        (static_cast<std::uint32_t>(pairs[p].a) < num_shapes) & (static_cast<std::uint32_t>(pairs[p].b) < num_shapes);
  return is_sound;
}

// A pair sleeps while (s_a + reach_a) + (s_b + reach_b) < wake; NaN wakes it. Four at a time, since most sleep.
void Collider::Workspace::find_awake() {
  const PairKey* pairs = listed_pairs();
  const double *wake = cache.wake(), *way = travel.data();
  const int n = cache.num_pairs();
  if (awake.size() < static_cast<std::size_t>(n)) awake.resize(static_cast<std::size_t>(n));
  int* out = awake.data();
  int p = 0;
  for (; p + 4 <= n; p += 4) {
    const Pack4 a{way[pairs[p].a], way[pairs[p + 1].a], way[pairs[p + 2].a], way[pairs[p + 3].a]};
    const Pack4 b{way[pairs[p].b], way[pairs[p + 1].b], way[pairs[p + 2].b], way[pairs[p + 3].b]};
    for (unsigned wakes = lane_bits(a + b < load4(wake + p)) ^ 15u; wakes != 0; wakes &= wakes - 1)
      *out++ = p + std::countr_zero(wakes);
  }
  for (; p < n; ++p)
    if (!(way[pairs[p].a] + way[pairs[p].b] < wake[p])) *out++ = p;
  num_awake = static_cast<int>(out - awake.data());
}

const Pose& Collider::Workspace::pose_of(ShapeState& state, std::span<const Pose> body_pose) {
  if (state.is_body_frame) return body_pose[static_cast<std::size_t>(state.slot)];
  if (state.step < step) {
    const Pose &body = body_pose[static_cast<std::size_t>(state.slot)], &shape = state.shape->pose;
    state.pose.rotation.noalias() = body.rotation * shape.rotation;  // in place: a product that is copied waits for it
    state.pose.position.noalias() = body.rotation * shape.position;
    state.pose.position += body.position;
    state.step = step;
  }
  return state.pose;
}

void Collider::Workspace::collide_pair(int pair, std::span<const Pose> body_pose, std::span<const double> body_reach) {
  const PairKey key = listed_pairs()[pair];
  ShapeState &a = shapes[key.a], &b = shapes[key.b];
  const int world = model->num_bodies();
  double reach = 0.0;
  if (!body_reach.empty())
    reach = (a.slot == world ? 0.0 : body_reach[a.slot]) + (b.slot == world ? 0.0 : body_reach[b.slot]);
  const double margin = settings.margin + reach;
  const Pose &X_WA = pose_of(a, body_pose), &X_WB = pose_of(b, body_pose);
  std::byte* memory = cache.memory(pair);
  const std::size_t num_points = points.size();
  double gap = 0.0;
  if (const PairKernel kernel = find_pair_kernel(a.kind, b.kind)) {
    gap = kernel(*a.shape, X_WA, *b.shape, X_WB, margin, memory, manifold);
    report(key, manifold);
  } else if (may_meet(a.kind, b.kind)) {
    TerrainMemory& kept = *reinterpret_cast<TerrainMemory*>(memory);
    const bool is_swapped = is_terrain(a.kind);
    gap = is_swapped ? collide_terrain(*b.shape, X_WB, *a.shape, X_WA, margin, kept, terrain)
                     : collide_terrain(*a.shape, X_WA, *b.shape, X_WB, margin, kept, terrain);
    for (const TerrainPoint& p : terrain.points)
      points.push_back({{key.a, key.b, p.feature}, p.position, is_swapped ? Vector3(-p.normal) : p.normal, p.gap});
  }
  const double* odometer = cache.odometer();
  cache.wake()[pair] = points.size() == num_points && gap > margin
                           ? odometer[a.slot] + odometer[b.slot] + (gap - settings.margin) - slack
                           : -infinity;
}

void Collider::Workspace::report(const PairKey& key, const Manifold& m) {
  int order[Manifold::max_points];
  for (int i = 0; i < m.size; ++i) {
    int j = i;
    for (; j > 0 && m.feature[order[j - 1]] > m.feature[i]; --j) order[j] = order[j - 1];
    order[j] = i;
  }
  for (int i = 0; i < m.size; ++i) {
    const int k = order[i];
    ContactPoint& p = points.emplace_back();
    p.id = {key.a, key.b, m.feature[k]};
    p.position = m.position[k], p.normal = m.normal[k], p.gap = m.gap[k];
  }
}

void CollisionSettings::validate() const {
  require(margin >= 0.0 && std::isfinite(margin), "margin", margin, "at least 0 m and finite");
}

Collider::Collider(std::shared_ptr<const Model> model, const CollisionSettings& settings) {
  if (!model) refuse("Collider: no model");
  settings.validate();
  workspace_ = std::make_unique<Workspace>(std::move(model), settings);
}
Collider::~Collider() = default;
Collider::Collider(Collider&&) noexcept = default;
Collider& Collider::operator=(Collider&&) noexcept = default;

const CollisionSettings& Collider::settings() const {
  return workspace_->settings;
}

void Collider::note_changes() {
  workspace_->journal.begin();
}

void Collider::take_back(CollisionCache& cache) noexcept {
  workspace_->journal.take_back(cache);
}

void Collider::Workspace::keep_pair(const CollisionCache& bytes, int pair) {
  journal.keep(bytes, cache.wake() + pair, sizeof(double));
  journal.keep(bytes, cache.memory(pair), cache_shape.memory_size);
}

// As CacheView::attach; what is replaced is noted, and so is what every call changes.
bool Collider::Workspace::attach(CollisionCache& bytes) {
  if (journal.is_on() && !cache.fits(bytes, cache_shape)) journal.keep_whole(bytes);
  const bool is_fresh = cache.attach(bytes, cache_shape);
  const std::byte* begin = bytes.bytes.data();
  journal.keep(bytes, begin, static_cast<std::size_t>(reinterpret_cast<const std::byte*>(cache.pairs()) - begin));
  return is_fresh;
}

void Collider::forget_pair(int shape_a, int shape_b, CollisionCache& cache) {
  Workspace& w = *workspace_;
  if (!w.cache.fits(cache, w.cache_shape)) return;  // nothing was remembered
  // Not w.attach(): a step that misses hundreds of pairs would note what every call of collide() changes as often.
  w.cache.attach(cache, w.cache_shape);
  const PairKey key{std::min(shape_a, shape_b), std::max(shape_a, shape_b)};
  const PairKey *begin = w.listed_pairs(), *end = begin + w.cache.num_pairs();
  const PairKey* found = std::lower_bound(begin, end, key);
  if (found == end || !(*found == key)) return;
  const int pair = static_cast<int>(found - begin);
  w.keep_pair(cache, pair);
  std::fill_n(w.cache.memory(pair), w.cache_shape.memory_size, std::byte{});
  w.cache.wake()[pair] = -infinity;
}

void Collider::collide(std::span<const Pose> body_pose, std::span<const double> body_reach, CollisionCache& cache,
                       std::vector<ContactPoint>& points) {
  workspace_->points.swap(points);
  collide(body_pose, body_reach, cache);
  workspace_->points.swap(points);
}

std::span<const ContactPoint> Collider::collide(std::span<const Pose> body_pose, std::span<const double> body_reach,
                                                CollisionCache& cache) {
  Workspace& w = *workspace_;
  const std::size_t n = w.model->bodies.size();
  if (body_pose.size() != n) refuse("Collider: ", body_pose.size(), " poses for ", n, " bodies");
  if (!body_reach.empty() && body_reach.size() != n)
    refuse("Collider: ", body_reach.size(), " reaches for ", n, " bodies");
  if (!w.settings.use_caches) {
    w.journal.keep_whole(cache);
    cache.clear();
  }

  ++w.step;
  bool is_fresh = w.attach(cache);
  if (!is_fresh && !w.has_own_pairs()) {
    w.journal.keep_whole(cache);
    cache.clear();
    is_fresh = w.attach(cache);
  }
  if (is_fresh && !w.seeks_pairs) {
    w.cache.resize(cache, static_cast<int>(w.allowed.size()));
    std::copy(w.allowed.begin(), w.allowed.end(), w.cache.pairs());
  }
  w.update_odometers(cache, body_pose, body_reach, is_fresh);
  if (w.seeks_pairs && w.has_left_its_skin(body_reach)) w.find_pairs(cache, body_pose, body_reach);
  w.find_awake();
  w.points.clear();
  for (int k = 0; k < w.num_awake; ++k) {
    w.keep_pair(cache, w.awake[k]);
    w.collide_pair(w.awake[k], body_pose, body_reach);
  }
  return w.points;
}

}  // namespace stiction
