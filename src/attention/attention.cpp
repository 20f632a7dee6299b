#include "attention/attention.h"

#include <algorithm>

#include "core/error.h"
#include "core/profile.h"
#include "kernels/gemm.h"
#include "kernels/rows.h"
#include "kernels/softmax.h"
#include "kernels/vector_math.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

/// Queries begin .. begin + count - 1 see keys from `key` on, at most `keys` of them.
struct Piece {
  Index begin = 0, count = 0, key = 0, keys = 0;
};

Piece piece_at(std::span<const KeyRange> ranges, Index begin) {
  Piece piece{begin, piece_end(ranges, begin) - begin, ranges[begin].begin, 0};
  for (Index i = begin; i < begin + piece.count; ++i) piece.keys = std::max(piece.keys, ranges[i].size());
  return piece;
}

/// A = softmax(f(Q, K)) of a piece; zero where a query does not see the key.
void piece_weights(const AttentionInput& input, const Piece& piece, Mat a) {
  input.score->forward(input.queries.row_range(piece.begin, piece.count), input.keys.row_range(piece.key, piece.keys),
                       input.v, input.scale, a);
  for (Index i = 0; i < piece.count; ++i) {
    const Index seen = input.ranges[piece.begin + i].size();
    softmax(a.row(i), seen);
    std::fill(a.row(i) + seen, a.row(i) + piece.keys, Real(0));
  }
}

bool drops(const AttentionInput& input) { return input.dropout.p > 0 && !input.noise_keys.empty(); }

std::span<const std::uint64_t> noise_keys(const AttentionInput& input, const Piece& piece) {
  return input.noise_keys.subspan(static_cast<std::size_t>(piece.begin), static_cast<std::size_t>(piece.count));
}

void drop(const AttentionInput& input, const Piece& piece, Mat a) {
  if (drops(input)) input.dropout.apply(a, noise_keys(input, piece));
}

void check_input(const AttentionInput& input) {
  CHECK(static_cast<Index>(input.ranges.size()) == input.queries.rows, "attend: one range a query");
  CHECK(input.noise_keys.empty() || input.noise_keys.size() == input.ranges.size(), "attend: one noise key a query");
  CHECK(input.queries.cols == input.keys.cols && input.keys.rows == input.values.rows, "attend: shapes");
}

// The same with weights that only live as long as their piece: they are computed transposed, [keys, queries], the
// columns padded to whole tiles, so that softmax and its backward run over queries in vector lanes. (14 queries and
// keys of width 32: 5.4 us a piece and head by rows, 3.9 us this way, forward and backward.)

/// A^T of a piece; zero where a query does not see the key. Columns beyond the queries hold anything finite.
Mat piece_weights_transposed(const AttentionInput& input, const Piece& piece, Workspace& workspace) {
  const Mat a = workspace.mat(piece.keys, padded_cols(piece.count));
  const Workspace::Scope scope(workspace);
  input.score->forward(input.keys.row_range(piece.key, piece.keys), input.queries.row_range(piece.begin, piece.count),
                       input.v, input.scale, a);
  const std::span<Real> seen = workspace.array<Real>(3 * a.cols);
  for (Index i = 0; i < a.cols; ++i) {
    seen[i] = static_cast<Real>(i < piece.count ? input.ranges[piece.begin + i].size() : piece.keys);
  }
  softmax_columns(a, seen.data(), seen.data() + a.cols);
  return a;
}

void drop_transposed(const AttentionInput& input, const Piece& piece, Mat a, Workspace& workspace) {
  if (drops(input)) input.dropout.apply_transposed(a, noise_keys(input, piece), workspace);
}

// One query by itself, for which a product would pack all its keys.

/// y_j = scale x . m_j
void dots(const Real* x, ConstMat m, Real scale, Real* y) {
  for (Index j = 0; j < m.rows; ++j) y[j] = scale * dot(x, m.row(j), m.cols);
}

/// `a` gets the weights.
void attend_query(const AttentionInput& input, Index i, Real* a, Real* context) {
  const KeyRange range = input.ranges[i];
  dots(input.queries.row(i), input.keys.row_range(range.begin, range.size()), input.scale, a);
  softmax(a, range.size());
  std::fill_n(context, input.values.cols, Real(0));
  for (Index j = 0; j < range.size(); ++j) {
    add_scaled(a[j], input.values.row(range.begin + j), context, input.values.cols);
  }
}

/// `a` holds the weights.
void attend_query_backward(const AttentionInput& input, Index i, const Real* a, const Real* dc,
                           const AttentionGrads& grads, Workspace& workspace) {
  const KeyRange range = input.ranges[i];
  Real* de = workspace.mat(1, range.size()).data;
  dots(dc, input.values.row_range(range.begin, range.size()), 1, de);
  softmax_backward(a, de, de, range.size());
  const Real* query = input.queries.row(i);
  Real* dquery = grads.queries.row(i);
  std::fill_n(dquery, input.queries.cols, Real(0));
  for (Index j = 0; j < range.size(); ++j) {
    const Index key = range.begin + j;
    add_scaled(a[j], dc, grads.values.row(key), input.values.cols);
    const Real scaled = input.scale * de[j];
    add_scaled(scaled, input.keys.row(key), dquery, input.keys.cols);
    add_scaled(scaled, query, grads.keys.row(key), input.keys.cols);
  }
}

void attend_piece(const AttentionInput& input, const Piece& piece, Mat context, Workspace& workspace) {
  const Mat a = piece_weights_transposed(input, piece, workspace);
  drop_transposed(input, piece, a, workspace);
  fill(context, 0);
  gemm_tn(a.col_range(0, piece.count), input.values.row_range(piece.key, piece.keys), context);
}

void attend_piece_backward(const AttentionInput& input, const Piece& piece, ConstMat dc, const AttentionGrads& grads,
                           Workspace& workspace) {
  const Mat a = piece_weights_transposed(input, piece, workspace);
  const Mat da = workspace.mat(a.rows, a.cols);
  gemm_nt(input.values.row_range(piece.key, piece.keys), dc, da);
  drop_transposed(input, piece, da, workspace);
  softmax_columns_backward(a, da, da, workspace.array<Real>(a.cols).data());
  drop_transposed(input, piece, a, workspace);
  gemm(a.col_range(0, piece.count), dc, grads.values.row_range(piece.key, piece.keys), true);
  // The score's backward overwrites the first gradient and adds to the second; here the keys come first.
  const Mat dkeys = workspace.mat(piece.keys, input.keys.cols);
  const Mat dqueries = grads.queries.row_range(piece.begin, piece.count);
  fill(dqueries, 0);
  input.score->backward(input.keys.row_range(piece.key, piece.keys), input.queries.row_range(piece.begin, piece.count),
                        input.v, input.scale, da.col_range(0, piece.count), dkeys, dqueries, grads.v, workspace);
  add(dkeys, grads.keys.row_range(piece.key, piece.keys));
}

}  // namespace

Index piece_end(std::span<const KeyRange> ranges, Index begin) {
  const auto n = static_cast<Index>(ranges.size());
  Index end = begin + 1;
  while (end < n && ranges[end].begin == ranges[begin].begin) ++end;
  return end;
}

void attend(const AttentionInput& input, Mat weights, Mat context, Workspace& workspace) {
  const Profile::Scope profile(Part::attention);
  check_input(input);
  if (input.by_query) {
    CHECK(input.score->is_product && !drops(input), "attend: by query only products, no dropout");
    for (Index i = 0; i < input.queries.rows; ++i) {
      const Workspace::Scope scope(workspace);
      Real* a = weights.empty() ? workspace.mat(1, input.ranges[i].size()).data : weights.row(i);
      attend_query(input, i, a, context.row(i));
    }
    return;
  }
  for (Index begin = 0; begin < input.queries.rows;) {
    const Workspace::Scope scope(workspace);
    const Piece piece = piece_at(input.ranges, begin);
    begin += piece.count;
    const Mat to = context.row_range(piece.begin, piece.count);
    if (weights.empty()) {
      attend_piece(input, piece, to, workspace);
      continue;
    }
    const Mat a = weights.row_range(piece.begin, piece.count).col_range(0, piece.keys);
    piece_weights(input, piece, a);
    Mat dropped = a;
    if (drops(input)) {
      dropped = workspace.mat(a.rows, a.cols);
      copy(a, dropped);
      drop(input, piece, dropped);
    }
    gemm(dropped, input.values.row_range(piece.key, piece.keys), to);
  }
}

void attend_backward(const AttentionInput& input, ConstMat weights, ConstMat dcontext, const AttentionGrads& grads,
                     Workspace& workspace) {
  const Profile::Scope profile(Part::attention);
  check_input(input);
  if (input.by_query) {
    CHECK(!weights.empty(), "attend: backward by query reads the kept weights");
    for (Index i = 0; i < input.queries.rows; ++i) {
      const Workspace::Scope scope(workspace);
      attend_query_backward(input, i, weights.row(i), dcontext.row(i), grads, workspace);
    }
    return;
  }
  for (Index begin = 0; begin < input.queries.rows;) {
    const Workspace::Scope scope(workspace);
    const Piece piece = piece_at(input.ranges, begin);
    begin += piece.count;
    const ConstMat values = input.values.row_range(piece.key, piece.keys);
    const ConstMat dc = dcontext.row_range(piece.begin, piece.count);
    if (weights.empty()) {
      attend_piece_backward(input, piece, dc, grads, workspace);
      continue;
    }
    const Mat a = workspace.mat(piece.count, piece.keys);
    copy(weights.row_range(piece.begin, piece.count).col_range(0, piece.keys), a);
    const Mat da = workspace.mat(piece.count, piece.keys);
    gemm_nt(dc, values, da);
    drop(input, piece, da);
    for (Index i = 0; i < piece.count; ++i) softmax_backward(a.row(i), da.row(i), da.row(i), piece.keys);
    drop(input, piece, a);
    gemm_tn(a, dc, grads.values.row_range(piece.key, piece.keys));
    input.score->backward(input.queries.row_range(piece.begin, piece.count),
                          input.keys.row_range(piece.key, piece.keys), input.v, input.scale, da,
                          grads.queries.row_range(piece.begin, piece.count),
                          grads.keys.row_range(piece.key, piece.keys), grads.v, workspace);
  }
}

}  // namespace DRAGOMAN_NAMESPACE
