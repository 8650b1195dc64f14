#include "stiction/learning/safetensors.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "../support/refused.h"
#include "stiction/learning/contact_networks.h"
#include "stiction/learning/perceptron_file.h"

namespace stiction {
namespace {

std::string temporary(const std::string& name) {
  return (std::filesystem::temp_directory_path() / ("stiction_safetensors_" + std::to_string(::getpid()) + name))
      .string();
}

std::vector<std::byte> file_of(const std::string& header, std::size_t data_size, std::uint64_t said = 0) {
  const std::uint64_t size = said ? said : header.size();
  std::vector<std::byte> bytes(8 + header.size() + data_size);
  std::memcpy(bytes.data(), &size, 8);
  std::memcpy(bytes.data() + 8, header.data(), header.size());
  return bytes;
}

std::string entry(const std::string& shape, int begin, int end, const std::string& type = "F32") {
  return R"({"dtype":")" + type + R"(","shape":)" + shape + R"(,"data_offsets":[)" + std::to_string(begin) + "," +
         std::to_string(end) + "]}";
}

TEST(Safetensors, ComesBack) {
  TensorFile file;
  MatrixX m(2, 3);
  m << 1, 2, 3, 4, 5, 6.5;
  file.tensors["m"] = Tensor::from_matrix(m);
  file.tensors["single"] = Tensor::from_vector(Vector3(0.1, 2, 3), true);
  file.tensors["empty"] = Tensor{{0, 5}, {}, false};
  file.metadata["who"] = "µ \"quoted\"\n";
  const TensorFile again = parse_safetensors(to_safetensors(file), "again");
  EXPECT_EQ(again.matrix("m", "again"), m);
  EXPECT_EQ(again.vector("single", "again")[0], static_cast<double>(0.1F));
  EXPECT_EQ(again.tensors.at("empty").values.size(), 0U);
  EXPECT_EQ(again.metadata, file.metadata);
}

// The layout as other programs read it: by hand.
TEST(Safetensors, LayoutIsThatOfTheFormat) {
  std::vector<std::byte> bytes = file_of(R"({"x":)" + entry("[2,1]", 0, 8) + "}", 8);
  const float values[2] = {1.5F, -2.0F};
  std::memcpy(bytes.data() + bytes.size() - 8, values, 8);
  const MatrixX x = parse_safetensors(bytes, "hand").matrix("x", "hand");
  EXPECT_EQ(x, (MatrixX(2, 1) << 1.5, -2.0).finished());
}

TEST(Safetensors, RefusesDamagedFiles) {
  const auto parse = [](const std::vector<std::byte>& bytes) { return parse_safetensors(bytes, "f"); };
  EXPECT_REFUSED(parse(std::vector<std::byte>(7)), "f: 7 bytes");
  EXPECT_REFUSED(parse(file_of("{}", 0, std::uint64_t{1} << 60)), "the header has 1152921504606846976 bytes");
  EXPECT_REFUSED(parse(file_of("{", 0)), "no JSON object");
  EXPECT_REFUSED(parse(file_of("[]", 0)), "no JSON object");
  EXPECT_REFUSED(parse(file_of(R"({"x":3})", 0)), "dtype, shape and data_offsets");
  EXPECT_REFUSED(parse(file_of(R"({"x":)" + entry("[1]", 0, 4, "BF16") + "}", 4)), "dtype is neither");
  EXPECT_REFUSED(parse(file_of(R"({"x":)" + entry("[2]", 0, 4) + "}", 8)), "shape wants 8 bytes");
  EXPECT_REFUSED(parse(file_of(R"({"x":)" + entry("[2]", 4, 12) + "}", 8)), "data_offsets are 4 and 12");
  EXPECT_REFUSED(parse(file_of(R"({"x":)" + entry("[-1]", 0, 4) + "}", 4)), "no whole number");
  EXPECT_REFUSED(parse(file_of(R"({"x":)" + entry("[4294967296,4294967296]", 0, 4) + "}", 4)),
                 "more than the file holds");
  EXPECT_REFUSED(parse(file_of(R"({"x":)" + entry("[1]", 0, 4) + R"(,"y":)" + entry("[1]", 0, 4) + "}", 4)),
                 "the one before ends at 4");
  EXPECT_REFUSED(parse(file_of(R"({"x":)" + entry("[1]", 0, 4) + "}", 12)), "tensors end at 4");
  EXPECT_REFUSED(parse(file_of(R"({"__metadata__":{"a":1}})", 0)), "is no text");
  EXPECT_REFUSED(read_safetensors("/nonexistent.safetensors"), "there is no such file");
  EXPECT_REFUSED(read_safetensors("/"), "/: is not a file");
}

TEST(PerceptronFile, ComesBackToTheBit) {
  Perceptron network = Perceptron::random({4, 9, 2}, PerceptronTask::regression, 3);
  network.input_mean << 0.1, 0.2, 0.3, 0.4;
  network.output_scale << 1.0 / 3.0, 7;
  const std::string path = temporary("perceptron");
  save_perceptron(path, network, "test");
  const Perceptron again = load_perceptron(path);
  std::filesystem::remove(path);
  const VectorX x = VectorX::LinSpaced(4, -2, 1);
  EXPECT_EQ(again.evaluate(x), network.evaluate(x));
  EXPECT_EQ(again.sizes(), network.sizes());
}

TEST(PerceptronFile, RefusesWhatDoesNotFit) {
  const Perceptron network = Perceptron::random({4, 9, 2}, PerceptronTask::classification, 3);
  TensorFile file;
  put_perceptron(network, "", file);
  const auto refused = [&](const std::string& name, const Tensor& tensor, const char* part) {
    TensorFile broken = file;
    broken.tensors[name] = tensor;
    EXPECT_REFUSED(take_perceptron(broken, "", "f"), part);
  };
  refused("layer1.weight", Tensor::from_matrix(MatrixX::Ones(2, 8), true), "f: perceptron: layer 1 takes 8");
  refused("layer0.bias", Tensor::from_matrix(MatrixX::Ones(9, 1), true), "has 2 dimensions; one is wanted");
  refused("input_scale", Tensor::from_vector(VectorX::Zero(4)), "input_scale[0] is 0");
  refused("input_mean", Tensor::from_vector(VectorX::Constant(4, std::nan(""))), "input_mean[0] is nan");
  file.tensors.erase("layer0.bias");
  EXPECT_REFUSED(take_perceptron(file, "", "f"), "f: there is no tensor \"layer0.bias\"");
}

TEST(ContactNetworks, ComeBackWithAllTheyKnow) {
  ContactNetworks networks = ContactNetworks::random(FeatureSet::patch_ground, 0.002, {8, 6}, 4);
  networks.provenance["solver"] = "auto";
  networks.patch.touch_distance = 3e-4;
  const std::string path = temporary("networks");
  networks.save(path);
  const ContactNetworks again = ContactNetworks::load(path);
  EXPECT_EQ(again.features, FeatureSet::patch_ground);
  EXPECT_EQ(again.time_step, 0.002);
  EXPECT_EQ(again.patch.touch_distance, 3e-4);
  EXPECT_EQ(again.provenance, networks.provenance);
  const VectorX x = VectorX::LinSpaced(23, -1, 1);
  for (std::size_t d = 0; d < 3; ++d) {
    EXPECT_EQ(again.classifier[d].evaluate(x), networks.classifier[d].evaluate(x));
    EXPECT_EQ(again.regressor[d].evaluate(x), networks.regressor[d].evaluate(x));
    EXPECT_EQ(again.whole[d].evaluate(x), networks.whole[d].evaluate(x));
  }
  // Another set of features than the networks have inputs.
  TensorFile file = read_safetensors(path);
  std::filesystem::remove(path);
  file.metadata["features"] = "paper";
  EXPECT_REFUSED(ContactNetworks::from_bytes(to_safetensors(file), "f"), "has 23 inputs and 3 outputs; 21 and 3");
  file.metadata["features"] = "papers";
  EXPECT_REFUSED(ContactNetworks::from_bytes(to_safetensors(file), "f"), "no set \"papers\"");
  file.metadata["time_step"] = "-1";
  file.metadata["features"] = "patch_ground";
  EXPECT_REFUSED(ContactNetworks::from_bytes(to_safetensors(file), "f"), "time_step is -1");
}

}  // namespace
}  // namespace stiction
