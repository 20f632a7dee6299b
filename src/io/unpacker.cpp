#include "io/unpacker.h"

#include <algorithm>
#include <iterator>

namespace dragoman {

namespace {

using namespace std::string_view_literals;

#ifdef DRAGOMAN_XZ
constexpr auto kXz = &unpack_xz;
#else
constexpr std::unique_ptr<Unpacker> (*kXz)() = nullptr;
#endif
#ifdef DRAGOMAN_ZSTD
constexpr auto kZstd = &unpack_zstd;
#else
constexpr std::unique_ptr<Unpacker> (*kZstd)() = nullptr;
#endif

constexpr PackedFormat kFormats[] = {
    {"gzip", "\x1f\x8b"sv, &unpack_gzip, ""},
    {"xz", "\xfd\x37zXZ\0"sv, kXz, "this build has no liblzma: unpack the file first (unxz)"},
    {"zstd", "\x28\xb5\x2f\xfd"sv, kZstd, "this build has no libzstd: unpack the file first (unzstd)"},
    {"zstd", "\x50\x2a\x4d\x18"sv, kZstd, "this build has no libzstd: unpack the file first (unzstd)"},  // by pzstd
    {"bzip2", "BZh?1AY&SY"sv, nullptr, "unpack the file first (bunzip2)"},
    {"zip", "PK\3\4"sv, nullptr, "unpack the file first (unzip), or save the document as plain text"},
    {"7z", "7z\xbc\xaf\x27\x1c"sv, nullptr, "unpack the file first (7z x)"},
    {"rar", "Rar!\x1a\x07"sv, nullptr, "unpack the file first (unrar x)"},
    {"lz4", "\x04\x22\x4d\x18"sv, nullptr, "unpack the file first (unlz4)"},
};

/// As far as both go.
bool agree(std::string_view begin, std::string_view magic) {
  const std::size_t n = std::min(begin.size(), magic.size());
  return std::equal(begin.begin(), begin.begin() + static_cast<std::ptrdiff_t>(n), magic.begin(),
                    [](char found, char expected) { return expected == '?' || found == expected; });
}

}  // namespace

const PackedFormat* find_packed(std::string_view begin) {
  const auto* const found = std::find_if(std::begin(kFormats), std::end(kFormats), [&](const PackedFormat& format) {
    return begin.size() >= format.magic.size() && agree(begin, format.magic);
  });
  return found == std::end(kFormats) ? nullptr : found;
}

bool could_be_packed(std::string_view begin) {
  return std::any_of(std::begin(kFormats), std::end(kFormats), [&](const PackedFormat& format) {
    return begin.size() < format.magic.size() && agree(begin, format.magic);
  });
}

}  // namespace dragoman
