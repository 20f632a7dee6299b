#include "layers/output.h"

#include <algorithm>

#include "core/error.h"
#include "kernels/cross_entropy.h"
#include "kernels/gemm.h"
#include "kernels/rows.h"

namespace DRAGOMAN_NAMESPACE {
namespace {
constexpr Index kChunk = 128;  // rows of logits at a time: 4 MB at a vocabulary of 8,000

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
  CHECK(r.rows == y.rows && y.cols == b.cols && r.cols == (tied ? w.cols : w.rows), "OutputLayer: shapes");
  fill_rows(b.in(values), y);
  if (tied) {
    gemm_nt(r, w.in(values), y, true);
  } else {
    gemm(r, w.in(values), y, true);
  }
}

LossSums OutputLayer::loss_backward(Values values, ConstMat r, std::span<const TokenId> labels, double smoothing,
                                    Mat dr, Grads grads, Workspace& workspace) const {
  LossSums sums;
  const Workspace::Scope scope(workspace);
  const Mat buffer = workspace.mat(std::min(kChunk, r.rows), vocabulary());
  for (Index begin = 0; begin < r.rows; begin += kChunk) {
    const Index rows = std::min(kChunk, r.rows - begin);
    const Mat y = buffer.row_range(0, rows);
    const ConstMat chunk = r.row_range(begin, rows);
    logits(values, chunk, y);
    for (Index i = 0; i < rows; ++i) {
      add_label(cross_entropy(y.row(i), y.cols, labels[begin + i], smoothing, true), sums);
    }
    // y now holds d loss / d logits.
    if (tied) {
      gemm(y, w.in(values), dr.row_range(begin, rows));
      gemm_tn(y, chunk, w.in(grads));
    } else {
      gemm_nt(y, w.in(values), dr.row_range(begin, rows));
      gemm_tn(chunk, y, w.in(grads));
    }
    add_column_sums(y, b.in(grads));
  }
  return sums;
}

LossSums OutputLayer::loss(Values values, ConstMat r, std::span<const TokenId> labels, double smoothing,
                           std::span<double> log_probs, Workspace& workspace) const {
  LossSums sums;
  const Workspace::Scope scope(workspace);
  const Mat buffer = workspace.mat(std::min(kChunk, r.rows), vocabulary());
  for (Index begin = 0; begin < r.rows; begin += kChunk) {
    const Index rows = std::min(kChunk, r.rows - begin);
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
