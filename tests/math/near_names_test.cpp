#include "stiction/math/near_names.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace stiction {
namespace {

using Names = std::vector<std::string>;

TEST(NearNames, EditsAreCounted) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("auto", "auto"), 0);
  EXPECT_EQ(edit_distance("atuo", "auto"), 1);  // swapped
  EXPECT_EQ(edit_distance("aut", "auto"), 1);   // left out
  EXPECT_EQ(edit_distance("autoo", "auto"), 1);
  EXPECT_EQ(edit_distance("aufo", "auto"), 1);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("ca", "abc"), 3);  // a swapped pair is not edited again
}

TEST(NearNames, DistanceIsSymmetric) {
  const Names names{"", "a", "ab", "ba", "left_knee", "knee_left", "quadruped.xml", std::string(300, 'x')};
  for (const std::string& a : names) {
    for (const std::string& b : names) EXPECT_EQ(edit_distance(a, b), edit_distance(b, a)) << a << " " << b;
  }
}

TEST(NearNames, CapitalsAndDashesDoNotCount) {
  EXPECT_EQ(edit_distance("NCP_Admm", "ncp-admm"), 0);
  EXPECT_EQ(near_names("NCP admm", {"ncp-gs", "ncp-admm"}), Names{"ncp-admm"});
}

TEST(NearNames, NearestComesFirstAndFarOnesNotAtAll) {
  EXPECT_EQ(near_names("atuo", {"ncp-gs", "auto", "raisim"}), Names{"auto"});
  EXPECT_EQ(near_names("lcp-pgs", {"ccp-pgs", "ncp-pgs", "auto"}), (Names{"ccp-pgs", "ncp-pgs"}));
  EXPECT_EQ(near_names("left_kne", {"right_knee", "left_hip", "left_knee"}), Names{"left_knee"});
  EXPECT_TRUE(near_names("elephant", {"auto", "raisim"}).empty());
  EXPECT_TRUE(near_names("", {"a", "auto"}).empty());
  EXPECT_TRUE(near_names("x", {"a", "b"}).empty());  // every letter replaced is another name
}

TEST(NearNames, PartsOfNamesAreNear) {
  EXPECT_EQ(near_names("admm", {"auto", "ncp-admm", "ccp-admm"}), (Names{"ncp-admm", "ccp-admm"}));
  EXPECT_EQ(near_names("quadruped", {"quadruped.xml", "humanoid.xml"}), Names{"quadruped.xml"});
  EXPECT_EQ(near_names("raisim-exact", {"auto", "raisim"}), Names{"raisim"});
}

TEST(NearNames, AtMostSoManyAndNoneTwice) {
  const Names known{"leg1", "leg2", "leg3", "leg4", "leg5"};
  EXPECT_EQ(near_names("leg", known), (Names{"leg1", "leg2", "leg3"}));
  EXPECT_EQ(near_names("leg", known, 1), Names{"leg1"});
  EXPECT_EQ(near_names("atuo", {"auto", "auto"}), Names{"auto"});
}

TEST(NearNames, SentenceNamesKindAndWayOut) {
  EXPECT_EQ(unknown_name("solver", "atuo", {"auto", "raisim"}), "unknown solver \"atuo\"; did you mean \"auto\"?");
  EXPECT_EQ(unknown_name("joint", "knie", {"knee", "hip", "knia"}),
            "unknown joint \"knie\"; did you mean \"knee\" or \"knia\"?");
  EXPECT_EQ(unknown_name("joint", "zzz", {"hip", "knee"}), "unknown joint \"zzz\"; there are: \"hip\", \"knee\"");
  EXPECT_EQ(unknown_name("joint", "zzz", {"hip"}), "unknown joint \"zzz\"; there is: \"hip\"");
  EXPECT_EQ(unknown_name("keyframe", "home", {}), "unknown keyframe \"home\"; there are none");
  Names many;
  for (int k = 0; k < 40; ++k) many.push_back("joint" + std::to_string(k));
  EXPECT_EQ(unknown_name("joint", "zzz", many, "see: joint_names"),
            "unknown joint \"zzz\"; there are 40; see: joint_names");
  EXPECT_EQ(unknown_name("joint", "zzz", many), "unknown joint \"zzz\"; there are 40");
}

TEST(NearNames, MissingFileNamesItsNeighbour) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "near_names_test";
  std::filesystem::create_directories(folder);
  for (const char* name : {"quadruped.xml", "humanoid.xml"}) std::ofstream(folder / name) << "x";
  const std::string wrong = (folder / "quadrupd.xml").string();
  EXPECT_EQ(missing_file(wrong),
            wrong + ": there is no such file; did you mean \"" + (folder / "quadruped.xml").string() + "\"?");
  const std::string far = (folder / "elephant.urdf").string();
  EXPECT_EQ(missing_file(far), far + ": there is no such file");
  const std::string lost = (folder / "scens" / "a.xml").string();
  EXPECT_EQ(missing_file(lost),
            lost + ": there is no such file, and no folder \"" + (folder / "scens").string() + "\"");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace stiction
