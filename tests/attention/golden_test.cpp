// Every attention score against PyTorch: weights, contexts and all gradients.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "attention/attention_layer.h"
#include "extensions/extensions.h"
#include "support/golden.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

void check_score(const nlohmann::json& golden) {
  const auto name = golden.at("score").get<std::string>();
  SCOPED_TRACE(name);
  const Score& score = scores().at(name);
  const auto query_size = golden.at("query_size").get<Index>();
  const nlohmann::json& tensors = golden.at("tensors");
  ParamStore store;
  const AttentionLayer layer = AttentionLayer::create(
      store, "attention", score, query_size, golden.at("key_size").get<Index>(),
      score.projects_queries ? golden.at("size").get<Index>() : query_size, {Init::Kind::normal, 1});
  set_parameters(store, tensors);

  const std::vector<Index> offset = offsets_of(golden.at("lengths"));
  std::vector<KeyRange> ranges;
  for (const Index i : golden.at("sentences").get<std::vector<Index>>()) ranges.push_back({offset[i], offset[i + 1]});
  const Numbers queries = golden_matrix(tensors.at("queries"));
  const Numbers keys = golden_matrix(tensors.at("keys"));
  const Numbers values = golden_matrix(tensors.at("values"));

  Workspace workspace;
  const Mat q = workspace.mat(queries.rows, layer.size);
  layer.project_queries(store.values(), queries, q);
  const ConstMat k = layer.project_keys(store.values(), keys, workspace);
  Numbers weights(queries.rows, 5, 1);
  Numbers context(queries.rows, values.cols, 2);
  const AttentionInput input = layer.input(store.values(), q, k, values, ranges);
  attend(input, weights.mat(), context.mat(), workspace);
  for (Index i = 0; i < queries.rows; ++i) {
    expect_golden("weights", {weights.view().row(i), 1, ranges[i].size(), 5}, golden.at("weights")[i]);
  }
  expect_golden("context", context, golden.at("context"));

  Numbers dcontext(context.rows, context.cols, 0);
  const auto given = golden.at("dcontext").get<std::vector<double>>();
  for (std::size_t i = 0; i < given.size(); ++i) dcontext.data[i] = static_cast<Real>(given[i]);
  std::vector<Real> gradient(store.size());
  const Mat dq = workspace.mat(q.rows, q.cols);
  const Mat dk = workspace.zeros(k.rows, k.cols);
  const Mat dkeys = workspace.zeros(keys.rows, keys.cols);
  const Mat dvalues = workspace.zeros(values.rows, values.cols);
  attend_backward(input, weights, dcontext, {dq, dk, dvalues, layer.v.in(Grads{gradient.data()}).data}, workspace);
  layer.keys_backward(store.values(), keys, dk, dkeys, {gradient.data()});
  Mat dqueries = dq;
  if (score.projects_queries) {
    dqueries = workspace.mat(queries.rows, queries.cols);
    layer.query.backward(store.values(), queries, dq, dqueries, {gradient.data()});
  }
  expect_golden_gradients(store, gradient, tensors);
  expect_golden("dqueries", dqueries, tensors.at("queries").at("gradient"));
  expect_golden("dkeys", dkeys, tensors.at("keys").at("gradient"));
  expect_golden("dvalues", dvalues, tensors.at("values").at("gradient"));
}

TEST(AttentionGolden, EveryScoreMatchesPyTorch) {
  const nlohmann::json goldens = read_golden("attention.json");
  std::set<std::string> tested;
  for (const nlohmann::json& golden : goldens) {
    check_score(golden);
    tested.insert(golden.at("score").get<std::string>());
    if (HasFatalFailure()) return;
  }
  for (const Score* score : scores()) {
    EXPECT_TRUE(tested.contains(score->name) || score == &kCosineScore) << score->name << " has no golden";
  }
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
