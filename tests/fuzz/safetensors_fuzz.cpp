// Files of tensors. The input is a header up to the first line feed, then the data; the length of the header is put
// before it, so that inputs are text. An input that begins with '!' is a whole file behind that.
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>

#include "io/safetensors.h"
#include "support.h"

using namespace dragoman;

namespace {

std::string file_of(std::string_view input) {
  if (input.starts_with('!')) return std::string(input.substr(1));
  const std::size_t split = std::min(input.find('\n'), input.size());
  const std::uint64_t length = split;
  std::string file(sizeof length, '\0');
  std::memcpy(file.data(), &length, sizeof length);
  file += input.substr(0, split);
  if (split < input.size()) file += input.substr(split + 1);
  return file;
}

template <class Number>
void require_bytes(const SafetensorsFile& file, const std::string& name, std::string_view expected) {
  std::vector<Number> numbers(static_cast<std::size_t>(file.size(name)));
  file.read(name, std::span<Number>(numbers));
  fuzz::require(numbers.size() * sizeof(Number) == expected.size() &&
                    (numbers.empty() || std::memcmp(numbers.data(), expected.data(), expected.size()) == 0),
                name + " holds the bytes that the header names");
}

void require_same(const SafetensorsFile& file, std::string_view bytes) {
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  const auto header = nlohmann::json::parse(bytes.substr(sizeof length, length));
  const std::string_view data = bytes.substr(sizeof length + length);
  std::size_t tensors = 0;
  std::size_t covered = 0;
  for (const auto& item : header.items()) {
    const std::string& name = item.key();
    const auto& entry = item.value();
    if (name == "__metadata__") continue;
    ++tensors;
    const auto begin = entry.at("data_offsets").at(0).get<std::size_t>();
    const std::string_view expected = data.substr(begin, entry.at("data_offsets").at(1).get<std::size_t>() - begin);
    covered += expected.size();
    const std::string dtype = entry.at("dtype");
    fuzz::require(file.contains(name) && file.dtype(name) == dtype, "the tensor is there");
    fuzz::require(file.shape(name) == entry.at("shape").get<std::vector<Index>>(), "it has the shape of the header");
    if (dtype == "F32") require_bytes<float>(file, name, expected);
    if (dtype == "F64") require_bytes<double>(file, name, expected);
    if (dtype == "I64") require_bytes<std::int64_t>(file, name, expected);
    if (dtype == "U8") require_bytes<std::uint8_t>(file, name, expected);
    if (dtype != "U8") {
      std::vector<std::uint8_t> wrong(static_cast<std::size_t>(file.size(name)));
      const auto read = [&] { file.read(name, std::span<std::uint8_t>(wrong)); };
      fuzz::require(!fuzz::accepted(file.path(), read), "another dtype is refused");
    }
  }
  fuzz::require(tensors == file.names().size(), "there are no other tensors");
  fuzz::require(covered == data.size(), "the tensors cover the data");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  const std::string bytes = file_of(std::string_view(data, size));
  const fuzz::MemoryFile on_disk(bytes);
  fuzz::accepted(on_disk.path(), [&] { require_same(SafetensorsFile(on_disk.path()), bytes); });
  return 0;
}
