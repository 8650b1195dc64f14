// What the kinds of films have in common. Internal to the room.
#pragma once

#include <fstream>
#include <memory>
#include <string>

#include "stiction/math/output_place.h"
#include "stiction/render/image.h"

namespace stiction::raster {

class FilmFormat {
 public:
  virtual ~FilmFormat() = default;
  virtual void add(const Image& image) = 0;
  virtual void close() = 0;
};

// A file that is written from its beginning to its end, under PATH.part until it is complete.
class GrowingFile {
 public:
  explicit GrowingFile(const std::string& path);
  ~GrowingFile();  // removes what is not complete
  void write(const void* bytes, std::size_t size);
  void rewrite(std::size_t place, const void* bytes, std::size_t size);
  void close();
  const std::string& part() const { return part_; }

 private:
  void check(const char* what);

  std::string path_;
  OutputPlace place_;
  std::string part_;
  std::ofstream out_;
  bool is_complete_ = false;
};

std::unique_ptr<FilmFormat> make_gif(const std::string& path, double frames_per_second);
std::unique_ptr<FilmFormat> make_animated_png(const std::string& path, double frames_per_second);
std::unique_ptr<FilmFormat> make_ffmpeg(const std::string& path, double frames_per_second);
std::unique_ptr<FilmFormat> make_folder(const std::string& path);

// The program on the PATH; throws std::invalid_argument where there is none.
std::string find_ffmpeg(const std::string& path);

}  // namespace stiction::raster
