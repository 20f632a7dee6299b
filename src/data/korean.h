// Korean morphology for generated sentences: particles by the final consonant and the plain written style
// (해라체, endings in -다) of verbs and adjectives. Text is UTF-8 in composed Hangul syllables.
#pragma once

#include <string>
#include <string_view>

namespace dragoman {

enum class Particle {
  kTopic,      ///< 은/는
  kSubject,    ///< 이/가
  kObject,     ///< 을/를
  kWith,       ///< 과/와
  kToward,     ///< 으로/로, also "by means of"; 로 after ㄹ
  kAt,         ///< 에
  kIn,         ///< 에서
  kRecipient,  ///< 에게
};

/// The noun with the particle attached. A noun that does not end in a Hangul syllable is an std::logic_error.
std::string with_particle(std::string_view noun, Particle particle);

/// How a stem changes; what follows from its sound alone (하다, ㅡ, ㄹ, contractions) is regular here.
enum class Irregular {
  kNone,
  kD,    ///< ㄷ: 듣다, 들었다
  kB,    ///< ㅂ: 무겁다, 무거웠다
  kS,    ///< ㅅ: 짓다, 지었다
  kReu,  ///< 르: 부르다, 불렀다
  kH,    ///< ㅎ: 하얗다, 하얬다
};

enum class Tense { kPast, kPresent, kFuture };

/// A verb or an adjective. Words before the last one ("배가 고프다", "보여 주다") are kept as they are.
class Predicate {
 public:
  /// `entry` is the dictionary form, with the irregular consonant after a slash: "먹다", "듣다/ㄷ", "부르다/르".
  /// Throws UserError if it is not one.
  Predicate(std::string_view entry, bool adjective);

  /// 먹었다, 먹는다, 먹을 것이다; adjectives: 컸다, 크다, 클 것이다.
  [[nodiscard]] std::string plain(Tense tense) const;
  /// 먹지 않았다, 먹지 않는다, 먹지 않을 것이다; adjectives: 크지 않다.
  [[nodiscard]] std::string negative(Tense tense) const;
  /// Before a noun: 먹은, 먹는, 먹을; adjectives: 큰 (present), 컸던 (past), 클; 있다 and 없다: 맛있는.
  [[nodiscard]] std::string adnominal(Tense tense) const;
  /// "and", "but", "because" (a noun, before 때문이다): 먹었고, 먹었지만, 먹었기. `ending` is 고, 지만 or 기.
  [[nodiscard]] std::string connective(Tense tense, std::string_view ending) const;
  /// The form in 아/어: 먹어, 가, 마셔, 해, 들어, 불러. The past is this with ㅆ.
  [[nodiscard]] std::string infinitive() const;

  [[nodiscard]] bool adjective() const { return adjective_; }

 private:
  [[nodiscard]] std::u32string infinitive_stem() const;
  [[nodiscard]] std::u32string past_stem() const;
  /// The stem before an ending in (으): 듣 -> 들으, 무겁 -> 무거우, 먹 -> 먹으, 가 -> 가, 만들 -> 만드.
  [[nodiscard]] std::u32string open_stem() const;
  [[nodiscard]] std::string spell(const std::u32string& text) const;

  std::string before_;   ///< earlier words with their space
  std::u32string stem_;  ///< the last word without 다
  Irregular irregular_ = Irregular::kNone;
  bool adjective_;
};

}  // namespace dragoman
