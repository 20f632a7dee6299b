// Refuses what was given as text by mistake: other encodings, pointers of Git LFS, web pages, archives.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/encoding_guess.h"

namespace dragoman {

/// For text that must be right. `number` is the line's in the file, `first` whether it is the first one read. UserError:
/// invalid UTF-8 (with the byte, and the encoding when it can be guessed), UTF-16 or UTF-32 without byte order mark,
/// and in the first line the beginning of a Git LFS pointer, of an HTML page or of a tar archive.
void check_text(const std::string& path, std::string_view line, std::size_t number, bool first);

/// For text of which every line is to be answered: `lines` are its first ones. UserError when it is no UTF-8 as a whole
/// (most lines have one other encoding, or nearly all are invalid), a Git LFS pointer, an HTML page or a tar archive. Single bad
/// bytes pass.
void check_beginning(const std::string& name, std::span<const std::string> lines);

/// All lines of a file, each checked by check_text.
[[nodiscard]] std::vector<std::string> read_text(const std::string& path);

/// "the text is probably cp1252 or Latin-1 (Western European)"; empty when unknown.
[[nodiscard]] std::string describe(Encoding encoding);

}  // namespace dragoman
