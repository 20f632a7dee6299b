// Where the time of an update goes. At any moment the time of a thread belongs to one part, the innermost open one.
//
// Off (the start), a Scope is one test of a flag. On, it reads the clock twice: about 50 ns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dragoman {

enum class Part : std::uint8_t {
  idle,       ///< no part is open: waiting for other threads
  data,       ///< waiting for batches, and dealing them to shards
  products,   ///< products with weight matrices, their biases
  attention,  ///< scores, softmax, weighted sums, and back
  output,     ///< the vocabulary product, softmax, loss, and back
  cells,      ///< pointwise halves of recurrent cells
  pointwise,  ///< embeddings, dropout, activations, residuals, layer norm
  optimizer,  ///< summing shards, clipping, moments
  other,      ///< the rest of forward and backward
};
inline constexpr std::array<std::string_view, 9> kPartNames = {"idle",  "data",      "products",  "attention", "output",
                                                               "cells", "pointwise", "optimizer", "other"};

/// One profile a process. start() and seconds() must not run while other threads have parts open.
class Profile {
 public:
  using Seconds = std::array<double, kPartNames.size()>;

  /// Forgets what was measured and begins to measure. Never stops: only programs that print it start it.
  static void start();
  /// Of each part, summed over threads, since start(). Idle is not counted: it is what is missing to threads x time.
  static Seconds seconds();

  class Scope {
   public:
    explicit Scope(Part part) : on_(on) {
      if (on_) outer_ = enter(part);
    }
    ~Scope() {
      if (on_) enter(outer_);
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    bool on_;
    Part outer_ = Part::idle;
  };

 private:
  /// The calling thread's time from now on belongs to `part`; returns what it belonged to.
  static Part enter(Part part);
  static bool on;
};

}  // namespace dragoman
