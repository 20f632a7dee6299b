#include "translate/translator.h"

#include <algorithm>
#include <optional>

#include "core/parallel.h"
#include "core/utf8.h"
#include "data/clean.h"
#include "data/long_line.h"
#include "data/text_check.h"
#include "decode/beam.h"
#include "decode/greedy.h"
#include "kernels/packed_weights.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

constexpr std::size_t kPackFrom = 16;  // sentences

std::string list_lines(const std::vector<std::size_t>& lines) {
  constexpr std::size_t kShown = 10;
  std::string text = lines.size() == 1 ? "line " : std::to_string(lines.size()) + " lines (";
  for (std::size_t i = 0; i < std::min(lines.size(), kShown); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(lines[i]);
  }
  if (lines.size() > kShown) text += ", ...";
  return lines.size() == 1 ? text : text + ")";
}

std::vector<std::vector<Hypothesis>> search(const Seq2Seq& model, Values values, const Sentences& source,
                                            const DecodeOptions& options, Workspace& workspace) {
  if (options.beam_size > 1 || options.stop == "exact") return beam_search(model, values, source, options, workspace);
  std::vector<std::vector<Hypothesis>> results;
  for (Hypothesis& h : greedy_search(model, values, source, options, workspace)) {
    results.push_back({std::move(h)});
  }
  return results;
}

}  // namespace

Translator::Translator(const Seq2Seq& model, TokenizerPair tokenizers, DecodeOptions options, std::string normalization)
    : model_(model),
      tokenizers_(std::move(tokenizers)),
      options_(std::move(options)),
      normalization_(std::move(normalization)),
      max_input_(std::min(options_.max_input, model.max_source_tokens() - 1)) {}

std::vector<std::string> Translator::describe(const LineRemarks& remarks) const {
  std::vector<std::string> sentences;
  if (!remarks.bad_utf8.empty()) {
    const std::string encoding = dragoman::describe(remarks.encoding);
    sentences.push_back("invalid UTF-8 replaced by U+FFFD in " + list_lines(remarks.bad_utf8) +
                        (encoding.empty() ? "" : "; " + encoding));
  }
  if (!remarks.cut.empty()) {
    const std::string key = max_input_ < options_.max_input ? "model.encoder.max_positions" : "decoding.max_input";
    sentences.push_back("cut at " + std::to_string(max_input_) + " pieces (" + key + "): " + list_lines(remarks.cut));
  }
  return sentences;
}

std::vector<std::vector<Translation>> Translator::translate(const std::vector<std::string>& lines,
                                                            std::size_t first_line, LineRemarks* remarks,
                                                            const StopCheck& stop) const {
  std::vector<std::vector<Translation>> results(lines.size());
  std::vector<std::vector<TokenId>> pieces(lines.size());
  std::vector<char> bad(lines.size()), cut(lines.size());
  parallel_for(static_cast<Index>(lines.size()), [&](Index i, int /*worker*/) {
    bool changed = false;
    const std::string text = normalize_text(replace_invalid(lines[i], &changed), normalization_);
    bad[i] = changed;
    const std::string_view start = beginning(text, static_cast<std::size_t>(max_input_));
    if (!is_blank(text)) pieces[i] = tokenizers_.source->encode(start);
    cut[i] = static_cast<Index>(pieces[i].size()) > max_input_ || start.size() < text.size();
    if (static_cast<Index>(pieces[i].size()) > max_input_) pieces[i].resize(static_cast<std::size_t>(max_input_));
  });

  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (remarks != nullptr && bad[i]) {
      remarks->bad_utf8.push_back(first_line + i);
      if (remarks->encoding == Encoding::unknown) remarks->encoding = guess_encoding(lines[i]);
    }
    if (remarks != nullptr && cut[i]) remarks->cut.push_back(first_line + i);
    if (pieces[i].empty()) {
      results[i].emplace_back();
    } else {
      order.push_back(i);
    }
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return pieces[a].size() > pieces[b].size(); });

  const auto batch = static_cast<std::size_t>(options_.batch_sentences);
  const std::size_t batches = (order.size() + batch - 1) / batch;
  std::vector<Workspace> workspaces(static_cast<std::size_t>(max_threads()));
  Values values = model_.values();
  std::optional<PackedWeights> packed;  // gives the same bits; for a few lines it would cost more than it saves
  values.precision = precision_of(options_.precision);
  if (order.size() >= kPackFrom || (!order.empty() && values.precision == Precision::bfloat16)) {
    packed.emplace(model_.params(), false, values.precision).repack(values);
    values = packed->with(values);
  }
  parallel_for(static_cast<Index>(batches), [&](Index b, int worker) {
    if (stopped(stop)) return;
    const std::size_t begin = static_cast<std::size_t>(b) * batch;
    const std::size_t end = std::min(begin + batch, order.size());
    Sentences source;
    for (std::size_t i = begin; i < end; ++i) {
      std::vector<TokenId> ids = pieces[order[i]];
      ids.push_back(kEos);
      source.add(ids);
    }
    Workspace& workspace = workspaces[worker];
    workspace.reset();
    std::vector<std::vector<Hypothesis>> found = search(model_, values, source, options_, workspace);
    for (std::size_t i = begin; i < end; ++i) {
      for (Hypothesis& h : found[i - begin]) {
        results[order[i]].push_back(
            {tokenizers_.target->decode(h.ids), h.log_prob, h.score, pieces[order[i]], std::move(h.ids)});
      }
    }
  });
  return results;
}

std::vector<AttentionMap> Translator::attention(const Translation& translation) const {
  Batch batch;
  std::vector<TokenId> ids = translation.source;
  ids.push_back(kEos);
  batch.source.add(ids);
  ids = translation.target;
  ids.push_back(kEos);
  batch.target.add(ids);
  Workspace workspace;
  std::vector<AttentionMap> maps;
  parallel_for(
      1, [&](Index /*i*/, int /*worker*/) { maps = model_.attention(model_.values(), batch, workspace).front(); });
  return maps;
}

}  // namespace DRAGOMAN_NAMESPACE
