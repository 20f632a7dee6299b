// Refuses what was given as a corpus by mistake: other encodings, pointers of Git LFS, web pages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dragoman {

/// `number` is the line's in the file, `first` whether it is the first one read. UserError: invalid UTF-8 (with the
/// byte, and the encoding when it can be guessed), UTF-16 without byte order mark, and in the first line the
/// beginning of a Git LFS pointer or of an HTML page.
void check_text(const std::string& path, std::string_view line, std::size_t number, bool first);

}  // namespace dragoman
