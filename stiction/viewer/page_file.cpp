#include "stiction/viewer/page_file.h"

#include <ostream>
#include <stdexcept>

#include "stiction/viewer/column_codec.h"
#include "stiction/viewer/page.h"

namespace stiction::viewer {
namespace {

constexpr std::string_view data_marker = "<!--stiction:data-->";
constexpr std::string_view program_begin = "<script type=\"text/plain\" id=\"program\">", program_end = "</script>";

// Takes what comes before the mark off the text, and the mark.
std::string_view take_until(std::string_view& text, std::string_view mark) {
  const std::size_t place = text.find(mark);
  if (place == std::string_view::npos) throw std::logic_error("the built page has no " + std::string(mark));
  const std::string_view before = text.substr(0, place);
  text.remove_prefix(place + mark.size());
  return before;
}

}  // namespace

std::int64_t write_around(std::ostream& out, const std::function<void(std::ostream&)>& write_data) {
  std::string_view page = page_template();
  const auto begin = out.tellp();
  out << take_until(page, data_marker);
  write_data(out);
  out << take_until(page, program_begin);
  const std::string_view program = take_until(page, program_end);
  out << "<script type=\"text/plain\" id=\"program\" data-packed>"
      << to_base64(viewer::deflate({reinterpret_cast<const std::uint8_t*>(program.data()), program.size()}))
      << program_end << page;
  return out.tellp() - begin;
}

}  // namespace stiction::viewer
