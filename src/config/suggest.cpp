#include "config/suggest.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace dragoman {
namespace {

constexpr std::size_t kLongest = 100;  ///< longer words are no misspelling
constexpr std::size_t kMost = 3;

/// Names that other toolkits use, and ours.
const std::vector<std::pair<std::string, std::string>>& other_names() {
  static const std::vector<std::pair<std::string, std::string>> kNames = {
      {"lr", "learning_rate"},        {"batch_size", "batch_tokens"},
      {"epochs", "max_epochs"},       {"updates", "max_updates"},
      {"steps", "max_updates"},       {"max_steps", "max_updates"},
      {"num_layers", "layers"},       {"embedding_dim", "embedding_size"},
      {"emb_size", "embedding_size"}, {"hidden_dim", "hidden_size"},
      {"rnn_type", "cell"},           {"clip_grad_norm", "clip_norm"},
      {"random_seed", "seed"},        {"vocabulary_size", "vocab_size"},
      {"beam", "beam_size"},          {"input_feed", "input_feeding"},
      {"warmup_steps", "warmup"},     {"num_threads", "threads"}};
  return kNames;
}

std::size_t tolerance(const std::string& word) {
  return std::max<std::size_t>(1, std::min<std::size_t>(3, word.size() / 3));
}

/// The last name of a path as names of keys are written.
std::string plain_leaf(const std::string& path) {
  std::string leaf = leaf_of(path);
  std::transform(leaf.begin(), leaf.end(), leaf.begin(),
                 [](unsigned char c) { return c == '-' ? '_' : std::tolower(c); });
  return leaf;
}

void append_new(std::vector<std::string>& paths, const std::string& path) {
  if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
}

}  // namespace

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1);  // row i - 2
  std::vector<std::size_t> above(b.size() + 1);   // row i - 1
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

std::string nearest_word(const std::string& word, const std::vector<std::string>& words) {
  if (word.size() > kLongest) return "";
  std::string best;
  std::size_t distance = tolerance(word) + 1;
  for (const std::string& candidate : words) {
    const std::size_t d = edit_distance(word, candidate);
    if (d < distance) {
      distance = d;
      best = candidate;
    }
  }
  return best;
}

bool is_misspelling(const std::string& path, const std::string& known) {
  return path.size() <= kLongest && parent_of(path) == parent_of(known) &&
         edit_distance(plain_leaf(path), leaf_of(known)) <= 1;
}

std::vector<std::string> suggest_keys(const std::string& path, const KeyTable& table) {
  std::vector<std::string> suggestions;
  if (path.size() > kLongest) return suggestions;
  const std::string section = parent_of(path);
  std::string leaf = plain_leaf(path);
  for (const auto& [theirs, ours] : other_names()) {
    if (leaf == theirs) leaf = ours;
  }

  // A misspelling within the same section, then the same name elsewhere, then a misspelling elsewhere.
  const std::string near = nearest_word(leaf, table.children(section));
  const std::string prefix = section.empty() ? "" : section + ".";
  if (!near.empty()) append_new(suggestions, prefix + near);
  if (near.empty() || near != leaf) {
    for (const Key& key : table.keys()) {
      if (leaf_of(key.path) == leaf) append_new(suggestions, key.path);
    }
    for (const Section& known : table.sections()) {
      if (leaf_of(known.path) == leaf) append_new(suggestions, known.path);
    }
  }
  if (suggestions.empty()) {
    std::size_t best = tolerance(leaf);
    for (const Key& key : table.keys()) {
      const std::size_t distance = edit_distance(leaf, leaf_of(key.path));
      if (distance < best) suggestions.clear();
      if (distance <= best) append_new(suggestions, key.path);
      best = std::min(best, distance);
    }
  }
  if (suggestions.size() > kMost) suggestions.resize(kMost);
  return suggestions;
}

}  // namespace dragoman
