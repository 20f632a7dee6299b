#include "data/encoded_cache.h"

namespace dragoman {

namespace {
constexpr std::size_t kHead = 3;  // numbers before the ids of a record
}

EncodedCache::EncodedCache(std::size_t lines, std::size_t max_bytes)
    : max_ids_(max_bytes / sizeof(TokenId)), place_(max_bytes > 0 ? lines : 0) {}

bool EncodedCache::find(std::size_t i, EncodedPair& pair, PairFate& fate) const {
  const std::lock_guard lock(mutex_);
  if (i >= place_.size() || place_[i] == 0) return false;
  const TokenId* record = records_.data() + place_[i] - 1;
  fate = static_cast<PairFate>(record[0]);
  const TokenId* source = record + kHead;
  const TokenId* target = source + record[1];
  pair.line = i;
  pair.source.assign(source, target);
  pair.target.assign(target, target + record[2]);
  return true;
}

void EncodedCache::insert(std::size_t i, const EncodedPair& pair, PairFate fate) {
  const std::lock_guard lock(mutex_);
  if (i >= place_.size() || place_[i] != 0) return;
  const bool used = is_used(fate);
  const std::size_t source = used ? pair.source.size() : 0;
  const std::size_t target = used ? pair.target.size() : 0;
  if (records_.size() + kHead + source + target > max_ids_) return;
  place_[i] = records_.size() + 1;
  records_.insert(records_.end(),
                  {static_cast<TokenId>(fate), static_cast<TokenId>(source), static_cast<TokenId>(target)});
  records_.insert(records_.end(), pair.source.begin(), pair.source.begin() + static_cast<std::ptrdiff_t>(source));
  records_.insert(records_.end(), pair.target.begin(), pair.target.begin() + static_cast<std::ptrdiff_t>(target));
}

}  // namespace dragoman
