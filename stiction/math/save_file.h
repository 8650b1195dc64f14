// Files that are whole or not there: written beside their place, which they take when they are complete.
//
//     save_file("robot.xml", [&](std::ostream& out) { out << text; });
//
// Their place is that of output_place.h: links are written through, what is no regular file is refused, one writer at a
// time. Where the disk is full, or `write` throws, nothing is left, and a file that was there is as it was.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

namespace stiction {

// Throws std::invalid_argument or std::runtime_error naming the path, and what `write` throws.
void save_file(const std::string& path, const std::function<void(std::ostream&)>& write);

}  // namespace stiction
