#include "stiction/io/xml/xml_writer.h"

#include <cassert>
#include <charconv>
#include <ostream>

#include "stiction/math/refuse.h"
#include "stiction/math/save_file.h"

namespace stiction {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
      case '\t':
        out += ' ';
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace

std::string number_text(double value) {
  char buffer[32];
  if (value == 0.0) value = 0.0;  // no −0
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, end.ptr};
}

std::string numbers_text(std::span<const double> values) {
  std::string out;
  for (std::size_t k = 0; k < values.size(); ++k) out.append(k ? " " : "").append(number_text(values[k]));
  return out;
}

XmlWriter::XmlWriter(bool declaration) {
  if (declaration) text_ = "<?xml version=\"1.0\"?>\n";
}

void XmlWriter::finish_tag() {
  if (in_tag_) text_ += ">\n";
  in_tag_ = false;
}

XmlWriter& XmlWriter::open(std::string_view tag) {
  finish_tag();
  text_.append(2 * open_.size(), ' ').append("<").append(tag);
  open_.emplace_back(tag);
  in_tag_ = true;
  return *this;
}

XmlWriter& XmlWriter::attribute(std::string_view name, std::string_view value) {
  assert(in_tag_);
  text_.append(" ").append(name).append("=\"").append(escaped(value)).append("\"");
  return *this;
}

XmlWriter& XmlWriter::close() {
  const std::string tag = std::move(open_.back());
  open_.pop_back();
  if (in_tag_) {
    text_.append("/>\n");
  } else {
    text_.append(2 * open_.size(), ' ').append("</").append(tag).append(">\n");
  }
  in_tag_ = false;
  return *this;
}

XmlWriter& XmlWriter::text_element(std::string_view tag, std::string_view text) {
  finish_tag();
  text_.append(2 * open_.size(), ' ').append("<").append(tag).append(">").append(escaped(text));
  text_.append("</").append(tag).append(">\n");
  return *this;
}

XmlWriter& XmlWriter::comment(std::string_view text) {
  finish_tag();
  std::string safe;
  for (const char c : text) {
    if (c == '-' && !safe.empty() && safe.back() == '-') safe += ' ';  // "--" ends a comment
    safe += c;
  }
  text_.append(2 * open_.size(), ' ').append("<!-- ").append(safe).append(" -->\n");
  return *this;
}

std::string XmlWriter::take() {
  assert(open_.empty());
  return std::move(text_);
}

void write_text_file(const std::string& path, std::string_view text) {
  save_file(path, [&](std::ostream& out) { out.write(text.data(), static_cast<std::streamsize>(text.size())); });
}

}  // namespace stiction
