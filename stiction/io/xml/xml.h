// XML read with suspicion, for URDF and SDF: every error names file, line, element and value; what no reader asked for
// is remembered and told.
//
//     const XmlDocument document = XmlDocument::read("arm.urdf");
//     for (const XmlElement& link : document.root().children("link")) {
//       const std::string name = link.attribute("name").string();              // refused where it is missing
//       const Vector3 xyz = link.child("origin").attribute("xyz").vector3(Vector3::Zero());  // zero where it is
//       missing
//     }
//     document.report_unused(ignored);
//
// Texts that are not UTF-8, larger than max_bytes, nested deeper than max_depth, of more than max_tags, or that declare
// entities are refused;
// numbers are read the same whatever the locale, and must be finite unless infinity is asked for. An absent child or
// attribute is an object that is false and gives fallbacks, so that optional chains need no questions.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stiction/io/loaded_model.h"

namespace pugi {
struct xml_node_struct;
}

namespace stiction {

// A number as a file writes it: surrounding blanks and a leading + are allowed, and inf and nan are numbers. None: it
// is not a number, or something follows it.
std::optional<double> parse_number(std::string_view text);
// Offset of the first byte that does not belong to UTF-8 text, or npos.
std::size_t find_invalid_utf8(std::string_view text);

class XmlValue;

class XmlElement {
 public:
  XmlElement() = default;  // absent
  explicit operator bool() const { return node_ != nullptr; }

  std::string name() const;  // of the tag
  int line() const;
  const std::string& file() const;
  XmlElement parent() const;

  // Asking for something is using it: what is never asked for is told by report_unused().
  XmlValue attribute(std::string_view name) const;
  XmlValue text() const;
  XmlElement child(std::string_view name) const;   // refused where there are several
  XmlValue text_of(std::string_view child) const;  // text of a child
  std::vector<XmlElement> children(std::string_view name) const;
  // All of them, in order; each counts as used once something is asked of it.
  std::vector<XmlElement> children() const;
  XmlElement required_child(std::string_view name) const;

  // The element with all that is in it goes into the list of report_unused() with this reason.
  void ignore(const std::string& reason) const;
  // The element with all that is in it counts as used.
  void accept() const;

  // "file:line: <element name="…">: what is wrong".
  [[noreturn]] void refuse(const std::string& what) const;
  std::string where() const;  // "file:line: <element name="…">"

 private:
  friend class XmlDocument;
  friend class XmlValue;
  struct Contents;
  XmlElement(std::shared_ptr<Contents> contents, pugi::xml_node_struct* node);

  std::shared_ptr<Contents> contents_;
  pugi::xml_node_struct* node_ = nullptr;    // null: absent
  pugi::xml_node_struct* parent_ = nullptr;  // of an absent element: where it is missing
  std::string missing_{};                    // its tag
};

// The value of an attribute, or the text of an element.
class XmlValue {
 public:
  explicit operator bool() const { return present_; }

  // Refused where it is absent or empty (strings without their surrounding blanks).
  std::string string() const;
  double number() const;              // finite
  double number_or_infinity() const;  // not NaN
  double positive() const;            // finite and > 0
  double not_negative() const;        // finite and ≥ 0
  int integer() const;
  bool boolean() const;  // true, false, 1, 0
  Vector3 vector3() const;
  std::vector<double> numbers(std::size_t count) const;  // exactly so many, finite
  std::vector<double> numbers() const;                   // any number of them

  // The same with a value where it is absent; wrong values are refused all the same.
  std::string string(const std::string& fallback) const;
  double number(double fallback) const { return present_ ? number() : fallback; }
  double number_or_infinity(double fallback) const { return present_ ? number_or_infinity() : fallback; }
  double not_negative(double fallback) const { return present_ ? not_negative() : fallback; }
  bool boolean(bool fallback) const { return present_ ? boolean() : fallback; }
  Vector3 vector3(const Vector3& fallback) const { return present_ ? vector3() : fallback; }

  // "file:line: <element attribute="value">: what is wrong".
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  friend class XmlElement;
  const std::string& required() const;  // not absent, and not empty

  XmlElement owner_;
  std::string name_;   // of the attribute; empty: the text of the element
  std::string value_;  // without surrounding blanks
  bool present_ = false;
};

class XmlDocument {
 public:
  static constexpr std::size_t max_bytes = std::size_t{64} << 20;
  static constexpr int max_depth = 200;
  static constexpr std::ptrdiff_t max_tags = 8'000'000;  // beginnings and ends of elements: each takes memory

  static XmlDocument read(const std::string& path);
  // `file`: what messages call it.
  static XmlDocument parse(std::string_view text, const std::string& file, std::size_t most_bytes = max_bytes);

  const XmlElement& root() const { return root_; }
  const std::string& file() const { return root_.file(); }

  // Appends what was ignored, and what nobody asked for: one entry for all elements of one tag below one kind of parent
  // with one reason.
  void report_unused(std::vector<IgnoredElement>& ignored) const;

 private:
  XmlElement root_;
};

}  // namespace stiction
