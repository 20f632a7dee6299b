#include "attention/multi_head.h"

#include <cmath>

#include "core/error.h"
#include "core/rng.h"
#include "kernels/rows.h"

namespace DRAGOMAN_NAMESPACE {

namespace {

/// Calls work with the share of each piece in `all`: all heads of a sentence while its rows are in the cache.
template <class Work>
void for_pieces(const MultiHead::Saved& all, Work work) {
  for (Index begin = 0; begin < all.queries.rows;) {
    const Index count = piece_end(all.ranges, begin) - begin;
    const auto first = static_cast<std::size_t>(begin);
    const auto length = static_cast<std::size_t>(count);
    work({all.x.row_range(begin, count), all.queries.row_range(begin, count), all.kv,
          all.contexts.row_range(begin, count), all.ranges.subspan(first, length),
          all.noise_keys.empty() ? all.noise_keys : all.noise_keys.subspan(first, length)});
    begin += count;
  }
}

}  // namespace

MultiHead MultiHead::create(ParamStore& store, const std::string& name, const HeadOptions& options, Index width,
                            Index memory_width, const Init& init) {
  CHECK(options.score->is_plain(), "MultiHead projects queries and keys itself");
  MultiHead layer;
  layer.options = options;
  layer.place = hash_name(name);
  Init smaller = init;
  smaller.gain /= std::sqrt(2.0);
  layer.query = Linear::create(store, name + ".query", width, options.heads * options.key_size, smaller);
  layer.key = Linear::create(store, name + ".key", memory_width, options.heads * options.key_size, smaller);
  layer.value = Linear::create(store, name + ".value", memory_width, options.heads * options.value_size, smaller);
  layer.output = Linear::create(store, name + ".output", options.heads * options.value_size, width, init);
  if (options.score->scaled) layer.scale = 1 / std::sqrt(static_cast<Real>(options.key_size));
  return layer;
}

AttentionInput MultiHead::head_input(Index head, ConstMat queries, const KeysValues& kv,
                                     std::span<const KeyRange> ranges,
                                     std::span<const std::uint64_t> noise_keys) const {
  const Dropout dropout{options.dropout, hash_key({place, static_cast<std::uint64_t>(head)})};
  return {options.score,
          scale,
          nullptr,
          queries.col_range(head * options.key_size, options.key_size),
          key_columns(kv.keys, head),
          value_columns(kv.values, head),
          ranges,
          dropout,
          noise_keys};
}

MultiHead::KeysValues MultiHead::project(Values values, ConstMat memory, Workspace& workspace) const {
  const KeysValues kv{workspace.mat(memory.rows, key.w.cols), workspace.mat(memory.rows, value.w.cols)};
  key.forward(values, memory, kv.keys);
  value.forward(values, memory, kv.values);
  return kv;
}

Mat MultiHead::forward(Values values, ConstMat x, const KeysValues& kv, std::span<const KeyRange> ranges,
                       std::span<const std::uint64_t> noise_keys, bool by_query, Workspace& workspace,
                       Saved& saved) const {
  saved = {x, workspace.mat(x.rows, query.w.cols), kv, workspace.mat(x.rows, output.w.rows), ranges, noise_keys};
  const Mat y = workspace.mat(x.rows, output.w.cols);
  query.forward(values, x, saved.queries);
  for_pieces(saved, [&](const Saved& piece) {
    for (Index head = 0; head < options.heads; ++head) {
      AttentionInput input = head_input(head, piece.queries, kv, piece.ranges, piece.noise_keys);
      input.by_query = by_query && options.score->is_product;
      attend(input, {}, value_columns(piece.contexts, head), workspace);
    }
  });
  output.forward(values, saved.contexts, y);
  return y;
}

void MultiHead::backward(Values values, const Saved& saved, ConstMat dy, Mat dx, const KeysValues& dkv, Grads grads,
                         Workspace& workspace) const {
  const Workspace::Scope scope(workspace);
  const Mat dcontexts = workspace.mat(dy.rows, output.w.rows);
  const Mat dqueries = workspace.mat(dy.rows, query.w.cols);
  output.backward(values, saved.contexts, dy, dcontexts, grads);
  for_pieces(saved, [&](const Saved& piece) {
    const Index begin = (piece.queries.data - saved.queries.data) / saved.queries.ld;
    const Index count = piece.queries.rows;
    for (Index head = 0; head < options.heads; ++head) {
      attend_backward(head_input(head, piece.queries, saved.kv, piece.ranges, piece.noise_keys), {},
                      value_columns(dcontexts.row_range(begin, count), head),
                      {key_columns(dqueries.row_range(begin, count), head), key_columns(dkv.keys, head),
                       value_columns(dkv.values, head)},
                      workspace);
    }
  });
  query.backward(values, saved.x, dqueries, dx, grads);
}

void MultiHead::project_backward(Values values, ConstMat memory, const KeysValues& dkv, Mat dmemory,
                                 Grads grads) const {
  key.backward(values, memory, dkv.keys, dmemory, grads, true);
  value.backward(values, memory, dkv.values, dmemory, grads, true);
}

void MultiHead::weights(const Saved& saved, Index head, Index begin, Mat a, Workspace& workspace) const {
  const Workspace::Scope scope(workspace);
  const AttentionInput input =
      head_input(head, saved.queries.row_range(begin, a.rows), saved.kv,
                 saved.ranges.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(a.rows)), {});
  attend(input, a, workspace.mat(a.rows, options.value_size), workspace);
}

}  // namespace DRAGOMAN_NAMESPACE
