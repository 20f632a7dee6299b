#include "io/safetensors.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "io/atomic_file.h"
#include "io/json_read.h"

namespace dragoman {
namespace {

using Json = nlohmann::json;

static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");
static_assert(sizeof(float) == 4 && sizeof(double) == 8);

constexpr std::uint64_t kMaxHeader = 16'000'000;
constexpr const char* kMetadataKey = "__metadata__";

struct DType {
  std::string_view name;
  std::uint64_t bytes;
};
constexpr std::array kDTypes = {DType{"F64", 8}, DType{"F32", 4}, DType{"F16", 2}, DType{"BF16", 2}, DType{"I64", 8},
                                DType{"I32", 4}, DType{"I16", 2}, DType{"I8", 1},  DType{"U64", 8},  DType{"U32", 4},
                                DType{"U16", 2}, DType{"U8", 1},  DType{"BOOL", 1}};

/// By the alternative of TensorData.
constexpr std::array<DType, std::variant_size_v<TensorData>> kWritten = {DType{"F32", 4}, DType{"F64", 8},
                                                                         DType{"I64", 8}, DType{"U8", 1}};

/// a * b, or nothing when it doesn't fit.
bool multiply(std::uint64_t a, std::uint64_t b, std::uint64_t& product) {
  return !__builtin_mul_overflow(a, b, &product);
}

std::string count(std::uint64_t n, const char* what) { return std::to_string(n) + " " + what; }

/// "tensor 'name'", with what a terminal shouldn't see escaped, and cut: the name comes from the file.
std::string label(std::string_view name) {
  std::string text = Json(std::string(name.substr(0, 200))).dump(-1, ' ', true, Json::error_handler_t::replace);
  if (name.size() > 200) text += "...";
  return "tensor " + text;
}

/// Parses JSON, refusing what a lenient parser would hide or choke on: duplicate keys and deep nesting.
Json parse_strictly(const std::string& path, std::string_view text) {
  // The parser takes a NUL for the end of its input, and would not look at what comes after it.
  if (text.find('\0') != text.npos) throw UserError(path, 0, "safetensors header: not valid JSON: a NUL byte");
  std::vector<std::set<std::string>> keys;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > 4) throw UserError(path, 0, "safetensors header: JSON nested too deeply");
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second) {
      throw UserError(path, 0, "safetensors header: duplicate name, " + label(parsed.get<std::string>()));
    }
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), watch);
  } catch (const Json::exception& error) {
    throw UserError(path, 0, "safetensors header: not valid JSON: " + json_problem(error).substr(0, 300));
  }
}

/// A JSON array of whole numbers from 0 up, or an error.
std::vector<std::uint64_t> whole_numbers(const Json& value, const std::string& path, const std::string& what) {
  if (!value.is_array()) throw UserError(path, 0, what + " is not an array");
  std::vector<std::uint64_t> numbers;
  for (const auto& element : value) {
    if (!element.is_number_unsigned()) throw UserError(path, 0, what + " holds something else than whole numbers >= 0");
    numbers.push_back(element.get<std::uint64_t>());
  }
  return numbers;
}

}  // namespace

std::uint32_t write_safetensors(const std::string& path, std::span<const TensorSource> tensors,
                                const SafetensorsMetadata& metadata) {
  AtomicFile file(path);
  write_safetensors(file, tensors, metadata);
  file.commit();
  return file.checksum();
}

void write_safetensors(AtomicFile& file, std::span<const TensorSource> tensors, const SafetensorsMetadata& metadata) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header[kMetadataKey] = metadata;
  std::set<std::string> names;
  std::uint64_t offset = 0;
  for (const auto& tensor : tensors) {
    const DType type = kWritten[tensor.data.index()];
    const std::uint64_t given = std::visit([](auto data) { return data.size(); }, tensor.data);
    std::uint64_t elements = 1;
    for (const Index n : tensor.shape) elements *= static_cast<std::uint64_t>(n);
    CHECK(elements == given, "write_safetensors: size of " + tensor.name);
    CHECK(offset % type.bytes == 0, "write_safetensors: alignment of " + tensor.name);
    CHECK(tensor.name != kMetadataKey && names.insert(tensor.name).second, "write_safetensors: name " + tensor.name);
    const std::uint64_t end = offset + given * type.bytes;
    header.push_back({tensor.name, {{"dtype", type.name}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}}});
    offset = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');

  const std::uint64_t length = text.size();
  file.write(&length, sizeof length);
  file.write(text);
  for (const auto& tensor : tensors) {
    std::visit([&file](auto data) { file.write(data.data(), data.size_bytes()); }, tensor.data);
  }
}

SafetensorsFile::SafetensorsFile(std::string path) : path_(std::move(path)) {
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a FIFO must not hang it
  if (descriptor_ < 0) throw UserError(path_, 0, std::string("cannot open: ") + std::strerror(errno));
  try {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) throw UserError(path_, 0, "not a regular file");
    const auto file_bytes = static_cast<std::uint64_t>(status.st_size);
    std::uint64_t length = 0;
    if (file_bytes < sizeof length) throw UserError(path_, 0, "not a safetensors file: shorter than 8 bytes");
    read_bytes(0, &length, sizeof length, "header length");
    if (length > kMaxHeader || length > file_bytes - sizeof length) {
      throw UserError(path_, 0,
                      "not a safetensors file: the header would have " + count(length, "bytes") + ", the file has " +
                          std::to_string(file_bytes) + " and the limit is " + std::to_string(kMaxHeader));
    }
    std::string header(length, '\0');
    data_start_ = sizeof length + length;
    read_bytes(sizeof length, header.data(), length, "header");
    parse_header(header, file_bytes - data_start_);
    check_coverage(file_bytes - data_start_);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

SafetensorsFile::~SafetensorsFile() { ::close(descriptor_); }

void SafetensorsFile::parse_header(std::string_view header, std::uint64_t data_bytes) {
  if (!header.starts_with('{')) throw UserError(path_, 0, "not a safetensors file: the header doesn't begin with {");
  const Json json = parse_strictly(path_, header);
  for (const auto& [name, entry] : json.items()) {
    if (name == kMetadataKey) {
      if (!entry.is_object()) throw UserError(path_, 0, "safetensors header: __metadata__ is not an object");
      for (const auto& [key, value] : entry.items()) {
        if (!value.is_string())
          throw UserError(path_, 0, "safetensors header: a value in __metadata__ is not a string");
        metadata_[key] = value.get<std::string>();
      }
      continue;
    }
    const std::string where = label(name);
    const auto require = [&](bool condition, const std::string& message) {
      if (!condition) throw UserError(path_, 0, std::string(where).append(": ").append(message));
    };
    require(entry.is_object() && entry.size() == 3 && entry.contains("dtype") && entry.contains("shape") &&
                entry.contains("data_offsets"),
            "its entry is not an object of exactly dtype, shape and data_offsets");
    Tensor tensor;
    require(entry["dtype"].is_string(), "dtype is not a string");
    tensor.dtype = entry["dtype"].get<std::string>();
    const auto is_it = [&](const DType& type) { return type.name == tensor.dtype; };
    const auto* type = std::find_if(kDTypes.begin(), kDTypes.end(), is_it);
    require(type != kDTypes.end(), "unknown dtype " + Json(tensor.dtype.substr(0, 40)).dump(-1, ' ', true));

    std::uint64_t bytes = type->bytes;
    for (const std::uint64_t n : whole_numbers(entry["shape"], path_, where + ": shape")) {
      require(n <= std::uint64_t{std::numeric_limits<Index>::max()} && multiply(bytes, n, bytes),
              "its shape is too large: the size overflows");
      tensor.shape.push_back(static_cast<Index>(n));
    }
    const auto offsets = whole_numbers(entry["data_offsets"], path_, where + ": data_offsets");
    require(offsets.size() == 2 && offsets[0] <= offsets[1], "data_offsets are not [begin, end] with begin <= end");
    tensor.begin = offsets[0];
    tensor.end = offsets[1];
    require(tensor.end <= data_bytes, "its data end at byte " + std::to_string(tensor.end) + ", but the file has " +
                                          count(data_bytes, "bytes of data (truncated?)"));
    require(tensor.end - tensor.begin == bytes, "shape and dtype need " + count(bytes, "bytes, the offsets give ") +
                                                    std::to_string(tensor.end - tensor.begin));
    tensor.elements = static_cast<Index>(bytes / type->bytes);
    names_.push_back(name);
    tensors_.emplace(name, std::move(tensor));
  }
}

void SafetensorsFile::check_coverage(std::uint64_t data_bytes) {
  const auto range = [this](const std::string& name) {
    const Tensor& tensor = tensors_.find(name)->second;
    return std::pair(tensor.begin, tensor.end);
  };
  std::sort(names_.begin(), names_.end(), [&](const auto& a, const auto& b) {
    return std::pair(range(a), std::string_view(a)) < std::pair(range(b), std::string_view(b));
  });
  std::uint64_t covered = 0;
  for (const auto& name : names_) {
    const auto [begin, end] = range(name);
    if (begin < covered) throw UserError(path_, 0, label(name) + ": its data overlap with another tensor's");
    if (begin > covered) throw UserError(path_, 0, label(name) + ": unused bytes before its data");
    covered = end;
  }
  if (covered != data_bytes) {
    throw UserError(path_, 0,
                    "the tensors end at byte " + std::to_string(covered) + " of " +
                        count(data_bytes, "bytes of data: trailing bytes"));
  }
}

const SafetensorsFile::Tensor& SafetensorsFile::find(std::string_view name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) throw UserError(path_, 0, "has no " + label(name));
  return found->second;
}

void SafetensorsFile::read_bytes(std::uint64_t offset, void* out, std::size_t bytes, const std::string& what) const {
  char* next = static_cast<char*>(out);
  while (bytes > 0) {
    const ssize_t got = ::pread(descriptor_, next, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw UserError(path_, 0, "cannot read " + what + ": " + std::strerror(errno));
    if (got == 0) throw UserError(path_, 0, "cannot read " + what + ": the file ended early");
    next += got;
    offset += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
}

/// Reads `Stored` numbers and converts them in small pieces.
template <class Stored, class Wanted>
void SafetensorsFile::read_as(std::string_view name, const Tensor& tensor, std::span<Wanted> out) const {
  CHECK(static_cast<Index>(out.size()) == tensor.elements, "SafetensorsFile::read: size of " + std::string(name));
  const std::uint64_t start = data_start_ + tensor.begin;
  const std::string what = label(name);
  if constexpr (std::is_same_v<Stored, Wanted>) {
    read_bytes(start, out.data(), out.size_bytes(), what);
  } else {
    std::array<Stored, 4096> piece;
    for (std::size_t i = 0; i < out.size();) {
      const std::size_t n = std::min(piece.size(), out.size() - i);
      read_bytes(start + i * sizeof(Stored), piece.data(), n * sizeof(Stored), what);
      for (std::size_t k = 0; k < n; ++k) out[i + k] = static_cast<Wanted>(piece[k]);
      i += n;
    }
  }
}

template <class Wanted>
void SafetensorsFile::read_floating(std::string_view name, std::span<Wanted> out) const {
  const Tensor& tensor = find(name);
  if (tensor.dtype == "F32") return read_as<float>(name, tensor, out);
  if (tensor.dtype == "F64") return read_as<double>(name, tensor, out);
  throw UserError(path_, 0, label(name) + ": dtype is " + tensor.dtype + ", expected F32 or F64");
}

void SafetensorsFile::read(std::string_view name, std::span<float> out) const { read_floating(name, out); }
void SafetensorsFile::read(std::string_view name, std::span<double> out) const { read_floating(name, out); }

void SafetensorsFile::read(std::string_view name, std::span<std::int64_t> out) const {
  const Tensor& tensor = find(name);
  if (tensor.dtype != "I64") throw UserError(path_, 0, label(name) + ": dtype is " + tensor.dtype + ", expected I64");
  read_as<std::int64_t>(name, tensor, out);
}

void SafetensorsFile::read(std::string_view name, std::span<std::uint8_t> out) const {
  const Tensor& tensor = find(name);
  if (tensor.dtype != "U8") throw UserError(path_, 0, label(name) + ": dtype is " + tensor.dtype + ", expected U8");
  read_as<std::uint8_t>(name, tensor, out);
}

}  // namespace dragoman
