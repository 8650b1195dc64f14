// The room `render`: pictures of simulators and recordings, cameras.
#include <nanobind/stl/string.h>

#include <cstring>

#include "expose.h"
#include "fields.h"
#include "shared_simulator.h"
#include "stiction/io/recording/recording.h"
#include "stiction/math/refuse.h"
#include "stiction/render/render.h"

namespace stiction::python {
namespace {

using namespace nb::literals;

// Settings of one picture as Python gives them; cameras and bodies by name need the model.
struct PictureKeywords : RenderSettings {
  nb::object follow_value;
};
using P = PictureKeywords;

template <class Enum>
void read_enum(const Argument& argument, std::initializer_list<Enum> values, Enum& to) {
  std::vector<std::string> names;
  for (const Enum value : values) names.emplace_back(to_string(value));
  to = values.begin()[read_choice(argument, names)];
}

const Fields<P>& fields() {
  static const Fields<P> all = {
      {"follow", "int | str | None = None", [](P& p, const Argument& a) { p.follow_value = a.value; }},
      {"theme", "str = 'light'", [](P& p, const Argument& a) { read_enum(a, {Theme::light, Theme::dark}, p.theme); }},
      {"coloring", "str = 'automatic'",
       [](P& p, const Argument& a) {
         read_enum(a, {Coloring::automatic, Coloring::model, Coloring::bodies}, p.coloring);
       }},
      {"shadows", "bool = True", [](P& p, const Argument& a) { read(a, p.shadows); }},
      {"show_contacts", "bool = False", [](P& p, const Argument& a) { read(a, p.show_contacts); }},
      {"show_forces", "bool = False", [](P& p, const Argument& a) { read(a, p.show_forces); }},
      {"metres_per_newton", "float = 0.0", [](P& p, const Argument& a) { read(a, p.metres_per_newton); }},
  };
  return all;
}

// The arguments that all of these functions have.
struct Arguments {
  int width, height;
  nb::object camera;
  nb::kwargs others;
};

RenderSettings to_settings(const char* function, const Arguments& arguments, const Model& model) {
  P picture;
  picture.width = arguments.width, picture.height = arguments.height;
  set_fields(function, fields(), picture, arguments.others);
  Camera camera;
  if (nb::isinstance<nb::str>(arguments.camera)) {
    picture.camera_name = nb::cast<std::string>(arguments.camera);
  } else if (nb::try_cast(arguments.camera, camera)) {
    picture.camera = camera;
  } else if (!arguments.camera.is_none()) {
    throw nb::type_error("camera is no Camera, no name and not None");
  }
  if (picture.follow_value.is_valid() && !picture.follow_value.is_none()) {
    picture.follow = to_body(model, picture.follow_value);
  }
  picture.validate(model);
  return picture;
}

Image picture_of(SharedSimulator& shared, const char* function, const Arguments& arguments) {
  const Turn turn(shared);
  const RenderSettings settings = to_settings(function, arguments, shared.simulator.model());
  const nb::gil_scoped_release released;
  return render(shared.simulator, settings);
}

Image picture_of(const RecordingReader& recording, std::int64_t step, const char* function,
                 const Arguments& arguments) {
  const RenderSettings settings = to_settings(function, arguments, *recording.model());
  const nb::gil_scoped_release released;
  const std::int64_t steps = recording.num_steps(), index = step < 0 ? step + steps : step;
  if (index < 0 || index >= steps) refuse("step is ", step, "; the recording has ", steps, " steps");
  const VectorX q = recording.positions(index, 1).row(0).transpose();
  return render(*recording.model(), q, settings, recording.contacts(index));
}

nb::object to_array(const Image& image) {
  auto [array, data] =
      new_array<std::uint8_t>({static_cast<std::size_t>(image.height()), static_cast<std::size_t>(image.width()), 3});
  std::memcpy(data, image.bytes().data(), image.bytes().size());
  return array;
}

void expose_camera(nb::module_& module) {
  nb::class_<Camera>(module, "Camera", "Where a picture is taken from")
      .def(
          "__init__",
          [](Camera* self, const ArrayLike& position, const ArrayLike& target, const ArrayLike& up, double angle) {
            Camera camera{to_vector3(position, "position"), to_vector3(target, "target"), to_vector3(up, "up"), angle};
            camera.validate();
            new (self) Camera(camera);
          },
          "position"_a, "target"_a, "up"_a = nb::make_tuple(0.0, 0.0, 1.0), "field_of_view"_a = Camera{}.field_of_view)
      .def_prop_ro("position", view_of_member(&Camera::position), "m")
      .def_prop_ro("target", view_of_member(&Camera::target), "the middle of the picture, m")
      .def_prop_ro("up", view_of_member(&Camera::up), "what is upwards in the picture")
      .def_ro("field_of_view", &Camera::field_of_view, "vertical, rad")
      .def("__repr__", [](const Camera& c) {
        return nb::str("Camera(({:.4g}, {:.4g}, {:.4g}), ({:.4g}, {:.4g}, {:.4g}))")
            .format(c.position.x(), c.position.y(), c.position.z(), c.target.x(), c.target.y(), c.target.z());
      });
}

#define STICTION_PICTURE "width"_a = 640, "height"_a = 480, "camera"_a = nb::none()

const char* signature(const std::string& begin, const char* result) {
  return keep_text("def " + begin + "width: int = 640, height: int = 480, camera: Camera | str | None = None, *, " +
                   stub_of(fields()) + ") -> " + result);
}

void expose_on_simulator() {
  const nb::handle simulator = nb::type<SharedSimulator>();
  nb::cpp_function_def(
      [](SharedSimulator& s, int width, int height, const nb::object& camera, const nb::kwargs& keywords) {
        return to_array(picture_of(s, "render", {width, height, camera, keywords}));
      },
      nb::scope(simulator), nb::name("render"), nb::is_method(), STICTION_PICTURE, "keywords"_a,
      nb::sig(signature("render(self, ", "numpy.typing.NDArray[numpy.uint8]")),
      "A picture as it stands: an array of height x width x 3 bytes, red, green, blue. `camera`: a Camera, the name "
      "of one of model.cameras, or None: all that moves is in the picture. `follow`: a body that the camera moves "
      "along with.");
  nb::cpp_function_def(
      [](SharedSimulator& s, const PathLike& path, int width, int height, const nb::object& camera,
         const nb::kwargs& keywords) {
        const std::string name = to_path(path);
        picture_of(s, "save_picture", {width, height, camera, keywords}).save(name);
        return name;
      },
      nb::scope(simulator), nb::name("save_picture"), nb::is_method(), "path"_a, STICTION_PICTURE, "keywords"_a,
      nb::sig(signature("save_picture(self, path: str | os.PathLike[str], ", "str")),
      "The picture of render() as a PNG file; its path.");
  nb::cpp_function_def(
      [](SharedSimulator& s, int width, int height, const nb::object& camera, const nb::kwargs& keywords) {
        const Turn turn(s);
        const RenderSettings settings = to_settings("camera", {width, height, camera, keywords}, s.simulator.model());
        return Renderer(s.simulator.model(), settings).camera_at(s.simulator.state().q);
      },
      nb::scope(simulator), nb::name("camera"), nb::is_method(), STICTION_PICTURE, "keywords"_a,
      nb::sig(signature("camera(self, ", "Camera")),
      "From where render() with these arguments would look now: to take several pictures from one place.");
}

void expose_on_recording() {
  const nb::handle recording = nb::type<RecordingReader>();
  nb::cpp_function_def(
      [](const RecordingReader& r, std::int64_t step, int width, int height, const nb::object& camera,
         const nb::kwargs& keywords) {
        return to_array(picture_of(r, step, "render", {width, height, camera, keywords}));
      },
      nb::scope(recording), nb::name("render"), nb::is_method(), "step"_a, STICTION_PICTURE, "keywords"_a,
      nb::sig(signature("render(self, step: int, ", "numpy.typing.NDArray[numpy.uint8]")),
      "A picture of one step, as Simulator.render(); negative steps count from the end.");
  nb::cpp_function_def(
      [](const RecordingReader& r, const PathLike& path, std::int64_t step, int width, int height,
         const nb::object& camera, const nb::kwargs& keywords) {
        const std::string name = to_path(path);
        picture_of(r, step, "save_picture", {width, height, camera, keywords}).save(name);
        return name;
      },
      nb::scope(recording), nb::name("save_picture"), nb::is_method(), "path"_a, "step"_a, STICTION_PICTURE,
      "keywords"_a, nb::sig(signature("save_picture(self, path: str | os.PathLike[str], step: int, ", "str")),
      "The picture of render() as a PNG file; its path.");
}

}  // namespace

void expose_render(nb::module_& module) {
  expose_camera(module);
  expose_on_simulator();
  expose_on_recording();
}

}  // namespace stiction::python
