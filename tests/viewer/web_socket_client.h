// A client of the live viewer without a browser, by hand: RFC 6455 as far as tests need it.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string>

namespace stiction {

class WebSocketClient {
 public:
  static constexpr std::chrono::seconds patience{120};  // of whoever waits here; a busy machine may be slow

  // Connects and asks for the WebSocket. `receive_buffer`: bytes, 0: the system's.
  WebSocketClient(int port, const std::string& token, const std::string& origin = {}, int receive_buffer = 0,
                  const std::string& path = "/live") {
    socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
    const timeval longest{patience.count(), 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
    if (receive_buffer > 0) ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
      ::close(socket_);
      throw std::runtime_error("no connection");
    }
    std::string request = "GET " + path + "?token=" + token + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                          "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    if (!origin.empty()) request += "Origin: " + origin + "\r\n";
    write(request + "\r\n");
    while (answer_.find("\r\n\r\n") == std::string::npos) {
      char c = 0;
      if (::recv(socket_, &c, 1, 0) != 1) break;
      answer_ += c;
    }
  }
  ~WebSocketClient() {
    if (socket_ >= 0) ::close(socket_);
  }
  WebSocketClient(const WebSocketClient&) = delete;
  WebSocketClient& operator=(const WebSocketClient&) = delete;

  bool is_open() const { return answer_.starts_with("HTTP/1.1 101"); }
  const std::string& answer() const { return answer_; }  // to the request: its header

  void send(const std::string& text, unsigned char first = 0x81) {
    std::string frame(1, static_cast<char>(first));
    if (text.size() < 126) {
      frame += static_cast<char>(0x80 | text.size());
    } else {
      frame += static_cast<char>(0x80 | 126);
      frame += static_cast<char>(text.size() >> 8);
      frame += static_cast<char>(text.size());
    }
    write(frame + std::string(4, '\0') + text);  // a mask of zeros
  }

  struct Message {
    int opcode = -1;  // −1: the connection is closed
    std::string data;
  };
  Message receive() {
    unsigned char head[2];
    if (!read(head, 2)) return {};
    std::size_t size = head[1] & 0x7FU;
    const int more = size == 126 ? 2 : size == 127 ? 8 : 0;
    if (more > 0) {
      unsigned char bytes[8];
      if (!read(bytes, static_cast<std::size_t>(more))) return {};
      size = 0;
      for (int k = 0; k < more; ++k) size = size << 8 | bytes[k];
    }
    Message message{head[0] & 0x0F, std::string(size, '\0')};
    if (!read(message.data.data(), size)) return {};
    return message;
  }
  // The next text that has this in it; whatever else comes is passed over.
  std::string receive_text(const std::string& part) {
    for (;;) {
      const Message message = receive();
      if (message.opcode < 0) throw std::runtime_error("the connection ended before: " + part);
      if (message.opcode == 1 && message.data.find(part) != std::string::npos) return message.data;
    }
  }

 private:
  void write(const std::string& bytes) {
    if (::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size())) {
      throw std::runtime_error("the connection is closed");
    }
  }
  bool read(void* to, std::size_t size) {
    auto* at = static_cast<char*>(to);
    while (size > 0) {
      const ssize_t count = ::recv(socket_, at, size, 0);
      if (count <= 0) return false;
      at += count;
      size -= static_cast<std::size_t>(count);
    }
    return true;
  }

  int socket_ = -1;
  std::string answer_;
};

}  // namespace stiction
