#include "io/line_reader.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/error.h"

namespace dragoman {

namespace {
constexpr std::size_t kChunk = 1 << 16;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Of encodings that are refused; one that begins like another stands before it.
struct Mark {
  std::string_view bytes;
  const char* encoding;
};
using namespace std::string_view_literals;
constexpr Mark kMarks[] = {
    {"\xFF\xFE\0\0"sv, "UTF-32"}, {"\0\0\xFE\xFF"sv, "UTF-32"}, {"\xFF\xFE"sv, "UTF-16"}, {"\xFE\xFF"sv, "UTF-16"}};

bool could_be_mark(std::string_view begin) {
  const auto longer = [&](std::string_view mark) { return begin.size() < mark.size() && mark.starts_with(begin); };
  return longer(kByteOrderMark) ||
         std::any_of(std::begin(kMarks), std::end(kMarks), [&](const Mark& mark) { return longer(mark.bytes); });
}

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
  while (could_be_mark(text())) {
    const std::size_t n = stream_.read(buffer_.data() + filled_, buffer_.size() - filled_);
    if (n == 0) break;
    filled_ += n;
  }
  for (const Mark& mark : kMarks) {
    if (!text().starts_with(mark.bytes)) continue;
    throw UserError(name(), 0,
                    std::string("the text is ") + mark.encoding +
                        " (byte order mark), expected UTF-8: convert it first (iconv -f " + mark.encoding +
                        " -t UTF-8)");
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

bool LineReader::is_ready() {
  if (!begun_) return false;
  std::size_t searched = used_;
  while (std::memchr(buffer_.data() + searched, '\n', filled_ - searched) == nullptr) {
    if (filled_ - used_ > kMaxLineBytes) return true;  // next() says that it is too long
    std::memmove(buffer_.data(), buffer_.data() + used_, filled_ - used_);
    filled_ -= std::exchange(used_, 0);
    if (filled_ == buffer_.size()) buffer_.resize(2 * filled_);
    const auto n = stream_.read_ready(buffer_.data() + filled_, buffer_.size() - filled_);
    if (!n) return false;
    if (*n == 0) return true;
    searched = filled_;
    filled_ += *n;
  }
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
