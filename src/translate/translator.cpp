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
#include "translate/unknown_words.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

constexpr std::size_t kPackFrom = 16;  // sentences

std::vector<std::vector<Hypothesis>> search(const Seq2Seq& model, Values values, const Sentences& source,
                                            const DecodeOptions& options, Workspace& workspace, const TextRules& text) {
  if (options.beam_size > 1 || options.stop == "exact") {
    return beam_search(model, values, source, options, workspace, text);
  }
  std::vector<std::vector<Hypothesis>> results;
  for (Hypothesis& h : greedy_search(model, values, source, options, workspace, text)) {
    results.push_back({std::move(h)});
  }
  return results;
}

std::vector<TokenId> with_eos(std::vector<TokenId> ids) {
  ids.push_back(kEos);
  return ids;
}

}  // namespace

Translator::Translator(const Seq2Seq& model, TokenizerPair tokenizers, DecodeOptions options, std::string normalization,
                       Index n_best)
    : model_(model),
      tokenizers_(std::move(tokenizers)),
      options_(std::move(options)),
      normalization_(std::move(normalization)),
      limits_{std::min(options_.max_input, model.max_source_tokens() - 1),
              model.max_source_tokens() - 1 < options_.max_input, model.max_target_tokens() != kNoLimit, n_best} {
  for (std::size_t id = 0; id < tokenizers_.target->size(); ++id) {
    barred_.push_back(static_cast<TokenId>(id) != kEos && tokenizers_.target->is_control(static_cast<TokenId>(id)));
  }
}

std::vector<std::string> Translator::describe(const LineRemarks& remarks) const {
  return dragoman::describe(remarks, limits_);
}

Translator::Source Translator::read(const std::string& line) const {
  Source source;
  const std::string text = normalize_text(replace_invalid(line, &source.bad_utf8), normalization_);
  if (source.bad_utf8) source.encoding = guess_encoding(line);
  if (is_blank(text)) return source;
  const auto most = static_cast<std::size_t>(limits_.max_input);
  const std::string_view start = beginning(text, most);
  source.pieces = tokenizers_.source->encode(start);
  if (options_.replace_unknown) source.surfaces = tokenizers_.source->surfaces(start);
  source.cut = source.pieces.size() > most || start.size() < text.size();
  source.pieces.resize(std::min(source.pieces.size(), most));
  source.surfaces.resize(std::min(source.surfaces.size(), most));
  return source;
}

std::string Translator::text_of(const Source& source, const std::vector<TokenId>& ids, Workspace& workspace) const {
  if (!options_.replace_unknown || std::find(ids.begin(), ids.end(), kUnk) == ids.end()) {
    return tokenizers_.target->decode(ids);
  }
  return tokenizers_.target->decode(ids,
                                    attended_pieces(attention(source.pieces, ids, workspace), ids, source.surfaces));
}

std::vector<std::vector<Translation>> Translator::translate(const std::vector<std::string>& lines,
                                                            std::size_t first_line, LineRemarks* remarks,
                                                            const StopCheck& stop) const {
  std::vector<std::vector<Translation>> results(lines.size());
  std::vector<Source> sources(lines.size());
  parallel_for(static_cast<Index>(lines.size()), [&](Index i, int /*worker*/) { sources[i] = read(lines[i]); });

  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (sources[i].pieces.empty()) {
      results[i].emplace_back();
    } else {
      order.push_back(i);
    }
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sources[a].pieces.size() > sources[b].pieces.size(); });

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
    Sentences batch_sources;
    for (std::size_t i = begin; i < end; ++i) batch_sources.add(with_eos(sources[order[i]].pieces));
    Workspace& workspace = workspaces[worker];
    workspace.reset();
    const auto text = [&](Index i, const std::vector<TokenId>& ids) {
      return text_of(sources[order[begin + static_cast<std::size_t>(i)]], ids, workspace);
    };
    std::vector<std::vector<Hypothesis>> found =
        search(model_, values, batch_sources, options_, workspace, {barred_, limits_.n_best, text});
    for (std::size_t i = begin; i < end; ++i) {
      for (Hypothesis& h : found[i - begin]) {
        results[order[i]].push_back({text(static_cast<Index>(i - begin), h.ids), h.log_prob, h.score,
                                     sources[order[i]].pieces, std::move(h.ids), h.cut});
      }
    }
  });
  if (remarks != nullptr && !stopped(stop)) remark(sources, results, first_line, *remarks);
  return results;
}

void Translator::remark(const std::vector<Source>& sources, const std::vector<std::vector<Translation>>& results,
                        std::size_t first_line, LineRemarks& remarks) const {
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::size_t line = first_line + i;
    const auto unknown = std::count(sources[i].pieces.begin(), sources[i].pieces.end(), kUnk);
    remarks.unknown_pieces += static_cast<std::size_t>(unknown);
    if (sources[i].bad_utf8) remarks.bad_utf8.push_back(line);
    if (remarks.encoding == Encoding::unknown) remarks.encoding = sources[i].encoding;
    if (sources[i].cut) remarks.cut.push_back(line);
    if (unknown > 0) remarks.unknown.push_back(line);
    if (results[i].front().cut) remarks.ended.push_back(line);
    const bool blank = sources[i].pieces.empty();  // has one translation, which is blank
    if (!blank && static_cast<Index>(results[i].size()) < limits_.n_best) remarks.few.push_back(line);
  }
}

std::vector<AttentionMap> Translator::attention(const Translation& translation) const {
  Workspace workspace;
  std::vector<AttentionMap> maps;
  parallel_for(
      1, [&](Index /*i*/, int /*worker*/) { maps = attention(translation.source, translation.target, workspace); });
  return maps;
}

std::vector<AttentionMap> Translator::attention(const std::vector<TokenId>& source, const std::vector<TokenId>& target,
                                                Workspace& workspace) const {
  Batch batch;
  batch.source.add(with_eos(source));
  batch.target.add(with_eos(target));
  return model_.attention(model_.values(), batch, workspace).front();
}

}  // namespace DRAGOMAN_NAMESPACE
