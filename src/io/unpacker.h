// Formats of packed files, one file each (unpack_gzip.cpp, ...).
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string_view>

namespace dragoman {

/// What a step took of the packed bytes and made of them.
struct Unpacked {
  std::size_t taken = 0;
  std::size_t made = 0;
  bool ended = false;  ///< a member is complete; the next step begins another
};

class Unpacker {
 public:
  virtual ~Unpacker() = default;
  /// Of `packed`, perhaps nothing, into `out`. Bytes may be held back: only a step that doesn't fill `out` has given all.
  /// Throws BrokenFile.
  virtual Unpacked step(std::string_view packed, char* out, std::size_t capacity) = 0;
};

struct BrokenFile : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What a file's first bytes say that it is.
struct PackedFormat {
  const char* name;                       ///< "gzip"
  std::string_view magic;                 ///< its first bytes; '?' stands for any
  std::unique_ptr<Unpacker> (*unpack)();  ///< null: not here, or not in this build
  const char* advice;                     ///< what to do then
};

/// The most bytes that find_packed() looks at.
inline constexpr std::size_t kMagicBytes = 10;

/// Null: none that is known.
[[nodiscard]] const PackedFormat* find_packed(std::string_view begin);

/// May more bytes make it a packed file?
[[nodiscard]] bool could_be_packed(std::string_view begin);

[[nodiscard]] std::unique_ptr<Unpacker> unpack_gzip();
[[nodiscard]] std::unique_ptr<Unpacker> unpack_xz();
[[nodiscard]] std::unique_ptr<Unpacker> unpack_zstd();

}  // namespace dragoman
