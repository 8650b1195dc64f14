// The socket of the live viewer: one page over HTTP, and WebSockets that it opens. It knows nothing of simulations.
//
// Who may come in: the token, 128 random bits, is part of the address and asked for by the page and by every WebSocket.
// Browsers say which page opened a WebSocket ("Origin"): it must be the one that was served from here, and where the
// server listens on loopback alone, one of this machine's own names, so that no other web page gets in even if it
// guesses the address. Programs that are no browsers name no origin and need the token alone.
//
// Every client has a queue and a thread that writes. Frames beyond the queue's end push the oldest frame out: who reads
// slowly sees fewer frames, and nobody waits for anybody.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace stiction::viewer {

struct LiveServerSettings {
  std::string host = "127.0.0.1";
  int port = 0;                        // 0: any that is free
  std::vector<std::string> origins{};  // that are let in besides, as "https://lab.example"
  std::string token{};                 // empty: a random one

  void validate() const;  // throws std::invalid_argument naming setting, value and range
};

// Called by threads of the server. Exceptions must stay inside.
struct LiveServerEvents {
  std::function<void(int client)> opened, closed;
  std::function<void(int client, std::string_view text)> received;
};

// Whether a browser's Origin may open a WebSocket at this Host, both as in the headers.
bool is_own_origin(std::string_view origin, std::string_view host, bool loopback_only,
                   const std::vector<std::string>& others);

class LiveServer {
 public:
  using Text = std::shared_ptr<const std::string>;
  using Frame = std::shared_ptr<const std::vector<std::uint8_t>>;
  static constexpr int most_clients = 8;
  static constexpr std::size_t most_frames = 4;  // that wait for one client

  // Throws std::runtime_error, saying what to do, where the port is taken or the host is not one of this machine, and
  // std::invalid_argument for settings that make no sense.
  LiveServer(const LiveServerSettings& settings, std::string page, LiveServerEvents events);
  ~LiveServer();  // clients are told; returns when all threads are gone
  LiveServer(const LiveServer&) = delete;
  LiveServer& operator=(const LiveServer&) = delete;

  const std::string& address() const;  // with the token
  int port() const;
  int num_clients() const;
  std::int64_t num_dropped() const;  // frames that slow clients did not get
  void send(int client, const Text& text);
  void send(int client, const Frame& bytes);  // never dropped
  void broadcast(const Text& text);
  void broadcast(const Frame& frame);

 private:
  struct Core;
  std::unique_ptr<Core> core_;
};

}  // namespace stiction::viewer
