// Greedy search: the most probable allowed id at each step, whatever else is in the batch.
#include "decode/greedy.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/search_case.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

std::vector<Hypothesis> search(const Seq2Seq& model, const Sentences& source, const DecodeOptions& options) {
  Workspace workspace;
  return greedy_search(model, model.values(), source, options, workspace);
}

DecodeOptions options_with(Index extra, Index min_length = 0) {
  DecodeOptions options;
  options.max_length_factor = 0;
  options.max_length_extra = extra;
  options.min_length = min_length;
  return options;
}

TEST(Greedy, TakesTheMostProbableAllowedIdAtEachStep) {
  constexpr Index kCap = 4;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const auto model = search_model(kTargetVocabulary, seed);
    const Sentences source = search_source(5, seed);
    const std::vector<Hypothesis> found = search(*model, source, options_with(kCap, 1));
    for (Index i = 0; i < source.count(); ++i) {
      const std::vector<TokenId>& ids = found[i].ids;
      for (std::size_t t = 0; t <= ids.size() && t < kCap; ++t) {
        const std::vector<double> p = next_log_probs(*model, one_of(source, i), {ids.begin(), ids.begin() + t});
        const TokenId taken = t < ids.size() ? ids[t] : kEos;
        for (TokenId id = t == 0 ? 3 : 2; id < kTargetVocabulary; ++id) {
          EXPECT_LE(p[id], p[taken] + kDecodingBound) << "seed " << seed << " sentence " << i << " step " << t;
        }
      }
    }
  }
}

TEST(Greedy, FindsTheBestIdInEveryBlockOfALargeVocabulary) {
  constexpr Index kVocabulary = 200;  // three blocks of ids and a rest
  for (const TokenId best : {3, 63, 64, 127, 128, 191, 192, 199}) {
    const auto model = search_model(kVocabulary, 3);
    model->params().data()[model->params().find("output.b")->ref.offset + best] = 50;
    for (const Hypothesis& h : search(*model, search_source(3, 3), options_with(2, 2))) {
      EXPECT_EQ(h.ids, (std::vector<TokenId>{best, best}));
    }
  }
}

TEST(Greedy, LogProbabilityIsThatOfTeacherForcing) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const auto model = search_model(kTargetVocabulary, seed);
    const Sentences source = search_source(6, seed);
    const std::vector<Hypothesis> found = search(*model, source, options_with(6));
    for (Index i = 0; i < source.count(); ++i) {
      EXPECT_NEAR(found[i].log_prob, forced_log_prob(*model, one_of(source, i), found[i].ids), kDecodingBound);
    }
  }
}

TEST(Greedy, EndsAtTheCapAndCountsTheEosThere) {
  const auto model = search_model(kTargetVocabulary, 3);
  const Sentences source = search_source(6, 3);
  const std::vector<Hypothesis> found = search(*model, source, options_with(3, 3));
  for (Index i = 0; i < source.count(); ++i) {
    EXPECT_EQ(found[i].ids.size(), 3U);
    EXPECT_NEAR(found[i].log_prob, forced_log_prob(*model, one_of(source, i), found[i].ids), kDecodingBound);
  }
  for (const Hypothesis& h : search(*model, source, options_with(0))) EXPECT_TRUE(h.ids.empty());
}

TEST(Greedy, ScoreDividesByThePenaltyOfTheLengthWithEos) {
  const auto model = search_model(kTargetVocabulary, 4);
  DecodeOptions options = options_with(5, 2);
  options.length_penalty = "average";
  options.alpha = 1;
  for (const Hypothesis& h : search(*model, search_source(6, 4), options)) {
    EXPECT_DOUBLE_EQ(h.score, h.log_prob / static_cast<double>(h.ids.size() + 1));
  }
}

TEST(Greedy, NeverBosAndUnkOnlyWhenAllowed) {
  const auto model = search_model(kTargetVocabulary, 2);
  const Param& bias = *model->params().find("output.b");
  model->params().data()[bias.ref.offset + kBos] = 50;  // bos is by far the most probable, then unk
  model->params().data()[bias.ref.offset + kUnk] = 40;
  DecodeOptions options = options_with(5, 2);
  const Sentences source = search_source(4, 2);
  for (const Hypothesis& h : search(*model, source, options)) {
    EXPECT_TRUE(std::all_of(h.ids.begin(), h.ids.end(), [](TokenId id) { return id > kEos; }));
    EXPECT_LT(h.log_prob, -20) << "barred ids keep their share of the softmax";
  }
  options.allow_unknown = true;
  for (const Hypothesis& h : search(*model, source, options)) {
    EXPECT_EQ(h.ids, std::vector<TokenId>(5, kUnk));
  }
}

TEST(Greedy, TiesGoToTheLowerId) {
  const auto model = search_model(kTargetVocabulary, 5);
  std::fill(model->params().data(), model->params().data() + model->params().size(), Real(0));
  const std::vector<Hypothesis> found = search(*model, search_source(1, 5), options_with(2, 1));
  EXPECT_EQ(found[0].ids, std::vector<TokenId>{3});  // 3 of all pieces, then eos
}

TEST(Greedy, TheRestOfTheBatchChangesNoBit) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const auto model = search_model(kTargetVocabulary, seed);
    const Sentences source = search_source(37, seed);
    DecodeOptions options = options_with(3);
    options.max_length_factor = 1;
    const std::vector<Hypothesis> together = search(*model, source, options);
    for (Index i = 0; i < source.count(); ++i) {
      EXPECT_TRUE(same_hypothesis(search(*model, one_of(source, i), options)[0], together[i])) << i;
    }
  }
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
