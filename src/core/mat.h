// Row-major matrix views: they own nothing and are passed by value.
#pragma once

#include <cassert>

#include "core/real.h"

namespace DRAGOMAN_NAMESPACE {

/// A view of rows x cols numbers; row i starts at data + i * ld.
struct Mat {
  Real* data = nullptr;
  Index rows = 0, cols = 0, ld = 0;

  [[nodiscard]] bool empty() const { return rows == 0 || cols == 0; }
  [[nodiscard]] Real* row(Index i) const { return data + i * ld; }
  Real& operator()(Index i, Index j) const { return data[i * ld + j]; }
  [[nodiscard]] Mat row_range(Index begin, Index count) const {
    assert(begin >= 0 && count >= 0 && begin + count <= rows);
    return {data + begin * ld, count, cols, ld};
  }
  [[nodiscard]] Mat col_range(Index begin, Index count) const {
    assert(begin >= 0 && count >= 0 && begin + count <= cols);
    return {data + begin, rows, count, ld};
  }
};

/// The same, read only. A Mat converts to it.
struct ConstMat {
  const Real* data = nullptr;
  Index rows = 0, cols = 0, ld = 0;

  ConstMat() = default;
  ConstMat(const Real* d, Index r, Index c, Index l) : data(d), rows(r), cols(c), ld(l) {}
  ConstMat(Mat m) : data(m.data), rows(m.rows), cols(m.cols), ld(m.ld) {}  // NOLINT: a view of a view

  [[nodiscard]] bool empty() const { return rows == 0 || cols == 0; }
  [[nodiscard]] const Real* row(Index i) const { return data + i * ld; }
  const Real& operator()(Index i, Index j) const { return data[i * ld + j]; }
  [[nodiscard]] ConstMat row_range(Index begin, Index count) const {
    assert(begin >= 0 && count >= 0 && begin + count <= rows);
    return {data + begin * ld, count, cols, ld};
  }
  [[nodiscard]] ConstMat col_range(Index begin, Index count) const {
    assert(begin >= 0 && count >= 0 && begin + count <= cols);
    return {data + begin, rows, count, ld};
  }
};

}  // namespace DRAGOMAN_NAMESPACE
