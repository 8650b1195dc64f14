// Every way in which a file can be broken gives std::invalid_argument with a message that names the culprit.
#include <gtest/gtest.h>
#include <hdf5.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>

#include "stiction/problem_files/fclib.h"
#include "stiction/problem_files/hdf5.h"
#include "stiction/problem_files/sequence.h"
#include "tests/support/test_files.h"

namespace stiction {
namespace {

namespace fs = std::filesystem;

// A sound file of two contacts, field by field, to be broken one field at a time.
struct Draft {
  int spacedim = 3, m = 6, n = 6, nzmax = 6, nz = -2;
  std::vector<int> p{0, 1, 2, 3, 4, 5, 6}, i{0, 1, 2, 3, 4, 5};
  VectorX x = VectorX::Ones(6), q = VectorX::Constant(6, -1.0), mu = VectorX::Constant(2, 0.5);
  std::string left_out = {};
};

class BrokenFile : public ::testing::Test {
 protected:
  ~BrokenFile() override { fs::remove(path_); }

  void write(const Draft& d) {
    auto file = hdf5::File::create(path_);
    const auto keep = [&](const std::string& name) { return name != d.left_out; };
    if (keep("fclib_local")) {
      for (const char* group : {"/fclib_local", "/fclib_local/vectors"}) file.make_group(group);
      if (keep("spacedim")) file.write_int("/fclib_local/spacedim", d.spacedim);
      if (keep("W")) {
        file.make_group("/fclib_local/W");
        if (keep("m")) file.write_int("/fclib_local/W/m", d.m);
        file.write_int("/fclib_local/W/n", d.n);
        file.write_int("/fclib_local/W/nzmax", d.nzmax);
        file.write_int("/fclib_local/W/nz", d.nz);
        if (keep("p")) file.write_ints("/fclib_local/W/p", d.p);
        file.write_ints("/fclib_local/W/i", d.i);
        if (keep("x")) file.write_doubles("/fclib_local/W/x", d.x);
      }
      if (keep("q")) file.write_doubles("/fclib_local/vectors/q", d.q);
      if (keep("mu")) file.write_doubles("/fclib_local/vectors/mu", d.mu);
    }
    file.close();
  }

  // Replaces a dataset through the C library, for what our writer cannot do.
  void replace(const char* name, const std::function<hid_t(hid_t file)>& create) {
    const hid_t file = H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    ASSERT_GE(file, 0);
    H5Ldelete(file, name, H5P_DEFAULT);
    const hid_t dataset = create(file);
    ASSERT_GE(dataset, 0);
    H5Dclose(dataset);
    H5Fclose(file);
  }

  void expect_refused(const std::string& culprit) {
    try {
      read_fclib(path_);
      ADD_FAILURE() << "accepted";
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string::npos, std::string(error.what()).find(path_)) << error.what();
      EXPECT_NE(std::string::npos, std::string(error.what()).find(culprit)) << error.what();
    }
  }
  void expect_refused(const Draft& draft, const std::string& culprit) {
    write(draft);
    expect_refused(culprit);
  }

  std::string path_ = (fs::path(::testing::TempDir()) / ("stiction-broken-" + std::to_string(getpid()))).string();
};

TEST_F(BrokenFile, TheDraftItselfIsSound) {
  write({});
  EXPECT_EQ(2, read_fclib(path_).problem.num_constraints());
}

TEST_F(BrokenFile, NoHdf5) {
  expect_refused("no such file");
  std::ofstream(path_) << "this is a text file\n";
  expect_refused("HDF5");
  std::ofstream(path_, std::ios::trunc).flush();
  expect_refused("HDF5");
  EXPECT_THROW(read_fclib(::testing::TempDir()), std::invalid_argument);
}

TEST_F(BrokenFile, Truncated) {
  fs::copy_file(testing::scene_file("fclib/Rover1041.hdf5"), path_);
  for (std::uintmax_t size = fs::file_size(path_) / 2; size > 0; size /= 2) {
    fs::resize_file(path_, size);
    expect_refused("");
  }
}

TEST_F(BrokenFile, PartsMissing) {
  expect_refused({.left_out = "fclib_local"}, "fclib_local");
  expect_refused({.left_out = "spacedim"}, "/fclib_local/spacedim");
  expect_refused({.left_out = "W"}, "/fclib_local/W");
  expect_refused({.left_out = "m"}, "/fclib_local/W/m");
  expect_refused({.left_out = "p"}, "/fclib_local/W/p");
  expect_refused({.left_out = "x"}, "/fclib_local/W/x");
  expect_refused({.left_out = "q"}, "/fclib_local/vectors/q");
  expect_refused({.left_out = "mu"}, "/fclib_local/vectors/mu");
}

TEST_F(BrokenFile, SizesThatDoNotFit) {
  expect_refused({.spacedim = 2}, "three dimensions");
  expect_refused({.m = 3}, "/fclib_local/W");
  expect_refused({.m = -6}, "/fclib_local/W/m");
  expect_refused({.n = 9}, "/fclib_local/W");
  expect_refused({.nzmax = 7}, "/fclib_local/W/x");
  expect_refused({.nzmax = 2147483647}, "/fclib_local/W/x");
  expect_refused({.nzmax = -1}, "/fclib_local/W/nzmax");
  expect_refused({.nz = -3}, "/fclib_local/W/nz");
  expect_refused({.nz = 7}, "/fclib_local/W/nz");
  expect_refused({.p = {0, 1}}, "/fclib_local/W/p");
  expect_refused({.q = VectorX::Ones(5)}, "/fclib_local/vectors/q");
  expect_refused({.mu = VectorX::Ones(3)}, "friction");
}

TEST_F(BrokenFile, IndicesOutOfRange) {
  expect_refused({.p = {0, 1, 2, 3, 4, 3, 6}}, "descends at 5");
  expect_refused({.p = {1, 1, 2, 3, 4, 5, 6}}, "/fclib_local/W/p");
  expect_refused({.p = {0, 1, 2, 3, 4, 5, 7}}, "/fclib_local/W/p");
  expect_refused({.i = {0, 1, -2, 3, 4, 5}}, "entry 2 is -2");
  expect_refused({.i = {0, 1, 2, 3, 4, 6}}, "entry 5 is 6");
  expect_refused({.nz = 6, .p = {0, 1, 2, 3, 4, -1}}, "/fclib_local/W/p");
  expect_refused({.nz = 6, .p = {0, 1, 2, 3, 4, 5}, .i = {0, 1, 2, 3, 4, 6}}, "/fclib_local/W/i");
}

TEST_F(BrokenFile, ValuesThatNoProblemTakes) {
  Draft draft;
  draft.mu[1] = -0.1;
  expect_refused(draft, "friction of constraint 1");
  draft.mu[1] = std::nan("");
  expect_refused(draft, "friction of constraint 1");
  draft = {};
  draft.q[4] = INFINITY;  // row t1 of contact 1, our row 3
  expect_refused(draft, "g[3]");
  draft = {};
  draft.x[0] = std::nan("");  // the normal of contact 0, our row 2
  expect_refused(draft, "G[2, 2]");
}

TEST_F(BrokenFile, WrongTypes) {
  const hsize_t six = 6;
  const hid_t vector = H5Screate_simple(1, &six, nullptr);
  const auto of_type = [&](hid_t type, const char* name) {
    return [=](hid_t file) { return H5Dcreate2(file, name, type, vector, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT); };
  };
  const hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, 8);
  for (hid_t type : {H5T_STD_I32LE, text, H5T_STD_REF_OBJ}) {
    write({});
    replace("/fclib_local/W/x", of_type(type, "/fclib_local/W/x"));
    expect_refused("/fclib_local/W/x: does not hold floating-point numbers");
  }
  for (hid_t type : {H5T_IEEE_F64LE, text}) {
    write({});
    replace("/fclib_local/W/i", of_type(type, "/fclib_local/W/i"));
    expect_refused("/fclib_local/W/i: does not hold whole numbers");
  }
  H5Tclose(text);
  H5Sclose(vector);
}

// A few bytes may declare terabytes: refused before memory is taken.
TEST_F(BrokenFile, HugeDeclaredSizes) {
  for (const hsize_t declared : {hsize_t{1} << 26, hsize_t{1} << 40}) {
    for (const bool deflated : {false, true}) {
      write({});
      replace("/fclib_local/vectors/q", [&](hid_t file) {
        const hid_t space = H5Screate_simple(1, &declared, nullptr), plist = H5Pcreate(H5P_DATASET_CREATE);
        const hsize_t chunk = 1 << 16;
        H5Pset_chunk(plist, 1, &chunk);
        if (deflated) H5Pset_deflate(plist, 9);
        const hid_t dataset =
            H5Dcreate2(file, "/fclib_local/vectors/q", H5T_IEEE_F64LE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
        H5Pclose(plist);
        H5Sclose(space);
        return dataset;
      });
      expect_refused("/fclib_local/vectors/q");
    }
  }
}

TEST_F(BrokenFile, StorageElsewhere) {
  write({});
  replace("/fclib_local/vectors/q", [](hid_t file) {
    const hsize_t six = 6;
    const hid_t space = H5Screate_simple(1, &six, nullptr), plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(plist, "/etc/passwd", 0, 48);
    const hid_t dataset =
        H5Dcreate2(file, "/fclib_local/vectors/q", H5T_IEEE_F64LE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    H5Pclose(plist);
    H5Sclose(space);
    return dataset;
  });
  expect_refused("another file");

  write({});
  const hid_t file = H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  H5Ldelete(file, "/fclib_local/W", H5P_DEFAULT);
  H5Lcreate_external("other.hdf5", "/W", file, "/fclib_local/W", H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
  expect_refused("/fclib_local/W");
}

TEST_F(BrokenFile, EmptyProblemIsSound) {
  write({.m = 0, .n = 0, .nzmax = 0, .p = {0}, .i = {}, .x = VectorX(), .q = VectorX(), .mu = VectorX()});
  EXPECT_EQ(0, read_fclib(path_).problem.num_rows());
}

// Found by fuzzing: a group whose heap lies at the end of all addresses, where the library itself crashed.
TEST_F(BrokenFile, HeapOutOfRange) {
  fs::copy_file(testing::data_file("hdf5/heap_out_of_range.hdf5"), path_);
  EXPECT_THROW(read_fclib(path_), std::invalid_argument);
  EXPECT_THROW(read_sequence(path_), std::invalid_argument);
}

TEST_F(BrokenFile, NoSequence) {
  write({});
  EXPECT_THROW(read_sequence(path_), std::invalid_argument);
  fs::remove(path_);
  fs::copy_file(testing::scene_file("robot-problems/ratio-stack.hdf5"), path_);
  for (std::uintmax_t size = fs::file_size(path_) / 2; size > 0; size /= 2) {
    fs::resize_file(path_, size);
    EXPECT_THROW(read_sequence(path_), std::invalid_argument);
  }
}

}  // namespace
}  // namespace stiction
