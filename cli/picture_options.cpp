#include "cli/picture_options.h"

#include <charconv>

#include "cli/model_files.h"
#include "stiction/math/refuse.h"

namespace stiction::cli {
namespace {

// "640x480"
void parse_size(const std::string& text, int& width, int& height) {
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, width);
  const bool has_cross = first.ec == std::errc() && first.ptr != end && (*first.ptr == 'x' || *first.ptr == 'X');
  const auto second = has_cross ? std::from_chars(first.ptr + 1, end, height) : first;
  const bool good = has_cross && second.ec == std::errc() && second.ptr == end;
  if (!good || width < 1 || height < 1 || width > Image::max_size || height > Image::max_size) {
    refuse("--size ", text, ": a size is WIDTHxHEIGHT, 1 ... ", Image::max_size, " pixels each, as 640x480");
  }
}

// A camera by numbers; false where the text is a name.
bool parse_camera(const std::string& text, Camera& camera) {
  std::vector<double> numbers;
  if (text.empty() || !parse_numbers(text, numbers)) return false;
  if (numbers.size() != 6) {
    refuse("--camera ", text, ": ", numbers.size(), " numbers; a camera is x,y,z,tx,ty,tz (where it stands, what it ",
           "looks at), or a name");
  }
  camera.position = {numbers[0], numbers[1], numbers[2]};
  camera.target = {numbers[3], numbers[4], numbers[5]};
  camera.validate();
  return true;
}

}  // namespace

void check_picture(const PictureOptions& options) {
  int width = 0, height = 0;
  parse_size(options.size, width, height);
  Camera camera;
  parse_camera(options.camera, camera);
}

RenderSettings picture_settings(const PictureOptions& options, const Model& model) {
  RenderSettings settings;
  parse_size(options.size, settings.width, settings.height);
  Camera camera;
  if (parse_camera(options.camera, camera)) {
    settings.camera = camera;
  } else {
    settings.camera_name = options.camera;
  }
  if (!options.follow.empty()) {
    settings.follow = model.frames[model.find_frame(options.follow)].body;
    if (settings.follow < 0) refuse("--follow ", options.follow, ": is fixed to the world");
  }
  settings.theme = options.dark ? Theme::dark : Theme::light;
  settings.shadows = !options.no_shadows;
  settings.show_contacts = options.contacts;
  settings.show_forces = options.forces;
  settings.validate(model);
  return settings;
}

Film::Film(const Model& model, const PictureOptions& options, const std::string& path, double frames_per_second,
           double begin)
    : renderer_(model, picture_settings(options, model)),
      writer_(path, {.frames_per_second = frames_per_second}),
      begin_(begin),
      rate_(frames_per_second),
      next_(begin) {}

void Film::look(double time, VectorView q, std::span<const Contact> contacts) {
  if (!is_due(time)) return;
  const Image image = renderer_.draw(q, contacts);
  // A step longer than a picture is shown for as many as it lasts.
  for (; is_due(time); next_ = begin_ + static_cast<double>(writer_.num_frames()) / rate_) writer_.add(image);
}

}  // namespace stiction::cli
