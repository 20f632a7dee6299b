// What RnnDecoder's forward pass keeps for backward: all steps, time-major.
#pragma once

#include "models/rnn_decoder.h"

namespace DRAGOMAN_NAMESPACE {

struct RnnDecoder::Saved : DecoderSaved {
  TimeMajor time;
  std::span<const Index> batch_rows;          ///< time-major row -> batch row
  std::span<const Index> sentences;           ///< sentence of each row
  std::span<const TokenId> inputs;            ///< bos + pieces
  std::span<const std::uint64_t> noise_keys;  ///< of each row; empty in inference
  std::span<const KeyRange> ranges;
  Prepared prepared;
  Mat e;  ///< [rows, E] after dropout
  std::span<StateTrace> layers;
  std::span<Mat> x;    ///< inputs of layers above the first
  StateTrace between;  ///< h', c' of query between (rows behind the initial state)
  Mat query, weights, context;
  Mat readout;  ///< [B + rows, R], the first B rows are r_0 = 0

  [[nodiscard]] Mat readout_all() const { return readout.row_range(time.sentences(), time.rows()); }
  template <class M>
  [[nodiscard]] M step_of(const M& all, Index t) const {
    return all.empty() ? M{} : all.row_range(time.start[t], time.alive(t));
  }
};

}  // namespace DRAGOMAN_NAMESPACE
