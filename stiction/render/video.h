// Films: pictures one after another, in a file or a folder.
//
//     VideoWriter video("run.gif", {.frames_per_second = 30});
//     for (...) video.add(renderer.draw(simulator));
//     video.close();
//
// By the ending of the path:
//     .gif               animated GIF: opens everywhere; 256 colours a picture
//     .png, .apng        animated PNG: all colours; browsers and README pages play it
//     .mp4 .webm .mkv .mov   by the program ffmpeg, which must be installed
//     anything else      a folder of frame_00000.png, frame_00001.png …, made where it is missing
// A file is written as PATH.part and takes its name when it is complete.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "stiction/render/image.h"

namespace stiction {

struct VideoSettings {
  double frames_per_second = 30.0;  // 0.1 … 1000
  void validate() const;            // throws std::invalid_argument naming setting, value and range
};

class VideoWriter {
 public:
  // Throws std::invalid_argument where no film can stand there, or where it takes a program that is not found, naming
  // what else there is; std::runtime_error where the system refuses.
  explicit VideoWriter(const std::string& path, const VideoSettings& settings = {});
  ~VideoWriter();  // without close() nothing is left of a file
  VideoWriter(VideoWriter&&) noexcept;
  VideoWriter& operator=(VideoWriter&&) noexcept;

  // All pictures have the size of the first. Throws std::runtime_error where writing fails (disk full).
  void add(const Image& image);
  // Completes the film, which has at least one picture.
  void close();

  const std::string& path() const;
  std::int64_t num_frames() const;

  // Whether the path is that of a file, by its ending; the others are folders.
  static bool is_file(const std::string& path);
  // What of the above can be refused before there is a picture; touches nothing.
  static void check(const std::string& path);

 private:
  struct Film;
  std::unique_ptr<Film> film_;
};

}  // namespace stiction
