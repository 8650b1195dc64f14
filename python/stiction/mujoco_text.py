"""Models that a MuJoCo of the user's holds in memory, of any version from 3.2 on.

What travels is MJCF text, which all versions share, and not memory. MuJoCo writes the text of the model that it read last,
whatever model one asks for, and forgets some of what was changed afterwards; so its own compiler reads the text back
here, and a model that is not the one in hand is refused.
"""

from __future__ import annotations

import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path
from typing import Any, List

import numpy as np

from ._stiction import LoadedModel, load, load_mjcf_string, mujoco_version

__all__ = ["from_mujoco"]

# What the reader takes, by fields of MjModel; one that the user's version does not have is not looked at. The axes of
# principal moments (body_iquat) are missing: where two moments are equal they may come out in another order.
_FIELDS = (
    "body_parentid body_pos body_quat body_mass body_inertia body_ipos body_gravcomp body_mocapid jnt_type jnt_bodyid "
    "jnt_pos jnt_axis jnt_limited jnt_range jnt_actfrclimited jnt_actfrcrange jnt_stiffness qpos0 qpos_spring "
    "dof_armature dof_damping dof_frictionloss geom_type geom_bodyid geom_size geom_pos geom_quat geom_friction "
    "geom_condim geom_contype geom_conaffinity geom_priority geom_surfacevel site_bodyid site_type site_size site_pos "
    "site_quat cam_bodyid cam_mode cam_pos cam_quat pair_geom1 pair_geom2 pair_dim pair_friction exclude_signature "
    "eq_type eq_objtype eq_obj1id eq_obj2id eq_active0 eq_data tendon_num tendon_limited tendon_range tendon_stiffness "
    "tendon_damping tendon_lengthspring tendon_frictionloss tendon_actfrclimited tendon_actfrcrange wrap_type wrap_objid "
    "wrap_prm actuator_trntype actuator_trnid actuator_gear actuator_cranklength actuator_gaintype actuator_gainprm "
    "actuator_biastype actuator_biasprm actuator_dyntype actuator_dynprm actuator_actlimited actuator_actrange "
    "actuator_actearly actuator_ctrllimited actuator_ctrlrange actuator_ctrlspec actuator_forcelimited "
    "actuator_forcerange actuator_lengthrange actuator_armature actuator_damping actuator_delay actuator_group "
    "sensor_type sensor_objtype sensor_objid sensor_reftype sensor_refid sensor_cutoff sensor_noise sensor_delay "
    "key_time key_qpos key_qvel key_act key_ctrl"
).split()
_SIZES = "nq nv nu na nbody njnt ngeom nsite ncam neq npair nexclude nkey nmesh nhfield ntendon nwrap nsensor nmocap".split()
_OPTIONS = "gravity timestep disableflags enableflags disableactuator density viscosity wind magnetic o_friction".split()
# By kind of element a field with one entry for each: what counts actuators differs between versions.
_NUMBER_OF = {
    "body": "body_mass",
    "joint": "jnt_type",
    "geom": "geom_type",
    "site": "site_type",
    "tendon": "tendon_num",
    "actuator": "actuator_trntype",
    "sensor": "sensor_type",
}
_SIZES_OF = {0: 0, 1: 0, 2: 1, 3: 2, 4: 3, 5: 2, 6: 3}  # by mjtGeom, from plane to box; a plane's are for the eye
_TOLERANCE = 1e-5  # relative: text has six digits or more, vertices are single precision


def from_mujoco(model: Any, **options: Any) -> LoadedModel:
    """The model of a `mujoco.MjModel` or `mujoco.MjSpec`; `options` are those of `load`.

    What MuJoCo has and Stiction has not is in `.ignored`. The user's MuJoCo may be of any version from 3.2 on. An MjModel
    of another version than `mujoco_version()` must be the one that MuJoCo read from XML last; its fields may have been
    changed since as far as MuJoCo writes them back. Otherwise ValueError: give the MjSpec, or load the file.
    """
    import mujoco

    if isinstance(model, mujoco.MjSpec):
        compiled = model.compile()
        text = model.to_xml()
    else:
        if mujoco.mj_versionString() == mujoco_version():
            return _by_compiled_file(mujoco, model, options)
        compiled = model
        text = _last_text(mujoco, model)
    text = _without_files(text, compiled)
    difference = _difference(mujoco, text, compiled)
    if difference:
        raise ValueError(
            f"MuJoCo's text of the model is not the model in hand ({difference}): it is not the one read from XML last, "
            "or was changed in ways that MuJoCo does not write. Give the MjSpec, or load the file with stiction.load"
        )
    return load_mjcf_string(text, **options)


def _by_compiled_file(mujoco: Any, model: Any, options: Any) -> LoadedModel:
    """The same version on both sides: nothing is lost, whatever was changed in memory."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.mjb"
        mujoco.mj_saveModel(model, str(path), None)
        return load(path, **options)


def _last_text(mujoco: Any, model: Any) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.xml"
        try:
            mujoco.mj_saveLastXML(str(path), model)
        except (mujoco.FatalError, ValueError) as error:
            raise ValueError(f"MuJoCo has no text of this model ({error}); give the MjSpec, or load the file") from error
        return path.read_text()


def _without_files(text: str, model: Any) -> str:
    """The text with the vertices of meshes and the heights of fields inside, and without what is for the eye alone."""
    root = xml.fromstring(text)
    assets = [item for asset in root.findall("asset") for item in asset]
    for k, mesh in enumerate(item for item in assets if item.tag == "mesh"):
        _write_mesh(mesh, model, k)
    for k, field in enumerate(item for item in assets if item.tag == "hfield"):
        _write_height_field(field, model, k)
    for asset in root.findall("asset"):
        for item in list(asset):
            if item.tag in ("texture", "material", "skin"):
                asset.remove(item)
    for parent in list(root.iter()):
        parent.attrib.pop("material", None)
        for item in list(parent):
            # As defaults and in <visual>, in <deformable>: nothing that touches anything.
            if item.tag in ("skin", "visual") or (item.tag in ("material", "texture") and parent.tag == "default"):
                parent.remove(item)
    return xml.tostring(root, encoding="unicode")


def _numbers(values: Any) -> str:
    return " ".join(repr(float(value)) if isinstance(value, (float, np.floating)) else str(int(value)) for value in values)


def _write_mesh(mesh: Any, model: Any, k: int) -> None:
    """MuJoCo turned and moved the vertices into the mesh's principal frame; here they go back to where they were."""
    begin, count = model.mesh_vertadr[k], model.mesh_vertnum[k]
    local = np.asarray(model.mesh_vert[begin : begin + count], dtype=np.float64)
    vertices = local @ _rotation(model.mesh_quat[k]).T + model.mesh_pos[k]
    first, faces = model.mesh_faceadr[k], model.mesh_facenum[k]
    for attribute in ("file", "scale", "refpos", "refquat", "normal", "texcoord", "content_type", "smoothnormal", "builtin", "params"):
        mesh.attrib.pop(attribute, None)
    mesh.set("name", model.mesh(k).name)
    mesh.set("vertex", _numbers(vertices.ravel()))
    mesh.set("face", _numbers(np.asarray(model.mesh_face[first : first + faces]).ravel()))


def _write_height_field(field: Any, model: Any, k: int) -> None:
    rows, columns, begin = model.hfield_nrow[k], model.hfield_ncol[k], model.hfield_adr[k]
    data = np.asarray(model.hfield_data[begin : begin + rows * columns], dtype=np.float64).reshape(rows, columns)
    for attribute in ("file", "content_type"):
        field.attrib.pop(attribute, None)
    field.set("name", model.hfield(k).name)
    field.set("nrow", str(rows))
    field.set("ncol", str(columns))
    field.set("elevation", _numbers(data[::-1].ravel()))  # the text begins with the last row


def _rotation(quaternion: Any) -> Any:
    w, x, y, z = (float(value) for value in quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _difference(mujoco: Any, text: str, model: Any) -> str:
    """What the user's own compiler makes of the text, against the model: the first field that differs, or ''."""
    read = mujoco.MjModel.from_xml_string(text)
    for name in _SIZES:
        if getattr(read, name) != getattr(model, name):
            return f"{name} is {getattr(read, name)} there and {getattr(model, name)} here"
    for name in _OPTIONS:
        if not np.allclose(getattr(read.opt, name), getattr(model.opt, name), rtol=_TOLERANCE, atol=1e-12):
            return f"opt.{name} differs"
    for name in _FIELDS:
        if hasattr(model, name) and not _equal(name, _field(read, name), _field(model, name)):
            return f"{name} differs"
    for kind in _NUMBER_OF:
        if _names(mujoco, read, kind) != _names(mujoco, model, kind):
            return f"names of {kind} elements differ"
    return _mesh_difference(read, model)


def _field(model: Any, name: str) -> Any:
    values = np.array(getattr(model, name))
    if name in ("geom_size", "geom_quat"):  # of meshes: follows axes that may come out in another order
        values[np.asarray(model.geom_dataid) >= 0] = 0.0
    if name in ("geom_size", "site_size"):  # what the type does not use is not in the text
        for row, kind in zip(values, getattr(model, name.replace("size", "type"))):
            row[_SIZES_OF.get(int(kind), 3) :] = 0.0
    return values


def _names(mujoco: Any, model: Any, kind: str) -> List[str]:
    number = len(getattr(model, _NUMBER_OF[kind]))
    return [mujoco.mj_id2name(model, getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}"), k) for k in range(number)]


def _equal(name: str, a: Any, b: Any) -> bool:
    if a.shape != b.shape:
        return False
    if not np.issubdtype(b.dtype, np.floating):  # counts and indices, some of them large
        return bool(np.array_equal(a, b))
    if name.endswith("quat"):  # q and -q are one rotation
        b = b * np.where(np.sum(a * b, axis=1, keepdims=True) < 0, -1.0, 1.0)
    # A place that is nearly zero is compared with the size of the others.
    of_places = name.endswith(("pos", "pos0", "quat", "data", "spring", "lengthrange"))
    smallest = _TOLERANCE * max(1e-3, float(np.max(np.abs(b), initial=0.0))) if of_places else 1e-9
    return bool(np.allclose(a, b, rtol=_TOLERANCE, atol=smallest))


def _mesh_difference(read: Any, model: Any) -> str:
    for k in range(model.nmesh):
        spans = [np.sort(np.ptp(np.asarray(one.mesh_vert[one.mesh_vertadr[k] : one.mesh_vertadr[k] + one.mesh_vertnum[k]]), axis=0))
                 for one in (read, model)]
        if not np.allclose(*spans, rtol=1e-3, atol=1e-6):
            return f"mesh {k} differs"
    if model.nhfield and not np.allclose(read.hfield_data, model.hfield_data, atol=1e-5):
        return "hfield_data differs"
    return ""
