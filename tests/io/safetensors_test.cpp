#include "io/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

#include "core/error.h"
#include "data/temp_files.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

class SafetensorsTest : public ::testing::Test {
 protected:
  /// A file with this header and so many bytes of data.
  void put(const std::string& header, std::size_t data, std::uint64_t length_off_by = 0) const {
    const std::uint64_t length = header.size() + length_off_by;
    std::string bytes(sizeof length, '\0');
    std::memcpy(bytes.data(), &length, sizeof length);
    files_.write("model.safetensors", bytes + header + std::string(data, '\1'));
  }

  /// The message of the UserError that opening raises.
  [[nodiscard]] std::string refusal() const {
    try {
      const SafetensorsFile file(path_);
      return "accepted";
    } catch (const UserError& error) {
      return error.what();
    }
  }

  void expect_refusal(const std::string& header, std::size_t data, const std::string& part) const {
    put(header, data);
    const std::string found = refusal();
    EXPECT_NE(found.find(part), std::string::npos) << header << "\n  gave: " << found;
    EXPECT_TRUE(found.starts_with(path_ + ": ")) << found;
  }

  testing::TempFiles files_;
  std::string path_ = files_.path("model.safetensors");
};

std::string entry(const std::string& name, const std::string& dtype, const std::string& shape,
                  const std::string& offsets) {
  return "\"" + name + R"(": {"dtype": ")" + dtype + R"(", "shape": )" + shape + R"(, "data_offsets": )" + offsets +
         "}";
}

TEST_F(SafetensorsTest, WhatIsWrittenIsRead) {
  std::vector<double> wide = {1e300, -0.1};
  std::vector<std::int64_t> whole = {-1, 1LL << 60};
  std::vector<float> numbers(10000);
  std::iota(numbers.begin(), numbers.end(), 0.5F);
  const std::vector<std::uint8_t> bytes = {0, 255, 7};
  const std::vector<TensorSource> tensors = {
      {"wide", {2}, std::span<const double>(wide)},
      {"whole", {1, 2}, std::span<const std::int64_t>(whole)},
      {"encoder.0.w \"ü\"", {100, 100}, std::span<const float>(numbers)},
      {"nothing", {3, 0}, std::span<const float>()},
      {"scalar", {}, std::span<const float>(numbers).first(1)},
      {"bytes", {3}, std::span<const std::uint8_t>(bytes)},
  };
  write_safetensors(path_, tensors, {{"format", "1"}, {"note", "ü\n"}});

  const SafetensorsFile file(path_);
  EXPECT_EQ(file.names().size(), tensors.size());
  EXPECT_EQ(file.names()[0], "wide");
  EXPECT_EQ(file.metadata(), (SafetensorsMetadata{{"format", "1"}, {"note", "ü\n"}}));
  for (const auto& tensor : tensors) EXPECT_EQ(file.shape(tensor.name), tensor.shape) << tensor.name;
  std::vector<float> floats(10000);
  file.read("encoder.0.w \"ü\"", std::span<float>(floats));
  EXPECT_EQ(floats, numbers);
  std::vector<double> doubles(10000);
  file.read("encoder.0.w \"ü\"", std::span<double>(doubles));
  EXPECT_EQ(doubles, std::vector<double>(numbers.begin(), numbers.end()));
  doubles.resize(2);
  file.read("wide", std::span<double>(doubles));
  EXPECT_EQ(doubles, wide);
  std::vector<std::int64_t> whole_read(2);
  file.read("whole", std::span<std::int64_t>(whole_read));
  EXPECT_EQ(whole_read, whole);
  std::vector<std::uint8_t> bytes_read(3);
  file.read("bytes", std::span<std::uint8_t>(bytes_read));
  EXPECT_EQ(bytes_read, bytes);
  file.read("nothing", std::span<float>());
  EXPECT_EQ(file.size("scalar"), 1);
  EXPECT_TRUE(file.contains("scalar"));
  EXPECT_FALSE(file.contains("Scalar"));
}

TEST_F(SafetensorsTest, TheHeaderIsPaddedWithSpacesToEightBytes) {
  const std::vector<float> one = {1};
  for (const std::string name : {"a", "ab", "abc", "abcd", "abcde"}) {
    write_safetensors(path_, std::vector<TensorSource>{{name, {1}, std::span<const float>(one)}});
    std::ifstream in(path_, std::ios::binary);
    std::uint64_t length = 0;
    in.read(reinterpret_cast<char*>(&length), sizeof length);
    EXPECT_EQ(length % 8, 0U);
    EXPECT_EQ(fs::file_size(path_), 8 + length + 4);
  }
}

TEST_F(SafetensorsTest, AFileWithoutTensorsIsFine) {
  write_safetensors(path_, {});
  EXPECT_TRUE(SafetensorsFile(path_).names().empty());
}

TEST_F(SafetensorsTest, TensorsMayStandInAnyOrderInTheHeader) {
  put("{" + entry("late", "F32", "[1]", "[4, 8]") + "," + entry("early", "F32", "[1]", "[0, 4]") + "}  ", 8);
  EXPECT_EQ(SafetensorsFile(path_).names(), (std::vector<std::string>{"early", "late"}));
}

TEST_F(SafetensorsTest, WritingToAMissingFolderIsAUserError) {
  EXPECT_THROW(write_safetensors(files_.path("no/x"), {}), UserError);
}

TEST_F(SafetensorsTest, WrongSizesNamesAndAlignmentAreProgrammerErrors) {
  const std::vector<float> three = {1, 2, 3};
  const std::vector<double> wide = {1};
  const std::span<const float> data(three);
  const auto write = [&](const std::vector<TensorSource>& tensors) { write_safetensors(path_, tensors); };
  EXPECT_THROW(write({{"a", {2}, data}}), std::logic_error);
  EXPECT_THROW(write({{"a", {3}, data}, {"a", {3}, data}}), std::logic_error);
  EXPECT_THROW(write({{"__metadata__", {3}, data}}), std::logic_error);
  EXPECT_THROW(write({{"a", {3}, data}, {"b", {1}, std::span<const double>(wide)}}), std::logic_error);
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(SafetensorsTest, ReadingWhatIsNotThereIsAUserError) {
  put("{" + entry("half", "F16", "[2]", "[0, 4]") + "," + entry("w", "F32", "[1]", "[4, 8]") + "}", 8);
  const SafetensorsFile file(path_);
  std::vector<float> out(2);
  std::vector<std::int64_t> whole(1);
  EXPECT_THROW(file.read("v", std::span<float>(out)), UserError);
  EXPECT_THROW((void)file.shape("v"), UserError);
  EXPECT_THROW(file.read("half", std::span<float>(out)), UserError);
  EXPECT_THROW(file.read("w", std::span<std::int64_t>(whole)), UserError);
  EXPECT_THROW(file.read("w", std::span<float>(out)), std::logic_error);  // 2 numbers wanted, 1 there
  fs::resize_file(path_, fs::file_size(path_) - 1);                       // cut while it is open
  EXPECT_THROW(file.read("w", std::span<float>(out).first(1)), UserError);
}

TEST_F(SafetensorsTest, FilesThatAreNoneAreRefused) {
  EXPECT_NE(refusal().find("cannot open: No such file"), std::string::npos);
  for (const std::string text : {"", "1234567", "not a safetensors file at all"}) {
    files_.write("model.safetensors", text);
    EXPECT_NE(refusal().find("not a safetensors file"), std::string::npos) << text;
  }
  EXPECT_THROW(SafetensorsFile(files_.directory()), UserError);
  put("{}", 0, 1);
  EXPECT_NE(refusal().find("the header would have 3 bytes"), std::string::npos);
  put("{}", 0, ~std::uint64_t{0} - 2);
  EXPECT_NE(refusal().find("the header would have"), std::string::npos);
}

TEST_F(SafetensorsTest, HeadersThatAreNotTheRightJsonAreRefused) {
  expect_refusal("", 0, "doesn't begin with {");
  expect_refusal("[]", 0, "doesn't begin with {");
  expect_refusal(" {}", 0, "doesn't begin with {");
  expect_refusal("{", 0, "not valid JSON");
  expect_refusal("{}x", 0, "not valid JSON");
  expect_refusal(std::string("{}\0", 3), 0, "not valid JSON");
  expect_refusal("{\"\xff\": 1}", 0, "not valid JSON");
  expect_refusal("{\"a\": " + std::string(1000000, '[') + std::string(1000000, ']') + "}", 0, "too deeply");
  expect_refusal("{" + std::string(100, '{'), 0, "not valid JSON");
  expect_refusal(R"({"__metadata__": 1})", 0, "__metadata__");
  expect_refusal(R"({"__metadata__": {"a": 1}})", 0, "__metadata__");
  expect_refusal(R"({"a": 1})", 0, "tensor \"a\": its entry");
  expect_refusal(R"({"a": {"dtype": "F32", "shape": [0]}})", 0, "tensor \"a\": its entry");
  expect_refusal(R"({"a": {"dtype": "F32", "shape": [0], "data_offsets": [0, 0], "x": 1}})", 0, "its entry");
}

TEST_F(SafetensorsTest, WrongEntriesAreRefusedWithTheTensorsName) {
  const auto expect = [this](const std::string& dtype, const std::string& shape, const std::string& offsets,
                             const std::string& part) {
    expect_refusal("{" + entry("enc.w", dtype, shape, offsets) + "}", 8, part);
    expect_refusal("{" + entry("enc.w", dtype, shape, offsets) + "}", 8, "\"enc.w\"");
  };
  expect("F31", "[2]", "[0, 8]", "unknown dtype \"F31\"");
  expect("F32", "2", "[0, 8]", "shape is not an array");
  expect("F32", "[-2]", "[0, 8]", "whole numbers");
  expect("F32", "[2.0]", "[0, 8]", "whole numbers");
  expect("F32", "[\"2\"]", "[0, 8]", "whole numbers");
  expect("F32", "[18446744073709551616]", "[0, 8]", "whole numbers");
  expect("F32", "[18446744073709551615]", "[0, 8]", "overflows");
  expect("F32", "[4294967296, 4294967296]", "[0, 8]", "overflows");
  expect("F32", "[4611686018427387906]", "[0, 8]", "overflows");  // 4 bytes each: 8 after wrapping round
  expect("F32", "[3]", "[0, 8]", "shape and dtype need 12 bytes, the offsets give 8");
  expect("F64", "[2]", "[0, 8]", "shape and dtype need 16 bytes");
  expect("F32", "[]", "[0, 8]", "shape and dtype need 4 bytes");
  expect("F32", "[2]", "[8, 0]", "begin <= end");
  expect("F32", "[2]", "[0]", "begin <= end");
  expect("F32", "[2]", "[0, 8, 8]", "begin <= end");
  expect("F32", "[2]", "[0, -8]", "whole numbers");
  expect("F32", "[4]", "[0, 16]", "truncated?");
  expect("F32", "[4]", "[18446744073709551608, 18446744073709551615]", "truncated?");
}

TEST_F(SafetensorsTest, DuplicateNamesAreRefused) {
  expect_refusal("{" + entry("a", "F32", "[1]", "[0, 4]") + "," + entry("a", "F32", "[1]", "[4, 8]") + "}", 8,
                 "duplicate name, tensor \"a\"");
  expect_refusal(R"({"a": {"dtype": "F32", "dtype": "F32", "shape": [1], "data_offsets": [0, 4]}})", 4, "duplicate");
}

TEST_F(SafetensorsTest, DataMustBeCoveredWithoutGapsOverlapsAndTrailingBytes) {
  const auto two = [](const std::string& a, const std::string& b) {
    return "{" + entry("a", "F32", "[1]", a) + "," + entry("b", "F32", "[1]", b) + "}";
  };
  expect_refusal(two("[0, 4]", "[2, 6]"), 6, "tensor \"b\": its data overlap");
  expect_refusal(two("[0, 4]", "[0, 4]"), 4, "overlap");
  expect_refusal(two("[0, 4]", "[6, 10]"), 10, "tensor \"b\": unused bytes");
  expect_refusal(two("[2, 6]", "[6, 10]"), 10, "tensor \"a\": unused bytes");
  expect_refusal(two("[0, 4]", "[4, 8]"), 9, "trailing bytes");
  expect_refusal("{}", 1, "trailing bytes");
}

TEST_F(SafetensorsTest, EveryTruncationAndManyByteChangesAreRefusedOrHarmless) {
  const std::vector<float> numbers = {1, 2, 3, 4};
  write_safetensors(path_, std::vector<TensorSource>{{"a", {2}, std::span<const float>(numbers).first(2)},
                                                     {"b", {2}, std::span<const float>(numbers).last(2)}});
  std::ostringstream text;
  text << std::ifstream(path_, std::ios::binary).rdbuf();
  const std::string good = text.str();
  const auto try_bytes = [&](const std::string& bytes) {
    files_.write("model.safetensors", bytes);
    return refusal();
  };
  for (std::size_t n = 0; n < good.size(); ++n) EXPECT_NE(try_bytes(good.substr(0, n)), "accepted") << n;
  for (std::size_t n = 0; n + 16 < good.size(); ++n) {
    for (const int flip : {1, 16}) {
      std::string bytes = good;
      bytes[n] = static_cast<char>(bytes[n] ^ flip);
      (void)try_bytes(bytes);  // any other exception than UserError fails the test
    }
  }
}

}  // namespace
}  // namespace dragoman
