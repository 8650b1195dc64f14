#include "stiction/math/output_place.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "stiction/io/recording/recording.h"
#include "stiction/problem_files/fclib.h"
#include "tests/io/recorded_worlds.h"
#include "tests/support/random_problems.h"

namespace stiction {
namespace {

namespace fs = std::filesystem;

class OutputPlaces : public ::testing::Test {
 protected:
  OutputPlaces()
      : folder_(fs::path(::testing::TempDir()) / ("outputs_" + std::to_string(::getpid()))),
        path_((folder_ / "run.h5").string()) {
    fs::create_directories(folder_);
  }
  ~OutputPlaces() override { fs::remove_all(folder_); }

  fs::path folder_;
  std::string path_;
};

template <class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST_F(OutputPlaces, WhatIsNoRegularFileIsRefused) {
  const std::string pipe = (folder_ / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const Simulator simulator(testing::tumbling_pile(2), {.time_step = 1e-3});
  const std::pair<std::string, const char*> cases[] = {{"/dev/null", "device"},
                                                       {"/dev/full", "device"},
                                                       {pipe, "pipe"},
                                                       {folder_.string(), "folder"},
                                                       {folder_.string() + "/", "folder"},
                                                       {(folder_ / "new").string() + "/", "folder"},
                                                       {"", "empty"}};
  for (const auto& [path, kind] : cases) {
    EXPECT_THROW(OutputPlace{path}, std::invalid_argument) << path;
    const std::string message = message_of([&] { RecordingWriter(path, simulator); });
    EXPECT_NE(message.find(kind), std::string::npos) << message;
    EXPECT_NE(message.find(path), std::string::npos) << message;
    EXPECT_THROW(write_fclib(path, {.problem = testing::random_problem({})}), std::invalid_argument) << path;
  }
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(OutputPlaces, LinksAreWrittenThrough) {
  fs::create_directory(folder_ / "deep");
  fs::create_symlink("deep/second", folder_ / "first");  // relative to where the link lies
  fs::create_symlink("../run.h5", folder_ / "deep/second");
  Simulator simulator(testing::tumbling_pile(2), {.time_step = 1e-3});
  for (int round = 0; round < 2; ++round) {  // where nothing is yet, and over the file
    RecordingWriter writer((folder_ / "first").string(), simulator);
    writer.append(simulator, simulator.step());
    writer.close();
    EXPECT_TRUE(fs::is_symlink(folder_ / "first"));
    EXPECT_TRUE(fs::is_symlink(folder_ / "deep/second"));
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(path_)));
    EXPECT_EQ(RecordingReader(path_).num_steps(), 1);
  }
  fs::create_symlink(fs::absolute(path_), folder_ / "whole");
  EXPECT_EQ(OutputPlace((folder_ / "whole").string()).target(), fs::absolute(path_).string());
  fs::create_symlink("circle", folder_ / "circle");
  EXPECT_THROW(OutputPlace((folder_ / "circle").string()), std::invalid_argument);
}

TEST_F(OutputPlaces, OneWriterAtATime) {
  Simulator simulator(testing::tumbling_pile(2), {.time_step = 1e-3});
  fs::create_symlink("run.h5", folder_ / "link");
  {
    RecordingWriter first(path_, simulator, {.steps_per_block = 2});
    for (const std::string& name : {path_, (folder_ / "link").string(), (folder_ / "." / "run.h5").string()}) {
      const std::string message = message_of([&] { RecordingWriter(name, simulator); });
      EXPECT_NE(message.find("another process"), std::string::npos) << message;
      EXPECT_NE(message.find(name), std::string::npos) << message;
      EXPECT_THROW(RecordingWriter::continue_at_end(name, simulator), std::runtime_error);
      EXPECT_THROW(write_fclib(name, {.problem = testing::random_problem({})}), std::runtime_error);
    }
    for (int k = 0; k < 100; ++k) first.append(simulator, simulator.step());  // longer than its first room
    EXPECT_THROW(RecordingWriter(path_, simulator), std::runtime_error);
    first.close();
    RecordingWriter second(path_, simulator);  // a closed one lets go
  }
  EXPECT_FALSE(fs::exists(path_ + ".lock"));
  std::ofstream(path_ + ".lock") << "left by a process that was killed";
  EXPECT_NO_THROW(OutputPlace{path_});
  EXPECT_FALSE(fs::exists(path_ + ".lock"));
}

TEST_F(OutputPlaces, NothingIsLeftWhereItFails) {
  const Simulator simulator(testing::tumbling_pile(2), {.time_step = 1e-3});
  fs::create_directory(path_ + ".new.part");  // the file beside cannot be made
  const std::string message = message_of([&] { RecordingWriter(path_, simulator); });
  EXPECT_NE(message.find(path_ + ": cannot be written"), std::string::npos) << message;
  EXPECT_FALSE(fs::exists(path_));
  EXPECT_FALSE(fs::exists(path_ + ".lock"));
}

// What lies under the name of the file beside is somebody else's: it is never written through.
TEST_F(OutputPlaces, FilesBesideAreMadeAnew) {
  std::ofstream(folder_ / "precious") << "text";
  fs::create_symlink("precious", path_ + ".new.part");
  fs::create_symlink("precious", path_ + ".part");
  const Simulator simulator(testing::tumbling_pile(2), {.time_step = 1e-3});
  RecordingWriter(path_, simulator).close();
  EXPECT_EQ(fs::file_size(folder_ / "precious"), 4u);
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(path_)));
  fs::create_symlink("precious", path_ + ".lock");
  EXPECT_THROW(OutputPlace{path_}, std::runtime_error);
}

}  // namespace
}  // namespace stiction
