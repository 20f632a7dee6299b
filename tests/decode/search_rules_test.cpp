// What greedy and beam search share: penalties, length caps, and which ids may follow.
#include "decode/search_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/batch.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

DecodeOptions penalty(const std::string& formula, double alpha) {
  DecodeOptions options;
  options.length_penalty = formula;
  options.alpha = alpha;
  return options;
}

TEST(LengthPenalty, IsThatOfItsFormula) {
  EXPECT_EQ(length_penalty(penalty("none", 3), 7), 1);
  EXPECT_DOUBLE_EQ(length_penalty(penalty("average", 1), 7), 7);
  EXPECT_DOUBLE_EQ(length_penalty(penalty("average", 0.5), 9), 3);
  EXPECT_DOUBLE_EQ(length_penalty(penalty("gnmt", 1), 7), 2);
  EXPECT_DOUBLE_EQ(length_penalty(penalty("gnmt", 2), 13), 9);
}

TEST(LengthPenalty, IsOneWithExponentZeroAndForGnmtAtLengthOne) {
  EXPECT_EQ(length_penalty(penalty("average", 0), 12), 1);
  EXPECT_EQ(length_penalty(penalty("gnmt", 0), 12), 1);
  EXPECT_EQ(length_penalty(penalty("gnmt", 0.7), 1), 1);
}

std::vector<TokenId> visited(const std::vector<Real>& row, Real bound) {
  std::vector<TokenId> ids;
  visit_above(
      row.data(), static_cast<Index>(row.size()), [&] { return bound; },
      [&](TokenId id, Real logit) {
        EXPECT_EQ(logit, row[id]);
        ids.push_back(id);
      });
  return ids;
}

TEST(VisitAbove, MissesNoIdAboveTheBound) {
  for (const TokenId n : {1, 63, 64, 65, 128, 200, 257}) {
    for (TokenId id = 0; id < n; ++id) {
      std::vector<Real> row(static_cast<std::size_t>(n), Real(-1));
      row[id] = 1;
      const std::vector<TokenId> found = visited(row, 0);
      EXPECT_EQ(std::count(found.begin(), found.end(), id), 1) << id << " of " << n;
      EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
    }
    const std::vector<Real> row(static_cast<std::size_t>(n), Real(-1));
    EXPECT_EQ(visited(row, std::numeric_limits<Real>::lowest()).size(), static_cast<std::size_t>(n));
    EXPECT_TRUE(visited(row, -1).empty()) << "not above";
  }
}

TEST(VisitAbove, LeavesOutMoreThanTwoBlocksOfTheVocabulariesOfTheseTests) {
  std::vector<Real> row(200, Real(-1));
  row[100] = 1;
  EXPECT_LT(2 * visited(row, 0).size(), row.size()) << "larger blocks need larger vocabularies in the tests of search";
}

TEST(LengthCap, GrowsWithTheSource) {
  DecodeOptions options;
  options.max_length_factor = 1.5;
  options.max_length_extra = 4;
  EXPECT_EQ(length_cap(options, 0, kNoLimit), 4);
  EXPECT_EQ(length_cap(options, 1, kNoLimit), 5);
  EXPECT_EQ(length_cap(options, 10, kNoLimit), 19);
  EXPECT_EQ(length_cap(options, 10, 12), 11);  // and eos
}

TEST(Allowed, NeverBosAndUnkOnlyWhenAskedFor) {
  DecodeOptions options;
  for (Index pieces = 0; pieces <= 3; ++pieces) {
    EXPECT_FALSE(allowed(options, {}, kBos, pieces, 3));
    EXPECT_FALSE(allowed(options, {}, kUnk, pieces, 3));
  }
  options.allow_unknown = true;
  EXPECT_FALSE(allowed(options, {}, kBos, 0, 3));
  EXPECT_TRUE(allowed(options, {}, kUnk, 0, 3));
  EXPECT_FALSE(allowed(options, {}, kUnk, 3, 3)) << "at the cap only eos";
}

TEST(Allowed, EosFromTheMinimumOnAndNothingElseAtTheCap) {
  DecodeOptions options;
  options.min_length = 2;
  EXPECT_FALSE(allowed(options, {}, kEos, 0, 3));
  EXPECT_FALSE(allowed(options, {}, kEos, 1, 3));
  EXPECT_TRUE(allowed(options, {}, kEos, 2, 3));
  EXPECT_TRUE(allowed(options, {}, kEos, 3, 3));
  EXPECT_TRUE(allowed(options, {}, 5, 2, 3));
  EXPECT_FALSE(allowed(options, {}, 5, 3, 3));
}

TEST(Allowed, ACapBelowTheMinimumStillEnds) {
  DecodeOptions options;
  options.min_length = 5;
  EXPECT_TRUE(allowed(options, {}, kEos, 3, 3));
  EXPECT_FALSE(allowed(options, {}, 4, 3, 3));
}

TEST(SearchRules, TheCapCutsWhatWouldHaveGoneOn) {
  DecodeOptions options;
  const std::vector<char> barred = {0, 0, 0, 0, 1};
  const TextRules text{barred};
  //                      unk bos eos  3  4 (barred)
  const Real wants_more[] = {0, 0, 1, 2, 0};
  const Real wants_end[] = {9, 9, 1, 0, 9};
  EXPECT_TRUE(is_cut(options, text, wants_more, 5, 3, 3));
  EXPECT_FALSE(is_cut(options, text, wants_more, 5, 2, 3)) << "below the cap eos was chosen";
  EXPECT_FALSE(is_cut(options, text, wants_end, 5, 3, 3)) << "what is barred counts for nothing";
  EXPECT_TRUE(is_cut(options, {}, wants_end, 5, 3, 3));
  options.allow_unknown = true;
  EXPECT_TRUE(is_cut(options, text, wants_end, 5, 3, 3));
  EXPECT_FALSE(allowed(options, text, 4, 0, 3));
  EXPECT_TRUE(allowed(options, {}, 4, 0, 3));
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
