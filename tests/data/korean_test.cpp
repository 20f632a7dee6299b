#include "data/korean.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/error.h"

namespace dragoman {
namespace {

TEST(Korean, ParticlesFollowTheFinalConsonant) {
  struct Row {
    const char *noun, *topic, *subject, *object, *with, *toward;
  };
  const std::vector<Row> rows = {
      {"개", "개는", "개가", "개를", "개와", "개로"},
      {"소년", "소년은", "소년이", "소년을", "소년과", "소년으로"},
      {"칼", "칼은", "칼이", "칼을", "칼과", "칼로"},  // ㄹ takes 로
      {"연필", "연필은", "연필이", "연필을", "연필과", "연필로"},
      {"붓", "붓은", "붓이", "붓을", "붓과", "붓으로"},
      {"의사", "의사는", "의사가", "의사를", "의사와", "의사로"},
      {"시장", "시장은", "시장이", "시장을", "시장과", "시장으로"},
      {"부엌", "부엌은", "부엌이", "부엌을", "부엌과", "부엌으로"},
      {"꽃", "꽃은", "꽃이", "꽃을", "꽃과", "꽃으로"},
      {"그", "그는", "그가", "그를", "그와", "그로"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(with_particle(row.noun, Particle::kTopic), row.topic);
    EXPECT_EQ(with_particle(row.noun, Particle::kSubject), row.subject);
    EXPECT_EQ(with_particle(row.noun, Particle::kObject), row.object);
    EXPECT_EQ(with_particle(row.noun, Particle::kWith), row.with);
    EXPECT_EQ(with_particle(row.noun, Particle::kToward), row.toward);
  }
}

TEST(Korean, ParticlesOfPlaceAndRecipientDoNotChange) {
  EXPECT_EQ(with_particle("공원", Particle::kAt), "공원에");
  EXPECT_EQ(with_particle("학교", Particle::kIn), "학교에서");
  EXPECT_EQ(with_particle("학생", Particle::kRecipient), "학생에게");
}

TEST(Korean, VerbsConjugate) {
  struct Row {
    const char *entry, *past, *present, *future, *past_adnominal, *present_adnominal;
  };
  const std::vector<Row> rows = {
      {"먹다", "먹었다", "먹는다", "먹을 것이다", "먹은", "먹는"},
      {"읽다", "읽었다", "읽는다", "읽을 것이다", "읽은", "읽는"},
      {"찾다", "찾았다", "찾는다", "찾을 것이다", "찾은", "찾는"},
      {"가다", "갔다", "간다", "갈 것이다", "간", "가는"},
      {"사다", "샀다", "산다", "살 것이다", "산", "사는"},
      {"서다", "섰다", "선다", "설 것이다", "선", "서는"},
      {"자다", "잤다", "잔다", "잘 것이다", "잔", "자는"},
      {"만나다", "만났다", "만난다", "만날 것이다", "만난", "만나는"},
      {"오다", "왔다", "온다", "올 것이다", "온", "오는"},
      {"보다", "보았다", "본다", "볼 것이다", "본", "보는"},
      {"주다", "주었다", "준다", "줄 것이다", "준", "주는"},
      {"배우다", "배웠다", "배운다", "배울 것이다", "배운", "배우는"},
      {"보여 주다", "보여 주었다", "보여 준다", "보여 줄 것이다", "보여 준", "보여 주는"},
      {"춤을 추다", "춤을 추었다", "춤을 춘다", "춤을 출 것이다", "춤을 춘", "춤을 추는"},
      {"보내다", "보냈다", "보낸다", "보낼 것이다", "보낸", "보내는"},
      {"마시다", "마셨다", "마신다", "마실 것이다", "마신", "마시는"},
      {"그리다", "그렸다", "그린다", "그릴 것이다", "그린", "그리는"},
      {"기다리다", "기다렸다", "기다린다", "기다릴 것이다", "기다린", "기다리는"},
      {"쉬다", "쉬었다", "쉰다", "쉴 것이다", "쉰", "쉬는"},
      {"하다", "했다", "한다", "할 것이다", "한", "하는"},
      {"좋아하다", "좋아했다", "좋아한다", "좋아할 것이다", "좋아한", "좋아하는"},
      {"만들다", "만들었다", "만든다", "만들 것이다", "만든", "만드는"},
      {"팔다", "팔았다", "판다", "팔 것이다", "판", "파는"},
      {"놀다", "놀았다", "논다", "놀 것이다", "논", "노는"},
      {"열다", "열었다", "연다", "열 것이다", "연", "여는"},
      {"듣다/ㄷ", "들었다", "듣는다", "들을 것이다", "들은", "듣는"},
      {"걷다/ㄷ", "걸었다", "걷는다", "걸을 것이다", "걸은", "걷는"},
      {"닫다", "닫았다", "닫는다", "닫을 것이다", "닫은", "닫는"},
      {"돕다/ㅂ", "도왔다", "돕는다", "도울 것이다", "도운", "돕는"},
      {"입다", "입었다", "입는다", "입을 것이다", "입은", "입는"},
      {"짓다/ㅅ", "지었다", "짓는다", "지을 것이다", "지은", "짓는"},
      {"씻다", "씻었다", "씻는다", "씻을 것이다", "씻은", "씻는"},
      {"부르다/르", "불렀다", "부른다", "부를 것이다", "부른", "부르는"},
      {"자르다/르", "잘랐다", "자른다", "자를 것이다", "자른", "자르는"},
      {"나르다/르", "날랐다", "나른다", "나를 것이다", "나른", "나르는"},
      {"따르다", "따랐다", "따른다", "따를 것이다", "따른", "따르는"},
      {"쓰다", "썼다", "쓴다", "쓸 것이다", "쓴", "쓰는"},
      {"쫓다", "쫓았다", "쫓는다", "쫓을 것이다", "쫓은", "쫓는"},
      {"닦다", "닦았다", "닦는다", "닦을 것이다", "닦은", "닦는"},
      {"짖다", "짖었다", "짖는다", "짖을 것이다", "짖은", "짖는"},
      {"잃어버리다", "잃어버렸다", "잃어버린다", "잃어버릴 것이다", "잃어버린", "잃어버리는"},
  };
  for (const Row& row : rows) {
    const Predicate verb(row.entry, false);
    EXPECT_EQ(verb.plain(Tense::kPast), row.past);
    EXPECT_EQ(verb.plain(Tense::kPresent), row.present);
    EXPECT_EQ(verb.plain(Tense::kFuture), row.future);
    EXPECT_EQ(verb.adnominal(Tense::kPast), row.past_adnominal);
    EXPECT_EQ(verb.adnominal(Tense::kPresent), row.present_adnominal);
  }
}

TEST(Korean, AdjectivesConjugate) {
  struct Row {
    const char *entry, *past, *present, *adnominal;
  };
  const std::vector<Row> rows = {
      {"크다", "컸다", "크다", "큰"},
      {"키가 크다", "키가 컸다", "키가 크다", "키가 큰"},
      {"작다", "작았다", "작다", "작은"},
      {"비싸다", "비쌌다", "비싸다", "비싼"},
      {"싸다", "쌌다", "싸다", "싼"},
      {"젊다", "젊었다", "젊다", "젊은"},
      {"낡다", "낡았다", "낡다", "낡은"},
      {"친절하다", "친절했다", "친절하다", "친절한"},
      {"아름답다/ㅂ", "아름다웠다", "아름답다", "아름다운"},
      {"무겁다/ㅂ", "무거웠다", "무겁다", "무거운"},
      {"차갑다/ㅂ", "차가웠다", "차갑다", "차가운"},
      {"더럽다/ㅂ", "더러웠다", "더럽다", "더러운"},
      {"맛있다", "맛있었다", "맛있다", "맛있는"},
      {"재미있다", "재미있었다", "재미있다", "재미있는"},
      {"바쁘다", "바빴다", "바쁘다", "바쁜"},
      {"아프다", "아팠다", "아프다", "아픈"},
      {"슬프다", "슬펐다", "슬프다", "슬픈"},
      {"기쁘다", "기뻤다", "기쁘다", "기쁜"},
      {"배가 고프다", "배가 고팠다", "배가 고프다", "배가 고픈"},
      {"목이 마르다/르", "목이 말랐다", "목이 마르다", "목이 마른"},
      {"빠르다/르", "빨랐다", "빠르다", "빠른"},
      {"하얗다/ㅎ", "하얬다", "하얗다", "하얀"},
      {"빨갛다/ㅎ", "빨갰다", "빨갛다", "빨간"},
      {"검다", "검었다", "검다", "검은"},
      {"길다", "길었다", "길다", "긴"},
  };
  for (const Row& row : rows) {
    const Predicate adjective(row.entry, true);
    EXPECT_EQ(adjective.plain(Tense::kPast), row.past);
    EXPECT_EQ(adjective.plain(Tense::kPresent), row.present);
    EXPECT_EQ(adjective.adnominal(Tense::kPresent), row.adnominal);
  }
}

TEST(Korean, NegationUsesJiAnta) {
  EXPECT_EQ(Predicate("먹다", false).negative(Tense::kPast), "먹지 않았다");
  EXPECT_EQ(Predicate("만들다", false).negative(Tense::kPresent), "만들지 않는다");
  EXPECT_EQ(Predicate("듣다/ㄷ", false).negative(Tense::kFuture), "듣지 않을 것이다");
  EXPECT_EQ(Predicate("무겁다/ㅂ", true).negative(Tense::kPresent), "무겁지 않다");
}

TEST(Korean, ConnectivesFollowTheTense) {
  EXPECT_EQ(Predicate("사다", false).connective(Tense::kPast, "고"), "샀고");
  EXPECT_EQ(Predicate("부르다/르", false).connective(Tense::kPast, "지만"), "불렀지만");
  EXPECT_EQ(Predicate("배가 고프다", true).connective(Tense::kPast, "기"), "배가 고팠기");
  EXPECT_EQ(Predicate("무겁다/ㅂ", true).connective(Tense::kPresent, "고"), "무겁고");
}

TEST(Korean, TheInfinitiveContracts) {
  for (const auto& [entry, form] : std::vector<std::pair<const char*, const char*>>{{"가다", "가"},
                                                                                    {"켜다", "켜"},
                                                                                    {"마시다", "마셔"},
                                                                                    {"하다", "해"},
                                                                                    {"싸우다", "싸워"},
                                                                                    {"되다", "되어"},
                                                                                    {"곱다/ㅂ", "고와"},
                                                                                    {"서두르다/르", "서둘러"},
                                                                                    {"세다", "세"}})
    EXPECT_EQ(Predicate(entry, false).infinitive(), form);
}

TEST(Korean, WhatIsNoDictionaryFormIsRefused) {
  EXPECT_THROW(Predicate("먹", false), UserError);
  EXPECT_THROW(Predicate("eat", false), UserError);
  EXPECT_THROW(Predicate("먹다/ㄷ", false), UserError);
  EXPECT_THROW(Predicate("먹다/x", false), UserError);
  EXPECT_THROW(with_particle("cook", Particle::kTopic), std::logic_error);
}

}  // namespace
}  // namespace dragoman
