// The safetensors format: named arrays in one file that can't run code and needs no copy to be read.
//
//   8 bytes   length N of the header, little-endian
//   N bytes   JSON: {"__metadata__": {"key": "value"}, "name": {"dtype", "shape", "data_offsets": [begin, end]}}
//   the rest  row-major little-endian numbers; offsets count from here
//
// The writer keeps the given order and pads the header with spaces to a multiple of 8. The reader takes the file
// for hostile: it checks everything below before it hands out a number, and a violation is a UserError with the
// file and the tensor. Header of at most 16 MB (a hundred thousand tensors) and within the file; JSON without duplicate keys and of the right
// types; known dtypes; sizes that don't overflow and equal those of the offsets; tensors that cover the data
// without gaps, overlaps or trailing bytes.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/real.h"

namespace dragoman {

class AtomicFile;

using TensorData = std::variant<std::span<const float>, std::span<const double>, std::span<const std::int64_t>,
                                std::span<const std::uint8_t>>;

/// A tensor to write; the numbers stay where they are and must be as many as the shape says.
struct TensorSource {
  std::string name;
  std::vector<Index> shape;  ///< empty: one number
  TensorData data;           ///< written as F32, F64, I64 or U8
};

using SafetensorsMetadata = std::map<std::string, std::string>;

/// Writes the file atomically (atomic_file.h) and returns its CRC-32. Give wide types first: every tensor must start at a multiple of
/// its element's size (CHECK). UserError: the file can't be written.
std::uint32_t write_safetensors(const std::string& path, std::span<const TensorSource> tensors,
                                const SafetensorsMetadata& metadata = {});
/// The same; the file is to be committed by the caller.
void write_safetensors(AtomicFile& file, std::span<const TensorSource> tensors,
                       const SafetensorsMetadata& metadata = {});

/// An open, validated file.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(std::string path);
  ~SafetensorsFile();
  SafetensorsFile(const SafetensorsFile&) = delete;
  SafetensorsFile& operator=(const SafetensorsFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }  ///< in order of their data
  [[nodiscard]] bool contains(std::string_view name) const { return tensors_.contains(name); }
  [[nodiscard]] const SafetensorsMetadata& metadata() const { return metadata_; }

  // UserError in all of these: no such tensor.
  [[nodiscard]] const std::vector<Index>& shape(std::string_view name) const { return find(name).shape; }
  [[nodiscard]] const std::string& dtype(std::string_view name) const { return find(name).dtype; }  ///< "F32"
  [[nodiscard]] Index size(std::string_view name) const { return find(name).elements; }

  /// Reads all numbers of a tensor; out.size() must be size(name) (CHECK). UserError: another dtype (float and
  /// double read F32 and F64 alike), or the file ends early because it was changed meanwhile.
  void read(std::string_view name, std::span<float> out) const;
  void read(std::string_view name, std::span<double> out) const;
  void read(std::string_view name, std::span<std::int64_t> out) const;  ///< I64
  void read(std::string_view name, std::span<std::uint8_t> out) const;  ///< U8

 private:
  struct Tensor {
    std::string dtype;
    std::vector<Index> shape;
    Index elements = 0;
    std::uint64_t begin = 0, end = 0;  ///< bytes from the start of the data
  };

  void parse_header(std::string_view header, std::uint64_t data_bytes);
  void check_coverage(std::uint64_t data_bytes);
  [[nodiscard]] const Tensor& find(std::string_view name) const;
  void read_bytes(std::uint64_t offset, void* out, std::size_t bytes, const std::string& what) const;
  template <class Stored, class Wanted>
  void read_as(std::string_view name, const Tensor& tensor, std::span<Wanted> out) const;
  template <class Wanted>
  void read_floating(std::string_view name, std::span<Wanted> out) const;

  std::string path_;
  int descriptor_ = -1;
  std::uint64_t data_start_ = 0;
  std::vector<std::string> names_;
  std::map<std::string, Tensor, std::less<>> tensors_;
  SafetensorsMetadata metadata_;
};

}  // namespace dragoman
