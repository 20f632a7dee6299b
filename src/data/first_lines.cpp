#include "data/first_lines.h"

#include <algorithm>

namespace dragoman {

void FirstLines::add(std::size_t pair) {
  ++count;
  if (first.size() == kShown && pair > first.back()) return;
  first.insert(std::upper_bound(first.begin(), first.end(), pair), pair);
  if (first.size() > kShown) first.pop_back();
}

Found FirstLines::in(const Corpus& corpus) const {
  std::string text;
  std::string file;  // of the line before
  for (const std::size_t pair : first) {
    const std::string where = corpus.where(pair);
    const std::size_t number = where.rfind(':') + 1;
    if (!text.empty()) text += ", ";
    text += where.substr(0, number) == file ? where.substr(number) : where;
    file = where.substr(0, number);
  }
  return {count, text};
}

}  // namespace dragoman
