"""MJCF of a scene as text: numbers, turns, blocks. For generate.py."""

import math

GROUND = "0.62 0.66 0.70 1"


def number(value):
    """15 digits after the point: to rounding for all that is smaller than a metre."""
    text = f"{value:.15f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def numbers(*values):
    return " ".join(number(value) for value in values)


def about_y(angle):
    return (math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0)


def about_z(angle):
    return (math.cos(angle / 2), 0.0, 0.0, math.sin(angle / 2))


def times(a, b):
    """The product of two quaternions (w, x, y, z)."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


class Scene:
    """One file. Free bodies and meshes are added, everything else is text."""

    def __init__(self, name, comment, friction, density, camera, ground=2.0, time_step=0.001):
        self.name, self.comment, self.friction, self.density = name, comment, friction, density
        self.camera, self.ground, self.time_step = camera, ground, time_step
        self.meshes, self.bodies, self.tail = [], [], []

    def add_box(self, name, half, position, rgba, quaternion=None):
        turned = f' quat="{numbers(*quaternion)}"' if quaternion else ""
        self.bodies += [
            f'    <body name="{name}" pos="{numbers(*position)}"{turned}>',
            "      <freejoint/>",
            f'      <geom name="{name}" type="box" size="{numbers(*half)}" rgba="{rgba}"/>',
            "    </body>",
        ]

    def add_prism(self, name, polygon, depth, rgba):
        """A polygon of the plane y = 0, extended to both sides by half of the depth; its body's origin is its centroid."""
        x, z = centroid(polygon)
        corners = [(px - x, y, pz - z) for px, pz in polygon for y in (-depth / 2, depth / 2)]
        self.meshes.append(f'    <mesh name="{name}" vertex="{"  ".join(numbers(*corner) for corner in corners)}"/>')
        self.bodies += [
            f'    <body name="{name}" pos="{numbers(x, 0, z)}">',
            "      <freejoint/>",
            f'      <geom name="{name}" type="mesh" mesh="{name}" rgba="{rgba}"/>',
            "    </body>",
        ]

    def text(self):
        eye, right, up = self.camera
        lines = [f"<!-- {self.comment} -->", f'<mujoco model="{self.name}">', f'  <option timestep="{number(self.time_step)}"/>']
        lines += ["  <default>", f'    <geom friction="{number(self.friction)}" density="{number(self.density)}"/>', "  </default>"]
        lines += ["  <asset>", *self.meshes, "  </asset>"] if self.meshes else []
        lines += ["  <worldbody>", f'    <geom name="ground" type="plane" size="{numbers(self.ground, self.ground, 0.1)}" rgba="{GROUND}"/>']
        lines += [f'    <camera name="gallery" pos="{numbers(*eye)}" xyaxes="{numbers(*right, *up)}" fovy="30"/>']
        return "\n".join([*lines, *self.bodies, "  </worldbody>", *self.tail, "</mujoco>"]) + "\n"


def centroid(polygon):
    area = x = z = 0.0
    for (ax, az), (bx, bz) in zip(polygon, polygon[1:] + polygon[:1]):
        cross = ax * bz - bx * az
        area, x, z = area + cross / 2, x + (ax + bx) * cross / 6, z + (az + bz) * cross / 6
    return x / area, z / area


def look(eye, target):
    """A camera there, that looks at the target: its place and its axes to the right and up."""
    forward = [t - e for t, e in zip(target, eye)]
    length = math.hypot(*forward)
    forward = [f / length for f in forward]
    across = math.hypot(forward[0], forward[1])
    right = (forward[1] / across, -forward[0] / across, 0.0)
    up = (right[1] * forward[2], -right[0] * forward[2], right[0] * forward[1] - right[1] * forward[0])
    return eye, right, tuple(round(u, 6) for u in up)
