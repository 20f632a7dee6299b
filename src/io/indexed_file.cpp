#include "io/indexed_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "io/line_reader.h"

namespace dragoman {

IndexedFile::IndexedFile(std::string path, const Visitor& visit, std::size_t skip)
    : path_(std::move(path)), skip_(skip), fd_(open_random_access(path_, copied_)) {
  LineReader reader{ByteStream(FileDescriptor(::dup(fd_.get())), path_)};
  std::string line;
  while (reader.next(line)) {
    if (reader.number() <= skip) continue;
    if (visit) visit(line, reader.number());
    start_.push_back(reader.start());
  }
  start_.push_back(reader.end());
  start_.shrink_to_fit();
}

void IndexedFile::read(std::size_t i, std::string& line) const {
  line.resize(bytes(i));
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t n = ::pread(fd_.get(), line.data() + done, line.size() - done, start_[i] + done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw UserError(path_, number(i), std::strerror(errno));
    if (n == 0) throw UserError(path_, number(i), "the file has become shorter while it was in use");
    done += static_cast<std::size_t>(n);
  }
  strip_line_end(line);
}

}  // namespace dragoman
