// The page around its data, and the file that it becomes.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

namespace stiction::viewer {

inline constexpr int page_format = 1;  // of the data; viewer/src/embedded_source.ts reads this one

// The page before its data, the data, the page after them with its program packed. Returns the bytes written.
std::int64_t write_around(std::ostream& out, const std::function<void(std::ostream&)>& write_data);

}  // namespace stiction::viewer
