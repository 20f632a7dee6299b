// Parallel text on disk: pairs of lines with random access. Memory: 8 bytes a line and file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "data/data_options.h"
#include "io/indexed_file.h"

namespace dragoman {

/// Pairs are numbered from 0 over all files in their order. Everything but the constructor is const and may be
/// called by several threads. Lines come as they are in the files, without cleaning.
class Corpus {
 public:
  /// Reads every file once. UserError: a file missing or empty, source and target with unequal numbers of lines,
  /// what is not UTF-8 text (text_check.h), a tsv line with fewer than two columns.
  explicit Corpus(const ParallelFiles& files, bool tsv_header = false);

  [[nodiscard]] std::size_t size() const { return size_; }
  /// Bytes of temporary files that packed files were unpacked into, once, by the constructor.
  [[nodiscard]] std::size_t temporary_bytes() const;
  void read(std::size_t i, std::string& source, std::string& target) const;
  /// Bytes of the longer side (tsv: of the whole line), line end included.
  [[nodiscard]] std::size_t bytes(std::size_t i) const;
  /// "FILE:LINE" of pair i (of its source).
  [[nodiscard]] std::string where(std::size_t i) const;

 private:
  struct Part {
    std::size_t first;  // number of its first pair
    IndexedFile source;
    std::optional<IndexedFile> target;  // absent: source is a tsv file
  };

  void add_pair(const std::string& source, const std::string& target);
  void add_tsv(const std::string& path, bool header);
  void add(IndexedFile source, std::optional<IndexedFile> target);
  [[nodiscard]] const Part& part_of(std::size_t i) const;

  std::vector<Part> parts_;
  std::size_t size_ = 0;
};

}  // namespace dragoman
