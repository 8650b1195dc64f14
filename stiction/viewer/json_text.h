// JSON as text, for what the page is told once. A value inside a <script> element: '<' is escaped.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace stiction::viewer {

// Writes members and entries one after the other and sets the commas.
class JsonText {
 public:
  JsonText& begin_object(std::string_view name = {});
  JsonText& end_object();
  JsonText& begin_array(std::string_view name = {});
  JsonText& end_array();
  // Entries of arrays have no name. What is not finite is null.
  JsonText& add(std::string_view name, double value);
  JsonText& add(std::string_view name, std::string_view value);
  JsonText& add(std::string_view name, const char* value) { return add(name, std::string_view(value)); }
  JsonText& add(std::string_view name, std::span<const double> values);

  const std::string& text() const { return text_; }

 private:
  void begin(std::string_view name);
  void quote(std::string_view value);
  void number(double value);

  std::string text_;
  bool first_ = true;
};

}  // namespace stiction::viewer
