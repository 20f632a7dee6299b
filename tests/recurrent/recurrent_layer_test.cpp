// Every cell of the table through RecurrentLayer: gradients through time with ragged lengths, and layout promises.
#include "recurrent/recurrent_layer.h"

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

/// A layer, its inputs, and random weights that make a loss out of the outputs and the final states.
struct Case {
  ParamStore store;
  RecurrentLayer layer;
  bool initial;
  Numbers x, h0, c0, dy, dh, dc;
  Workspace kept, workspace;
  TimeMajor time;

  Case(const Cell& cell, Index input_size, bool with_initial)
      : initial(with_initial),
        x(kRows, input_size, 1),
        h0(kSentences, kHidden, 2),
        c0(kSentences, cell.has_memory ? kHidden : 0, 3),
        dy(kRows, kHidden, 4),
        dh(kSentences, kHidden, 5),
        dc(kSentences, cell.has_memory ? kHidden : 0, 6),
        time(TimeMajor::create(kOffset, kept)) {
    RecurrentInit init;
    init.weights = init.recurrent = "normal";
    init.scale = 0.6;
    layer = RecurrentLayer::create(store, "layer", cell, input_size, kHidden, init);
    initialize_with_biases(store, 7);
  }

  StateTrace forward() {
    workspace.reset();
    return layer.forward(store.values(), time, x, initial ? h0.view() : ConstMat(), initial ? c0.view() : ConstMat(),
                         workspace);
  }

  /// The last state of the sentence at place i of the order.
  ConstMat final_of(Mat states, Index i) const {
    const Index length = kOffset[time.order[i] + 1] - kOffset[time.order[i]];
    return StateTrace::at(states, time, length - 1).row_range(i, 1);
  }

  double loss() {
    const StateTrace trace = forward();
    double sum = inner_product(trace.outputs(), dy);
    for (Index i = 0; i < kSentences; ++i) {
      sum += inner_product(final_of(trace.h, i), dh.view().row_range(i, 1));
      sum += inner_product(final_of(trace.c, i), dc.view().row_range(i, 1));
    }
    return sum;
  }
};

#ifdef DRAGOMAN_DOUBLE

void check_case(const Cell& cell, Index input_size, bool initial) {
  SCOPED_TRACE(std::string(cell.name) + (initial ? " from a state" : " from zero") + ", input " +
               std::to_string(input_size));
  Case c(cell, input_size, initial);
  const StateTrace trace = c.forward();
  NoisyGradient gradient(c.store.size());
  Numbers dx(kRows, input_size, 8);  // noise, overwritten
  Numbers dh = c.dh;                 // in: of the final states; out: of the initial ones
  Numbers dc = c.dc;
  c.layer.backward(c.store.values(), trace, c.x, c.dy, dh.mat(), dc.mat(), dx.mat(), gradient.grads(), c.workspace);
  const std::vector<Real> added = gradient.added();

  NoisyGradient again(c.store.size());
  Numbers dh_again = c.dh;
  Numbers dc_again = c.dc;
  c.layer.backward(c.store.values(), trace, c.x, c.dy, dh_again.mat(), dc_again.mat(), {}, again.grads(), c.workspace);
  for (std::size_t i = 0; i < added.size(); ++i) ASSERT_NEAR(again.added()[i], added[i], 1e-12) << "dx not wanted";

  const auto loss = [&] { return c.loss(); };  // overwrites the trace
  for (const Param& p : c.store.params()) {
    check_gradient(p.name, c.store.data() + p.ref.offset, added.data() + p.ref.offset, p.ref.rows * p.ref.cols, loss);
  }
  check_gradient("x", c.x.data.data(), dx.data.data(), kRows * input_size, loss);
  if (initial) {
    check_gradient("h0", c.h0.data.data(), dh.data.data(), kSentences * kHidden, loss);
    check_gradient("c0", c.c0.data.data(), dc.data.data(), kSentences * c.c0.cols, loss);
  }
}

TEST(RecurrentLayer, GradientsMatchDifferencesForEveryCell) {
  for (const Cell* cell : cells()) {
    for (const bool initial : {false, true}) {
      check_case(*cell, kInput, initial);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(RecurrentLayer, GradientsMatchDifferencesWithoutInput) {
  for (const Cell* cell : cells()) check_case(*cell, 0, true);
}

#endif

TEST(RecurrentLayer, AStateDependsOnItsSentenceAlone) {
  for (const Cell* cell : cells()) {
    SCOPED_TRACE(cell->name);
    Case c(*cell, kInput, true);
    const StateTrace trace = c.forward();
    for (Index i = 0; i < kSentences; ++i) {
      const Index length = kOffset[c.time.order[i] + 1] - kOffset[c.time.order[i]];
      Workspace workspace;
      const std::vector<Index> alone_offset = {0, length};
      const TimeMajor alone = TimeMajor::create(alone_offset, workspace);
      Numbers x(length, kInput, 9);
      for (Index t = 0; t < length; ++t) std::copy_n(c.x.view().row(c.time.start[t] + i), kInput, x.mat().row(t));
      const StateTrace single = c.layer.forward(c.store.values(), alone, x, c.h0.view().row_range(i, 1),
                                                c.c0.view().row_range(i, 1), workspace);
      for (Index t = 0; t < length; ++t) {
        EXPECT_TRUE(same_bits(single.outputs().row_range(t, 1), trace.outputs().row_range(c.time.start[t] + i, 1)))
            << "sentence " << i << " step " << t;
      }
    }
  }
}

TEST(RecurrentLayer, InferenceWithoutSavedNumbersGivesTheSameBits) {
  for (const Cell* cell : cells()) {
    SCOPED_TRACE(cell->name);
    Case c(*cell, kInput, true);
    const Numbers gx(kSentences, c.layer.gates_size(), 10);
    const Index memory = cell->has_memory ? kHidden : 0;
    Numbers h(kSentences, kHidden, 11), h_saving(kSentences, kHidden, 12);
    Numbers m(kSentences, memory, 13), m_saving(kSentences, memory, 14);
    Numbers saved(kSentences, cell->saved * kHidden, 15);
    c.layer.step(c.store.values(), gx, c.h0, c.c0, h.mat(), m.mat(), {}, c.workspace);
    c.layer.step(c.store.values(), gx, c.h0, c.c0, h_saving.mat(), m_saving.mat(), saved.mat(), c.workspace);
    EXPECT_TRUE(same_bits(h, h_saving));
    EXPECT_TRUE(same_bits(m, m_saving));
  }
}

TEST(Cells, AreFoundByName) {
  for (const Cell* cell : cells()) EXPECT_EQ(&cells().at(cell->name), cell);
  EXPECT_THROW(static_cast<void>(cells().at("unknown")), std::logic_error);
}

TEST(TimeMajor, SortsByFallingLengthAndKeepsTheStepsTogether) {
  Workspace workspace;
  const std::vector<Index> offset = {0, 2, 6, 8, 9};  // lengths 2, 4, 2, 1
  const TimeMajor time = TimeMajor::create(offset, workspace);
  EXPECT_EQ(std::vector<Index>(time.order.begin(), time.order.end()), (std::vector<Index>{1, 0, 2, 3}));
  EXPECT_EQ(std::vector<Index>(time.start.begin(), time.start.end()), (std::vector<Index>{0, 4, 7, 8, 9}));
  const auto rows = [&](bool reversed) {
    const std::span<const Index> span = time.batch_rows(reversed, workspace);
    return std::vector<Index>(span.begin(), span.end());
  };
  EXPECT_EQ(rows(false), (std::vector<Index>{2, 0, 6, 8, 3, 1, 7, 4, 5}));
  EXPECT_EQ(rows(true), (std::vector<Index>{5, 1, 7, 8, 4, 0, 6, 3, 2}));
  EXPECT_THROW(TimeMajor::create(std::vector<Index>{0, 2, 2}, workspace), std::logic_error);
}

}  // namespace
}  // namespace DRAGOMAN_NAMESPACE
