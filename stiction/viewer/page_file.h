// The page around its data, and the file that it becomes.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

namespace stiction::viewer {

inline constexpr int page_format = 1;  // of the data; viewer/src/embedded_source.ts reads this one

// The page before its data, the data, the page after them with its program packed. Returns the bytes written.
std::int64_t write_around(std::ostream& out, const std::function<void(std::ostream&)>& write_data);

// Writes PATH.part, which takes the name when it is complete; nothing is left where `write` throws. Throws
// std::invalid_argument or std::runtime_error where no file can stand there or the disk is full.
void save_file(const std::string& path, const std::function<void(std::ostream&)>& write);

}  // namespace stiction::viewer
