"""Scenes of mechanisms as MJCF text: joints with dry friction, redundant loops, permanent contacts, starts in deep overlap."""

from __future__ import annotations

import math

GROUND = '<geom name="floor" type="plane" size="0 0 0.1" friction="0.8 0.005 0.0001"/>'


def document(body: str, *, time_step: float = 2e-3, defaults: str = "", tail: str = "") -> str:
    return (
        f'<mujoco><compiler angle="radian"/><option timestep="{time_step}"/><default>{defaults}</default>'
        f"<worldbody>{body}</worldbody>{tail}</mujoco>"
    )


# ---- robots with dry friction in every joint


def chain(name: str, joints: int, at: str, length: float, radius: float, step: str, end: str = "") -> str:
    """`joints` hinges in a row, their axes taking turns; links are capsules along `step` (a direction)."""
    axes = ("0 1 0", "1 0 0", "0 0 1")
    x, y, z = (float(s) * length for s in step.split())
    text, close = "", ""
    for k in range(joints):
        place = at if k == 0 else f"{x} {y} {z}"
        text += (
            f'<body name="{name}{k}" pos="{place}"><joint name="{name}{k}" axis="{axes[k % 3]}" range="-1.2 1.2"/>'
            f'<geom type="capsule" fromto="0 0 0 {x} {y} {z}" size="{radius}"/>'
        )
        close += "</body>"
    return text + end + close


def hand(name: str, joints: int) -> str:
    """Fingers of up to three joints each at the end of an arm."""
    text, finger = "", 0
    while joints > 0:
        count = min(3, joints)
        place = f"{-0.03 + 0.02 * (finger % 4)} {0.02 * (finger // 4)} -0.16"
        text += chain(f"{name}_finger{finger}_", count, place, 0.035, 0.008, "0 0 -1")
        joints -= count
        finger += 1
    return text


def humanoid(joints: int, friction: float, servo: bool = False) -> str:
    """A body with two legs of six joints, two arms and hands: `joints` hinges with dry friction, on the ground."""
    arm = 4 if joints < 30 else 7
    fingers = max(0, joints - 12 - 2 * arm)
    sole = '<geom type="box" pos="0.03 0 -0.13" size="0.09 0.04 0.015"/>'
    body = GROUND + (
        '<body name="trunk" pos="0 0 1.27"><freejoint/><geom type="box" size="0.1 0.14 0.22" mass="12"/>'
        '<geom type="sphere" pos="0 0 0.32" size="0.09" mass="3"/>'
    )
    for side, y in (("left", 0.09), ("right", -0.09)):
        body += chain(side + "_leg", 6, f"0 {y} -0.25", 0.16, 0.04, "0 0 -1", sole)
    for side, y in (("left", 0.2), ("right", -0.2)):
        count = (fingers + (side == "left")) // 2
        body += chain(side + "_arm", arm, f"0 {y} 0.15", 0.1, 0.03, "0 0 -1", hand(side, count))
    body += "</body>"
    # Links of a limb are nearer to each other than their shapes are wide: they meet the ground, not each other.
    loss = f' frictionloss="{friction}"' if friction else ""
    defaults = (
        f'<geom density="900" contype="0" conaffinity="1" friction="0.8 0.005 0.0001"/>'
        f'<joint damping="0.05" armature="0.005"{loss}/>'
    )
    body = body.replace('name="floor"', 'name="floor" contype="1" conaffinity="0"')
    tail = ""
    if servo:
        names = [word.split('"')[0] for word in body.split('<joint name="')[1:]]
        tail = "<actuator>" + "".join(f'<position joint="{n}" kp="60" kv="2"/>' for n in names) + "</actuator>"
    return document(body, defaults=defaults, tail=tail)


# ---- redundant loops


def four_bar(mismatch: float, pins: int = 2) -> str:
    """A crank, a coupler and a rocker that swing in a plane; the loop is closed at both ends of a pin and in its middle,
    the file being off by `mismatch` metres. In the plane all these closures say the same."""
    y = [-0.05, 0.05, 0.0][:pins]
    off = [0.0, mismatch, -0.6 * mismatch][:pins]
    connects = "".join(
        f'<connect body1="coupler" body2="rocker" anchor="{0.5 + 0.8 * o} {p} {o}"/>' for p, o in zip(y, off)
    )
    body = (
        '<body name="crank" pos="0 0 1"><joint name="crank" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 0.2" size="0.02"/>'
        '<body name="coupler" pos="0 0 0.2"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.02"/></body></body>'
        '<body name="rocker" pos="0.5 0 0.8"><joint name="rocker" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 0.4" size="0.02"/></body>'
    )
    return document(
        body,
        defaults='<geom density="1000" contype="0" conaffinity="0"/>',
        tail=f'<equality>{connects}</equality><keyframe><key name="start" qvel="2 -2 1"/></keyframe>',
    )


def mesh_of_bars(cells: int, mismatch: float) -> str:
    """Parallelograms side by side on one coupler: rockers beyond the second are redundant, and every one is off a little."""
    body = ""
    connects = ""
    for k in range(cells + 1):
        body += (
            f'<body name="rocker{k}" pos="{0.3 * k} 0 1"><joint axis="0 1 0" damping="0.01"/>'
            '<geom type="capsule" fromto="0 0 0 0 0 -0.25" size="0.015"/>'
        )
        if k == 0:
            body += (
                '<body name="coupler" pos="0 0 -0.25"><joint axis="0 1 0" damping="0.01"/>'
                f'<geom type="capsule" fromto="0 0 0 {0.3 * cells} 0 0" size="0.015"/></body>'
            )
        body += "</body>"
        if k > 0:
            off = mismatch * (-1.0) ** k * (1.0 + 0.3 * k)
            connects += f'<connect body1="coupler" body2="rocker{k}" anchor="{0.3 * k + off} 0 {0.5 * off}"/>'
    return document(
        body,
        defaults='<geom density="1000" contype="0" conaffinity="0"/>',
        tail=f"<equality>{connects}</equality>"
        f'<keyframe><key name="start" qvel="{" ".join(["1.5"] + ["-1.5"] + ["1.5"] * cells)}"/></keyframe>',
    )


# ---- a gripper


def gripper(mismatch: float = 0.0, mass: float = 0.2) -> str:
    """A parallel gripper: each finger on a parallelogram of two cranks, closed by a pin at both of its ends, both driven
    cranks coupled, limits at both ends, dry friction in every joint. It holds a box, lifts it, and shakes it."""
    body = GROUND + (
        '<body name="slide" pos="0 0 0.35"><joint name="lift" type="slide" axis="0 0 1" range="-0.3 0.3" frictionloss="1"/>'
        '<geom type="box" size="0.06 0.03 0.02" mass="0.5" contype="0" conaffinity="0"/>'
    )
    connects = ""
    for name, s in (("left", 1), ("right", -1)):
        body += (
            f'<body name="{name}_crank" pos="{0.03 * s} 0 -0.02"><joint name="{name}" axis="0 {-s} 0" range="-0.9 0.9" frictionloss="0.01"/>'
            '<geom type="capsule" fromto="0 0 0 0 0 -0.08" size="0.006" contype="0" conaffinity="0"/>'
            f'<body name="{name}_finger" pos="0 0 -0.08"><joint name="{name}_finger" axis="0 {-s} 0" range="-0.9 0.9" frictionloss="0.005"/>'
            f'<geom type="box" pos="{0.01 * s} 0 0" size="0.014 0.012 0.006" contype="0" conaffinity="0"/>'
            f'<geom type="box" pos="{0.008 * s} 0 -0.045" size="0.005 0.012 0.04" friction="1 0.005 0.0001"/></body></body>'
            f'<body name="{name}_rear" pos="{0.055 * s} 0 -0.02"><joint name="{name}_rear" axis="0 {-s} 0" range="-0.9 0.9" frictionloss="0.005"/>'
            '<geom type="capsule" fromto="0 0 0 0 0 -0.08" size="0.005" contype="0" conaffinity="0"/></body>'
        )
        for y, off in ((-0.01, 0.0), (0.01, mismatch)):
            connects += f'<connect body1="{name}_finger" body2="{name}_rear" anchor="{0.025 * s + off} {y} {0.7 * off}"/>'
    body += (
        f'</body><body name="box" pos="0 0 0.2"><freejoint/><geom type="box" size="0.02 0.02 0.03" mass="{mass}" friction="1 0.005 0.0001"/></body>'
        '<geom type="box" pos="0 0 0.085" size="0.05 0.05 0.085"/>'
    )
    tail = (
        f'<equality>{connects}<joint joint1="left" joint2="right"/></equality>'
        '<actuator><motor name="squeeze" joint="left" gear="-1"/>'
        '<position name="lift" joint="lift" kp="2000" kv="60"/></actuator>'
        '<keyframe><key name="start" ctrl="1.5 0"/></keyframe>'
    )
    return document(body, defaults='<joint armature="0.0005" damping="0.002"/><geom density="1500"/>', tail=tail)


# ---- contacts that last, and starts in deep overlap


def self_contacts(links: int) -> str:
    """A chain of hinges whose every link is so thick that it always overlaps the next but one, which MuJoCo does not
    leave out: some joints cannot part them, others can and meet the contacts of the other side."""
    text, close = "", ""
    for k in range(links):
        place = "0 0 1.2" if k == 0 else "0.06 0 0"
        text += (
            f'<body name="link{k}" pos="{place}"><joint axis="0 {(k + 1) % 2} {k % 2}" damping="0.05" range="-0.6 0.6"/>'
            '<geom type="capsule" fromto="0 0 0 0.06 0 0" size="0.045"/>'
        )
        close += "</body>"
    return document(GROUND + text + close, defaults='<geom density="800"/><joint armature="0.01"/>')


def wedged_hinges(pairs: int) -> str:
    """Doors between two walls that are too near: every door's edge is a millimetre inside both, for good."""
    body = GROUND
    for k in range(pairs):
        x = 0.4 * k
        body += (
            f'<body name="door{k}" pos="{x} 0 0.5"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1" damping="20"/>'
            '<geom type="box" size="0.1 0.1 0.1" mass="1"/></body>'
            f'<geom type="box" pos="{x - 0.199} 0 0.5" size="0.1 0.2 0.4"/><geom type="box" pos="{x + 0.199} 0 0.5" size="0.1 0.2 0.4"/>'
        )
    return document(body)


def overlapping(count: int, share: float) -> str:
    """Boxes in layers of nine, each reaching `share` of its width into its neighbours, over the ground."""
    body = GROUND
    pitch = 0.2 * (1.0 - share)
    for k in range(count):
        x, y, z = pitch * (k % 3), pitch * (k // 3 % 3), 0.1 - 0.2 * share + pitch * (k // 9)
        body += f'<body pos="{x} {y} {z}"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1"/></body>'
    return document(body)


# ---- robots with many contacts


def rover(wheels: int, friction: float, torques: bool = False) -> str:
    """A rover on cylindrical wheels with dry friction in every axle and velocity servos, which drives over bars; `torques`: condim 6."""
    body, servos = GROUND, ""
    for k in range(6):
        body += f'<geom type="box" pos="{0.8 + 0.35 * k} 0 0.008" size="0.02 0.6 0.008"/>'
    body += '<body name="hull" pos="0 0 0.16"><freejoint/><geom type="box" size="0.45 0.18 0.05" mass="12"/>'
    surface = 'condim="6" friction="1 0.003 0.0005"' if torques else 'friction="1 0.005 0.0001"'
    for k in range(wheels):
        x, side = 0.4 - 0.8 * (k // 2) / (wheels // 2 - 1), 1 - 2 * (k % 2)
        body += (
            f'<body name="w{k}" pos="{x:g} {0.24 * side:g} -0.06"><joint name="w{k}" axis="0 1 0" frictionloss="{friction}"/>'
            f'<geom type="cylinder" size="0.1 0.03" euler="1.570796326794897 0 0" mass="0.8" {surface}/></body>'
        )
        servos += f'<velocity joint="w{k}" kv="4" ctrlrange="-20 20"/>'
    controls = " ".join(["8"] * wheels)
    tail = f'<actuator>{servos}</actuator><keyframe><key name="start" ctrl="{controls}"/></keyframe>'
    return document(body + "</body>", defaults='<joint armature="0.002" damping="0.02"/>', tail=tail)


def grasp(fingers: int, torques: bool = False) -> str:
    """Flat pads, four contact points each, press a prism from all sides and shake it; dry friction in every slide."""
    surface = 'condim="4" friction="0.8 0.004 0.0001"' if torques else 'friction="0.8 0.005 0.0001"'
    body = '<body name="palm" pos="0 0 0.5"><joint name="lift" type="slide" axis="0 0 1" frictionloss="1"/>'
    body += '<geom type="cylinder" size="0.2 0.01" pos="0 0 0.2" mass="2" contype="0" conaffinity="0"/>'
    motors = '<position joint="lift" kp="4000" kv="120"/>'
    for k in range(fingers):
        angle = 2.0 * math.pi * k / fingers
        c, s = math.cos(angle), math.sin(angle)
        body += (
            f'<body name="f{k}" pos="{0.1 * c:.12g} {0.1 * s:.12g} 0" euler="0 0 {angle:.12g}">'
            f'<joint name="f{k}" type="slide" axis="-1 0 0" frictionloss="0.5"/>'
            f'<geom type="box" size="0.01 0.02 0.03" mass="0.1" {surface}/></body>'
        )
        motors += f'<motor joint="f{k}"/>'
    half, corners = 0.06, []
    for k in range(fingers):
        angle = 2.0 * math.pi * (k + 0.5) / fingers
        reach = half / math.cos(math.pi / fingers)
        corners += [f"{reach * math.cos(angle):.12g} {reach * math.sin(angle):.12g} {z:g}" for z in (-0.05, 0.05)]
    asset = f'<asset><mesh name="prism" vertex="{"  ".join(corners)}"/></asset>'
    body += f'</body><body name="prism" pos="0 0 0.5"><freejoint/><geom type="mesh" mesh="prism" mass="0.8" {surface}/></body>'
    controls = " ".join(["0.05"] + ["12"] * fingers)
    tail = f'<actuator>{motors}</actuator><keyframe><key name="start" ctrl="{controls}"/></keyframe>'
    return document(body, defaults='<joint armature="0.0005" damping="0.5"/>', tail=asset + tail)


SCENES = {
    **{f"dry-{n}": (lambda n=n: humanoid(n, 0.3), 2000) for n in (20, 40, 60)},
    **{f"dry-{n}-servo": (lambda n=n: humanoid(n, 0.3, servo=True), 2000) for n in (20, 40, 60)},
    "no-dry-40": (lambda: humanoid(40, 0.0), 2000),
    "four-bar": (lambda: four_bar(0.0), 4000),
    "four-bar-1e-8": (lambda: four_bar(1e-8), 4000),
    "four-bar-1e-6": (lambda: four_bar(1e-6, 3), 4000),
    "bars-1e-8": (lambda: mesh_of_bars(5, 1e-8), 4000),
    "bars-1e-6": (lambda: mesh_of_bars(5, 1e-6), 4000),
    "gripper": (lambda: gripper(), 4000),
    "gripper-1e-8": (lambda: gripper(1e-8), 4000),
    "gripper-1e-6": (lambda: gripper(1e-6), 4000),
    "self-contacts": (lambda: self_contacts(12), 2000),
    "rover-8": (lambda: rover(8, 0.1), 2000),
    "rover-8-condim-6": (lambda: rover(8, 0.1, torques=True), 2000),
    "grasp-32": (lambda: grasp(8), 2000),
    "grasp-32-condim-4": (lambda: grasp(8, torques=True), 2000),
    "wedged": (lambda: wedged_hinges(4), 2000),
    "overlap-4": (lambda: overlapping(4, 0.2), 1000),
    "overlap-18": (lambda: overlapping(18, 0.2), 500),
}
