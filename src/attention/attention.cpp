#include "attention/attention.h"

#include <algorithm>

#include "core/error.h"
#include "core/profile.h"
#include "kernels/gemm.h"
#include "kernels/rows.h"
#include "kernels/softmax.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

/// Queries begin .. begin + count - 1 see keys from `key` on, at most `keys` of them.
struct Piece {
  Index begin = 0, count = 0, key = 0, keys = 0;
};

Piece piece_at(std::span<const KeyRange> ranges, Index begin) {
  Piece piece{begin, 0, ranges[begin].begin, 0};
  const auto n = static_cast<Index>(ranges.size());
  for (Index i = begin; i < n && ranges[i].begin == piece.key; ++i) {
    ++piece.count;
    piece.keys = std::max(piece.keys, ranges[i].size());
  }
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

void drop(const AttentionInput& input, const Piece& piece, Mat a) {
  if (!input.noise_keys.empty()) {
    input.dropout.apply(
        a, input.noise_keys.subspan(static_cast<std::size_t>(piece.begin), static_cast<std::size_t>(piece.count)));
  }
}

bool drops(const AttentionInput& input) { return input.dropout.p > 0 && !input.noise_keys.empty(); }

void check_input(const AttentionInput& input) {
  CHECK(static_cast<Index>(input.ranges.size()) == input.queries.rows, "attend: one range a query");
  CHECK(input.noise_keys.empty() || input.noise_keys.size() == input.ranges.size(), "attend: one noise key a query");
  CHECK(input.queries.cols == input.keys.cols && input.keys.rows == input.values.rows, "attend: shapes");
}

}  // namespace

void attend(const AttentionInput& input, Mat weights, Mat context, Workspace& workspace) {
  const Profile::Scope profile(Part::attention);
  check_input(input);
  for (Index begin = 0; begin < input.queries.rows;) {
    const Workspace::Scope scope(workspace);
    const Piece piece = piece_at(input.ranges, begin);
    const bool keep = !weights.empty();
    const Mat a = keep ? weights.row_range(piece.begin, piece.count).col_range(0, piece.keys)
                       : workspace.mat(piece.count, piece.keys);
    piece_weights(input, piece, a);
    Mat dropped = a;
    if (keep && drops(input)) {
      dropped = workspace.mat(a.rows, a.cols);
      copy(a, dropped);
    }
    drop(input, piece, dropped);
    gemm(dropped, input.values.row_range(piece.key, piece.keys), context.row_range(piece.begin, piece.count));
    begin += piece.count;
  }
}

void attend_backward(const AttentionInput& input, ConstMat weights, ConstMat dcontext, const AttentionGrads& grads,
                     Workspace& workspace) {
  const Profile::Scope profile(Part::attention);
  check_input(input);
  for (Index begin = 0; begin < input.queries.rows;) {
    const Workspace::Scope scope(workspace);
    const Piece piece = piece_at(input.ranges, begin);
    const ConstMat values = input.values.row_range(piece.key, piece.keys);
    const ConstMat dc = dcontext.row_range(piece.begin, piece.count);
    const Mat a = workspace.mat(piece.count, piece.keys);
    if (weights.empty()) {
      piece_weights(input, piece, a);
    } else {
      copy(weights.row_range(piece.begin, piece.count).col_range(0, piece.keys), a);
    }
    const Mat da = workspace.mat(piece.count, piece.keys);
    gemm_nt(dc, values, da);
    drop(input, piece, da);
    for (Index i = 0; i < piece.count; ++i) softmax_backward(a.row(i), da.row(i), da.row(i), piece.keys);
    drop(input, piece, a);
    const Mat a_transposed = transposed(a, workspace);
    gemm(a_transposed, dc, grads.values.row_range(piece.key, piece.keys), true);
    input.score->backward(input.queries.row_range(piece.begin, piece.count),
                          input.keys.row_range(piece.key, piece.keys), input.v, input.scale, da,
                          grads.queries.row_range(piece.begin, piece.count),
                          grads.keys.row_range(piece.key, piece.keys), grads.v, workspace);
    begin += piece.count;
  }
}

}  // namespace DRAGOMAN_NAMESPACE
