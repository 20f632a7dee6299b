#include "layers/output.h"

#include <algorithm>

#include "core/error.h"
#include "core/profile.h"
#include "kernels/cross_entropy.h"
#include "kernels/vector_math.h"
#include "layers/product.h"

namespace DRAGOMAN_NAMESPACE {
namespace {
constexpr Index kChunk = 300;  // most rows of logits at a time: 10 MB at a vocabulary of 8,000

/// Rows a chunk, all chunks alike: every chunk passes over all weights and their gradient once.
Index chunk_rows(Index rows) {
  const Index chunks = std::max<Index>(1, (rows + kChunk - 1) / kChunk);
  return (rows + chunks - 1) / chunks;
}

void add_label(const LabelLoss& label, LossSums& sums) {
  sums.loss += label.loss;
  sums.negative_log_prob -= label.log_prob;
  sums.labels += 1;
  sums.correct += label.correct ? 1 : 0;
}
}  // namespace

void LossSums::add(const LossSums& other) {
  loss += other.loss;
  negative_log_prob += other.negative_log_prob;
  labels += other.labels;
  correct += other.correct;
}

void OutputLayer::logits(Values values, ConstMat r, Mat y) const {
  const Profile::Scope profile(Part::output);
  CHECK(r.rows == y.rows && y.cols == b.cols && r.cols == (tied ? w.cols : w.rows), "OutputLayer: shapes");
  if (tied) {
    multiply_transposed(values, r, w, b, y);
  } else {
    multiply(values, r, w, b, y);
  }
}

LossSums OutputLayer::loss_backward(Values values, ConstMat r, std::span<const TokenId> labels, double smoothing,
                                    Mat dr, Grads grads, Workspace& workspace) const {
  const Profile::Scope profile(Part::output);
  LossSums sums;
  const Workspace::Scope scope(workspace);
  const Index chunk_size = chunk_rows(r.rows);
  const Mat buffer = workspace.mat(chunk_size, vocabulary());
  for (Index begin = 0; begin < r.rows; begin += chunk_size) {
    const Index rows = std::min(chunk_size, r.rows - begin);
    const Mat y = buffer.row_range(0, rows);
    const ConstMat chunk = r.row_range(begin, rows);
    logits(values, chunk, y);
    for (Index i = 0; i < rows; ++i) {
      add_label(cross_entropy(y.row(i), y.cols, labels[begin + i], smoothing, true), sums);
      add_scaled(1, y.row(i), b.in(grads).data, y.cols);
    }
    // y now holds d loss / d logits.
    if (tied) {
      multiply(values, y, w, dr.row_range(begin, rows));
      add_weight_gradient(y, chunk, w, grads);
    } else {
      multiply_transposed(values, y, w, dr.row_range(begin, rows));
      add_weight_gradient(chunk, y, w, grads);
    }
  }
  return sums;
}

LossSums OutputLayer::loss(Values values, ConstMat r, std::span<const TokenId> labels, double smoothing,
                           std::span<double> log_probs, Workspace& workspace) const {
  const Profile::Scope profile(Part::output);
  LossSums sums;
  const Workspace::Scope scope(workspace);
  const Index chunk_size = chunk_rows(r.rows);
  const Mat buffer = workspace.mat(chunk_size, vocabulary());
  for (Index begin = 0; begin < r.rows; begin += chunk_size) {
    const Index rows = std::min(chunk_size, r.rows - begin);
    const Mat y = buffer.row_range(0, rows);
    logits(values, r.row_range(begin, rows), y);
    for (Index i = 0; i < rows; ++i) {
      const LabelLoss label = cross_entropy(y.row(i), y.cols, labels[begin + i], smoothing, false);
      add_label(label, sums);
      if (!log_probs.empty()) log_probs[begin + i] = label.log_prob;
    }
  }
  return sums;
}

}  // namespace DRAGOMAN_NAMESPACE
