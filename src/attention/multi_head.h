// Multi-head attention (Vaswani et al. 2017, section 3.2.2).
#pragma once

#include <span>
#include <string>

#include "attention/attention.h"
#include "core/params.h"
#include "layers/linear.h"

namespace DRAGOMAN_NAMESPACE {

struct HeadOptions {
  Index heads = 1;
  Index key_size = 0;    ///< width of queries and keys, a head
  Index value_size = 0;  ///< width of values, a head
  const Score* score = nullptr;
  Real dropout = 0;  ///< on the weights
};

/// Y = [c_1; ...; c_h] W_o + b_o,   c_i = Attention(Q_i, K_i, V_i), the i-th column blocks of
/// Q = X W_q + b_q [n, h key_size],   K = M W_k + b_k,   V = M W_v + b_v [m, h value_size]
///
/// X are the rows that ask, M the rows that answer: the same rows in self-attention, the encoder's in
/// encoder-decoder attention. Which rows of M a row of X may see is its KeyRange.
struct MultiHead {
  Linear query, key, value, output;
  HeadOptions options;
  Real scale = 1;
  std::uint64_t place = 0;  ///< of dropout; each head has its own bits

  /// Parameters NAME.query, .key, .value, .output, each with .w and .b. Query, key and value matrices start 1/sqrt(2)
  /// as large as `init` says (unless it gives the scale itself), as in PyTorch and fairseq: with larger ones the weights
  /// of deep post-norm models become uniform in the first thousand updates and stay so.
  static MultiHead create(ParamStore& store, const std::string& name, const HeadOptions& options, Index width,
                          Index memory_width, const Init& init);

  /// Projected keys and values of the rows M, or the gradient of them.
  struct KeysValues {
    Mat keys, values;
  };

  /// What backward needs: the rows X, Q, K, V, the contexts, and what the caller gave. The weights (one number for each
  /// query, key and head) are not kept: attend_backward computes them again piece by piece.
  struct Saved {
    ConstMat x;
    Mat queries;
    KeysValues kv;
    Mat contexts;
    std::span<const KeyRange> ranges;
    std::span<const std::uint64_t> noise_keys;
  };

  [[nodiscard]] KeysValues project(Values values, ConstMat memory, Workspace& workspace) const;
  /// No noise keys: no dropout. Ranges and noise keys must live as long as Saved. by_query: a step of decoding (see AttentionInput),
  /// which has no backward.
  Mat forward(Values values, ConstMat x, const KeysValues& kv, std::span<const KeyRange> ranges,
              std::span<const std::uint64_t> noise_keys, bool by_query, Workspace& workspace, Saved& saved) const;

  /// dx is overwritten with the share of the queries; dkv is added to.
  void backward(Values values, const Saved& saved, ConstMat dy, Mat dx, const KeysValues& dkv, Grads grads,
                Workspace& workspace) const;
  /// dmemory += the share of keys and values.
  void project_backward(Values values, ConstMat memory, const KeysValues& dkv, Mat dmemory, Grads grads) const;

  /// A of one head, for queries begin .. begin + a.rows - 1, which see one sentence's a.cols keys at most.
  void weights(const Saved& saved, Index head, Index begin, Mat a, Workspace& workspace) const;

 private:
  [[nodiscard]] AttentionInput head_input(Index head, ConstMat queries, const KeysValues& kv,
                                          std::span<const KeyRange> ranges,
                                          std::span<const std::uint64_t> noise_keys) const;
  [[nodiscard]] Mat key_columns(Mat m, Index head) const {
    return m.col_range(head * options.key_size, options.key_size);
  }
  [[nodiscard]] Mat value_columns(Mat m, Index head) const {
    return m.col_range(head * options.value_size, options.value_size);
  }
};

}  // namespace DRAGOMAN_NAMESPACE
