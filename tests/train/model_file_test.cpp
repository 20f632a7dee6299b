// Parameters in safetensors files: what is written comes back, and other files are refused by name.
#include "train/model_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/numbers.h"
#include "support/text_case.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

using testing::contains;
using testing::TempFiles;
using testing::user_error;

ParamStore make_store(std::uint64_t seed, Index width = 5) {
  ParamStore store;
  store.add("encoder.w", 3, width, {Init::Kind::normal, 1.0});
  store.add_bias("encoder.b", width, {Init::Kind::normal, 1.0});
  store.add("output.w", width, 2, {Init::Kind::normal, 1.0});
  store.initialize(seed);
  return store;
}

bool same_values(const ParamStore& a, const ParamStore& b) {
  return a.size() == b.size() && std::equal(a.values().base, a.values().base + a.size(), b.values().base);
}

TEST(ModelFile, ComesBackWithEveryBit) {
  const TempFiles files;
  const ParamStore saved = make_store(1);
  save_model(files.path("m.safetensors"), saved);
  ParamStore loaded = make_store(2);
  ASSERT_FALSE(same_values(loaded, saved));
  load_model(files.path("m.safetensors"), loaded);
  EXPECT_TRUE(same_values(loaded, saved));
  ParamStore blank = make_store(1);
  blank.allocate();
  load_model(files.path("m.safetensors"), blank);
  EXPECT_TRUE(same_values(blank, saved)) << "gaps too";
}

TEST(ModelFile, AllocatesNothingForAFileOfOtherShapes) {
  const TempFiles files;
  save_model(files.path("m.safetensors"), make_store(1));
  ParamStore huge;
  huge.add("encoder.w", Index{1} << 30, Index{1} << 30, {Init::Kind::normal, 1.0});
  const std::string message = user_error([&] { load_model(files.path("m.safetensors"), huge); });
  EXPECT_TRUE(contains(message, "has shape [3, 5]")) << message;
}

TEST(ModelFile, HasAPathAndAShapeForEachParameter) {
  const TempFiles files;
  save_model(files.path("m.safetensors"), make_store(1));
  const SafetensorsFile file(files.path("m.safetensors"));
  EXPECT_EQ(file.names(), (std::vector<std::string>{"encoder.w", "encoder.b", "output.w"}));
  EXPECT_EQ(file.shape("encoder.w"), (std::vector<Index>{3, 5}));
  EXPECT_EQ(file.shape("encoder.b"), std::vector<Index>{5}) << "biases have one dimension";
  EXPECT_EQ(file.dtype("encoder.w"), sizeof(Real) == 4 ? "F32" : "F64");
  EXPECT_EQ(file.metadata().at("format"), "1");
}

TEST(ModelFile, StoresTiedMatricesOnce) {
  const TempFiles files;
  ModelConfig config = tiny_config();
  config.tied_embeddings = "all";
  config.encoder.embedding_size = config.decoder.embedding_size;
  Seq2Seq model(config, kTargetVocabulary, kTargetVocabulary);
  model.params().initialize(1);
  save_model(files.path("m.safetensors"), model.params());
  const SafetensorsFile file(files.path("m.safetensors"));
  EXPECT_TRUE(file.contains("embedding"));
  EXPECT_FALSE(file.contains("encoder.embedding"));
  EXPECT_FALSE(file.contains("output.w"));
}

/// The message about a file with these tensors (name, shape); numbers are ones.
std::string refused(const std::vector<std::pair<std::string, std::vector<Index>>>& shapes,
                    const std::string& format = "1", double number = 1) {
  const TempFiles files;
  const std::vector<Real> ones(64, static_cast<Real>(number));
  std::vector<TensorSource> tensors;
  for (const auto& [name, shape] : shapes) {
    std::size_t count = 1;
    for (const Index d : shape) count *= static_cast<std::size_t>(d);
    tensors.push_back({name, shape, std::span<const Real>(ones.data(), count)});
  }
  write_safetensors(files.path("m.safetensors"), tensors, {{"format", format}});
  ParamStore store = make_store(1);
  const std::string message = user_error([&] { load_model(files.path("m.safetensors"), store); });
  EXPECT_TRUE(contains(message, "m.safetensors")) << message;
  return message;
}

TEST(ModelFile, RefusesAMissingTensor) {
  const std::string message = refused({{"encoder.w", {3, 5}}, {"encoder.b", {5}}});
  EXPECT_TRUE(contains(message, "tensor output.w is missing")) << message;
}

TEST(ModelFile, RefusesAnotherShape) {
  const std::string message = refused({{"encoder.w", {5, 3}}, {"encoder.b", {5}}, {"output.w", {5, 2}}});
  EXPECT_TRUE(contains(message, "tensor encoder.w has shape [5, 3], expected [3, 5]")) << message;
}

TEST(ModelFile, RefusesATensorThatTheModelLacks) {
  const std::string message =
      refused({{"encoder.w", {3, 5}}, {"encoder.b", {5}}, {"output.w", {5, 2}}, {"stranger", {2}}});
  EXPECT_TRUE(contains(message, "tensor stranger is not part of this model")) << message;
}

TEST(ModelFile, RefusesNumbersThatAreNotFinite) {
  for (const double bad : {std::nan(""), static_cast<double>(std::numeric_limits<Real>::infinity())}) {
    const std::string message = refused({{"encoder.w", {3, 5}}, {"encoder.b", {5}}, {"output.w", {5, 2}}}, "1", bad);
    EXPECT_TRUE(contains(message, "tensor encoder.w holds NaN or infinity")) << message;
  }
}

TEST(ModelFile, RefusesANewerFormat) {
  const std::string message = refused({{"encoder.w", {3, 5}}, {"encoder.b", {5}}, {"output.w", {5, 2}}}, "2");
  EXPECT_TRUE(contains(message, "format 2 is newer than this program")) << message;
}

TEST(ModelFile, RefusesAFileThatIsMissingOrCutOff) {
  const TempFiles files;
  ParamStore store = make_store(1);
  EXPECT_TRUE(contains(user_error([&] { load_model(files.path("none.safetensors"), store); }), "none.safetensors"));
  save_model(files.path("m.safetensors"), store);
  std::filesystem::resize_file(files.path("m.safetensors"),
                               std::filesystem::file_size(files.path("m.safetensors")) - 4);
  EXPECT_TRUE(contains(user_error([&] { load_model(files.path("m.safetensors"), store); }), "m.safetensors"));
}

TEST(InitFrom, TakesWhatHasTheSameNameAndShape) {
  const TempFiles files;
  const ParamStore other = make_store(1);
  save_model(files.path("m.safetensors"), other);
  ParamStore store;
  store.add("encoder.w", 3, 5, {Init::Kind::normal, 1.0});
  store.add_bias("encoder.b", 4, {Init::Kind::normal, 1.0});
  store.add("added", 2, 2, {Init::Kind::normal, 1.0});
  store.initialize(2);
  const std::vector<Real> start(store.values().base, store.values().base + store.size());
  const std::vector<std::string> missing = init_from_model(files.path("m.safetensors"), store);
  EXPECT_EQ(missing, (std::vector<std::string>{"encoder.b (shape [5], expected [4])", "added (not in the file)"}));
  for (Index i = 0; i < 15; ++i) EXPECT_EQ(store.data()[i], other.values().base[i]);
  for (std::size_t i = store.find("encoder.b")->ref.offset; i < store.size(); ++i) EXPECT_EQ(store.data()[i], start[i]);
}

TEST(InitFrom, TakesRowsAndColumnsOfSharedPieces) {
  const TempFiles files;
  ParamStore then;
  then.add("embedding", 4, 3, {Init::Kind::normal, 1.0});
  then.add("output.w", 2, 4, {Init::Kind::normal, 1.0});
  then.add_bias("output.b", 4, {Init::Kind::normal, 1.0});
  then.initialize(1);
  save_model(files.path("m.safetensors"), then);
  ParamStore now;
  now.add("embedding", 5, 3, {Init::Kind::normal, 1.0});
  now.add("output.w", 2, 5, {Init::Kind::normal, 1.0});
  now.add_bias("output.b", 5, {Init::Kind::normal, 1.0});
  now.initialize(2);
  const std::vector<Real> start(now.values().base, now.values().base + now.size());
  const std::vector<TokenId> from = {0, 3, -1, 1, -1};
  EXPECT_TRUE(init_from_model(files.path("m.safetensors"), now,
                              {{"embedding", false, from, 4}, {"output.w", true, from, 4}, {"output.b", true, from, 4}})
                  .empty());
  for (const char* name : {"embedding", "output.w", "output.b"}) {
    const ParamRef to = now.find(name)->ref;
    const ConstMat is = to.in(now.values());
    const ConstMat was = then.find(name)->ref.in(then.values());
    const bool columns = std::string(name) != "embedding";
    for (std::size_t piece = 0; piece < from.size(); ++piece) {
      for (Index i = 0; i < (columns ? is.rows : is.cols); ++i) {
        const auto at = [&](ConstMat m, Index p) { return columns ? m(i, p) : m(p, i); };
        const auto p = static_cast<Index>(piece);
        const ConstMat random{start.data() + to.offset, to.rows, to.cols, to.cols};
        EXPECT_EQ(at(is, p), from[piece] < 0 ? at(random, p) : at(was, from[piece])) << name << " " << piece;
      }
    }
  }
  const auto missing =
      init_from_model(files.path("m.safetensors"), now, {{"embedding", false, from, 6}, {"output.b", true, from, 4}});
  EXPECT_EQ(missing.at(0), "embedding (shape [4, 3], expected [5, 3])") << "the file is of another vocabulary";
  EXPECT_EQ(common_names(files.path("m.safetensors"), now).size(), 3U);
}

TEST(InitFrom, RefusesAFileOfWhichNothingFits) {
  const TempFiles files;
  save_model(files.path("m.safetensors"), make_store(1));
  ParamStore store;
  store.add("w", 3, 5, {});
  store.initialize(1);
  EXPECT_TRUE(contains(user_error([&] { (void)init_from_model(files.path("m.safetensors"), store); }),
                       "training.init_from: no tensor has the name and shape"));
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
