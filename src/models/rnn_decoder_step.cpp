// RnnDecoder one step at a time: decoding.
#include "core/error.h"
#include "kernels/rows.h"
#include "models/rnn_decoder.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

bool is_identity(std::span<const Index> rows, std::size_t before) {
  if (rows.size() != before) return false;
  for (std::size_t i = 0; i < before; ++i) {
    if (rows[i] != static_cast<Index>(i)) return false;
  }
  return true;
}

}  // namespace

/// Rows of numbers that the state owns.
struct RnnDecoder::State : DecoderState {
  struct Rows {
    std::vector<Real> numbers;
    Index cols = 0;

    void resize(Index rows, Index width) {
      cols = width;
      numbers.assign(static_cast<std::size_t>(rows * width), 0);
    }
    [[nodiscard]] Mat mat() {
      return {numbers.data(), cols == 0 ? 0 : static_cast<Index>(numbers.size()) / cols, cols, cols};
    }
    void select(std::span<const Index> rows) {
      std::vector<Real> kept;
      kept.reserve(rows.size() * static_cast<std::size_t>(cols));
      for (const Index row : rows) {
        kept.insert(kept.end(), numbers.begin() + row * cols, numbers.begin() + (row + 1) * cols);
      }
      numbers = std::move(kept);
    }
  };

  const Memory* memory = nullptr;
  Prepared prepared;
  std::vector<Index> sentences;
  std::vector<Rows> h, c;
  Rows readout;  ///< input feeding

  void select(std::span<const Index> rows) override {
    if (is_identity(rows, sentences.size())) return;
    std::vector<Index> kept;
    for (const Index row : rows) kept.push_back(sentences[row]);
    sentences = std::move(kept);
    for (Rows& layer : h) layer.select(rows);
    for (Rows& layer : c) layer.select(rows);
    readout.select(rows);
  }
};

std::unique_ptr<DecoderState> RnnDecoder::start(Values values, const Memory& memory, Workspace& workspace) const {
  auto state = std::make_unique<State>();
  state->memory = &memory;
  state->prepared = prepare(values, memory, workspace);
  const Index n = memory.sentences();
  for (Index i = 0; i < n; ++i) state->sentences.push_back(i);
  state->h.resize(layers_.size());
  state->c.resize(layers_.size());
  for (Index l = 0; l <= top(); ++l) {
    state->h[l].resize(n, layers_[l].hidden_size);
    state->c[l].resize(n, layers_[l].cell->has_memory ? layers_[l].hidden_size : 0);
    initial_state(values, memory, l, state->sentences, state->h[l].mat(), state->c[l].mat(), workspace);
  }
  state->readout.resize(n, input_feeding_ ? readout_size_ : 0);
  return state;
}

Mat RnnDecoder::step(Values values, DecoderState& base, std::span<const TokenId> tokens, Workspace& workspace) const {
  auto& state = static_cast<State&>(base);
  const auto n = static_cast<Index>(state.sentences.size());
  CHECK(static_cast<Index>(tokens.size()) == n, "RnnDecoder: one token a row");
  const Mat readout = workspace.mat(n, readout_size_);
  const Workspace::Scope scope(workspace);
  const std::span<KeyRange> ranges = workspace.array<KeyRange>(n);
  for (Index i = 0; i < n; ++i) {
    const Index sentence = state.sentences[i];
    ranges[i] = {state.memory->offset[sentence], state.memory->offset[sentence + 1]};
  }
  const Mat e = workspace.mat(n, embedding_.table.cols);
  embedding_.forward(values, tokens, e);

  StepRows rows;
  rows.ranges = ranges;
  rows.gx = workspace.mat(n, layers_[0].gates_size());
  first_e_.forward(values, e, rows.gx);
  const auto fresh = [&](const RecurrentLayer& layer, Mat& h, Mat& c) {
    h = workspace.mat(n, layer.hidden_size);
    c = workspace.mat(n, layer.cell->has_memory ? layer.hidden_size : 0);
  };
  const std::span<LayerRows> layers = workspace.array<LayerRows>(top() + 1);
  for (Index l = 0; l <= top(); ++l) {
    layers[l] = {state.h[l].mat(), state.c[l].mat(), {}, {}, {}, {}};
    fresh(layers_[l], layers[l].h, layers[l].c);
    if (l > 0) layers[l].x = workspace.mat(n, layers_[l].input.w.rows);
  }
  rows.layers = layers;
  if (query_ == Query::between) fresh(second_, rows.between.h, rows.between.c);
  rows.context = workspace.mat(n, context_size_);
  if (attention_) {
    rows.query = workspace.mat(n, attention_->size);
    rows.weights = workspace.mat(n, state.memory->longest());
  } else if (has_context()) {
    constant_context(*state.memory, state.sentences, rows.context);
  }
  rows.readout_prev = state.readout.mat();
  rows.readout = readout;
  step_rows(values, state.prepared, rows, workspace);
  if (!input_feeding_) readout_rows(values, layers[top()].h, rows.context, e, readout);
  for (Index l = 0; l <= top(); ++l) {
    copy(layers[l].h, state.h[l].mat());
    if (layers_[l].cell->has_memory) copy(layers[l].c, state.c[l].mat());
  }
  if (input_feeding_) copy(readout, state.readout.mat());
  return readout;
}

}  // namespace DRAGOMAN_NAMESPACE
