// Materials of geoms, which pairs may meet, and pairs with a friction of their own.
#include <algorithm>

#include "stiction/io/mjcf/mujoco/mjcf_reader.h"

namespace stiction {
namespace {

PairMaterial pair_of(int dimension, double sliding, double torsional, double rolling) {
  PairMaterial pair;
  pair.friction = pair.friction_2 = dimension == 1 ? 0.0 : sliding;
  pair.torsional_friction = dimension >= 4 ? torsional : 0.0;
  pair.rolling_friction = dimension == 6 ? rolling : 0.0;
  return pair;
}

bool same_friction(const PairMaterial& a, const PairMaterial& b) {
  return a.friction == b.friction && a.friction_2 == b.friction_2 && a.torsional_friction == b.torsional_friction &&
         a.rolling_friction == b.rolling_friction;
}

}  // namespace

MjcfReader::Frictions MjcfReader::frictions_of(int geom) const {
  if (overrides_contacts()) {  // sliding twice, torsional, rolling twice
    return {m_.geom_condim[geom], m_.opt.o_friction[0], m_.opt.o_friction[2], m_.opt.o_friction[3]};
  }
  const mjtNum* friction = m_.geom_friction + 3 * geom;
  return {m_.geom_condim[geom], friction[0], friction[1], friction[2]};
}

Material MjcfReader::material_of(int geom) const {
  const Frictions own = frictions_of(geom);
  const PairMaterial alone = pair_of(own.dimension, own.sliding, own.torsional, own.rolling);
  Material material;
  material.friction = alone.friction;
  material.torsional_friction = alone.torsional_friction;
  material.rolling_friction = alone.rolling_friction;
  material.priority = m_.geom_priority[geom];
  const mjtNum* surface = m_.geom_surfacevel + 6 * geom;
  material.surface_velocity = vector3(surface);
  material.surface_spin = vector3(surface + 3);
  return material;
}

void MjcfReader::read_pairs() {
  for (int exclude = 0; exclude < m_.nexclude; ++exclude) {
    const int signature = m_.exclude_signature[exclude];
    builder_.exclude_bodies(builder_body(signature >> 16), builder_body(signature & 0xFFFF));
  }
  read_mixed_pairs();
  for (int pair = 0; pair < m_.npair; ++pair) {
    const int a = shape_of_[m_.pair_geom1[pair]], b = shape_of_[m_.pair_geom2[pair]];
    if (a < 0 || b < 0) {
      if (!without_constraint(mjDSBL_CONTACT))
        ignored_.add("pair", label_of(mjOBJ_PAIR, pair), "one of its geoms is ignored");
      continue;
    }
    builder_.force_pair(a, b);
    read_pair_friction(pair);
  }
}

// A pair has a friction of its own. Where it differs by direction, that is along axes which belong to no geom: those
// that MuJoCo gives to a contact.
void MjcfReader::read_pair_friction(int pair) {
  const int geom_a = m_.pair_geom1[pair], geom_b = m_.pair_geom2[pair], dimension = m_.pair_dim[pair];
  const mjtNum* friction = overrides_contacts() ? m_.opt.o_friction : m_.pair_friction + 5 * pair;
  const PairMaterial own = pair_of(dimension, friction[0], friction[2], friction[3]);
  if ((dimension > 1 && friction[0] != friction[1]) || (dimension == 6 && friction[3] != friction[4])) {
    ignored_.add("pair", label_of(mjOBJ_PAIR, pair),
                 "friction that differs by direction: the first value holds in all");
  }
  const PairMaterial made = combine(material_of(geom_a), material_of(geom_b), FrictionRule::maximum);
  if (!same_friction(own, made)) builder_.set_pair_material(shape_of_[geom_a], shape_of_[geom_b], own);
}

bool MjcfReader::is_listed(int geom_a, int geom_b) const {
  for (int pair = 0; pair < m_.npair; ++pair) {
    const int a = m_.pair_geom1[pair], b = m_.pair_geom2[pair];
    if ((a == geom_a && b == geom_b) || (a == geom_b && b == geom_a)) return true;
  }
  return false;
}

bool MjcfReader::may_meet(int geom_a, int geom_b) const {
  const int body_a = m_.body_weldid[m_.geom_bodyid[geom_a]], body_b = m_.body_weldid[m_.geom_bodyid[geom_b]];
  return shape_of_[geom_a] >= 0 && shape_of_[geom_b] >= 0 && body_a != body_b &&
         ((m_.geom_contype[geom_a] & m_.geom_conaffinity[geom_b]) != 0 ||
          (m_.geom_contype[geom_b] & m_.geom_conaffinity[geom_a]) != 0);
}

// MuJoCo combines condim and frictions apart: a geom of condim 3 lends its torsional friction to a partner of condim 4,
// one of condim 1 its sliding friction to a partner of condim 3. Here a surface has only what it uses; pairs for which
// that makes a difference get a material of their own.
void MjcfReader::read_mixed_pairs() {
  if (without_constraint(mjDSBL_CONTACT)) return;
  bool is_mixed = false;
  for (int geom = 1; geom < m_.ngeom; ++geom) is_mixed = is_mixed || m_.geom_condim[geom] != m_.geom_condim[0];
  if (!is_mixed) return;
  for (int a = 0; a < m_.ngeom; ++a) {
    for (int b = a + 1; b < m_.ngeom; ++b) {
      if (m_.geom_condim[a] == m_.geom_condim[b] || m_.geom_priority[a] != m_.geom_priority[b] || !may_meet(a, b)) {
        continue;
      }
      const Frictions x = frictions_of(a), y = frictions_of(b);
      const PairMaterial wanted = pair_of(std::max(x.dimension, y.dimension), std::max(x.sliding, y.sliding),
                                          std::max(x.torsional, y.torsional), std::max(x.rolling, y.rolling));
      const PairMaterial made = combine(material_of(a), material_of(b), FrictionRule::maximum);
      if (same_friction(wanted, made) || is_listed(a, b)) continue;
      builder_.set_pair_material(shape_of_[a], shape_of_[b], wanted);
    }
  }
}

}  // namespace stiction
