#include "stiction/io/xml/xml.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <pugixml.hpp>
#include <sstream>
#include <unordered_map>
#include <unordered_set>

#include "stiction/io/ignored_summary.h"
#include "stiction/io/model_path.h"
#include "stiction/math/refuse.h"

namespace stiction {
namespace {

constexpr std::size_t told_length = 80;  // of values in messages

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// What of a value a message shows; cut between characters.
std::string told(const std::string& text) {
  if (text.size() <= told_length) return text;
  std::size_t end = told_length;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

bool is_element(const pugi::xml_node& node) {
  return node.type() == pugi::node_element;
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  text = trimmed(text);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // Too small is zero, too large is infinite: from_chars does not tell which.
    const std::size_t exponent = text.find_first_of("eE");
    const bool small = exponent != std::string_view::npos && exponent + 1 < text.size() && text[exponent + 1] == '-';
    if (small) return 0.0;
    return text[0] == '-' ? -no_limit : no_limit;
  }
  if (error != std::errc()) return std::nullopt;
  return value;
}

std::size_t find_invalid_utf8(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  for (std::size_t k = 0; k < text.size();) {
    const unsigned first = byte(k);
    const int more = first < 0x80                    ? 0
                     : first >= 0xC2 && first < 0xE0 ? 1
                     : (first & 0xF0) == 0xE0        ? 2
                     : first >= 0xF0 && first < 0xF5 ? 3
                                                     : -1;
    if (more < 0 || first == 0 || k + more >= text.size()) return k;
    for (int m = 1; m <= more; ++m) {
      if ((byte(k + m) & 0xC0) != 0x80) return k;
    }
    // Overlong forms, halves of surrogate pairs, and beyond the last character.
    if ((first == 0xE0 && byte(k + 1) < 0xA0) || (first == 0xED && byte(k + 1) > 0x9F) ||
        (first == 0xF0 && byte(k + 1) < 0x90) || (first == 0xF4 && byte(k + 1) > 0x8F)) {
      return k;
    }
    k += more + 1;
  }
  return std::string_view::npos;
}

struct XmlElement::Contents {
  pugi::xml_document document;
  std::string file;
  std::vector<std::size_t> line_starts;                 // offset of every line
  std::unordered_set<const void*> used, used_text;      // nodes and attributes that a reader asked for
  std::unordered_set<const void*> closed;               // nodes below which nothing is told
  std::unordered_map<const void*, std::string> reason;  // of nodes that a reader ignored

  int line_at(std::ptrdiff_t offset) const {
    if (offset < 0) return 0;
    const auto after = std::upper_bound(line_starts.begin(), line_starts.end(), static_cast<std::size_t>(offset));
    return static_cast<int>(after - line_starts.begin());
  }
  void set_text(std::string_view text) {
    line_starts = {0};
    for (std::size_t k = 0; k < text.size(); ++k) {
      if (text[k] == '\n') line_starts.push_back(k + 1);
    }
  }
};

// --- Elements

XmlElement::XmlElement(std::shared_ptr<Contents> contents, pugi::xml_node_struct* node)
    : contents_(std::move(contents)), node_(node) {}

std::string XmlElement::name() const {
  return node_ ? pugi::xml_node(node_).name() : missing_;
}

int XmlElement::line() const {
  return contents_ ? contents_->line_at(pugi::xml_node(node_ ? node_ : parent_).offset_debug()) : 0;
}

const std::string& XmlElement::file() const {
  static const std::string nowhere;
  return contents_ ? contents_->file : nowhere;
}

XmlElement XmlElement::parent() const {
  const pugi::xml_node parent = node_ ? pugi::xml_node(node_).parent() : pugi::xml_node(parent_);
  return is_element(parent) ? XmlElement(contents_, parent.internal_object()) : XmlElement();
}

XmlValue XmlElement::attribute(std::string_view name) const {
  XmlValue value;
  value.owner_ = *this;
  value.name_ = name;
  if (!node_) return value;
  const pugi::xml_attribute attribute = pugi::xml_node(node_).attribute(value.name_.c_str());
  contents_->used.insert(node_);
  if (!attribute) return value;
  contents_->used.insert(attribute.internal_object());
  value.value_ = trimmed(attribute.value());
  value.present_ = true;
  return value;
}

XmlValue XmlElement::text() const {
  XmlValue value;
  value.owner_ = *this;
  if (!node_) return value;
  contents_->used.insert(node_);
  contents_->used_text.insert(node_);
  std::string all;  // comments may cut a text into pieces
  for (const pugi::xml_node& piece : pugi::xml_node(node_).children()) {
    if (piece.type() == pugi::node_pcdata || piece.type() == pugi::node_cdata) all += piece.value();
  }
  value.value_ = trimmed(all);
  value.present_ = true;
  return value;
}

XmlElement XmlElement::child(std::string_view name) const {
  const std::vector<XmlElement> all = children(name);
  if (all.size() > 1) {
    all[1].refuse("there is a <" + std::string(name) + "> already, in line " + std::to_string(all[0].line()) +
                  "; only one may be given");
  }
  if (all.size() == 1) return all[0];
  XmlElement absent;
  absent.contents_ = contents_;
  absent.parent_ = node_ ? node_ : parent_;
  absent.missing_ = node_ || missing_.empty() ? std::string(name) : missing_;
  return absent;
}

XmlValue XmlElement::text_of(std::string_view name) const {
  return child(name).text();
}

std::vector<XmlElement> XmlElement::children(std::string_view name) const {
  std::vector<XmlElement> found;
  if (!node_) return found;
  for (const pugi::xml_node& node : pugi::xml_node(node_).children()) {
    if (!is_element(node) || node.name() != name) continue;
    contents_->used.insert(node.internal_object());
    found.push_back(XmlElement(contents_, node.internal_object()));
  }
  return found;
}

std::vector<XmlElement> XmlElement::children() const {
  std::vector<XmlElement> found;
  if (!node_) return found;
  for (const pugi::xml_node& node : pugi::xml_node(node_).children()) {
    if (is_element(node)) found.push_back(XmlElement(contents_, node.internal_object()));
  }
  return found;
}

XmlElement XmlElement::required_child(std::string_view name) const {
  const XmlElement found = child(name);
  if (!found) found.refuse("it is missing");
  return found;
}

void XmlElement::ignore(const std::string& reason) const {
  if (!node_) return;
  accept();
  contents_->reason[node_] = reason;
}

void XmlElement::accept() const {
  if (!node_) return;
  contents_->used.insert(node_);
  contents_->closed.insert(node_);
}

std::string XmlElement::where() const {
  if (!contents_) return "";
  const pugi::xml_node node(node_ ? node_ : parent_);
  std::string text = contents_->file + ":" + std::to_string(line()) + ": <" + node.name();
  const pugi::xml_attribute name = node.attribute("name");
  if (name) text += " name=\"" + told(name.value()) + "\"";
  text += ">";
  if (!node_) text += ": <" + missing_ + ">";
  return text;
}

void XmlElement::refuse(const std::string& what) const {
  stiction::refuse(where(), ": ", what);
}

// --- Values

void XmlValue::refuse(const std::string& what) const {
  if (!present_ || name_.empty()) {
    std::string label = owner_.where();
    if (!name_.empty()) label += ": attribute " + name_;
    if (present_) label += " is \"" + told(value_) + "\"";
    stiction::refuse(label, ": ", what);
  }
  stiction::refuse(owner_.file(), ":", owner_.line(), ": <", owner_.name(), " ", name_, "=\"", told(value_),
                   "\">: ", what);
}

const std::string& XmlValue::required() const {
  if (!present_) refuse("it is missing");
  if (value_.empty()) refuse("it is empty");
  return value_;
}

std::string XmlValue::string() const {
  return required();
}

std::string XmlValue::string(const std::string& fallback) const {
  return present_ && !value_.empty() ? value_ : fallback;
}

double XmlValue::number_or_infinity() const {
  const std::optional<double> number = parse_number(required());
  if (!number) refuse("a number is wanted");
  if (std::isnan(*number)) refuse("it is not a number");
  return *number;
}

double XmlValue::number() const {
  const double number = number_or_infinity();
  if (!std::isfinite(number)) refuse("a finite number is wanted");
  return number;
}

double XmlValue::positive() const {
  const double value = number();
  if (!(value > 0.0)) refuse("it must be positive");
  return value;
}

double XmlValue::not_negative() const {
  const double value = number();
  if (!(value >= 0.0)) refuse("it must not be negative");
  return value;
}

int XmlValue::integer() const {
  const double value = number();
  if (value != std::floor(value) || std::abs(value) > 1e9) refuse("a whole number is wanted");
  return static_cast<int>(value);
}

bool XmlValue::boolean() const {
  std::string word = required();
  std::transform(word.begin(), word.end(), word.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  if (word == "true" || word == "1") return true;
  if (word == "false" || word == "0") return false;
  refuse("true or false is wanted");
}

std::vector<double> XmlValue::numbers() const {
  if (!present_) refuse("it is missing");
  std::vector<double> values;
  std::string_view rest = value_;
  while (!(rest = trimmed(rest)).empty()) {
    std::size_t end = 0;
    while (end < rest.size() && !is_blank(rest[end])) ++end;
    const std::optional<double> number = parse_number(rest.substr(0, end));
    if (!number) refuse(told(std::string(rest.substr(0, end))).append(" is not a number"));
    if (!std::isfinite(*number)) refuse("finite numbers are wanted");
    values.push_back(*number);
    rest.remove_prefix(end);
  }
  return values;
}

std::vector<double> XmlValue::numbers(std::size_t count) const {
  std::vector<double> values = numbers();
  if (values.size() != count) {
    refuse(std::to_string(count) + " numbers are wanted, there " + (values.size() == 1 ? "is " : "are ") +
           std::to_string(values.size()));
  }
  return values;
}

Vector3 XmlValue::vector3() const {
  const std::vector<double> values = numbers(3);
  return {values[0], values[1], values[2]};
}

// --- Documents

XmlDocument XmlDocument::read(const std::string& path) {
  return parse(read_whole_file(path, max_bytes), path);
}

XmlDocument XmlDocument::parse(std::string_view text, const std::string& file, std::size_t most_bytes) {
  if (text.size() > most_bytes) refuse(file, ": larger than ", most_bytes >> 20, " MiB");
  if (std::count(text.begin(), text.end(), '<') > max_tags) refuse(file, ": more than ", max_tags, " tags");
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // byte order mark
  auto contents = std::make_shared<XmlElement::Contents>();
  contents->file = file;
  contents->set_text(text);
  const std::size_t invalid = find_invalid_utf8(text);
  if (invalid != std::string_view::npos) {
    refuse(file, ":", contents->line_at(static_cast<std::ptrdiff_t>(invalid)), ": byte ",
           static_cast<int>(static_cast<unsigned char>(text[invalid])), " at offset ", invalid,
           " is not UTF-8; save the file as UTF-8");
  }
  if (trimmed(text).empty()) refuse(file, ": the file is empty");
  const pugi::xml_parse_result result = contents->document.load_buffer(
      text.data(), text.size(), pugi::parse_default | pugi::parse_doctype, pugi::encoding_utf8);
  if (!result) refuse(file, ":", contents->line_at(result.offset), ": not well-formed XML: ", result.description());

  pugi::xml_node root;
  for (const pugi::xml_node& node : contents->document.children()) {
    const int line = contents->line_at(node.offset_debug());
    if (node.type() == pugi::node_doctype && std::strchr(node.value(), '[')) {
      refuse(file, ":", line, ": the DOCTYPE declares entities; they are not expanded. Remove it");
    }
    if (!is_element(node)) continue;
    if (root) refuse(file, ":", line, ": a second root element <", node.name(), "> after <", root.name(), ">");
    root = node;
  }
  if (!root) refuse(file, ": there is no element in it");
  int depth = 0;
  for (pugi::xml_node node = root; node;) {
    if (depth > max_depth) {
      refuse(file, ":", contents->line_at(node.offset_debug()), ": elements are nested more than ", max_depth, " deep");
    }
    if (node.first_child()) {
      node = node.first_child(), ++depth;
      continue;
    }
    while (node != root && !node.next_sibling()) node = node.parent(), --depth;
    if (node == root) break;
    node = node.next_sibling();
  }
  contents->used.insert(root.internal_object());
  XmlDocument document;
  document.root_ = XmlElement(contents, root.internal_object());
  return document;
}

namespace {

std::string own_name(const pugi::xml_node& node) {
  const pugi::xml_attribute name = node.attribute("name");
  return told(name ? name.value() : node.attribute("reference").value());
}

// "<visual> in <link>" and the name of the link: an element is told by the nearest that has a name.
void add_entry(IgnoredSummary& list, std::string kind, const pugi::xml_node& node, int line,
               const std::string& reason) {
  pugi::xml_node named = node;
  while (is_element(named) && own_name(named).empty()) named = named.parent();
  if (!is_element(named)) named = node;
  if (named != node) kind.append(" in <").append(named.name()).append(">");
  list.add(kind, own_name(named), line, reason);
}

std::string tag_of(const pugi::xml_node& node) {
  std::string tag = "<";
  return tag.append(node.name()).append(">");
}

}  // namespace

void XmlDocument::report_unused(std::vector<IgnoredElement>& ignored) const {
  const XmlElement::Contents& contents = *root_.contents_;
  const std::string unknown = "not known to this reader";
  IgnoredSummary list(root_.file());
  const auto visit = [&](const pugi::xml_node& node) {  // returns whether to look inside
    const int line = contents.line_at(node.offset_debug());
    const auto reason = contents.reason.find(node.internal_object());
    if (reason != contents.reason.end()) add_entry(list, tag_of(node), node, line, reason->second);
    if (contents.closed.contains(node.internal_object())) return false;
    if (!contents.used.contains(node.internal_object())) {
      add_entry(list, tag_of(node), node, line, unknown);
      return false;
    }
    for (const pugi::xml_attribute& attribute : node.attributes()) {
      const std::string_view name = attribute.name();
      if (contents.used.contains(attribute.internal_object()) || name.starts_with("xml")) continue;
      add_entry(list, "attribute " + std::string(name) + " of " + tag_of(node), node, line, unknown);
    }
    for (const pugi::xml_node& piece : node.children()) {
      if (piece.type() != pugi::node_pcdata && piece.type() != pugi::node_cdata) continue;
      if (contents.used_text.contains(node.internal_object()) || trimmed(piece.value()).empty()) continue;
      add_entry(list, "text in " + tag_of(node), node, line, unknown);
    }
    return true;
  };
  const pugi::xml_node root(root_.node_);
  for (pugi::xml_node node = root; node;) {
    if (is_element(node) && visit(node) && node.first_child()) {
      node = node.first_child();
      continue;
    }
    while (node != root && !node.next_sibling()) node = node.parent();
    if (node == root) break;
    node = node.next_sibling();
  }
  list.append_to(ignored);
}

}  // namespace stiction
