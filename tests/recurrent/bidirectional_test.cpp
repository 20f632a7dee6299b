// Bidirectional layers: gradients in batch order, and what each direction reads.
#include "recurrent/bidirectional.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/gradient_check.h"
#include "support/numbers.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

constexpr Index kInput = 3, kHidden = 4, kSentences = 3, kRows = 11;
const std::vector<Index> kOffset = {0, 5, 7, 11};  // lengths 5, 2, 4

struct Case {
  ParamStore store;
  Bidirectional layer;
  Numbers x, y, final_h, final_c, dy, dfinal_h, dfinal_c;
  Workspace workspace;

  Case(const Cell& cell, bool both)
      : x(kRows, kInput, 1),
        y(kRows, kHidden * (both ? 2 : 1), 2),
        final_h(kSentences, y.cols, 3),
        final_c(kSentences, cell.has_memory ? y.cols : 0, 4),
        dy(kRows, y.cols, 5),
        dfinal_h(kSentences, y.cols, 6),
        dfinal_c(kSentences, final_c.cols, 7) {
    RecurrentInit init;
    init.weights = init.recurrent = "normal";
    init.scale = 0.6;
    layer = Bidirectional::create(store, "layer", cell, kInput, kHidden, both, init);
    initialize_with_biases(store, 8);
  }

  void forward(Bidirectional::Saved* saved) {
    workspace.reset();
    layer.forward(store.values(), kOffset, x, y.mat(), final_h.mat(), final_c.mat(), workspace, saved);
  }
};

#ifdef DRAGOMAN_DOUBLE

void check_case(const Cell& cell, bool both, bool with_final) {
  SCOPED_TRACE(std::string(cell.name) + (both ? ", two directions" : ", one direction") +
               (with_final ? ", final states" : ""));
  Case c(cell, both);
  Bidirectional::Saved saved;
  c.forward(&saved);
  NoisyGradient gradient(c.store.size());
  Numbers dx(kRows, kInput, 9);  // noise, overwritten
  const ConstMat dfinal_h = with_final ? c.dfinal_h.view() : ConstMat();
  const ConstMat dfinal_c = with_final ? c.dfinal_c.view() : ConstMat();
  c.layer.backward(c.store.values(), saved, c.dy, dfinal_h, dfinal_c, dx.mat(), gradient.grads(), c.workspace);
  const std::vector<Real> added = gradient.added();

  NoisyGradient again(c.store.size());
  c.layer.backward(c.store.values(), saved, c.dy, dfinal_h, dfinal_c, {}, again.grads(), c.workspace);
  for (std::size_t i = 0; i < added.size(); ++i) ASSERT_NEAR(again.added()[i], added[i], 1e-12) << "dx not wanted";

  const auto loss = [&] {
    c.forward(nullptr);
    double sum = inner_product(c.y, c.dy);
    if (with_final) sum += inner_product(c.final_h, c.dfinal_h) + inner_product(c.final_c, c.dfinal_c);
    return sum;
  };
  for (const Param& p : c.store.params()) {
    check_gradient(p.name, c.store.data() + p.ref.offset, added.data() + p.ref.offset, p.ref.rows * p.ref.cols, loss);
  }
  check_gradient("x", c.x.data.data(), dx.data.data(), kRows * kInput, loss);
}

TEST(Bidirectional, GradientsMatchDifferencesForEveryCell) {
  for (const Cell* cell : cells()) {
    for (const bool both : {false, true}) {
      for (const bool with_final : {false, true}) {
        check_case(*cell, both, with_final);
        if (HasFatalFailure()) return;
      }
    }
  }
}

#endif

TEST(Bidirectional, FinalStatesAreThoseAfterTheWholeSentence) {
  for (const Cell* cell : cells()) {
    Case c(*cell, true);
    c.forward(nullptr);
    for (Index i = 0; i < kSentences; ++i) {
      const ConstMat last = c.y.view().row_range(kOffset[i + 1] - 1, 1);
      const ConstMat first = c.y.view().row_range(kOffset[i], 1);
      const ConstMat final_h = c.final_h.view().row_range(i, 1);
      EXPECT_TRUE(same_bits(final_h.col_range(0, kHidden), last.col_range(0, kHidden))) << cell->name << " " << i;
      EXPECT_TRUE(same_bits(final_h.col_range(kHidden, kHidden), first.col_range(kHidden, kHidden)))
          << cell->name << " " << i;
    }
  }
}

TEST(Bidirectional, TheBackwardDirectionReadsEachSentenceReversed) {
  for (const Cell* cell : cells()) {
    Case c(*cell, true);
    // Both directions get the same numbers, and the sentences are palindromes: so must the outputs be.
    const auto parameters = [&](Index d) { return c.layer.direction[d]; };
    const auto copy_parameter = [&](ParamRef from, ParamRef to) {
      std::copy_n(c.store.data() + from.offset, from.rows * from.cols, c.store.data() + to.offset);
    };
    copy_parameter(parameters(0).input.w, parameters(1).input.w);
    copy_parameter(parameters(0).input.b, parameters(1).input.b);
    copy_parameter(parameters(0).w_h, parameters(1).w_h);
    copy_parameter(parameters(0).c_n, parameters(1).c_n);
    for (Index i = 0; i < kSentences; ++i) {
      for (Index a = kOffset[i], b = kOffset[i + 1] - 1; a < b; ++a, --b) {
        std::copy_n(c.x.mat().row(a), kInput, c.x.mat().row(b));
      }
    }
    c.forward(nullptr);
    for (Index i = 0; i < kSentences; ++i) {
      for (Index a = kOffset[i]; a < kOffset[i + 1]; ++a) {
        const Index mirrored = kOffset[i] + kOffset[i + 1] - 1 - a;
        EXPECT_TRUE(same_bits(c.y.view().row_range(a, 1).col_range(0, kHidden),
                              c.y.view().row_range(mirrored, 1).col_range(kHidden, kHidden)))
            << cell->name << " row " << a;
      }
    }
  }
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
