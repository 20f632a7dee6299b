// The only file that sees SentencePiece.
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "data/tokenizer_kinds.h"

namespace dragoman {

namespace {

namespace sp = sentencepiece;

constexpr std::size_t kMaxWord = 10'000;     // bytes; SentencePiece ends the process at words of 65,536 characters
constexpr const char* kReserved = "\u2585";  // SentencePiece drops training lines that contain it

class SentencePieceTokenizer final : public Tokenizer {
 public:
  SentencePieceTokenizer(const std::string& serialized, const std::string& file) {
    if (!load(serialized)) throw UserError(file, 0, "is not a SentencePiece model, or a damaged one");
    const auto require = [&](const char* name, int found, int expected) {
      if (found == expected) return;
      throw UserError(file, 0,
                      "the SentencePiece model has " + std::string(name) + "_id " + std::to_string(found) +
                          ", expected " + std::to_string(expected) +
                          " (train it with --unk_id=0 --bos_id=1 --eos_id=2 --pad_id=-1)");
    };
    require("unk", processor_.unk_id(), kUnk);
    require("bos", processor_.bos_id(), kBos);
    require("eos", processor_.eos_id(), kEos);
    bool has_text = false;
    for (TokenId id = kEos + 1; !has_text && static_cast<std::size_t>(id) < size(); ++id) has_text = !is_control(id);
    if (!has_text) throw UserError(file, 0, "the SentencePiece model has no pieces but control tokens");
    serialized_ = serialized;
  }

  std::vector<TokenId> encode(std::string_view text) const override {
    std::vector<int> ids;
    const auto status = processor_.Encode(absl::string_view(text.data(), text.size()), &ids);
    CHECK(status.ok(), status.ToString());
    return ids;
  }

  std::vector<TokenId> sample(std::string_view text, const SamplingOptions& options) const override {
    std::vector<int> ids;
    constexpr int kAllSegmentations = -1;
    const auto status = processor_.SampleEncode(absl::string_view(text.data(), text.size()), kAllSegmentations,
                                                static_cast<float>(options.alpha), &ids);
    if (!status.ok()) {
      throw UserError("tokenizer.sampling.alpha: this SentencePiece model can't sample pieces (" + status.ToString() +
                      "); expected a model of type bpe or unigram, or alpha 0");
    }
    return ids;
  }

  std::vector<std::string> surfaces(std::string_view text) const override {
    std::vector<std::string> pieces;
    const auto status = processor_.Encode(absl::string_view(text.data(), text.size()), &pieces);
    CHECK(status.ok(), status.ToString());
    return pieces;
  }

  std::string decode(std::span<const TokenId> ids, std::span<const std::string> unknown) const override {
    std::string text;
    const auto status = unknown.empty() ? processor_.Decode(std::vector<int>(ids.begin(), ids.end()), &text)
                                        : processor_.Decode(pieces_with(ids, unknown), &text);
    CHECK(status.ok(), status.ToString());
    std::replace(text.begin(), text.end(), '\n', ' ');  // of a byte piece: a line stays one line
    return text;
  }

  std::size_t size() const override { return static_cast<std::size_t>(processor_.GetPieceSize()); }
  std::string piece(TokenId id) const override {
    CHECK(id >= 0 && static_cast<std::size_t>(id) < size(), "token id " + std::to_string(id));
    return processor_.IdToPiece(id);
  }
  bool is_control(TokenId id) const override { return processor_.IsControl(id) || processor_.IsUnused(id); }
  std::string type() const override { return kSentencePiece.name; }
  std::string serialize() const override { return serialized_; }
  std::string extension() const override { return kSentencePiece.extension(); }

 private:
  /// The pieces as texts; to the library a text that is no piece stands for itself.
  [[nodiscard]] std::vector<std::string> pieces_with(std::span<const TokenId> ids,
                                                     std::span<const std::string> unknown) const {
    std::vector<std::string> pieces;
    for (const TokenId id : ids) pieces.push_back(id == kUnk ? take_unknown(unknown) : processor_.IdToPiece(id));
    return pieces;
  }

  /// Of a damaged model the library returns an error or throws one.
  bool load(const std::string& serialized) {
    try {
      return processor_.LoadFromSerializedProto(serialized).ok() && processor_.GetPieceSize() > 0;
    } catch (const std::exception&) {
      return false;
    }
  }

  sp::SentencePieceProcessor processor_;
  std::string serialized_;
};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t pos = 0; (pos = text.find(from, pos)) != std::string::npos; pos += to.size()) {
    text.replace(pos, from.size(), to);
  }
}

/// Puts a space into words of more than kMaxWord bytes, between characters.
void split_long_words(std::string& text) {
  if (text.size() <= kMaxWord) return;
  std::string out;
  std::size_t word = 0;  // bytes since the last space
  for (const char c : text) {
    const bool begins_character = (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    if (word >= kMaxWord && begins_character) {
      out += ' ';
      word = 0;
    }
    out += c;
    word = c == ' ' ? 0 : word + 1;
  }
  text = std::move(out);
}

/// Feeds the lines to SentencePiece, with what its trainer can't take changed (encoding is not affected). The
/// trainer also cuts control tokens out of the text, which would leave "<" or "/" without a piece; a space inside
/// them ("< /s>") keeps their characters.
class Lines final : public sp::SentenceIterator {
 public:
  explicit Lines(const TrainingText& text) : text_(text) { find(); }

  bool done() const override { return next_ >= text_.size; }
  void Next() override {
    ++next_;
    find();
  }
  const std::string& value() const override { return line_; }
  sp::util::Status status() const override { return {}; }

 private:
  void find() {
    for (; next_ < text_.size; ++next_) {
      line_ = text_.line(next_);
      replace_all(line_, kReserved, " ");
      replace_all(line_, "<unk>", "< unk>");
      replace_all(line_, "<s>", "< s>");
      replace_all(line_, "</s>", "< /s>");
      split_long_words(line_);
      if (!line_.empty()) return;
    }
  }

  const TrainingText& text_;
  std::size_t next_ = 0;
  std::string line_;
};

/// The number that follows `before` in `message`.
std::optional<std::size_t> number_after(const std::string& message, std::string_view before) {
  const std::size_t pos = message.find(before);
  if (pos == std::string::npos) return {};
  const std::size_t digits = message.find_first_not_of("0123456789", pos + before.size());
  const std::string number = message.substr(pos + before.size(), digits - pos - before.size());
  if (number.empty() || number.size() > 18) return {};
  return std::stoull(number);
}

/// A list in one flag.
std::string comma_separated(const std::vector<std::string>& texts) {
  std::string list;
  for (std::string text : texts) {
    replace_all(text, "\"", "\"\"");
    list += (list.empty() ? "\"" : ",\"") + text + "\"";
  }
  return list;
}

sp::util::Status train_model(const TokenizerOptions& options, std::size_t vocab_size, const TrainingText& text,
                             std::string* model) {
  const std::unordered_map<std::string, std::string> flags = {
      {"model_type", options.model_type},
      {"vocab_size", std::to_string(vocab_size)},
      {"character_coverage", std::to_string(options.character_coverage)},
      {"hard_vocab_limit", options.model_type == "bpe" ? "true" : "false"},
      {"normalization_rule_name", "identity"},
      {"remove_extra_whitespaces", "false"},
      {"unk_id", "0"},
      {"bos_id", "1"},
      {"eos_id", "2"},
      {"pad_id", "-1"},
      {"user_defined_symbols", comma_separated(options.user_defined_symbols)},
      {"max_sentence_length", "1000000"},  // bytes; longer lines never get here
      {"num_threads", "4"},                // unigram sums in as many parts: a constant, not the machine's
      {"minloglevel", "2"},
  };
  Lines lines(text);
  return sp::SentencePieceTrainer::Train(flags, &lines, model);
}

TokenizerPtr train(const TokenizerOptions& options, const TrainingText& text, std::vector<std::string>* warnings) {
  if (options.model_type != "bpe" && options.model_type != "unigram") {
    throw UserError("tokenizer.model_type: found \"" + options.model_type + "\", expected bpe or unigram");
  }
  std::size_t vocab_size = options.vocab_size;
  std::string model;
  for (;;) {
    const auto status = train_model(options, vocab_size, text, &model);
    if (status.ok()) break;
    const std::string message = status.ToString();
    const auto largest = number_after(message, "set it to a value <= ");
    if (largest && *largest < vocab_size) {
      vocab_size = *largest;
      continue;
    }
    if (const auto smallest = number_after(message, " vs ");
        smallest && message.find("required_chars") != message.npos) {
      throw UserError("tokenizer.vocab_size: " + std::to_string(options.vocab_size) +
                      " is too small: with the control tokens the characters of the training text alone need " +
                      std::to_string(*smallest) + "; set at least that, or lower tokenizer.character_coverage");
    }
    throw UserError("tokenizer: SentencePiece can't train on this text: " + message);
  }
  auto tokenizer = std::make_shared<SentencePieceTokenizer>(model, "trained SentencePiece model");
  if (warnings && tokenizer->size() < options.vocab_size) {
    warnings->push_back("tokenizer.vocab_size: the training text supports " + std::to_string(tokenizer->size()) +
                        " pieces of the " + std::to_string(options.vocab_size) + " asked for");
  }
  return tokenizer;
}

}  // namespace

void sample_reproducibly(std::uint64_t seed, const std::function<void()>& work) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  sp::SetRandomGeneratorSeed(static_cast<unsigned int>(seed % 0xffffffffU));  // the largest number means "no seed"
  std::exception_ptr error;
  std::jthread([&] {
    try {
      work();
    } catch (...) {
      error = std::current_exception();
    }
  }).join();
  if (error) std::rethrow_exception(error);
}

const TokenizerKind kSentencePiece = {.name = "sentencepiece", .subwords = true, .train = train};

TokenizerPtr load_sentencepiece(const std::string& serialized, const std::string& file) {
  return std::make_shared<SentencePieceTokenizer>(serialized, file);
}

}  // namespace dragoman
