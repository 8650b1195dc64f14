// What the page asks for, as text.
#include "stiction/viewer/live_command.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stiction::viewer {
namespace {

template <class Command>
Command parsed(std::string_view text) {
  return std::get<Command>(parse_live_command(text));
}

TEST(LiveCommand, EveryCommand) {
  EXPECT_TRUE(parsed<RunCommand>(R"({"do":"run"})").running);
  EXPECT_FALSE(parsed<RunCommand>(R"({"do":"pause"})").running);
  EXPECT_EQ(parsed<StepCommand>(R"({"do":"step"})").count, 1);
  EXPECT_EQ(parsed<StepCommand>(R"({"count":10,"do":"step"})").count, 10);
  EXPECT_EQ(parsed<ResetCommand>(R"({"do":"reset"})").keyframe, -1);
  EXPECT_EQ(parsed<ResetCommand>(R"({"do":"reset","keyframe":2})").keyframe, 2);
  EXPECT_EQ(parsed<SpeedCommand>(R"({"do":"speed","factor":0.5})").factor, 0.5);
  EXPECT_TRUE(std::isinf(parsed<SpeedCommand>(R"({"do":"speed","factor":null})").factor));
  const auto control = parsed<ControlCommand>(R"({"do":"control","actuator":3,"value":-1.5})");
  EXPECT_EQ(control.actuator, 3);
  EXPECT_EQ(control.value, -1.5);
  EXPECT_EQ(parsed<FrictionCommand>(R"({"do":"friction","scale":0.25})").value, 0.25);
  EXPECT_EQ(parsed<FrictionCommand>(R"({"do":"friction","scale":0.25})").material, -1);
  EXPECT_EQ(parsed<FrictionCommand>(R"({"do":"friction","material":1,"value":0.3})").material, 1);
  EXPECT_EQ(parsed<SolverCommand>(R"({"do":"solver","name":"ncp-admm"})").name, "ncp-admm");
  const auto pull = parsed<PullCommand>(R"({"do":"pull","body":4,"point":[1,2,3],"target":[4,5,6.5]})");
  EXPECT_EQ(pull.body, 4);
  EXPECT_EQ(pull.point, Vector3(1, 2, 3));
  EXPECT_EQ(pull.target, Vector3(4, 5, 6.5));
  parsed<ReleaseCommand>(R"({"do":"release"})");
}

// The message names what is wrong.
TEST(LiveCommand, AnythingElseIsRefused) {
  const std::pair<std::string, const char*> wrong[] = {
      {"", "JSON"},
      {"[1]", "JSON"},
      {"{", "JSON"},
      {R"({"do":"run"} x)", "JSON"},
      {"{}", "\"do\""},
      {R"({"do":7})", "7"},
      {R"({"do":"fly"})", "fly"},
      {R"({"do":"step","count":0})", "count"},
      {R"({"do":"step","count":1.5})", "1.5"},
      {R"({"do":"step","count":1e300})", "count"},
      {R"({"do":"step","count":"9"})", "count"},
      {R"({"do":"reset","keyframe":-1})", "keyframe"},
      {R"({"do":"speed"})", "factor"},
      {R"({"do":"speed","factor":0})", "factor"},
      {R"({"do":"speed","factor":-1})", "factor"},
      {R"({"do":"control","actuator":0})", "value"},
      {R"({"do":"control","actuator":0,"value":1e999})", ""},
      {R"({"do":"friction","scale":-0.1})", "-0.1"},
      {R"({"do":"friction","value":1})", "material"},
      {R"({"do":"solver","name":[]})", "name"},
      {R"({"do":"pull","body":0,"point":[0,0],"target":[0,0,0]})", "point"},
      {R"({"do":"pull","body":0,"point":[0,0,0],"target":[0,0,null]})", "target"},
      {"{\"do\":\"\xff\"}", "JSON"},
      {std::string(longest_command + 1, ' '), "bytes"},
      {std::string(2000, '['), "JSON"},
  };
  for (const auto& [text, part] : wrong) {
    try {
      parse_live_command(text);
      ADD_FAILURE() << text.substr(0, 80);
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << text.substr(0, 80) << ": " << error.what();
    }
  }
}

}  // namespace
}  // namespace stiction::viewer
