#include "stiction/viewer/live_server.h"

#include <civetweb.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>

#include "stiction/math/refuse.h"

namespace stiction::viewer {
namespace {

constexpr std::size_t most_texts = 256;  // that wait for one client; one that is further behind is let go
constexpr std::size_t most_bytes = 64 << 10;
constexpr std::chrono::seconds most_patience{5};  // with clients that do not read, when it ends

std::string random_token() {
  std::random_device source;
  std::string token;
  for (int k = 0; k < 4; ++k) {
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08x", static_cast<unsigned>(source()));
    token += digits;
  }
  return token;
}

// Takes the same time wherever they differ.
bool same_token(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) different |= static_cast<unsigned>(a[i] ^ b[i]);
  return different == 0;
}

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" || host == "[::1]" || host.starts_with("127.");
}

std::string_view without_port(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  const std::size_t bracket = host.rfind(']');
  if (colon == std::string_view::npos || (bracket != std::string_view::npos && bracket > colon)) return host;
  return host.substr(0, colon);
}

// A host as an address has it: IPv6 in brackets; for "all of this machine's" its name.
std::string host_in_address(const std::string& host) {
  if (host == "0.0.0.0" || host == "::") {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
  }
  return host.find(':') != std::string::npos && host[0] != '[' ? "[" + host + "]" : host;
}

// Threads that are started meanwhile get no signals: Ctrl-C is for the thread that waits for it. And civetweb ignores
// SIGPIPE for the whole process, which is not its to decide; it writes without raising it.
class QuietStart {
 public:
  QuietStart() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &mask_);
    sigaction(SIGPIPE, nullptr, &pipe_);
  }
  ~QuietStart() {
    sigaction(SIGPIPE, &pipe_, nullptr);
    pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
  }
  QuietStart(const QuietStart&) = delete;
  QuietStart& operator=(const QuietStart&) = delete;

 private:
  sigset_t mask_{};
  struct sigaction pipe_{};
};

std::string_view header(const mg_connection* connection, const char* name) {
  const char* value = mg_get_header(connection, name);
  return value ? std::string_view(value) : std::string_view();
}

int reply(mg_connection* connection, int status, const char* reason, const char* type, std::string_view body) {
  mg_printf(connection,
            "HTTP/1.1 %d %s\r\nContent-Type: %s; charset=utf-8\r\nContent-Length: %zu\r\nCache-Control: no-store\r\n"
            "Referrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
            status, reason, type, body.size());
  mg_write(connection, body.data(), body.size());
  return status;
}

// What waits for one client: texts and frames in their order.
struct Message {
  LiveServer::Text text;
  LiveServer::Frame bytes;
  bool may_drop = false;
};

class Client {
 public:
  Client(int number, mg_connection* connection, std::atomic<std::int64_t>& dropped)
      : number_(number), connection_(connection), dropped_(dropped), thread_([this] { write(); }) {}
  ~Client() {
    end();
    thread_.join();
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  int number() const { return number_; }

  void push(Message message) {
    const std::lock_guard lock(mutex_);
    if (ending_) return;
    if (message.may_drop && num_frames_ == LiveServer::most_frames) {
      waiting_.erase(std::find_if(waiting_.begin(), waiting_.end(), [](const Message& m) { return m.may_drop; }));
      --num_frames_;
      ++dropped_;
    }
    num_frames_ += message.may_drop ? 1 : 0;
    waiting_.push_back(std::move(message));
    if (waiting_.size() > most_texts + LiveServer::most_frames) waiting_.clear(), num_frames_ = 0, ending_ = true;
    filled_.notify_one();
  }

  void end() {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    filled_.notify_one();
  }
  // Until the close frame is sent, or could not be.
  void wait_for_end(std::chrono::steady_clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    ended_.wait_until(lock, deadline, [this] { return has_ended_; });
  }

 private:
  void write() {
    std::unique_lock lock(mutex_);
    for (;;) {
      filled_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
      if (ending_) break;
      const Message message = std::move(waiting_.front());
      waiting_.pop_front();
      num_frames_ -= message.may_drop ? 1 : 0;
      lock.unlock();
      const bool is_sent = message.text
                               ? send(MG_WEBSOCKET_OPCODE_TEXT, message.text->data(), message.text->size())
                               : send(MG_WEBSOCKET_OPCODE_BINARY, message.bytes->data(), message.bytes->size());
      lock.lock();
      if (!is_sent) ending_ = true;
    }
    lock.unlock();
    static constexpr unsigned char going_away[2] = {0x03, 0xE9};  // 1001
    send(MG_WEBSOCKET_OPCODE_CONNECTION_CLOSE, going_away, sizeof going_away);
    lock.lock();
    has_ended_ = true;
    ended_.notify_all();
  }

  bool send(int opcode, const void* data, std::size_t size) {
    return mg_websocket_write(connection_, opcode, static_cast<const char*>(data), size) > 0;
  }

  const int number_;
  mg_connection* connection_;
  std::atomic<std::int64_t>& dropped_;
  std::mutex mutex_;
  std::condition_variable filled_, ended_;
  std::deque<Message> waiting_;
  std::size_t num_frames_ = 0;
  bool ending_ = false, has_ended_ = false;
  std::thread thread_;
};

}  // namespace

bool is_own_origin(std::string_view origin, std::string_view host, bool loopback_only,
                   const std::vector<std::string>& others) {
  if (std::find(others.begin(), others.end(), origin) != others.end()) return true;
  constexpr std::string_view scheme = "http://";
  if (!origin.starts_with(scheme)) return false;
  const std::string_view place = origin.substr(scheme.size());
  return place == host && (!loopback_only || is_loopback(without_port(place)));
}

struct LiveServer::Core {
  LiveServerSettings settings;
  std::string page;
  LiveServerEvents events;
  std::string token, address, complaint;
  bool loopback_only = true;
  int port = 0;
  mg_context* context = nullptr;
  mutable std::mutex mutex;
  std::map<const mg_connection*, std::shared_ptr<Client>> clients;
  int next_client = 0;
  std::atomic<std::int64_t> num_dropped{0};

  static Core& of(const mg_connection* connection) {
    return *static_cast<Core*>(mg_get_user_data(mg_get_context(connection)));
  }

  void start();
  bool has_token(const mg_connection* connection) const;
  int answer(mg_connection* connection) const;
  bool admit(const mg_connection* connection) const;
  void open(mg_connection* connection);
  bool receive(mg_connection* connection, int flags, const char* data, std::size_t size);
  void close(const mg_connection* connection);
  void broadcast(const Message& message);
  void send(int client, const Message& message);
};

bool LiveServer::Core::has_token(const mg_connection* connection) const {
  const char* query = mg_get_request_info(connection)->query_string;
  std::array<char, 128> given{};
  const int size = query ? mg_get_var(query, std::strlen(query), "token", given.data(), given.size()) : -1;
  return size > 0 && same_token({given.data(), static_cast<std::size_t>(size)}, token);
}

// Anything but the page and the WebSocket.
int LiveServer::Core::answer(mg_connection* connection) const {
  const mg_request_info& request = *mg_get_request_info(connection);
  const std::string_view path = request.local_uri ? request.local_uri : "";
  if (path == "/live") return 0;  // goes on to the WebSocket
  if (path != "/") return reply(connection, 404, "Not Found", "text/plain", "There is only the page at /.\n");
  if (!has_token(connection)) {
    return reply(
        connection, 403, "Forbidden", "text/plain",
        "The address lacks the right token. Open the whole address that stiction view printed, from http:// to "
        "its end. Every start has a new one.\n");
  }
  return reply(connection, 200, "OK", "text/html", page);
}

bool LiveServer::Core::admit(const mg_connection* connection) const {
  const std::string_view origin = header(connection, "Origin");
  const bool is_ours =
      origin.empty() || is_own_origin(origin, header(connection, "Host"), loopback_only, settings.origins);
  bool is_full = false;
  {
    const std::lock_guard lock(mutex);
    is_full = clients.size() >= most_clients;
  }
  if (has_token(connection) && is_ours && !is_full) return true;
  auto* writable = const_cast<mg_connection*>(connection);
  if (!has_token(connection)) {
    reply(writable, 403, "Forbidden", "text/plain", "the token is wrong\n");
  } else if (!is_ours) {
    reply(writable, 403, "Forbidden", "text/plain",
          "this origin may not connect; see --origin in stiction view --help\n");
  } else {
    reply(writable, 503, "Service Unavailable", "text/plain", "too many pages look on already; close one\n");
  }
  return false;
}

void LiveServer::Core::open(mg_connection* connection) {
  int number = 0;
  {
    const std::lock_guard lock(mutex);
    number = next_client++;
    clients[connection] = std::make_shared<Client>(number, connection, num_dropped);
  }
  events.opened(number);
}

// False ends the connection.
bool LiveServer::Core::receive(mg_connection* connection, int flags, const char* data, std::size_t size) {
  constexpr int is_whole = 0x80, opcode_bits = 0x0F;
  const int opcode = flags & opcode_bits;
  if (opcode == MG_WEBSOCKET_OPCODE_CONNECTION_CLOSE) return false;
  if (opcode == MG_WEBSOCKET_OPCODE_PING || opcode == MG_WEBSOCKET_OPCODE_PONG) return true;
  if (!(flags & is_whole) || opcode != MG_WEBSOCKET_OPCODE_TEXT || size > most_bytes) return false;
  std::shared_ptr<Client> client;
  {
    const std::lock_guard lock(mutex);
    const auto found = clients.find(connection);
    if (found == clients.end()) return false;
    client = found->second;
  }
  events.received(client->number(), {data, size});
  return true;
}

void LiveServer::Core::close(const mg_connection* connection) {
  std::shared_ptr<Client> client;
  {
    const std::lock_guard lock(mutex);
    const auto found = clients.find(connection);
    if (found == clients.end()) return;
    client = std::move(found->second);
    clients.erase(found);
  }
  const int number = client->number();
  // The connection is gone when this returns, so its writer must be.
  while (client.use_count() > 1) std::this_thread::yield();
  client.reset();
  events.closed(number);
}

void LiveServer::Core::broadcast(const Message& message) {
  const std::lock_guard lock(mutex);
  for (const auto& [connection, client] : clients) client->push(message);
}

void LiveServer::Core::send(int number, const Message& message) {
  const std::lock_guard lock(mutex);
  for (const auto& [connection, client] : clients) {
    if (client->number() == number) client->push(message);
  }
}

void LiveServerSettings::validate() const {
  require(port >= 0 && port <= 65535, "port", port, "0 … 65535; 0: any free one");
  const bool is_clean = host.find_first_of(",+ \t\r\n/") == std::string::npos && !host.empty();
  require(is_clean, "host", message('\'', host, '\''), "the name or address of one interface, as 127.0.0.1");
}

void LiveServer::Core::start() {
  settings.validate();
  token = settings.token.empty() ? random_token() : settings.token;
  loopback_only = is_loopback(settings.host);
  const std::string bracketed = settings.host.find(':') != std::string::npos && settings.host[0] != '['
                                    ? "[" + settings.host + "]"
                                    : settings.host;
  // civetweb takes numbers alone.
  const std::string place =
      (settings.host == "localhost" ? "127.0.0.1" : bracketed) + ":" + std::to_string(settings.port);
  const std::string threads = std::to_string(most_clients + 4);
  const char* options[] = {"listening_ports",
                           place.c_str(),
                           "num_threads",
                           threads.c_str(),
                           "request_timeout_ms",
                           "10000",
                           "websocket_timeout_ms",
                           "10000",
                           "enable_websocket_ping_pong",
                           "yes",
                           "tcp_nodelay",
                           "1",
                           nullptr};
  mg_callbacks callbacks{};
  callbacks.begin_request = [](mg_connection* c) { return of(c).answer(c); };
  callbacks.log_message = [](const mg_connection*, const char*) { return 1; };  // standard error is the user's
  {
    const QuietStart quiet;
    mg_init_library(0);
    context = mg_start(&callbacks, this, options);
  }
  if (!context) {
    const int error = errno;
    mg_exit_library();
    const std::string what = settings.host + ", port " + std::to_string(settings.port);
    throw std::runtime_error(
        what + ": the viewer cannot listen there" +
        (error == EADDRINUSE
             ? ": the port is in use. Name another one, or none (port 0) and a free one is taken"
             : ". Is the host an address of this machine, and the port free? Leave the port out (port 0) "
               "and a free one is taken"));
  }
  mg_server_port ports[4];
  if (mg_get_server_ports(context, 4, ports) > 0) port = ports[0].port;
  address = "http://" + host_in_address(settings.host) + ":" + std::to_string(port) + "/?token=" + token;
  mg_set_websocket_handler(
      context, "/live", [](const mg_connection* c, void* core) { return static_cast<Core*>(core)->admit(c) ? 0 : 1; },
      [](mg_connection* c, void* core) { static_cast<Core*>(core)->open(c); },
      [](mg_connection* c, int flags, char* data, std::size_t size, void* core) {
        return static_cast<Core*>(core)->receive(c, flags, data, size) ? 1 : 0;
      },
      [](const mg_connection* c, void* core) { static_cast<Core*>(core)->close(c); }, this);
}

LiveServer::LiveServer(const LiveServerSettings& settings, std::string page, LiveServerEvents events)
    : core_(std::make_unique<Core>()) {
  core_->settings = settings;
  core_->page = std::move(page);
  core_->events = std::move(events);
  core_->start();
}

LiveServer::~LiveServer() {
  {
    const std::lock_guard lock(core_->mutex);
    for (const auto& [connection, client] : core_->clients) client->end();
    // A server that stops sends nothing more: clients are told first. One that does not read waits in vain; on a busy
    // machine one that does may need its time.
    const auto deadline = std::chrono::steady_clock::now() + most_patience;
    for (const auto& [connection, client] : core_->clients) client->wait_for_end(deadline);
  }
  mg_stop(core_->context);
  mg_exit_library();
}

const std::string& LiveServer::address() const {
  return core_->address;
}
int LiveServer::port() const {
  return core_->port;
}
int LiveServer::num_clients() const {
  const std::lock_guard lock(core_->mutex);
  return static_cast<int>(core_->clients.size());
}
std::int64_t LiveServer::num_dropped() const {
  return core_->num_dropped;
}
void LiveServer::send(int client, const Text& text) {
  core_->send(client, {text, nullptr});
}
void LiveServer::send(int client, const Frame& bytes) {
  core_->send(client, {nullptr, bytes});
}
void LiveServer::broadcast(const Text& text) {
  core_->broadcast({text, nullptr});
}
void LiveServer::broadcast(const Frame& frame) {
  core_->broadcast({nullptr, frame, true});
}

}  // namespace stiction::viewer
