#include "io/line_reader.h"

#include <cstring>
#include <string_view>
#include <utility>

#include "core/error.h"

namespace dragoman {

namespace {
constexpr std::size_t kChunk = 1 << 16;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kUtf16[] = {"\xFF\xFE", "\xFE\xFF"};
}  // namespace

LineReader::LineReader(ByteStream stream) : stream_(std::move(stream)), buffer_(kChunk) {}

bool LineReader::fill() {
  used_ = 0;
  filled_ = stream_.read(buffer_.data(), buffer_.size());
  return filled_ > 0;
}

// Reads on only while what is there could still become a mark, so that a short line typed at a terminal is
// answered at once.
void LineReader::skip_byte_order_mark() {
  begun_ = true;
  const auto text = [this] { return std::string_view(buffer_.data(), filled_); };
  if (!fill()) return;
  while (filled_ < kByteOrderMark.size() && kByteOrderMark.starts_with(text())) {
    const std::size_t n = stream_.read(buffer_.data() + filled_, buffer_.size() - filled_);
    if (n == 0) break;
    filled_ += n;
  }
  if (filled_ == 1 && (text() == "\xFF" || text() == "\xFE")) {
    filled_ += stream_.read(buffer_.data() + 1, buffer_.size() - 1);
  }
  for (const std::string_view mark : kUtf16) {
    if (text().starts_with(mark)) {
      throw UserError(name(), 0, "the text is UTF-16 (byte order mark), expected UTF-8: convert it first (iconv)");
    }
  }
  if (text().starts_with(kByteOrderMark)) used_ = end_ = kByteOrderMark.size();
}

bool LineReader::next(std::string& line) {
  if (!begun_) skip_byte_order_mark();
  line.clear();
  start_ = end_;
  for (;;) {
    if (used_ == filled_ && !fill()) break;
    const char* begin = buffer_.data() + used_;
    const std::size_t available = filled_ - used_;
    const void* found = std::memchr(begin, '\n', available);
    const std::size_t n = found ? static_cast<const char*>(found) - begin + 1 : available;
    if (line.size() + n > kMaxLineBytes) {
      throw UserError(name(), number_ + 1,
                      "the line has more than " + std::to_string(kMaxLineBytes) + " bytes; is this text?");
    }
    line.append(begin, n);
    used_ += n;
    end_ += n;
    if (found) break;
  }
  if (end_ == start_) return false;
  strip_line_end(line);
  ++number_;
  return true;
}

void strip_line_end(std::string& line) {
  if (!line.empty() && line.back() == '\n') line.pop_back();
  if (!line.empty() && line.back() == '\r') line.pop_back();
}

std::vector<std::string> read_lines(const std::string& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) lines.push_back(line);
  return lines;
}

}  // namespace dragoman
