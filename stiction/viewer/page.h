// A recording as one HTML file: shapes, contacts, forces and certificates, played in a browser from disk, without
// network. docs/viewing.md is the guide; viewer/ has the page's source.
//
//     save_page(RecordingReader("run.h5"), "run.html");
//
// The page is viewer/dist/page.html with data put in: elements <script type="text/plain"> whose text is base64 of raw
// deflate. "model" is JSON as it is, "meshes" and "steps" are columns of all surfaces and of all steps, "frames-k" are
// blocks of frames (frame_block.h), each of which stands alone: any step is one block away. Numbers are those of the
// recording rounded to float; poses and velocities of bodies are computed here from its q and v.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

#include "stiction/io/recording/recording.h"

namespace stiction {

struct PageSettings {
  std::string title;       // empty: the name of the recording's file
  std::int64_t every = 1;  // show every so many steps, and all that are not certified
  // Told how far it is, 0 … 1; may throw to stop.
  std::function<void(double)> progress;

  void validate() const;  // throws std::invalid_argument naming setting, value and range
};

struct PageSummary {
  std::int64_t num_frames = 0;
  std::int64_t num_uncertified = 0;  // of these
  std::int64_t num_bytes = 0;        // of the page
};

// Throws std::invalid_argument where the recording has no step or cannot be read.
PageSummary write_page(const RecordingReader& recording, std::ostream& out, const PageSettings& settings = {});
// Writes PATH.part, which takes the name when it is complete. Throws std::invalid_argument or std::runtime_error where
// no file can stand there.
PageSummary save_page(const RecordingReader& recording, const std::string& path, const PageSettings& settings = {});

// The page without data.
std::string_view page_template();

}  // namespace stiction
