#!/usr/bin/env python3
"""Writes the scenes of this folder, regular as they are: house of cards, arches, towers, dominoes, grippers, a turntable.

    scenes/gallery/generate.py [FOLDER]     writes every scene into FOLDER, by default the one that this file is in
    scenes/gallery/generate.py --check      says which scenes are not what would be written; exit code 1 if any

Lengths in m, masses in kg. Blocks begin just touching, to rounding; voussoirs to 2e-9 m, because MuJoCo keeps the vertices of meshes in
single precision. Friction is that of the heavier name of the two at a contact, here always one value per scene.
"""

import argparse
import math
import sys
from pathlib import Path

from scene_text import Scene, about_y, about_z, look, number, numbers, times

WARM = ["0.86 0.55 0.32 1", "0.93 0.74 0.42 1", "0.78 0.41 0.29 1", "0.89 0.64 0.38 1"]
COOL = ["0.29 0.50 0.66 1", "0.42 0.66 0.74 1", "0.25 0.38 0.55 1", "0.55 0.74 0.78 1"]
STONE = ["0.80 0.76 0.68 1", "0.70 0.66 0.59 1", "0.86 0.82 0.74 1", "0.75 0.70 0.62 1"]

# ------------------------------------------------------------------------------------------------------------------ cards

LEAN = math.radians(16)


class Cards:
    """Cards that lean against each other in pairs, their upper inner edges touching, and cards that lie on such tents."""

    def __init__(self, scene, height, depth, thickness):
        self.scene, self.height, self.depth, self.thickness = scene, height, depth, thickness
        self.rise = height * math.cos(LEAN) + thickness * math.sin(LEAN)  # from the feet to what lies on the tent
        self.foot = height * math.sin(LEAN)  # from the middle of a tent to where its cards stand

    def add_tent(self, name, x, y, z, turned, colours):
        """Its ridge goes along y through (x, y), or along x where it is turned."""
        for side, end, rgba in ((-1, "a", colours[0]), (1, "b", colours[1])):
            # From the inner lower edge, at `foot` from the middle: half a card up its side, half its thickness outwards.
            away = self.foot - self.height / 2 * math.sin(LEAN) + self.thickness / 2 * math.cos(LEAN)
            up = self.height / 2 * math.cos(LEAN) + self.thickness / 2 * math.sin(LEAN)
            dx, dy = (0.0, side * away) if turned else (side * away, 0.0)
            q = about_y(-side * LEAN)
            self.scene.add_box(
                f"{name}{end}", (self.thickness / 2, self.depth / 2, self.height / 2), (x + dx, y + dy, z + up), rgba,
                times(about_z(math.pi / 2), q) if turned else q,
            )

    def add_flat(self, name, size_x, size_y, x, y, z, rgba):
        self.scene.add_box(name, (size_x / 2, size_y / 2, self.thickness / 2), (x, y, z + self.thickness / 2), rgba)


def house_of_cards():
    storeys = 5
    scene = Scene(
        "house_of_cards",
        """A house of 32 playing cards, held by friction alone. Five storeys, each of two tents of leaning cards and two cards that lie on them, turned by 90° from storey to storey, and a
     tent on top. The cards have 63 x 88 x 0.3 mm and 1.8 g; they lean by 16° and friction is 0.45 (they need about 0.29).
     Shows: it stands, and does not creep.""",
        0.45, 1080, look((0.52, -0.68, 0.33), (0, 0, 0.175)), 1.0,
    )
    cards, half, z = Cards(scene, 0.063, 0.088, 0.0003), 0.0325, 0.0
    for storey in range(storeys):
        turned, colours = storey % 2 == 1, (WARM, COOL)[storey % 2]
        for side, name in ((-1, "left"), (1, "right")):
            x, y = (0.0, side * half) if turned else (side * half, 0.0)
            cards.add_tent(f"tent{storey}_{name}_", x, y, z, turned, colours[:2])
        z += cards.rise
        for side, name in ((-1, "left"), (1, "right")):
            x, y, sizes = (side * half, 0.0, (0.063, 0.088)) if turned else (0.0, side * half, (0.088, 0.063))
            cards.add_flat(f"flat{storey}_{name}", *sizes, x, y, z, "0.95 0.93 0.88 1")
        z += cards.thickness
    cards.add_tent("top_", 0.0, half, z, storeys % 2 == 1, (WARM[2], WARM[1]))
    return scene


def card_pyramid():
    storeys, pitch = 5, 0.064
    scene = Scene(
        "card_pyramid",
        """The classical pyramid of 40 cards. Tents in rows of five, four, three, two, one, with cards lying from ridge to ridge. The cards have 63 x 88 mm and are
     board of 1 mm, so that two flat cards find place on a ridge (each on an edge, 0.5 mm from its end). They lean by 16°; friction 0.45.
     Shows: 30 leaning cards stand, and do not creep.""",
        0.45, 700, look((0.38, -0.96, 0.33), (0, 0, 0.2)), 1.0,
    )
    cards, z = Cards(scene, 0.088, 0.063, 0.001), 0.0
    for storey in range(storeys):
        tents = storeys - storey
        for k in range(tents):
            x = (k - (tents - 1) / 2) * pitch
            cards.add_tent(f"tent{storey}_{k}_", x, 0.0, z, False, ((WARM, COOL)[storey % 2])[:2])
        z += cards.rise
        for k in range(tents - 1):
            x = (k - (tents - 2) / 2) * pitch
            cards.add_flat(f"flat{storey}_{k}", 0.063, 0.088, x, 0.0, z, "0.95 0.93 0.88 1")
        z += cards.thickness
    return scene


# ----------------------------------------------------------------------------------------------------------------- arches


def semicircle(blocks=15, thickness=0.13, radius=1.0, depth=0.3):
    """`radius` is that of the middle; joints point to the centre."""
    inner, outer = radius - thickness * radius / 2, radius + thickness * radius / 2
    angles = [math.pi * k / blocks for k in range(blocks + 1)]

    def at(r, angle):
        return (r * math.cos(angle), r * math.sin(angle))

    polygons = [[at(inner, a), at(outer, a), at(outer, b), at(inner, b)] for a, b in zip(angles, angles[1:])]
    for k in (0, -1):  # what stands on the ground stands on it exactly
        polygons[k] = [(x, 0.0 if abs(z) < 1e-12 else z) for x, z in polygons[k]]
    return polygons, depth * radius


def arch_semicircle():
    scene = Scene(
        "arch_semicircle",
        """A round arch of 15 dry stones. Radius of its middle 0.5 m, 0.065 m thick, friction 0.7.
     0.13 of the radius; a semicircular arch under its own weight falls when it is thinner than 0.1075 of it (Milankovitch 1907).
     Shows: the thrust stays inside the stones, and it stands.""",
        0.7, 2400, look((0.8, -1.75, 0.6), (0, 0, 0.26)), 1.5,
    )
    polygons, depth = semicircle(15, 0.13, 0.5)
    for k, polygon in enumerate(polygons):
        scene.add_prism(f"stone{k}", polygon, depth, STONE[k % 4])
    return scene


def catenary_parameter(rise, half_span):
    """a of z = rise - a (cosh(x/a) - 1), which is 0 at half the span: by bisection."""
    low, high = half_span / 50, 50 * half_span
    for _ in range(200):
        a = math.sqrt(low * high)
        low, high = (a, high) if a * (math.cosh(half_span / a) - 1) > rise else (low, a)
    return math.sqrt(low * high)


def catenary(blocks=21, rise=0.9, half_span=0.4, thickness=0.04):
    """Along a hanging chain turned over, joints square to it, the feet cut level."""
    a = catenary_parameter(rise, half_span)
    length = a * math.sinh(half_span / a)

    def joint(s):
        """Of arc length s from the top: inner and outer corner."""
        x = a * math.asinh(s / a)
        slope = -s / a  # sinh(x/a)
        nx, nz = -slope / math.hypot(1, slope), 1 / math.hypot(1, slope)
        z = rise - a * (math.cosh(x / a) - 1)
        return (x - nx * thickness / 2, z - nz * thickness / 2), (x + nx * thickness / 2, z + nz * thickness / 2)

    joints = [joint(length * (1 - 2 * k / blocks)) for k in range(blocks + 1)]
    for k, neighbour in ((0, 1), (-1, -2)):  # from the joint above along the stone's sides down to the ground
        joints[k] = tuple(
            (u[0] + (low[0] - u[0]) * u[1] / (u[1] - low[1]), 0.0) for u, low in zip(joints[neighbour], joints[k])
        )
    return [[p[0], p[1], q[1], q[0]] for p, q in zip(joints, joints[1:])]


def arch_catenary():
    scene = Scene(
        "arch_catenary",
        """A thin, high arch of 21 dry stones along a hanging chain turned over. Span 0.8 m, rise 0.9 m, 4 cm thick, friction 0.6.
     Under its own weight the thrust follows the chain, through the middle of every joint.
     Shows: it stands.""",
        0.6, 2400, look((1.0, -2.1, 0.75), (0, 0, 0.46)), 1.5,
    )
    for k, polygon in enumerate(catenary()):
        scene.add_prism(f"stone{k}", polygon, 0.1, STONE[k % 4])
    return scene


def flat_arch(blocks=9, half_span=0.4, height=0.2, base=0.4, centre=-0.55, pier=0.45):
    """Joints point to a centre below; between two piers, free too. The arch is in z from base to base + height."""
    xs = [half_span - 2 * half_span * k / blocks for k in range(blocks + 1)]  # on the underside

    def upper(x):
        return (x * (base + height - centre) / (base - centre), base + height)

    stones = [[(p, base), upper(p), upper(q), (q, base)] for p, q in zip(xs, xs[1:])]
    outer = upper(half_span)[0] + pier
    right = [(half_span, 0.0), (outer, 0.0), (outer, base + height), upper(half_span), (half_span, base)]
    left = [(-x, z) for x, z in reversed(right)]
    return stones, right, left


def arch_flat():
    scene = Scene(
        "arch_flat",
        """A flat arch of nine dry stones between two free piers. Its underside is level, and the piers stand on the ground by friction alone (0.7); span 0.8 m, 0.2 m high.
     The thrust is more than the arch weighs, and rises inside the stones.
     Shows: nothing slides down, and the piers are not pushed apart.""",
        0.7, 2400, look((1.25, -2.9, 1.1), (0, 0, 0.29)), 2.0,
    )
    stones, right, left = flat_arch()
    scene.add_prism("pier_right", right, 0.3, "0.60 0.56 0.52 1")
    scene.add_prism("pier_left", left, 0.3, "0.60 0.56 0.52 1")
    for k, polygon in enumerate(stones):
        scene.add_prism(f"stone{k}", polygon, 0.3, STONE[k % 4])
    return scene


# ------------------------------------------------------------------------------------------------------ planks and dominoes


def kapla():
    courses, planks, radius = 20, 5, 0.093
    length, height, thickness = 0.117, 0.0234, 0.0078
    scene = Scene(
        "kapla",
        """A round tower of 100 planks on edge, 47 cm high. Five to a course, each across two below; pine, 117 x 23.4 x 7.8 mm, 10 g; friction 0.5.
     Shows: 780 contacts at rest.""",
        0.5, 480, look((0.62, -0.98, 0.62), (0, 0, 0.22)), 1.0,
    )
    for course in range(courses):
        for k in range(planks):
            angle = 2 * math.pi * (k + 0.5 * (course % 2)) / planks
            scene.add_box(
                f"plank{course}_{k}", (thickness / 2, length / 2, height / 2),
                (radius * math.cos(angle), radius * math.sin(angle), height * (course + 0.5)),
                (WARM, COOL)[course // 2 % 2][course % 2], about_z(angle),
            )
    return scene


def dominoes():
    count, pitch = 40, 0.022
    thickness, width, height = 0.0075, 0.024, 0.048
    scene = Scene(
        "dominoes",
        """40 dominoes on a way that winds like an S. 48 x 24 x 7.5 mm, 10 g; friction 0.4. From its start nothing moves; keyframe "push" gives the first one a
     blow, and they fall one after the other.
     Shows: what stands stays, and a wave of impacts.""",
        0.4, 1160, look((0.04, -0.82, 0.6), (0.0, 0.0, 0)), 1.0,
    )
    # Two arcs of a circle, the second bent the other way; the pitch is that along the arc.
    half, radius = count // 2, 0.13
    places = []
    for k in range(count):
        along = (k - (count - 1) / 2) * pitch
        turn = abs(along) / radius
        x, y = radius * math.sin(turn), radius * (1 - math.cos(turn))
        side = 1 if along > 0 else -1
        places.append((side * x, side * y, turn))
    for k, (x, y, angle) in enumerate(places):
        rgba = (COOL if k < half else WARM)[k % 2]
        scene.add_box(f"domino{k:02d}", (thickness / 2, width / 2, height / 2), (x, y, height / 2), rgba, about_z(angle))
    # Turning about its lower front edge: omega across the way, the middle forwards and up.
    x, y, angle = places[0]
    omega = 3.0
    forward = (math.cos(angle), math.sin(angle))
    velocity = [omega * height / 2 * forward[0], omega * height / 2 * forward[1], omega * thickness / 2]
    local = [0.0, omega, 0.0]  # MuJoCo: angular velocity in the axes of the body
    still = " ".join(["0"] * 6 * (count - 1))
    scene.tail = ["  <keyframe>", f'    <key name="push" qvel="{numbers(*velocity, *local)} {still}"/>', "  </keyframe>"]
    return scene


# -------------------------------------------------------------------------------------------------- grippers, turntable


def gripper():
    half, blocks = (0.02, 0.025, 0.03), 5
    end = half[0] * blocks
    scene = Scene(
        "gripper",
        """A gripper that holds five blocks in a row by pressing on the outer two, as one lifts a row of books: each block weighs 0.15 kg, friction is 0.6, and
     each jaw presses with 20 N (6.1 N are needed to carry the weight). The jaws are coupled.
     Controls: press, N; height of the slide, m. Keyframe "hold": as above; "lift": the same, and up by 10 cm.
     Shows: friction between blocks that nothing else holds.""",
        0.6, 1250, look((0.38, -0.88, 0.36), (0, 0, 0.24)), 1.0,
    )
    z, steel = 0.2, "0.36 0.40 0.46 1"
    scene.bodies += [
        f'    <body name="carriage" pos="{numbers(0, 0, z)}">',
        '      <joint name="height" type="slide" axis="0 0 1" range="-0.1 0.2" damping="200"/>',
        '      <geom name="beam" type="box" size="0.17 0.02 0.012" pos="0 0 0.1" mass="1" rgba="0.45 0.50 0.56 1"/>',
        '      <geom name="stem" type="cylinder" size="0.018 0.09" pos="0 0 0.202" mass="0.5" rgba="0.45 0.50 0.56 1"/>',
    ]
    for side, name in ((-1, "left"), (1, "right")):
        x = side * (end + 0.01)
        scene.bodies += [
            f'      <body name="{name}" pos="{numbers(x, 0, 0)}">',
            f'        <joint name="{name}" type="slide" axis="{numbers(-side, 0, 0)}" range="-0.05 0.05" damping="5"/>',
            f'        <geom name="{name}_arm" type="box" size="0.006 0.018 0.055" pos="{numbers(side * 0.016, 0, 0.033)}" mass="0.1" rgba="{steel}"/>',
            f'        <geom name="{name}_pad" type="box" size="0.01 0.022 0.022" mass="0.05" rgba="0.20 0.22 0.25 1"/>',
            "      </body>",
        ]
    scene.bodies.append("    </body>")
    rest = []
    for k in range(blocks):
        x = (2 * k - blocks + 1) * half[0]
        rest += [x, 0, z, 1, 0, 0, 0]
        scene.add_box(f"block{k}", half, (x, 0, z), (WARM, COOL)[k % 2][k // 2])
    carries = (1.8 + 0.15 * blocks) * 9.81 / 2000  # what the servo of the height must be ahead to carry everything
    scene.tail = [
        "  <equality>", '    <joint name="coupled" joint1="left" joint2="right"/>', "  </equality>",
        "  <actuator>", '    <motor name="press" joint="left" gear="2"/>', '    <position name="height" joint="height" kp="2000" forcerange="-50 50"/>',
        "  </actuator>",
        "  <keyframe>", f'    <key name="hold" qpos="0 0 0 {numbers(*rest)}" ctrl="20 {number(carries)}"/>',
        f'    <key name="lift" qpos="0 0 0 {numbers(*rest)}" ctrl="20 {number(0.1 + carries)}"/>', "  </keyframe>",
    ]
    return scene


def hand():
    can, finger = 0.033, 0.008  # radii
    reach = can + finger
    bend = math.radians(58)
    knuckle = reach * math.tan(bend / 2)  # from where the first link touches to where the second begins
    start = 0.035  # of the first link, behind where it touches
    scene = Scene(
        "hand",
        """A hand of primitives holds a can of 0.35 kg. Palm, four fingers and a thumb with two joints each; torques of 0.12 and 0.05 N m per finger, twice that in
     the thumb; geared motors (reflected inertia 5e-4 kg m²). Friction 0.6.
     Controls: torque of every joint, N m; height of the wrist, m. Keyframe "hold": as above; "lift": the same, and up by 10 cm.
     Shows: round on round, held by friction.""",
        0.6, 1000, look((0.36, -0.42, 0.36), (-0.02, 0, 0.19)), 1.0,
    )
    z, skin, link = 0.2, "0.88 0.70 0.56 1", "0.82 0.62 0.49 1"
    scene.bodies += [
        f'    <body name="palm" pos="{numbers(0, 0, z)}">',
        '      <joint name="height" type="slide" axis="0 0 1" range="-0.1 0.2" damping="100"/>',
        f'      <geom name="palm" type="box" size="0.01 0.036 0.05" pos="{numbers(-can - 0.01, 0, 0)}" mass="0.3" rgba="{skin}"/>',
        f'      <geom name="wrist" type="capsule" size="0.022" fromto="{numbers(-can - 0.035, 0, 0, -can - 0.12, 0, 0)}" mass="0.2" rgba="{skin}"/>',
    ]
    digits = [(f"finger{k}", 1, 0.033 - 0.022 * k) for k in range(4)] + [("thumb", -1, 0.0)]
    motors, grip = [], []
    for name, side, height in digits:
        axis = numbers(0, 0, -side)
        scene.bodies += [
            f'      <body name="{name}" pos="{numbers(-start, side * reach, height)}">',
            f'        <joint name="{name}" axis="{axis}" range="-60 60" damping="0.02" armature="5e-4"/>',
            f'        <geom name="{name}" type="capsule" size="{number(finger)}" fromto="{numbers(0, 0, 0, start + knuckle, 0, 0)}" mass="0.02" rgba="{skin}"/>',
            f'        <body name="{name}_tip" pos="{numbers(start + knuckle, 0, 0)}" quat="{numbers(*about_z(-side * bend))}">',
            f'          <joint name="{name}_tip" axis="{axis}" range="-60 60" damping="0.02" armature="5e-4"/>',
            f'          <geom name="{name}_tip" type="capsule" size="{number(finger)}" fromto="{numbers(0, 0, 0, 1.35 * knuckle, 0, 0)}" mass="0.015" rgba="{link}"/>',
            "        </body>",
            "      </body>",
        ]
        motors += [f'    <motor name="{name}" joint="{name}"/>', f'    <motor name="{name}_tip" joint="{name}_tip"/>']
        grip += ["0.12 0.05", "0.24 0.1"][side < 0].split()
    scene.bodies += [
        "    </body>",
        f'    <body name="can" pos="{numbers(0, 0, z)}">',
        "      <freejoint/>",
        f'      <geom name="can" type="cylinder" size="{numbers(can, 0.058)}" mass="0.35" rgba="{COOL[0]}"/>',
        "    </body>",
    ]
    carries = (0.5 + 0.035 * len(digits) + 0.35) * 9.81 / 1000  # what the servo of the height must be ahead to carry everything
    rest = f'{" ".join(["0"] * 11)} {numbers(0, 0, z, 1, 0, 0, 0)}'
    excluded = [f'    <exclude body1="{name}_tip" body2="palm"/>' for name, _, _ in digits]
    scene.tail = [
        "  <contact>", *excluded, "  </contact>",
        "  <actuator>", *motors, '    <position name="height" joint="height" kp="1000" forcerange="-16 16"/>', "  </actuator>",
        "  <keyframe>", f'    <key name="hold" qpos="{rest}" ctrl="{" ".join(grip)} {number(carries)}"/>',
        f'    <key name="lift" qpos="{rest}" ctrl="{" ".join(grip)} {number(0.1 + carries)}"/>', "  </keyframe>",
    ]
    return scene


def turntable():
    top, radius = 0.06, 0.42
    scene = Scene(
        "turntable",
        """A turntable carries boxes, a tower, a standing cylinder and a gate of three stones. Its radius is 0.42 m, it is brought to 2 rad/s within a second; friction 0.5. At 0.33 m
     1.3 m/s² are asked for, and 4.9 could be held. Control: speed, rad/s; keyframe "turn": 2.
     Shows: what is carried round stays where it is on the table.""",
        0.5, 600, look((0.75, -1.25, 0.75), (0, 0, 0.1)), 1.5,
    )
    scene.bodies += [
        '    <geom name="foot" type="cylinder" size="0.1 0.015" pos="0 0 0.015" rgba="0.36 0.40 0.46 1"/>',
        f'    <body name="table" pos="{numbers(0, 0, top - 0.01)}">',
        '      <joint name="table" axis="0 0 1"/>',
        f'      <geom name="table" type="cylinder" size="{numbers(radius, 0.01)}" mass="4" rgba="0.45 0.50 0.56 1"/>',
        "    </body>",
    ]
    for k in range(6):
        angle, r, half = 2 * math.pi * k / 6, 0.33, 0.025 + 0.004 * (k % 3)
        scene.add_box(f"box{k}", (half, half, half), (r * math.cos(angle), r * math.sin(angle), top + half), (WARM + COOL)[k], about_z(angle + 0.3 * k))
    for k in range(5):
        half = 0.03
        scene.add_box(f"tower{k}", (half, half, half / 2), (0.14, 0.0, top + half * (k + 0.5)), WARM[k % 4], about_z(0.35 * k))
    scene.bodies += [
        f'    <body name="drum" pos="{numbers(-0.16, 0.08, top + 0.06)}">',
        "      <freejoint/>",
        f'      <geom name="drum" type="cylinder" size="0.03 0.06" rgba="{COOL[1]}"/>',
        "    </body>",
    ]
    for x, name in ((-0.085, "left"), (0.005, "right")):
        scene.add_box(f"post_{name}", (0.015, 0.015, 0.035), (x, -0.15, top + 0.035), STONE[1])
    scene.add_box("lintel", (0.065, 0.017, 0.01), (-0.04, -0.15, top + 0.08), STONE[2])
    scene.tail = [
        "  <actuator>", '    <velocity name="speed" joint="table" kv="1.5"/>', "  </actuator>",
        "  <keyframe>", '    <key name="turn" ctrl="2"/>', "  </keyframe>",
    ]
    return scene


SCENES = (house_of_cards, card_pyramid, arch_semicircle, arch_catenary, arch_flat, kapla, dominoes, gripper, hand, turntable)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).resolve().parent, metavar="FOLDER")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 where a file is another")
    arguments = parser.parse_args()
    different = []
    for make in SCENES:
        path, text = arguments.folder / f"{make.__name__}.xml", make().text()
        if arguments.check:
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                different.append(path.name)
        else:
            arguments.folder.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if different:
        sys.exit("not what generate.py writes: " + ", ".join(different))


if __name__ == "__main__":
    main()
