// A page inside a notebook; expose_view.cpp makes its class.
#pragma once

#include <string>

namespace stiction::python {

struct NotebookPage {
  std::string html;
  int height;  // pixels
};

}  // namespace stiction::python
