// The room `viewer`: recordings as pages.
#include <nanobind/stl/string.h>

#include <sstream>

#include "expose.h"
#include "fields.h"
#include "stiction/viewer/page.h"

namespace stiction::python {
namespace {

using namespace nb::literals;

PageSettings settings_for(const std::string& title, std::int64_t every) {
  // Between blocks Ctrl-C is looked for.
  const auto look = [](double) {
    const nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  };
  return {.title = title, .every = every, .progress = look};
}

std::string html(const RecordingReader& recording, const std::string& title, std::int64_t every) {
  const nb::gil_scoped_release released;
  std::ostringstream out;
  write_page(recording, out, settings_for(title, every));
  return std::move(out).str();
}

std::string save(const RecordingReader& recording, const PathLike& path, const std::string& title, std::int64_t every) {
  const std::string name = to_path(path);
  const nb::gil_scoped_release released;
  save_page(recording, name, settings_for(title, every));
  return name;
}

// A page inside a notebook.
struct NotebookPage {
  std::string html;
  int height;
};

std::string frame_of(const NotebookPage& page) {
  std::string text =
      "<iframe style=\"width:100%;height:" + std::to_string(page.height) + "px;border:0\" allowfullscreen srcdoc=\"";
  text.reserve(text.size() + page.html.size() + page.html.size() / 64);
  for (const char c : page.html) {
    if (c == '"') {
      text += "&quot;";
    } else if (c == '&') {
      text += "&amp;";
    } else {
      text += c;
    }
  }
  return text + "\"></iframe>";
}

void expose_pages(nb::module_& module) {
  nb::class_<NotebookPage>(module, "RecordingPage", "A recording as a page; a notebook shows it where it is the result")
      .def_ro("html", &NotebookPage::html, "The whole page: what Recording.save_page() writes")
      .def_ro("height", &NotebookPage::height, "In a notebook, pixels")
      .def("_repr_html_", &frame_of, "What a notebook shows")
      .def("__repr__", [](const NotebookPage& page) {
        return nb::str("RecordingPage({:.1f} MB; a notebook shows it, Recording.save_page(path) writes it)")
            .format(static_cast<double>(page.html.size()) / 1e6);
      });
}

}  // namespace

void expose_view(nb::module_& module) {
  expose_pages(module);
  const nb::handle recording = nb::type<RecordingReader>();
  nb::cpp_function_def([](const RecordingReader& r, int height, std::int64_t every,
                          const std::string& title) { return NotebookPage{html(r, title, every), height}; },
                       nb::scope(recording), nb::name("show"), nb::is_method(), nb::kw_only(), "height"_a = 640,
                       "every"_a = 1, "title"_a = "",
                       "The recording in a notebook: bodies, contacts, forces and certificates of every step. `every`: "
                       "so many steps are "
                       "one frame, but steps that are not certified are all shown.");
  nb::cpp_function_def(&save, nb::scope(recording), nb::name("save_page"), nb::is_method(), "path"_a, nb::kw_only(),
                       "title"_a = "", "every"_a = 1,
                       "Writes the recording as one HTML file that opens from disk, without network; its path.");
}

}  // namespace stiction::python
