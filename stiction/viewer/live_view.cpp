#include "stiction/viewer/live_view.h"

#include <cmath>
#include <deque>

#include "stiction/math/refuse.h"
#include "stiction/viewer/live_messages.h"
#include "stiction/viewer/live_server.h"
#include "stiction/viewer/live_session.h"
#include "stiction/viewer/page.h"

namespace stiction {

using namespace viewer;

namespace {

constexpr std::size_t most_snapshots = 8;  // that wait to be packed

// The page with a mark in place of a recording's data: it asks this server for them.
std::string live_page() {
  constexpr std::string_view mark = "<!--stiction:data-->";
  std::string page(page_template());
  page.replace(page.find(mark), mark.size(), "<script type=\"text/plain\" id=\"live\">/live</script>");
  return page;
}

LiveServer::Text shared(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}
LiveServer::Frame shared(Bytes bytes) {
  return std::make_shared<const Bytes>(std::move(bytes));
}

}  // namespace

void LiveViewSettings::validate() const {
  LiveSessionSettings{.running = running, .speed = speed, .frame_rate = frame_rate}.validate();
  LiveServerSettings{.host = host, .port = port}.validate();
}

// Between session and server: packs snapshots in a thread of its own, so that the simulation does not wait for it.
struct LiveView::Core final : LiveAudience {
  Core(Simulator& simulator, std::mutex& simulator_turn, const LiveViewSettings& settings)
      : turn(simulator_turn),
        title(settings.title.empty() ? "live" : settings.title),
        model(simulator.shared_model()),
        block(*model, simulator.time_step()) {
    {
      const std::lock_guard lock(turn);
      session.emplace(simulator, turn, *this,
                      LiveSessionSettings{settings.running, settings.speed, settings.frame_rate, settings.record_path});
      message = model_message(simulator, session->materials(), title);
    }
    model_text = shared(message.text);
    surfaces = shared(std::move(message.surfaces));
    packer = std::thread([this] { pack(); });
    try {
      LiveServerEvents events;
      events.opened = [this](int client) { greet(client); };
      events.closed = [this](int client) { session->forget(client); };
      events.received = [this](int client, std::string_view text) { receive(client, text); };
      server = std::make_unique<LiveServer>(LiveServerSettings{settings.host, settings.port, settings.origins, {}},
                                            live_page(), std::move(events));
      is_open = server.get();
    } catch (...) {
      end_packer();
      throw;
    }
  }
  ~Core() override { end_packer(); }

  void greet(int client) {
    LiveServer* to = is_open;
    if (!to) return;
    {
      const std::lock_guard lock(mutex);
      to->send(client, model_text);
      to->send(client, surfaces);
      if (state_text) to->send(client, state_text);
    }
    session->ask_frame();
  }

  void receive(int client, std::string_view text) {
    try {
      session->post(client, parse_live_command(text));
    } catch (const std::exception& error) {
      tell_error(client, error.what());
    }
  }

  // ---- LiveAudience
  bool is_present() override {
    const LiveServer* to = is_open;
    return to && to->num_clients() > 0;
  }
  void show(LiveSnapshot snapshot) override {
    const std::lock_guard lock(snapshots_mutex);
    if (snapshots.size() == most_snapshots) {
      snapshots.pop_front();
      ++num_dropped;
    }
    snapshots.push_back(std::move(snapshot));
    snapshots_filled.notify_one();
  }
  void tell_state(const std::string& json) override {
    const std::lock_guard lock(mutex);
    state_text = shared(json);
    if (LiveServer* to = is_open) to->broadcast(state_text);
  }
  void tell_model(const Simulator& simulator, const LiveMaterials& materials) override {
    ModelMessage changed = model_message(simulator, materials, title);
    const std::lock_guard lock(mutex);
    model_text = shared(std::move(changed.text));
    if (LiveServer* to = is_open) to->broadcast(model_text);
  }
  void tell_error(int client, const std::string& text) override {
    if (LiveServer* to = is_open) to->send(client, shared(error_message(text)));
  }

  void pack() {
    std::unique_lock lock(snapshots_mutex);
    for (;;) {
      snapshots_filled.wait(lock, [this] { return ending || !snapshots.empty(); });
      if (ending) return;
      const LiveSnapshot snapshot = std::move(snapshots.front());
      snapshots.pop_front();
      lock.unlock();
      if (LiveServer* to = is_open) to->broadcast(shared(frame_message(snapshot, block)));
      lock.lock();
    }
  }
  void end_packer() {
    {
      const std::lock_guard lock(snapshots_mutex);
      ending = true;
      snapshots_filled.notify_all();
    }
    if (packer.joinable()) packer.join();
  }

  // The session first: its thread uses the server. What the server's threads then still post waits for nobody.
  void close() {
    if (is_closed) return;
    is_closed = true;
    address = server->address();
    std::exception_ptr trouble;
    try {
      session->close();
    } catch (...) {
      trouble = std::current_exception();
    }
    end_packer();
    num_dropped += server->num_dropped();
    is_open = nullptr;
    server.reset();
    if (trouble) std::rethrow_exception(trouble);
  }

  std::mutex& turn;
  std::string title;
  std::shared_ptr<const Model> model;  // of the block; later ones differ in friction alone
  FrameBlock block;
  ModelMessage message;
  std::mutex mutex;  // of the three that follow
  LiveServer::Text model_text, state_text;
  LiveServer::Frame surfaces;

  std::mutex snapshots_mutex;
  std::condition_variable snapshots_filled;
  std::deque<LiveSnapshot> snapshots;
  bool ending = false;
  std::atomic<std::int64_t> num_dropped{0};
  std::thread packer;

  std::string address;
  bool is_closed = false;
  std::atomic<LiveServer*> is_open{nullptr};
  std::optional<LiveSession> session;
  std::unique_ptr<LiveServer> server;
};

LiveView::LiveView(Simulator& simulator, std::mutex& turn, const LiveViewSettings& settings) {
  settings.validate();
  core_ = std::make_unique<Core>(simulator, turn, settings);
}

LiveView::~LiveView() {
  try {
    close();
  } catch (...) {
  }
}

const std::string& LiveView::address() const {
  return core_->is_closed ? core_->address : core_->server->address();
}
int LiveView::port() const {
  return core_->is_closed ? 0 : core_->server->port();
}
int LiveView::num_clients() const {
  return core_->is_closed ? 0 : core_->server->num_clients();
}
std::int64_t LiveView::num_dropped_frames() const {
  return core_->num_dropped + (core_->is_closed ? 0 : core_->server->num_dropped());
}
bool LiveView::is_running() const {
  return !core_->is_closed && core_->session->is_running();
}
std::string LiveView::failure() const {
  return core_->session->failure();
}
std::vector<std::string> LiveView::recorded_files() const {
  const std::lock_guard lock(core_->turn);
  return core_->session->recorder().files();
}
const StepReport& LiveView::step() {
  return core_->session->step();
}
void LiveView::close() {
  core_->close();
}

}  // namespace stiction
