// A piece for each byte of the UTF-8, named by its two hexadecimal digits: nothing is unknown.
#include "core/utf8.h"
#include "data/vocabulary.h"
#include "extensions/extensions.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

class ByteTokenizer final : public Tokenizer {
 public:
  explicit ByteTokenizer(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}

  std::vector<TokenId> encode(std::string_view text) const override {
    std::vector<TokenId> ids;
    for (const char c : text) ids.push_back(kFirst + static_cast<unsigned char>(c));
    return ids;
  }
  std::vector<std::string> surfaces(std::string_view text) const override {
    std::vector<std::string> bytes;
    for (const char c : text) bytes.emplace_back(1, c);
    return bytes;
  }
  std::string decode(std::span<const TokenId> ids, std::span<const std::string> /*unknown*/) const override {
    std::string text;
    for (const TokenId id : ids) {
      if (id >= kFirst) text += static_cast<char>(id - kFirst);
    }
    return replace_invalid(text);
  }
  std::size_t size() const override { return vocabulary_.size(); }
  std::string piece(TokenId id) const override { return vocabulary_.piece(id); }
  std::string type() const override { return kByteTokenizer.name; }
  std::string serialize() const override { return vocabulary_.serialize(type()); }
  std::string extension() const override { return kByteTokenizer.extension(); }

 private:
  static constexpr TokenId kFirst = kEos + 1;
  Vocabulary vocabulary_;
};

TokenizerPtr make(Vocabulary vocabulary) { return std::make_shared<ByteTokenizer>(std::move(vocabulary)); }

TokenizerPtr train(const TokenizerOptions& /*options*/, const TrainingText& /*text*/,
                   std::vector<std::string>* /*warnings*/) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::vector<std::string> pieces;
  for (const char high : kDigits) {
    for (const char low : kDigits) pieces.push_back({high, low});
  }
  return make(Vocabulary(std::move(pieces)));
}

}  // namespace

const TokenizerKind kByteTokenizer = {.name = "byte", .train = train, .make = make};

}  // namespace DRAGOMAN_NAMESPACE
