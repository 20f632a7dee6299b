#include "core/workspace.h"

#include <algorithm>
#include <limits>
#include <new>

namespace DRAGOMAN_NAMESPACE {
namespace {
constexpr std::size_t kAlign = 64;
constexpr std::size_t kSmallestBlock = std::size_t{1} << 20;
}  // namespace

void Workspace::Block::Free::operator()(std::byte* p) const { ::operator delete(p, std::align_val_t(kAlign)); }

void Workspace::add_block(std::size_t bytes) {
  auto* memory = static_cast<std::byte*>(::operator new(bytes, std::align_val_t(kAlign)));
  blocks_.push_back({std::unique_ptr<std::byte, Block::Free>(memory), bytes, 0});
}

void* Workspace::take(std::size_t bytes) {
  bytes = (std::max<std::size_t>(bytes, 1) + kAlign - 1) / kAlign * kAlign;
  if (blocks_.empty()) add_block(std::max(bytes, kSmallestBlock));
  while (used_ + bytes > blocks_[block_].size) {
    if (block_ + 1 == blocks_.size()) add_block(std::max(bytes, 2 * blocks_[block_].size));
    blocks_[block_++].filled = used_;
    used_ = 0;
  }
  void* memory = blocks_[block_].memory.get() + used_;
  used_ += bytes;
  std::size_t before = 0;
  for (std::size_t i = 0; i < block_; ++i) before += blocks_[i].filled;
  peak_ = std::max(peak_, before + used_);
  return memory;
}

Mat Workspace::mat(Index rows, Index cols) {
  const std::span<Real> numbers = array<Real>(rows * cols);
#ifndef NDEBUG
  std::fill(numbers.begin(), numbers.end(), std::numeric_limits<Real>::quiet_NaN());
#endif
  return {numbers.data(), rows, cols, cols};
}

Mat Workspace::zeros(Index rows, Index cols) {
  const std::span<Real> numbers = array<Real>(rows * cols);
  std::fill(numbers.begin(), numbers.end(), Real(0));
  return {numbers.data(), rows, cols, cols};
}

void Workspace::reset() {
  if (blocks_.size() > 1) {
    std::size_t total = 0;
    for (const Block& block : blocks_) total += block.size;
    blocks_.clear();
    add_block(total);
  }
  block_ = 0;
  used_ = 0;
}

}  // namespace DRAGOMAN_NAMESPACE
