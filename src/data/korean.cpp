#include "data/korean.h"

#include <array>
#include <utility>

#include "core/error.h"
#include "core/utf8.h"

namespace dragoman {
namespace {

// A syllable of the block U+AC00 is onset x 588 + vowel x 28 + coda.
constexpr char32_t kFirst = 0xAC00;
constexpr char32_t kLast = 0xD7A3;

enum Onset { kOnsetR = 5, kOnsetNone = 11 };
enum Vowel {
  kA = 0,
  kAe = 1,
  kYa = 2,
  kYae = 3,
  kEo = 4,
  kE = 5,
  kYeo = 6,
  kO = 8,
  kWa = 9,
  kU = 13,
  kWo = 14,
  kEu = 18,
  kI = 20
};
enum Coda { kOpen = 0, kCodaN = 4, kCodaD = 7, kCodaL = 8, kCodaB = 17, kCodaS = 19, kCodaSs = 20, kCodaH = 27 };

struct Syllable {
  int onset;
  int vowel;
  int coda;
};

bool is_syllable(char32_t c) { return c >= kFirst && c <= kLast; }

Syllable split(char32_t c) {
  CHECK(is_syllable(c), "korean: not a Hangul syllable");
  const int code = static_cast<int>(c - kFirst);
  return {code / 588, code % 588 / 28, code % 28};
}

char32_t join(Syllable s) { return kFirst + static_cast<char32_t>(s.onset * 588 + s.vowel * 28 + s.coda); }

/// The text with another coda in its last syllable.
std::u32string with_coda(std::u32string text, int coda) {
  Syllable last = split(text.back());
  last.coda = coda;
  text.back() = join(last);
  return text;
}

bool bright(int vowel) { return vowel == kA || vowel == kO || vowel == kYa; }

Irregular parse_irregular(std::string_view mark) {
  constexpr std::array<std::pair<std::string_view, Irregular>, 5> kMarks{{{"ㄷ", Irregular::kD},
                                                                          {"ㅂ", Irregular::kB},
                                                                          {"ㅅ", Irregular::kS},
                                                                          {"르", Irregular::kReu},
                                                                          {"ㅎ", Irregular::kH}}};
  for (const auto& [name, irregular] : kMarks)
    if (mark == name) return irregular;
  throw UserError("unknown irregular mark '/" + std::string(mark) + "': expected /ㄷ /ㅂ /ㅅ /르 or /ㅎ");
}

/// Whether the stem can be irregular in that way.
bool fits(const std::u32string& stem, Irregular irregular) {
  const Syllable last = split(stem.back());
  switch (irregular) {
    case Irregular::kNone:
      return true;
    case Irregular::kD:
      return last.coda == kCodaD;
    case Irregular::kB:
      return last.coda == kCodaB;
    case Irregular::kS:
      return last.coda == kCodaS;
    case Irregular::kReu:
      return stem.size() > 1 && stem.back() == U'르' && split(stem[stem.size() - 2]).coda == kOpen;
    case Irregular::kH:
      return last.coda == kCodaH && (last.vowel == kA || last.vowel == kEo || last.vowel == kYa || last.vowel == kYeo);
  }
  return false;
}

}  // namespace

std::string with_particle(std::string_view noun, Particle particle) {
  const std::u32string text = decode_utf8(noun);
  CHECK(!text.empty(), "with_particle: empty noun");
  const int coda = split(text.back()).coda;
  const bool open = coda == kOpen;
  const char* suffix = "";
  switch (particle) {
    case Particle::kTopic:
      suffix = open ? "는" : "은";
      break;
    case Particle::kSubject:
      suffix = open ? "가" : "이";
      break;
    case Particle::kObject:
      suffix = open ? "를" : "을";
      break;
    case Particle::kWith:
      suffix = open ? "와" : "과";
      break;
    case Particle::kToward:
      suffix = open || coda == kCodaL ? "로" : "으로";
      break;
    case Particle::kAt:
      suffix = "에";
      break;
    case Particle::kIn:
      suffix = "에서";
      break;
    case Particle::kRecipient:
      suffix = "에게";
      break;
  }
  return std::string(noun) + suffix;
}

Predicate::Predicate(std::string_view entry, bool adjective) : adjective_(adjective) {
  const std::size_t slash = entry.find('/');
  if (slash != std::string_view::npos) irregular_ = parse_irregular(entry.substr(slash + 1));
  const std::string_view word = entry.substr(0, slash);
  const std::size_t space = word.rfind(' ');
  if (space != std::string_view::npos) before_ = word.substr(0, space + 1);
  stem_ = decode_utf8(word.substr(before_.size()));
  bool hangul = stem_.size() > 1 && stem_.back() == U'다';
  for (const char32_t c : stem_) hangul = hangul && is_syllable(c);
  if (!hangul) throw UserError("'" + std::string(entry) + "' is not the dictionary form of a Korean verb (-다)");
  stem_.pop_back();
  if (!fits(stem_, irregular_)) throw UserError("'" + std::string(entry) + "': the stem has not that consonant");
}

std::u32string Predicate::infinitive_stem() const {
  std::u32string stem = stem_;
  const Syllable last = split(stem.back());
  const bool single = stem.size() == 1;
  const int before = single ? -1 : split(stem[stem.size() - 2]).vowel;
  const auto set_last = [&](int onset, int vowel) { stem.back() = join({onset, vowel, kOpen}); };

  switch (irregular_) {
    case Irregular::kD:
      return with_coda(stem, kCodaL) + (bright(last.vowel) ? U'아' : U'어');
    case Irregular::kB:  // only 돕다 and 곱다 take 와
      return with_coda(stem, kOpen) + (single && last.vowel == kO ? U'와' : U'워');
    case Irregular::kS:
      return with_coda(stem, kOpen) + (bright(last.vowel) ? U'아' : U'어');
    case Irregular::kReu:
      stem.pop_back();
      return with_coda(stem, kCodaL) + (bright(before) ? U'라' : U'러');
    case Irregular::kH:
      set_last(last.onset, last.vowel == kYa || last.vowel == kYeo ? kYae : kAe);
      return stem;
    case Irregular::kNone:
      break;
  }
  if (stem.back() == U'하') {
    stem.back() = U'해';
  } else if (last.coda != kOpen) {
    stem += bright(last.vowel) ? U'아' : U'어';
  } else if (last.vowel == kEu) {
    set_last(last.onset, !single && bright(before) ? kA : kEo);
  } else if (last.vowel == kI) {
    set_last(last.onset, kYeo);
  } else if (last.vowel == kO || last.vowel == kU) {  // 와, 배워; but the fuller 보아, 주어
    const bool o = last.vowel == kO;
    if (last.onset == kOnsetNone)
      set_last(last.onset, o ? kWa : kWo);
    else
      stem += o ? U'아' : U'어';
  } else if (last.vowel != kA && last.vowel != kEo && last.vowel != kYeo && last.vowel != kAe && last.vowel != kE) {
    stem += U'어';  // 쉬어, 되어
  }
  return stem;
}

std::u32string Predicate::past_stem() const { return with_coda(infinitive_stem(), kCodaSs); }

std::u32string Predicate::open_stem() const {
  const int coda = split(stem_.back()).coda;
  switch (irregular_) {
    case Irregular::kD:
      return with_coda(stem_, kCodaL) + U'으';
    case Irregular::kB:
      return with_coda(stem_, kOpen) + U'우';
    case Irregular::kS:
      return with_coda(stem_, kOpen) + U'으';
    case Irregular::kH:
      return with_coda(stem_, kOpen);
    case Irregular::kReu:
    case Irregular::kNone:
      break;
  }
  if (coda == kOpen) return stem_;
  if (coda == kCodaL) return with_coda(stem_, kOpen);
  return stem_ + U'으';
}

std::string Predicate::spell(const std::u32string& text) const { return before_ + encode_utf8(text); }

std::string Predicate::infinitive() const { return spell(infinitive_stem()); }

std::string Predicate::plain(Tense tense) const {
  if (tense == Tense::kPast) return spell(past_stem() + U'다');
  if (tense == Tense::kFuture) return spell(with_coda(open_stem(), kCodaL)) + " 것이다";
  if (adjective_) return spell(stem_ + U'다');
  const int coda = split(stem_.back()).coda;
  if (coda == kOpen || coda == kCodaL) return spell(with_coda(stem_, kCodaN) + U'다');
  return spell(stem_ + U"는다");
}

std::string Predicate::negative(Tense tense) const {
  const std::string stem = spell(stem_ + U"지 ");
  if (tense == Tense::kPast) return stem + "않았다";
  if (tense == Tense::kFuture) return stem + "않을 것이다";
  return stem + (adjective_ ? "않다" : "않는다");
}

std::string Predicate::adnominal(Tense tense) const {
  if (tense == Tense::kFuture) return spell(with_coda(open_stem(), kCodaL));
  if (adjective_) {
    if (tense == Tense::kPast) return spell(past_stem() + U'던');
    if (stem_.back() == U'있' || stem_.back() == U'없') return spell(stem_ + U'는');
    return spell(with_coda(open_stem(), kCodaN));
  }
  if (tense == Tense::kPast) return spell(with_coda(open_stem(), kCodaN));
  const bool drops = split(stem_.back()).coda == kCodaL;
  return spell((drops ? with_coda(stem_, kOpen) : stem_) + U'는');
}

std::string Predicate::connective(Tense tense, std::string_view ending) const {
  CHECK(tense != Tense::kFuture, "connective: no future form");
  return spell(tense == Tense::kPast ? past_stem() : stem_) + std::string(ending);
}

}  // namespace dragoman
