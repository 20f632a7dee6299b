// Counter-based random numbers: every draw is a pure function of a key and a counter, so that the number of
// threads, shards, prefetching and interruptions never change a value.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <numbers>
#include <string_view>
#include <utility>
#include <vector>

namespace dragoman {

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection on 64 bits with good avalanche.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// One key out of several numbers; the order matters.
constexpr std::uint64_t hash_key(std::initializer_list<std::uint64_t> parts) {
  std::uint64_t key = 0x243f6a8885a308d3ULL;
  for (const std::uint64_t part : parts) key = mix64(key ^ part);
  return key;
}

/// A key out of a name (FNV-1a, then mixed).
constexpr std::uint64_t hash_name(std::string_view name) {
  std::uint64_t h = 0xcbf29ce484222325ULL;
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return mix64(h);
}

/// A stream of draws from one key: draw i is f(key, i).
class Rng {
 public:
  explicit Rng(std::uint64_t key) : key_(key) {}
  std::uint64_t next() { return mix64(key_ ^ mix64(counter_++)); }
  /// Uniform in [0, 1), 53 bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  /// Uniform in 0 .. n-1 (n > 0), by rejection, so without bias.
  std::uint64_t below(std::uint64_t n) {
    const std::uint64_t limit = -n % n;
    std::uint64_t x = next();
    while (x < limit) x = next();
    return x % n;
  }
  /// Standard normal (Box-Muller, one of the pair).
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

 private:
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
};

/// Fisher-Yates.
template <class T>
void shuffle(std::vector<T>& items, Rng& rng) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[rng.below(i)]);
}

}  // namespace dragoman
