#include "data/corpus.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "data/text_check.h"

namespace dragoman {

namespace {

IndexedFile open_text(const std::string& path) {
  return IndexedFile(path,
                     [&](std::string_view line, std::size_t number) { check_text(path, line, number, number == 1); });
}

}  // namespace

Corpus::Corpus(const ParallelFiles& files, bool tsv_header) {
  if (files.source.size() != files.target.size()) {
    throw UserError("data: " + std::to_string(files.source.size()) + " source files against " +
                    std::to_string(files.target.size()) + " target files, expected equally many");
  }
  if (files.empty()) throw UserError("data: no files given, expected source and target, or tsv");
  for (std::size_t i = 0; i < files.source.size(); ++i) add_pair(files.source[i], files.target[i]);
  for (const std::string& path : files.tsv) add_tsv(path, tsv_header);
  if (size_ == 0) throw UserError(parts_.front().source.path(), 0, "holds no lines: nothing to read pairs from");
}

void Corpus::add_pair(const std::string& source, const std::string& target) {
  IndexedFile source_file = open_text(source);
  IndexedFile target_file = open_text(target);
  if (source_file.size() != target_file.size()) {
    throw UserError(source + " and " + target + ": " + std::to_string(source_file.size()) + " lines against " +
                    std::to_string(target_file.size()) +
                    "; line i of one must be the translation of line i of the other");
  }
  add(std::move(source_file), std::move(target_file));
}

void Corpus::add_tsv(const std::string& path, bool header) {
  const auto check = [&](std::string_view line, std::size_t number) {
    const bool first = number == (header ? 2U : 1U);
    check_text(path, line, number, first);
    if (line.find('\t') != std::string_view::npos) return;
    const bool csv = path.ends_with(".csv") || (first && line.find_first_of(",;") != std::string_view::npos);
    throw UserError(
        path, number,
        std::string("found 1 column, expected at least 2 separated by TAB (source, target)") +
            (csv ? "; this looks like CSV, with commas or semicolons between columns: save it as TSV" : ""));
  };
  add(IndexedFile(path, check, header ? 1 : 0), {});
}

void Corpus::add(IndexedFile source, std::optional<IndexedFile> target) {
  const std::size_t first = size_;
  size_ += source.size();
  parts_.push_back({first, std::move(source), std::move(target)});
}

std::size_t Corpus::temporary_bytes() const {
  std::size_t bytes = 0;
  for (const Part& part : parts_) {
    bytes += part.source.temporary_bytes() + (part.target ? part.target->temporary_bytes() : 0);
  }
  return bytes;
}

const Corpus::Part& Corpus::part_of(std::size_t i) const {
  CHECK(i < size_, "pair " + std::to_string(i) + " of " + std::to_string(size_));
  // The last part that begins at or before i; an empty part before it begins at the same pair.
  const auto after = std::upper_bound(parts_.begin(), parts_.end(), i,
                                      [](std::size_t pair, const Part& part) { return pair < part.first; });
  return *std::prev(after);
}

void Corpus::read(std::size_t i, std::string& source, std::string& target) const {
  const Part& part = part_of(i);
  part.source.read(i - part.first, source);
  if (part.target) {
    part.target->read(i - part.first, target);
    return;
  }
  const std::size_t tab = source.find('\t');
  if (tab == std::string::npos) throw UserError(where(i), 0, "the file has changed while it was in use");
  const std::size_t second = source.find('\t', tab + 1);
  target.assign(source, tab + 1, second == std::string::npos ? second : second - tab - 1);
  source.resize(tab);
}

std::size_t Corpus::bytes(std::size_t i) const {
  const Part& part = part_of(i);
  const std::size_t source = part.source.bytes(i - part.first);
  return part.target ? std::max(source, part.target->bytes(i - part.first)) : source;
}

std::string Corpus::where(std::size_t i) const {
  const Part& part = part_of(i);
  return part.source.path() + ":" + std::to_string(part.source.number(i - part.first));
}

}  // namespace dragoman
