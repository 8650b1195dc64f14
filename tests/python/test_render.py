"""Pictures of simulators and recordings."""

import math

import numpy as np
import pytest

import stiction


def world(**camera):
    builder = stiction.ModelBuilder()
    builder.add_shape(stiction.Plane(), name="ground")
    ball = builder.add_body(name="ball", position=(0, 0, 0.1))
    builder.add_shape(ball, stiction.Sphere(0.1), density=1000, color=(0.9, 0.05, 0.05, 1))
    if camera:
        builder.add_camera(**camera)
    return builder.build()


@pytest.fixture
def simulator():
    return stiction.Simulator(world(name="above", position=(0, 0, 3), field_of_view=0.5))


def test_a_picture_is_an_array(simulator):
    image = simulator.render()
    assert image.shape == (480, 640, 3) and image.dtype == np.uint8
    assert simulator.render(64, 48).shape == (48, 64, 3)
    assert np.array_equal(image, simulator.render(width=640, height=480))
    assert len(np.unique(image.reshape(-1, 3), axis=0)) > 100


def test_the_ball_is_where_the_camera_says(simulator):
    image = simulator.render(200, 200, "above").astype(int)
    is_red = image[:, :, 0] > 2 * image[:, :, 1]
    rows, columns = np.nonzero(is_red)
    # Straight down from z = 3 at a ball about z = 0.1.
    radius = 100 / math.tan(0.25) * 0.1 / math.sqrt(2.9**2 - 0.1**2)
    assert abs(rows.mean() - 99.5) < 1 and abs(columns.mean() - 99.5) < 1
    assert abs(is_red.sum() - math.pi * radius**2) < 0.1 * math.pi * radius**2


def test_cameras(simulator):
    eye = simulator.camera()
    assert np.array_equal(simulator.render(80, 60, simulator.camera(80, 60)), simulator.render(80, 60))
    assert np.allclose(simulator.camera(camera="above").position, (0, 0, 3))
    assert isinstance(eye, stiction.Camera) and eye.field_of_view > 0
    assert simulator.model.camera_names == ["above"] and simulator.model.cameras[0].mode == "fixed"
    other = stiction.Camera(position=(2, 0, 1), target=(0, 0, 0))
    assert not np.array_equal(simulator.render(80, 60, other), simulator.render(80, 60))


def test_options_change_the_picture(simulator):
    simulator.step(20)
    plain = simulator.render(160, 120)
    for options in ({"theme": "dark"}, {"shadows": False}, {"show_contacts": True}, {"show_forces": True}):
        assert not np.array_equal(plain, simulator.render(160, 120, **options)), options


def test_files(simulator, tmp_path):
    path = tmp_path / "picture.png"
    assert simulator.save_picture(path, 32, 24) == str(path)
    assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    with stiction.record(simulator, tmp_path / "run.h5") as writer:
        writer.step(10)
    recording = stiction.Recording(tmp_path / "run.h5")
    assert np.array_equal(recording.render(-1, 64, 48), simulator.render(64, 48))
    assert recording.model.camera_names == ["above"]
    with pytest.raises(ValueError, match="10 steps"):
        recording.render(10)


def test_bad_input(simulator):
    for options, part in (
        ({"width": 0}, "width"), ({"height": -3}, "height"), ({"width": 20000}, "width"),
        ({"camera": "abov"}, 'did you mean "above"'), ({"theme": "blue"}, "theme"), ({"follow": "bal"}, "bal"),
        ({"metres_per_newton": math.nan}, "metres_per_newton"),
    ):
        with pytest.raises(ValueError, match=part):
            simulator.render(**options)
    with pytest.raises(TypeError):
        simulator.render(camera=3)
    with pytest.raises(TypeError, match="colour"):
        simulator.render(colour="bodies")
    with pytest.raises(ValueError, match="looks nowhere"):
        stiction.Camera((1, 1, 1), (1, 1, 1))
    with pytest.raises(ValueError, match="position"):
        stiction.Camera((math.nan, 1, 1), (0, 0, 0))
