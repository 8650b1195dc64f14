// The room `viewer`: recordings as pages, simulators in a browser.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <limits>
#include <optional>
#include <sstream>
#include <thread>

#include "expose.h"
#include "fields.h"
#include "notebook_page.h"
#include "progress.h"
#include "shared_simulator.h"
#include "stiction/viewer/live_view.h"
#include "stiction/viewer/page.h"

namespace stiction::python {
namespace {

using namespace nb::literals;

constexpr int whole = 100;  // of which progress tells how much is done

// `tell` must outlive them.
PageSettings settings_for(const std::string& title, std::int64_t every, const nb::object* tell = nullptr) {
  // Between blocks Ctrl-C is looked for.
  const auto look = [tell](double share) {
    const nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (tell && !tell->is_none()) (*tell)(static_cast<int>(whole * share), whole);
  };
  return {.title = title, .every = every, .progress = look};
}

std::string html(const RecordingReader& recording, const std::string& title, std::int64_t every) {
  const nb::gil_scoped_release released;
  std::ostringstream out;
  write_page(recording, out, settings_for(title, every));
  return std::move(out).str();
}

std::string save(const RecordingReader& recording, const PathLike& path, const std::string& title, std::int64_t every,
                 nb::handle progress) {
  const std::string name = to_path(path);
  const nb::object tell = teller(progress, "page");
  {
    const nb::gil_scoped_release released;
    save_page(recording, name, settings_for(title, every, &tell));
  }
  if (!tell.is_none()) tell(whole, whole);
  return name;
}

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
        return nb::str("RecordingPage({:.1f} MB; a notebook shows it, save_page(path) writes it)")
            .format(static_cast<double>(page.html.size()) / 1e6);
      });
}

// A live view with the simulator that it shows.
class PythonView {
 public:
  PythonView(nb::object simulator, const LiveViewSettings& settings) : simulator_(std::move(simulator)) {
    SharedSimulator& s = shared();
    const nb::gil_scoped_release released;
    {
      const std::lock_guard turn(s.mutex);
      if (s.view) throw std::runtime_error("the simulator has a view already: " + s.view->address());
    }
    view_.emplace(s.simulator, s.mutex, settings);
    const std::lock_guard turn(s.mutex);
    s.view = &*view_;
  }
  ~PythonView() {
    try {
      close();
    } catch (...) {  // who wants to know calls close()
    }
  }
  PythonView(const PythonView&) = delete;
  PythonView& operator=(const PythonView&) = delete;

  LiveView& view() { return *view_; }
  bool is_closed() const { return closed_; }
  SharedSimulator& shared() const { return nb::cast<SharedSimulator&>(simulator_); }

  void close() {
    if (closed_) return;
    closed_ = true;
    SharedSimulator& s = shared();
    const nb::gil_scoped_release released;
    {
      const std::lock_guard turn(s.mutex);
      s.view = nullptr;
    }
    view_->close();
  }

  // Until Ctrl-C, which is passed on, or until another thread closes it.
  void wait(double seconds) const {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    while (!closed_ && std::chrono::duration<double>(Clock::now() - begin).count() < seconds) {
      {
        const nb::gil_scoped_release released;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
  }

 private:
  nb::object simulator_;
  std::optional<LiveView> view_;
  bool closed_ = false;
};

PythonView* view_of(const nb::object& simulator, const std::string& host, int port, const std::string& title, bool run,
                    double speed, const nb::object& record, const std::vector<std::string>& origins) {
  LiveViewSettings settings;
  settings.host = host;
  settings.port = port;
  settings.title = title;
  settings.running = run;
  settings.speed = speed;
  if (!record.is_none()) settings.record_path = to_path(nb::cast<PathLike>(record));
  settings.origins = origins;
  return new PythonView(simulator, settings);
}

std::string link_to(PythonView& view) {
  const std::string& address = view.view().address();
  return "<iframe style=\"width:100%;height:640px;border:0\" src=\"" + address + "\"></iframe><a href=\"" + address +
         "\" target=\"_blank\">in a tab of its own</a>";
}

void expose_live(nb::module_& module) {
  nb::class_<PythonView>(module, "LiveView",
                         "What Simulator.view() returns: the simulation in a browser while it runs. A context manager "
                         "that closes it; so does its end.")
      .def_prop_ro(
          "address", [](PythonView& v) { return v.view().address(); }, "To be opened in a browser")
      .def_prop_ro("port", [](PythonView& v) { return v.view().port(); })
      .def_prop_ro(
          "num_clients", [](PythonView& v) { return v.view().num_clients(); }, "Pages that look on")
      .def_prop_ro(
          "num_dropped_frames", [](PythonView& v) { return v.view().num_dropped_frames(); },
          "Frames that slow pages did not get")
      .def_prop_ro(
          "is_running", [](PythonView& v) { return v.view().is_running(); }, "Whether the page plays it")
      .def_prop_ro("is_closed", &PythonView::is_closed)
      .def_prop_ro(
          "failure", [](PythonView& v) { return v.view().failure(); }, "What the last step threw; empty: nothing")
      .def_prop_ro(
          "recorded_files",
          [](PythonView& v) {
            const nb::gil_scoped_release released;
            return v.view().recorded_files();
          },
          "Files that were begun so far")
      .def("close", &PythonView::close, "Ends the server; the simulator stays as it is")
      .def("wait", &PythonView::wait, "seconds"_a = std::numeric_limits<double>::infinity(),
           "Waits until Ctrl-C, until the view is closed, or so long; the page steers the simulation meanwhile")
      .def("__enter__",
           [](nb::handle_t<PythonView> self) { return nb::borrow<nb::typed<nb::object, PythonView>>(self); })
      .def(
          "__exit__", [](PythonView& v, nb::handle, nb::handle, nb::handle) { v.close(); }, nb::arg().none(),
          nb::arg().none(), nb::arg().none())
      .def("_repr_html_", &link_to, "What a notebook shows")
      .def("__repr__", [](PythonView& v) {
        return nb::str(v.is_closed() ? "LiveView(closed)" : "LiveView({!r})").format(v.view().address());
      });
  nb::cpp_function_def(
      &view_of, nb::scope(nb::type<SharedSimulator>()), nb::name("view"), nb::is_method(), nb::kw_only(),
      "host"_a = "127.0.0.1", "port"_a = 0, "title"_a = "", "run"_a = false, "speed"_a = 1.0, "record"_a = nb::none(),
      "origins"_a = std::vector<std::string>(), nb::rv_policy::take_ownership,
      nb::sig("def view(self, *, host: str = '127.0.0.1', port: int = 0, title: str = '', run: bool = False, speed: "
              "float = 1.0, record: str | os.PathLike[str] | None = None, origins: collections.abc.Sequence[str] = ()) "
              "-> LiveView"),
      "Shows the simulation in a browser while it runs; returns at once. Open the view's address. Your own steps are "
      "shown, and the page can play it too (run=True: at once), reset it, move controls, change friction and solver "
      "and pull bodies. `speed`: simulated seconds per second, inf: as fast as it goes. `record`: every step goes "
      "into a recording.");
}

}  // namespace

void expose_view(nb::module_& module) {
  expose_pages(module);
  expose_live(module);
  const nb::handle recording = nb::type<RecordingReader>();
  nb::cpp_function_def([](const RecordingReader& r, int height, std::int64_t every,
                          const std::string& title) { return NotebookPage{html(r, title, every), height}; },
                       nb::scope(recording), nb::name("show"), nb::is_method(), nb::kw_only(), "height"_a = 640,
                       "every"_a = 1, "title"_a = "",
                       "The recording in a notebook: bodies, contacts, forces and certificates of every step. `every`: "
                       "so many steps are "
                       "one frame, but steps that are not certified are all shown.");
  nb::cpp_function_def(&save, nb::scope(recording), nb::name("save_page"), nb::is_method(), "path"_a, nb::kw_only(),
                       "title"_a = "", "every"_a = 1, "progress"_a = false,
                       nb::sig("def save_page(self, path: str | os.PathLike[str], *, title: str = '', every: int = 1, "
                               "progress: bool | collections.abc.Callable[[int, int], object] = False) -> str"),
                       "Writes the recording as one HTML file that opens from disk, without network; its path. "
                       "`progress`: True shows a line on standard error, a function is told (done, 100).");
}

}  // namespace stiction::python
