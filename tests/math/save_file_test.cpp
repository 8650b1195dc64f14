#include "stiction/math/save_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

namespace stiction {
namespace {

namespace fs = std::filesystem;

class SavedFiles : public ::testing::Test {
 protected:
  SavedFiles() : folder_(fs::path(::testing::TempDir()) / ("saved_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~SavedFiles() override { fs::remove_all(folder_); }

  std::string path(const char* name) const { return (folder_ / name).string(); }
  std::string contents(const char* name) const {
    std::ostringstream out;
    out << std::ifstream(folder_ / name).rdbuf();
    return out.str();
  }
  long num_files() const { return std::distance(fs::directory_iterator(folder_), fs::directory_iterator()); }
  static void save(const std::string& path, const std::string& text) {
    save_file(path, [&](std::ostream& out) { out << text; });
  }

  fs::path folder_;
};

TEST_F(SavedFiles, AreWholeOrAsTheyWere) {
  save(path("file"), "first");
  EXPECT_EQ(contents("file"), "first");
  const auto fails = [](std::ostream& out) {
    out << std::string(100000, 'x') << std::flush;
    throw std::domain_error("enough");
  };
  EXPECT_THROW(save_file(path("file"), fails), std::domain_error);
  EXPECT_THROW(save_file(path("other"), fails), std::domain_error);
  EXPECT_EQ(contents("file"), "first");
  EXPECT_EQ(num_files(), 1);  // no part, no lock, no other
  save(path("file"), "second");
  EXPECT_EQ(contents("file"), "second");
}

TEST_F(SavedFiles, LimitOfFileSizeLeavesWhatWasThere) {
  save(path("file"), "first");
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{4096, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string what;
  try {
    save(path("file"), std::string(100000, 'x'));
  } catch (const std::runtime_error& error) {
    what = error.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(what.find(path("file")), std::string::npos) << what;
  EXPECT_EQ(contents("file"), "first");
  EXPECT_EQ(num_files(), 1);
}

TEST_F(SavedFiles, GoThroughLinksAndNowhereElse) {
  fs::create_symlink("target", path("link"));
  save(path("link"), "text");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(contents("target"), "text");
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  for (const std::string& place : {path("pipe"), std::string("/dev/full"), folder_.string(), std::string()}) {
    EXPECT_THROW(save(place, "text"), std::invalid_argument) << place;
  }
  EXPECT_THROW(save(path("absent/file"), "text"), std::runtime_error);
}

// Many writers of one file: each either has it alone or is refused, and what stands there is always whole.
TEST_F(SavedFiles, OneWriterAtATime) {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> won{0};
    std::vector<std::thread> writers;
    for (int k = 0; k < 4; ++k) {
      writers.emplace_back([&, k] {
        try {
          save(path("file"), std::string(50000, static_cast<char>('a' + k)));
          ++won;
        } catch (const std::runtime_error&) {  // another one has it
        }
      });
    }
    for (std::thread& writer : writers) writer.join();
    const std::string text = contents("file");
    ASSERT_GE(won, 1) << "round " << round;
    ASSERT_EQ(text.size(), 50000U);
    ASSERT_EQ(text.find_first_not_of(text[0]), std::string::npos);
    ASSERT_EQ(num_files(), 1);
  }
}

}  // namespace
}  // namespace stiction
