// Beam search: greedy when it is one wide, exhaustive when it is as wide as the search space.
#include "decode/beam.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "decode/greedy.h"
#include "support/search_case.h"
#include "support/slow_search.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

std::vector<std::vector<Hypothesis>> search(const Seq2Seq& model, const Sentences& source,
                                            const DecodeOptions& options) {
  Workspace workspace;
  return beam_search(model, model.values(), source, options, workspace);
}

DecodeOptions options_with(Index beam_size, Index cap, const std::string& stop = "finished") {
  DecodeOptions options;
  options.beam_size = beam_size;
  options.max_length_factor = 0;
  options.max_length_extra = cap;
  options.stop = stop;
  return options;
}

void set_penalty(DecodeOptions& options, const std::string& formula, double alpha) {
  options.length_penalty = formula;
  options.alpha = alpha;
}

TEST(Beam, OneWideIsGreedyToTheLastBit) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const auto model = search_model(kTargetVocabulary, seed);
    const Sentences source = search_source(20, seed);
    DecodeOptions options = options_with(1, 4);
    options.max_length_factor = 1;
    options.min_length = static_cast<Index>(seed % 3);
    Workspace workspace;
    const std::vector<Hypothesis> greedy = greedy_search(*model, model->values(), source, options, workspace);
    const std::vector<std::vector<Hypothesis>> beam = search(*model, source, options);
    for (Index i = 0; i < source.count(); ++i) {
      ASSERT_EQ(beam[i].size(), 1U);
      EXPECT_TRUE(same_hypothesis(beam[i][0], greedy[i])) << "seed " << seed << " sentence " << i;
    }
  }
}

TEST(Beam, AsWideAsTheSearchSpaceFindsTheBestOfAll) {
  constexpr Index kVocabulary = 6;
  constexpr Index kCap = 3;
  int longer_than_greedy = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const auto model = search_model(kVocabulary, seed);
    const Sentences source = search_source(3, seed);
    for (const std::string formula : {"none", "average", "gnmt"}) {
      for (const double alpha : {0.6, 1.0, 2.0}) {
        for (const bool unknown : {false, true}) {
          DecodeOptions options = options_with(unknown ? 70 : 30, kCap, "exact");
          set_penalty(options, formula, alpha);
          options.allow_unknown = unknown;
          options.min_length = seed % 2 == 0 ? 0 : 1;
          const std::vector<std::vector<Hypothesis>> found = search(*model, source, options);
          for (Index i = 0; i < source.count(); ++i) {
            const Hypothesis best = enumerate(*model, one_of(source, i), options).front();
            EXPECT_EQ(found[i].front().ids, best.ids) << formula << " " << alpha << " seed " << seed;
            EXPECT_NEAR(found[i].front().score, best.score, kDecodingBound);
            longer_than_greedy += best.ids.size() > 1 ? 1 : 0;
          }
        }
      }
    }
  }
  EXPECT_GT(longer_than_greedy, 20) << "the random models must not all end at once";
}

TEST(Beam, FollowsItsRulesStepByStep) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const auto model = search_model(kTargetVocabulary, seed);
    const Sentences source = search_source(5, seed);
    for (const Index k : {2, 3, 6}) {
      DecodeOptions options = options_with(k, 5);
      set_penalty(options, "average", 1);
      options.min_length = static_cast<Index>(seed % 2);
      const auto found = search(*model, source, options);
      for (Index i = 0; i < source.count(); ++i) {
        const std::vector<Hypothesis> expected = slow_beam(*model, one_of(source, i), options);
        ASSERT_EQ(found[i].size(), expected.size());
        for (std::size_t n = 0; n < expected.size(); ++n) {
          EXPECT_EQ(found[i][n].ids, expected[n].ids) << "seed " << seed << ", k " << k << ", rank " << n;
          EXPECT_NEAR(found[i][n].score, expected[n].score, kDecodingBound);
        }
      }
    }
  }
}

TEST(Beam, FollowsItsRulesInALargeVocabulary) {
  constexpr Index kVocabulary = 200;  // three blocks of ids and a rest
  std::set<TokenId> blocks;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const auto model = search_model(kVocabulary, seed);
    const Sentences source = search_source(2, seed);
    for (const Index k : {2, 5}) {
      const DecodeOptions options = options_with(k, 3);
      const auto found = search(*model, source, options);
      for (Index i = 0; i < source.count(); ++i) {
        const std::vector<Hypothesis> expected = slow_beam(*model, one_of(source, i), options);
        ASSERT_EQ(found[i].size(), expected.size());
        for (std::size_t n = 0; n < expected.size(); ++n) {
          EXPECT_EQ(found[i][n].ids, expected[n].ids) << "seed " << seed << ", k " << k << ", rank " << n;
          for (const TokenId id : expected[n].ids) blocks.insert(id / 64);
        }
      }
    }
  }
  EXPECT_EQ(blocks, (std::set<TokenId>{0, 1, 2, 3})) << "a block without a result shows nothing";
}

TEST(Beam, ExactIsNeverWorseThanFinished) {
  int better = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const auto model = search_model(kTargetVocabulary, seed);
    const Sentences source = search_source(6, seed);
    DecodeOptions options = options_with(2, 6);
    set_penalty(options, "average", 1);
    const auto finished = search(*model, source, options);
    options.stop = "exact";
    const auto exact = search(*model, source, options);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      EXPECT_GE(exact[i].front().score, finished[i].front().score);
      better += exact[i].front().score > finished[i].front().score ? 1 : 0;
    }
  }
  EXPECT_GT(better, 0) << "the two rules never differ here: the test shows nothing";
}

TEST(Beam, GivesAtMostSoManyDifferentHypothesesBestFirst) {
  for (const std::string stop : {"finished", "exact"}) {
    for (const Index k : {2, 3, 5}) {
      const auto model = search_model(kTargetVocabulary, 7);
      DecodeOptions options = options_with(k, 5, stop);
      set_penalty(options, "gnmt", 0.8);
      for (const std::vector<Hypothesis>& hypotheses : search(*model, search_source(9, 7), options)) {
        EXPECT_GE(hypotheses.size(), 1U);
        EXPECT_LE(hypotheses.size(), static_cast<std::size_t>(k));
        std::set<std::vector<TokenId>> different;
        for (std::size_t n = 0; n < hypotheses.size(); ++n) {
          different.insert(hypotheses[n].ids);
          EXPECT_GE(hypotheses[n > 0 ? n - 1 : 0].score, hypotheses[n].score);
        }
        EXPECT_EQ(different.size(), hypotheses.size());
      }
    }
  }
}

TEST(Beam, EveryHypothesisEndsInEosAndItsProbabilityCounts) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const auto model = search_model(kTargetVocabulary, seed);
    const Sentences source = search_source(6, seed);
    DecodeOptions options = options_with(4, 4);
    options.min_length = 2;
    set_penalty(options, "average", 1);
    const auto found = search(*model, source, options);
    for (Index i = 0; i < source.count(); ++i) {
      for (const Hypothesis& h : found[i]) {
        EXPECT_GE(h.ids.size(), 2U);
        EXPECT_LE(h.ids.size(), 4U);
        EXPECT_TRUE(std::all_of(h.ids.begin(), h.ids.end(), [](TokenId id) { return id > kEos; }));
        EXPECT_NEAR(h.log_prob, forced_log_prob(*model, one_of(source, i), h.ids), kDecodingBound);
        EXPECT_DOUBLE_EQ(h.score, h.log_prob / static_cast<double>(h.ids.size() + 1));
      }
    }
  }
}

TEST(Beam, UnkComesOnlyWhenAllowedAndBosNever) {
  const auto model = search_model(kTargetVocabulary, 2);
  const Param& bias = *model->params().find("output.b");
  model->params().data()[bias.ref.offset + kBos] = 30;
  model->params().data()[bias.ref.offset + kUnk] = 20;
  const Sentences source = search_source(4, 2);
  for (const bool unknown : {false, true}) {
    DecodeOptions options = options_with(3, 4);
    options.allow_unknown = unknown;
    options.min_length = 1;
    for (const auto& hypotheses : search(*model, source, options)) {
      bool any = false;
      for (const Hypothesis& h : hypotheses) {
        EXPECT_EQ(std::count(h.ids.begin(), h.ids.end(), kBos), 0);
        any = any || std::count(h.ids.begin(), h.ids.end(), kUnk) > 0;
      }
      EXPECT_EQ(any, unknown);
    }
  }
}

TEST(Beam, TiesGoToTheLowerBeamAndThenTheLowerId) {
  const auto model = search_model(kTargetVocabulary, 5);
  std::fill(model->params().data(), model->params().data() + model->params().size(), Real(0));
  DecodeOptions options = options_with(2, 1);
  options.min_length = 1;
  const auto found = search(*model, search_source(1, 5), options);
  ASSERT_EQ(found[0].size(), 2U);
  EXPECT_EQ(found[0][0].ids, std::vector<TokenId>{3});
  EXPECT_EQ(found[0][1].ids, std::vector<TokenId>{4});
}

/// Ids 3, 4, 5 are "a", the others "b": many hypotheses have the same text.
std::string letters(Index /*sentence*/, const std::vector<TokenId>& ids) {
  std::string text;
  for (const TokenId id : ids) text += id <= 5 ? 'a' : 'b';
  return text;
}

TEST(Beam, NBestHasDifferentTextsAndTheSameFirst) {
  std::size_t longer = 0;  // lists with more texts than the search without n_best found
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const auto model = search_model(kTargetVocabulary, seed);
    const Sentences source = search_source(6, seed);
    for (const std::string stop : {"finished", "exact"}) {
      DecodeOptions options = options_with(4, 5, stop);
      set_penalty(options, "average", 1);
      Workspace workspace;
      const auto plain = search(*model, source, options);
      const auto lists = beam_search(*model, model->values(), source, options, workspace, {{}, 4, letters});
      for (Index i = 0; i < source.count(); ++i) {
        std::set<std::string> before, texts;
        for (const Hypothesis& h : plain[i]) before.insert(letters(i, h.ids));
        ASSERT_GE(lists[i].size(), before.size()) << stop << " seed " << seed;
        EXPECT_TRUE(same_hypothesis(lists[i][0], plain[i][0])) << stop << " seed " << seed;
        for (std::size_t n = 0; n < lists[i].size(); ++n) {
          texts.insert(letters(i, lists[i][n].ids));
          EXPECT_GE(lists[i][n > 0 ? n - 1 : 0].score, lists[i][n].score);
        }
        EXPECT_EQ(texts.size(), lists[i].size()) << "no text twice";
        EXPECT_LE(texts.size(), 4U);
        longer += texts.size() > before.size() ? 1 : 0;
      }
    }
  }
  EXPECT_GT(longer, 20U) << "the usual end must often be too early";
}

TEST(Beam, ExactNBestFindsTheBestTextsOfAll) {
  constexpr Index kVocabulary = 6;
  const auto text = [](Index, const std::vector<TokenId>& ids) {
    std::string letters;
    for (const TokenId id : ids) letters += id == 3 ? 'a' : 'b';
    return letters;
  };
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const auto model = search_model(kVocabulary, seed);
    const Sentences source = search_source(3, seed);
    DecodeOptions options = options_with(40, 3, "exact");
    set_penalty(options, "average", 1);
    Workspace workspace;
    const auto lists = beam_search(*model, model->values(), source, options, workspace, {{}, 5, text});
    for (Index i = 0; i < source.count(); ++i) {
      std::set<std::string> texts;
      std::size_t n = 0;
      for (const Hypothesis& h : enumerate(*model, one_of(source, i), options)) {
        if (n == 5 || !texts.insert(text(i, h.ids)).second) continue;
        ASSERT_LT(n, lists[i].size());
        EXPECT_EQ(lists[i][n].ids, h.ids) << "seed " << seed << " rank " << n;
        ++n;
      }
      EXPECT_EQ(lists[i].size(), n);
    }
  }
}

TEST(Beam, FewerTextsThanAskedForAreAllThereAre) {
  const auto model = search_model(kTargetVocabulary, 3);
  Workspace workspace;
  const auto one_text = [](Index, const std::vector<TokenId>&) { return std::string("same"); };
  for (const std::string stop : {"finished", "exact"}) {
    const auto lists = beam_search(*model, model->values(), search_source(4, 3), options_with(3, 5, stop), workspace,
                                   {{}, 3, one_text});
    for (const auto& list : lists) EXPECT_EQ(list.size(), 1U) << stop;
  }
}

TEST(Beam, BarredIdsNeverComeWhateverTheirProbability) {
  const auto model = search_model(kTargetVocabulary, 2);
  model->params().data()[model->params().find("output.b")->ref.offset + 5] = 30;
  const Sentences source = search_source(4, 2);
  std::vector<char> barred(kTargetVocabulary);
  for (const bool bars : {false, true}) {
    barred[5] = bars;
    DecodeOptions options = options_with(3, 4);
    options.min_length = 1;
    Workspace workspace;
    const auto beam = beam_search(*model, model->values(), source, options, workspace, {barred});
    const auto greedy = greedy_search(*model, model->values(), source, options, workspace, {barred});
    for (Index i = 0; i < source.count(); ++i) {
      EXPECT_EQ(std::count(beam[i][0].ids.begin(), beam[i][0].ids.end(), 5) > 0, !bars);
      EXPECT_EQ(std::count(greedy[i].ids.begin(), greedy[i].ids.end(), 5) > 0, !bars);
    }
  }
}

TEST(Beam, SaysWhichHypothesesTheCapCut) {
  const auto model = search_model(kTargetVocabulary, 2);
  Real& end = model->params().data()[model->params().find("output.b")->ref.offset + kEos];
  const Sentences source = search_source(4, 2);
  for (const Real bias : {Real(-30), Real(30)}) {
    end = bias;
    DecodeOptions options = options_with(3, 4);
    options.min_length = 4;  // both end at the cap
    Workspace workspace;
    const auto greedy = greedy_search(*model, model->values(), source, options, workspace);
    for (Index i = 0; i < source.count(); ++i) {
      EXPECT_EQ(greedy[i].ids.size(), 4U);
      EXPECT_EQ(greedy[i].cut, bias < 0);
    }
    for (const auto& hypotheses : search(*model, source, options)) {
      for (const Hypothesis& h : hypotheses) EXPECT_EQ(h.cut, bias < 0);
    }
  }
}

TEST(Beam, TheRestOfTheBatchChangesNoBit) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const auto model = search_model(kTargetVocabulary, seed);
    const Sentences source = search_source(19, seed);
    DecodeOptions options = options_with(3, 3, seed % 2 == 0 ? "exact" : "finished");
    options.max_length_factor = 1;
    const auto together = search(*model, source, options);
    Sentences backwards;
    for (Index i = source.count() - 1; i >= 0; --i) backwards.add(source[i]);
    const auto reversed = search(*model, backwards, options);
    for (Index i = 0; i < source.count(); ++i) {
      EXPECT_TRUE(same_hypotheses(search(*model, one_of(source, i), options)[0], together[i])) << i;
      EXPECT_TRUE(same_hypotheses(reversed[source.count() - 1 - i], together[i])) << i;
    }
  }
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
