// Memory for one step: a bump allocator in blocks.
//
// Whatever a forward pass keeps for backward (Saved) and all temporaries come from here; nothing is freed by
// itself. reset() forgets everything at once and merges the blocks, so that from the second step of the same
// size on no memory is requested from the system. A Scope gives back what was taken since it was opened
// (scratchpad memory inside one call). In debug builds fresh matrices are filled with NaN.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "core/mat.h"

namespace DRAGOMAN_NAMESPACE {

class Workspace {
 public:
  Workspace() = default;
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// An uninitialised matrix; 64-byte aligned, ld = cols.
  Mat mat(Index rows, Index cols);
  /// The same, filled with zeros.
  Mat zeros(Index rows, Index cols);

  /// An uninitialised array of trivial objects.
  template <class T>
  std::span<T> array(Index n) {
    static_assert(std::is_trivially_destructible_v<T>, "workspace memory is never destroyed");
    return {static_cast<T*>(take(static_cast<std::size_t>(n) * sizeof(T))), static_cast<std::size_t>(n)};
  }
  /// A value-initialised object (the Saved structs of layers).
  template <class T>
  T* make() {
    static_assert(std::is_trivially_destructible_v<T>, "workspace memory is never destroyed");
    return new (take(sizeof(T))) T();
  }

  void reset();
  /// The most that was taken at a time. (What lies behind it in the blocks was never touched, so it takes no memory.)
  [[nodiscard]] std::size_t peak_bytes() const { return peak_; }

  class Scope {
   public:
    explicit Scope(Workspace& workspace) : workspace_(workspace), block_(workspace.block_), used_(workspace.used_) {}
    ~Scope() {
      workspace_.block_ = block_;
      workspace_.used_ = used_;
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Workspace& workspace_;
    std::size_t block_, used_;
  };

 private:
  struct Block {
    struct Free {
      void operator()(std::byte* p) const;
    };
    std::unique_ptr<std::byte, Free> memory;
    std::size_t size = 0;
    std::size_t filled = 0;  ///< of a block before the one in use
  };

  void* take(std::size_t bytes);
  void add_block(std::size_t bytes);

  std::vector<Block> blocks_;
  std::size_t block_ = 0;  ///< the block in use
  std::size_t used_ = 0;   ///< bytes taken of it
  std::size_t peak_ = 0;
};

}  // namespace DRAGOMAN_NAMESPACE
