// CRC-32, which shows damage (not malice).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman {

/// Of a text, or with `before`, the checksum of what came before it, of both.
[[nodiscard]] std::uint32_t crc32(std::uint32_t before, std::string_view text);

/// Of a regular file. UserError as read_small_file() (byte_stream.h), at any size.
[[nodiscard]] std::uint32_t crc32_of_file(const std::string& path);

/// Is it a regular file with this checksum?
[[nodiscard]] bool has_checksum(const std::string& path, std::uint32_t checksum);

/// Eight hexadecimal digits.
[[nodiscard]] std::string checksum_text(std::uint32_t checksum);

}  // namespace dragoman
