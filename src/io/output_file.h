// What a command writes where its user says.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "io/atomic_file.h"
#include "io/byte_stream.h"

namespace dragoman {

/// A file appears whole in the end, at the place that links lead to. Pipes, devices, standard output ("-") and open
/// descriptors (/dev/stdout, /dev/fd/3) get what is written as it comes. A failed write is a UserError, never silence.
class OutputFile {
 public:
  /// A FIFO is waited for until it has a reader. UserError: it can't be written.
  explicit OutputFile(const std::string& path);

  void write(std::string_view text);
  /// Once, after all was written.
  void finish();

 private:
  std::string name_;
  std::optional<AtomicFile> file_;
  FileDescriptor direct_;
};

/// The file or folder that would be written, links followed (the last one may lead to one that does not exist yet).
/// Empty: standard output, a pipe or a device. UserError: links without an end.
[[nodiscard]] std::filesystem::path output_place(const std::string& path);

/// Would both write to the same file, pipe or device?
[[nodiscard]] bool same_output(const std::string& a, const std::string& b);

}  // namespace dragoman
