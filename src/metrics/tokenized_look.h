// Do lines look as if a tokenizer had cut them? BLEU's tokenizers expect text as people write it.
#pragma once

#include <cstdint>
#include <string_view>

namespace dragoman {

/// Most lines that end in a full stop have a space before it, and there are at least ten of them. (Only the full stop:
/// French has spaces before ! and ?.)
class TokenizedLook {
 public:
  void add(std::string_view line) {
    if (!line.ends_with('.')) return;
    ++ended_;
    spaced_ += line.ends_with(" .") ? 1 : 0;
  }
  [[nodiscard]] bool tokenized() const { return spaced_ >= 10 && 2 * spaced_ > ended_; }
  [[nodiscard]] std::int64_t spaced() const { return spaced_; }

 private:
  std::int64_t ended_ = 0, spaced_ = 0;
};

}  // namespace dragoman
