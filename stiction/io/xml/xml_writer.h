// XML as text: elements with attributes, indented. Numbers are the shortest that read back as the same bits.
//
//     XmlWriter xml;
//     xml.open("body").attribute("name", name).attribute("pos", pose.position);
//     xml.close();
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stiction/math/pose.h"

namespace stiction {

std::string number_text(double value);
std::string numbers_text(std::span<const double> values);  // separated by blanks
inline std::string numbers_text(const Vector3& v) {
  return numbers_text(std::span<const double>(v.data(), 3));
}

class XmlWriter {
 public:
  // `declaration`: begins with <?xml version="1.0"?>.
  explicit XmlWriter(bool declaration = false);

  XmlWriter& open(std::string_view tag);
  XmlWriter& attribute(std::string_view name, std::string_view value);
  XmlWriter& attribute(std::string_view name, const char* value) { return attribute(name, std::string_view(value)); }
  XmlWriter& attribute(std::string_view name, double value) { return attribute(name, number_text(value)); }
  XmlWriter& attribute(std::string_view name, int value) { return attribute(name, std::to_string(value)); }
  XmlWriter& attribute(std::string_view name, const Vector3& value) { return attribute(name, numbers_text(value)); }
  XmlWriter& attribute(std::string_view name, std::span<const double> values) {
    return attribute(name, numbers_text(values));
  }
  XmlWriter& close();
  // An element with text alone.
  XmlWriter& text_element(std::string_view tag, std::string_view text);
  XmlWriter& text_element(std::string_view tag, double value) { return text_element(tag, number_text(value)); }
  XmlWriter& comment(std::string_view text);

  std::string take();  // everything must be closed

 private:
  void finish_tag();
  std::string text_;
  std::vector<std::string> open_;
  bool in_tag_ = false;
};

// Writes a whole file by save_file() (math/save_file.h).
void write_text_file(const std::string& path, std::string_view text);

}  // namespace stiction
