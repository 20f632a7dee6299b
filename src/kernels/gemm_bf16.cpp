#include "kernels/gemm_bf16.h"

#include <algorithm>
#include <cstring>

#include "kernels/bf16_tile.h"
#include "kernels/gemm_blocks.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

Index pairs_in(Index numbers) { return (numbers + 1) / 2; }

/// A row of numbers as pairs of neighbors; an odd last one with zero.
void round_row(const Real* from, Index numbers, Pair* to) {
  using Halves = std::uint16_t __attribute__((vector_size(kLanes * 2)));
  Index i = 0;
  for (; i + kLanes <= numbers; i += kLanes, to += kLanes / 2) {
    const auto rounded = __builtin_convertvector(round_bits(from + i) >> 16, Halves);
    std::memcpy(to, &rounded, sizeof rounded);
  }
  for (; i < numbers; i += 2) *to++ = pair_of(from[i], i + 1 < numbers ? from[i + 1] : 0);
}

/// Pairs of one pair of rows; `odd` null: zeros.
void round_two_rows(const Real* even, const Real* odd, Index numbers, Pair* to) {
  Index j = 0;
  if (odd != nullptr) {
    for (; j + kLanes <= numbers; j += kLanes) {
      const PairVector pairs = pair_rows(even + j, odd + j);
      std::memcpy(to + j, &pairs, sizeof pairs);
    }
  }
  for (; j < numbers; ++j) to[j] = pair_of(even[j], odd == nullptr ? 0 : odd[j]);
}

const Real* odd_row(ConstMat m, Index pair) { return 2 * pair + 1 < m.rows ? m.row(2 * pair + 1) : nullptr; }

void product(ConstMat a, const PackedPairs& b, Start start, Mat c) {
  const Index pairs = pairs_in(a.cols);
  Pair* buffer = product_buffer<Pair>(kRowBlock * kDepth);
  for (Index i = 0; i < a.rows; i += kRowBlock) {
    const Index rows = std::min(kRowBlock, a.rows - i);
    const Mat to = c.row_range(i, rows);
    for (Index begin = 0; begin < pairs || begin == 0; begin += kDepth) {
      const Index depth = std::min(kDepth, pairs - begin);
      const Index numbers = std::min(2 * depth, a.cols - 2 * begin);
      for (Index r = 0; r < rows; ++r) round_row(a.row(i + r) + 2 * begin, numbers, buffer + r * depth);
      block_product(Left<Pair>{buffer, rows, depth}, b, begin, depth,
                    begin == 0 ? start.at(i, 0) : Start{to.data, to.ld}, to);
    }
  }
}

/// Columns of a as slivers of pairs.
void pack_slivers(ConstMat a, Pair* to) {
  Pair row[kRowBlock];
  const Index pairs = pairs_in(a.rows);
  for (Index p = 0; p < pairs; ++p) {
    round_two_rows(a.row(2 * p), odd_row(a, p), a.cols, row);
    for (Index i = 0; i < a.cols; i += kTileRows) {
      std::copy_n(row + i, std::min<Index>(kTileRows, a.cols - i), to + i * pairs + p * kTileRows);
    }
  }
}

}  // namespace

bool has_bf16_products() {
#ifdef DRAGOMAN_BF16_PRODUCTS
  return true;
#else
  return false;
#endif
}

Index packed_pairs_size(Index k, Index n) { return pairs_in(k) * padded_cols(n); }

PackedPairs pack_pairs(ConstMat b, Pair* to) {
  const Index pairs = pairs_in(b.rows);
  Pair* panel = to;
  for (Index j = 0; j < b.cols; j += kTileCols, panel += pairs * kTileCols) {
    const Index width = std::min<Index>(kTileCols, b.cols - j);
    for (Index p = 0; p < pairs; ++p) {
      Pair* row = panel + p * kTileCols;
      const Real* odd = odd_row(b, p);
      round_two_rows(b.row(2 * p) + j, odd == nullptr ? nullptr : odd + j, width, row);
      std::fill(row + width, row + kTileCols, Pair(0));
    }
  }
  return {to, pairs, b.cols, pairs * kTileCols};
}

PackedPairs pack_pairs_transposed(ConstMat b, Pair* to) {
  constexpr Index kBlock = 16;  // pairs of a row of b at a time
  const Index pairs = pairs_in(b.cols);
  Pair row[kBlock];
  Pair* panel = to;
  for (Index j = 0; j < b.rows; j += kTileCols, panel += pairs * kTileCols) {
    const Index width = std::min<Index>(kTileCols, b.rows - j);
    if (width < kTileCols) std::fill_n(panel, pairs * kTileCols, Pair(0));
    for (Index p0 = 0; p0 < pairs; p0 += kBlock) {
      const Index count = std::min(kBlock, pairs - p0);
      for (Index q = 0; q < width; ++q) {
        round_row(b.row(j + q) + 2 * p0, std::min(2 * count, b.cols - 2 * p0), row);
        for (Index p = 0; p < count; ++p) panel[(p0 + p) * kTileCols + q] = row[p];
      }
    }
  }
  return {to, pairs, b.rows, pairs * kTileCols};
}

void gemm_bf16(ConstMat a, const PackedPairs& b, Mat c, bool accumulate) { product(a, b, start_of(c, accumulate), c); }

void gemm_bias_bf16(ConstMat a, const PackedPairs& b, ConstMat bias, Mat c) { product(a, b, {bias.data, 0}, c); }

void gemm_tn_bf16(ConstMat a, ConstMat b, Mat c) {
  for (Index begin = 0; begin < a.rows; begin += kSums) {
    const Index count = std::min(kSums, a.rows - begin);
    const Index depth = pairs_in(count);
    Pair* slivers = product_buffer<Pair>(kRowBlock * depth + packed_pairs_size(count, b.cols));
    const PackedPairs packed = pack_pairs(b.row_range(begin, count), slivers + kRowBlock * depth);
    for (Index i = 0; i < a.cols; i += kRowBlock) {
      const Index rows = std::min(kRowBlock, a.cols - i);
      pack_slivers(a.row_range(begin, count).col_range(i, rows), slivers);
      const Mat to = c.row_range(i, rows);
      block_product(Left<Pair>{slivers, rows, kTileRows, Left<Pair>::Kind::slivers, depth}, packed, 0, depth,
                    {to.data, to.ld}, to);
    }
  }
}

}  // namespace DRAGOMAN_NAMESPACE
