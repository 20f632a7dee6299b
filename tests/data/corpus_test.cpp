#include "data/corpus.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "data/data_examiner.h"
#include "data/long_line.h"
#include "data/pair_encoder.h"
#include "data/temp_files.h"

namespace dragoman {
namespace {

using testing::contains;
using testing::dirty;
using testing::TempFiles;
using testing::user_error;
using Pair = std::pair<std::string, std::string>;

ParallelFiles two(const std::string& source, const std::string& target) { return {{source}, {target}, {}}; }
ParallelFiles dirty_pair(const std::string& name) { return two(dirty(name + ".en"), dirty(name + ".de")); }

std::vector<Pair> pairs_of(const Corpus& corpus) {
  std::vector<Pair> pairs(corpus.size());
  for (std::size_t i = pairs.size(); i-- > 0;) corpus.read(i, pairs[i].first, pairs[i].second);
  return pairs;
}

PairEncoder encoder_of(const Corpus& corpus, FilterOptions filter = {}) {
  TokenizerOptions options;
  options.type = "word";
  return {corpus, train_tokenizers(options, corpus, "clean", 1, nullptr), std::move(filter)};
}

TEST(Corpus, ReadsPairsOfSeveralFilesPackedOrNot) {
  const TempFiles files;
  const ParallelFiles paths{
      {files.write("a.en", "one\ntwo\r\n"), files.write("b.en", ""), files.write_gzip("c.en", "x")},
      {files.write_gzip("a.de", "\uFEFFeins\nzwei"), files.write("b.de", ""), files.write("c.de", "y\n")},
      {files.write("d.tsv", "s\tt\nu\tv\textra\n")}};
  const Corpus corpus(paths);
  EXPECT_EQ(pairs_of(corpus),
            (std::vector<Pair>{{"one", "eins"}, {"two", "zwei"}, {"x", "y"}, {"s", "t"}, {"u", "v"}}));
  EXPECT_EQ(corpus.where(1), paths.source[0] + ":2");
  EXPECT_EQ(corpus.where(2), paths.source[2] + ":1");
  EXPECT_EQ(corpus.where(4), paths.tsv[0] + ":2");
  EXPECT_EQ(corpus.bytes(1), 5u);
  EXPECT_THROW((void)corpus.bytes(5), std::logic_error);
}

TEST(Corpus, TakesTheFirstTwoColumnsOfTsv) {
  const TempFiles files;
  const std::string path = files.write("a.tsv", "source\ttarget\n# comment\tx\n\t\na\tb\tc\td\r\n e \t f \n\tg\n");
  const std::vector<Pair> data = {{"# comment", "x"}, {"", ""}, {"a", "b"}, {" e ", " f "}, {"", "g"}};
  EXPECT_EQ(pairs_of(Corpus({{}, {}, {path}}, true)), data);
  const Corpus with_header({{}, {}, {path}}, false);
  EXPECT_EQ(with_header.size(), data.size() + 1);
  EXPECT_EQ(Corpus({{}, {}, {path}}, true).where(0), path + ":2");
}

TEST(Corpus, NamesTheTsvLineWithTooFewColumns) {
  const TempFiles files;
  const std::string path = files.write("a.tsv", "a\tb\nc\td\nlonely\n");
  for (const bool header : {false, true}) {
    const std::string message = user_error([&] { Corpus({{}, {}, {path}}, header); });
    EXPECT_TRUE(contains(message, "a.tsv:3: ") && contains(message, "column")) << message;
  }
}

TEST(Corpus, NamesCsvInThePlaceOfTsv) {
  const TempFiles files;
  const auto message = [&](const std::string& name, const std::string& contents, bool header = false) {
    const std::string path = files.write(name, contents);
    return user_error([&] { Corpus({{}, {}, {path}}, header); });
  };
  const std::string found = message("a.txt", "one,eins\n");
  EXPECT_TRUE(contains(found, "a.txt:1: found 1 column") && contains(found, "looks like CSV")) << found;
  EXPECT_TRUE(contains(message("b.txt", "one;eins\n"), "looks like CSV"));
  EXPECT_TRUE(contains(message("c.txt", "source,target\none,eins\n", true), "c.txt:2: found 1 column"));
  EXPECT_TRUE(contains(message("d.csv", "one\teins\ntwo\n"), "looks like CSV"));
  EXPECT_FALSE(contains(message("e.txt", "one, two\teins, zwei\nthree, four\n"), "CSV")) << "the first line has a TAB";
  EXPECT_FALSE(contains(message("f.txt", "one\n"), "CSV"));
}

TEST(Corpus, StopsAtUnequalCounts) {
  const TempFiles files;
  const std::string message =
      user_error([&] { Corpus(two(files.write("a.en", "1\n2\n3"), files.write("a.de", "1\n2\n"))); });
  EXPECT_TRUE(contains(message, "3 lines against 2")) << message;
  EXPECT_TRUE(contains(message, "a.en") && contains(message, "a.de")) << message;
  EXPECT_TRUE(contains(user_error([&] { Corpus({{files.path("a.en")}, {}, {}}); }), "1 source files against 0"));
}

TEST(Corpus, NamesFileLineAndByteOfInvalidUtf8) {
  const TempFiles files;
  const std::string good = files.write("a.en", "1\n2\n");
  const std::string message = user_error([&] { Corpus(two(good, files.write("a.de", "gr\u00FCn\ngr\xFCn\n"))); });
  EXPECT_TRUE(contains(message, "a.de:2: ") && contains(message, "byte 3 ") && contains(message, "0xFC")) << message;
}

TEST(Corpus, RefusesEmptyAndMissingFiles) {
  const TempFiles files;
  const std::string empty = files.write("empty", "");
  EXPECT_TRUE(contains(user_error([&] { Corpus(two(empty, empty)); }), "empty: holds no lines"));
  EXPECT_TRUE(contains(user_error([&] { Corpus(two(files.path("none"), empty)); }), "none: No such file"));
  EXPECT_TRUE(contains(user_error([&] { Corpus({}); }), "no files"));
}

TEST(Corpus, ReadsFromSeveralThreads) {
  const TempFiles files;
  std::string text;
  for (int i = 0; i < 2000; ++i) text += std::to_string(i) + "\n";
  const Corpus corpus(two(files.write("a", text), files.write_gzip("b", text)));
  EXPECT_EQ(corpus.temporary_bytes(), text.size()) << "the plain file is read where it lies";
  std::vector<int> wrong(4, 0);
  std::vector<std::jthread> threads;
  for (int& count : wrong) {
    threads.emplace_back([&] {
      std::string a;
      std::string b;
      for (std::size_t i = 0; i < corpus.size(); ++i) {
        corpus.read(i, a, b);
        count += a != std::to_string(i) || a != b;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST(Examine, CountsWhatIsDroppedAndWhy) {
  const TempFiles files;
  const std::string huge(kMaxLineToTokenize + 1, 'x');
  const Corpus corpus(
      two(files.write("a.en", "a\n\na b c d\nb\n \nc\n" + huge + "\n"), files.write("a.de", "a\nb\nc\n\t\n\nc\nc\n")));
  const CorpusReport report = examine(encoder_of(corpus, {3, "skip", "clean"})).pairs;
  EXPECT_EQ(report.lines, 7u);
  EXPECT_EQ(report.kept, 2u);
  EXPECT_FALSE(report.sampled);
  EXPECT_EQ(report[PairFate::empty_source].count, 2u);
  EXPECT_EQ(report[PairFate::empty_source].first, (std::vector<std::size_t>{1, 4}));
  EXPECT_EQ(report[PairFate::empty_target].count, 1u);
  EXPECT_EQ(report[PairFate::empty_target].first, std::vector<std::size_t>{3});
  EXPECT_EQ(report[PairFate::too_long].count, 1u);
  EXPECT_EQ(report[PairFate::too_many_bytes].first, std::vector<std::size_t>{6});
  const std::string text = report.describe(corpus);
  EXPECT_TRUE(contains(text, "5 of 7 pairs dropped")) << text;
  EXPECT_TRUE(contains(text, "2 with an empty source (first: " + files.path("a.en") + ":2, 5)")) << text;
  EXPECT_TRUE(contains(text, "1 over 100 kB")) << text;
}

TEST(Examine, CountsTruncatedPairsAsKept) {
  const TempFiles files;
  const Corpus corpus(two(files.write("a", "a b c d\na\n"), files.write("b", "x\nx y z\n")));
  const CorpusReport report = examine(encoder_of(corpus, {2, "truncate", "clean"})).pairs;
  EXPECT_EQ(report.kept, 2u);
  EXPECT_EQ(report.truncated, 2u);
  EXPECT_TRUE(contains(report.describe(corpus), "2 cut to data.max_length"));
}

TEST(Examine, SaysWhenNothingIsLeft) {
  const TempFiles files;
  const Corpus corpus(two(files.write("a", "a b c\n"), files.write("b", "x\n")));
  const std::string message = user_error([&] { (void)examine(encoder_of(corpus, {2, "skip", "clean"})); });
  EXPECT_TRUE(contains(message, "nothing is left to train on") && contains(message, "1 over data.max_length"))
      << message;
}

TEST(PairEncoder, EndsBothSidesInEosAndTruncatesBeforeIt) {
  const TempFiles files;
  const Corpus corpus(two(files.write("a", "a b c\n"), files.write("b", "x\n")));
  EncodedPair pair;
  EXPECT_EQ(encoder_of(corpus).encode_filtered(0, pair), PairFate::kept);
  EXPECT_EQ(pair.source.size(), 4u);
  EXPECT_EQ(pair.source.back(), kEos);
  EXPECT_EQ(pair.target.size(), 2u);
  EXPECT_EQ(encoder_of(corpus, {2, "truncate", "clean"}).encode_filtered(0, pair), PairFate::truncated);
  EXPECT_EQ(pair.source.size(), 3u);
  EXPECT_EQ(pair.source.back(), kEos);
}

TEST(PairEncoder, RefusesUnknownOptions) {
  const TempFiles files;
  const Corpus corpus(two(files.write("a", "a\n"), files.write("b", "x\n")));
  EXPECT_TRUE(contains(user_error([&] { encoder_of(corpus, {2, "cut", "clean"}); }), "data.on_long"));
  EXPECT_TRUE(contains(user_error([&] { encoder_of(corpus, {0, "skip", "clean"}); }), "data.max_length"));
}

TEST(EncodeAll, RefusesALineThatWouldFillTheMemory) {
  const TempFiles files;
  const std::string huge(kMaxLineToTokenize, 'x');
  const Corpus corpus(two(files.write("a", "a\nb\n"), files.write("b", "x\n" + huge + "\n")));
  const std::string message = user_error([&] { (void)encode_all(encoder_of(corpus), 4); });
  EXPECT_TRUE(contains(message, "a:2: ") && contains(message, "100001 bytes, expected at most 100000")) << message;
}

TEST(EncodeAll, KeepsEveryPairInOrder) {
  const TempFiles files;
  const std::string huge(kMaxLineToTokenize - 1, 'x');
  const Corpus corpus(two(files.write("a", "a\n\nb\n" + huge + "\n\nc\n"), files.write("b", "x y z\n\nx\n\nx y\nz\n")));
  const std::vector<Batch> batches = encode_all(encoder_of(corpus, {1, "skip", "clean"}), 4);
  std::vector<std::uint64_t> lines;
  for (const Batch& batch : batches) {
    EXPECT_LE(batch.labels(), 4);
    EXPECT_EQ(batch.source.count(), batch.target.count());
    EXPECT_EQ(batch.line.size(), static_cast<std::size_t>(batch.count()));
    lines.insert(lines.end(), batch.line.begin(), batch.line.end());
  }
  EXPECT_EQ(lines, (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(batches[1].target.length(0), 1);  // the empty line is eos alone
}

TEST(DirtyCorpus, StopsAtBadFiles) {
  SKIP_WITHOUT_DIRTY_TEXT();
  EXPECT_TRUE(contains(user_error([] { Corpus(dirty_pair("10-unequal")); }), "8 lines against 7"));
  const std::string invalid = user_error([] { Corpus(dirty_pair("07-invalid-utf8")); });
  EXPECT_TRUE(contains(invalid, "07-invalid-utf8.de:") && contains(invalid, "byte ")) << invalid;
  EXPECT_TRUE(contains(user_error([] { Corpus(dirty_pair("19-empty-file")); }), "holds no lines"));
  const ParallelFiles tsv{{}, {}, {dirty("12-columns.tsv")}};
  EXPECT_TRUE(contains(user_error([&] { Corpus(tsv, true); }), "12-columns.tsv:4: "));
}

TEST(DirtyCorpus, DropsPairsWithAnEmptySideAsPairs) {
  SKIP_WITHOUT_DIRTY_TEXT();
  const Corpus corpus(dirty_pair("09-empty"));
  const PairEncoder encoder = encoder_of(corpus);
  const CorpusReport report = examine(encoder).pairs;
  EXPECT_TRUE(contains(report.describe(corpus), "6 of 8 pairs dropped")) << report.describe(corpus);
  EncodedPair pair;
  EXPECT_EQ(encoder.encode_filtered(0, pair), PairFate::kept);
  EXPECT_EQ(encoder.encode_filtered(3, pair), PairFate::kept);
}

TEST(DirtyCorpus, SkipsLongLinesAndCountsThem) {
  SKIP_WITHOUT_DIRTY_TEXT();
  const Corpus corpus(dirty_pair("13-long"));
  const CorpusReport report = examine(encoder_of(corpus)).pairs;
  EXPECT_EQ(report.lines, 7u);
  EXPECT_GE(report[PairFate::too_long].count, 2u);  // 2,000 and 1,170 words
  EXPECT_GE(report.kept, 1u);
}

TEST(DirtyCorpus, KeepsEveryLineBreakInsideItsLine) {
  SKIP_WITHOUT_DIRTY_TEXT();
  const Corpus corpus(dirty_pair("05-linebreaks"));
  EXPECT_EQ(corpus.size(), 6u);
  EXPECT_EQ(examine(encoder_of(corpus)).pairs.kept, 6u);
  const Corpus marks(dirty_pair("03-bom"));
  const PairEncoder encoder = encoder_of(marks);
  EXPECT_EQ(examine(encoder).pairs.kept, 8u);
}

TEST(DirtyCorpus, TakesOnePairAndRefusesBlanksOnly) {
  SKIP_WITHOUT_DIRTY_TEXT();
  const Corpus one(dirty_pair("19-one"));
  EXPECT_EQ(examine(encoder_of(one)).pairs.kept, 1u);
  const Corpus blank(dirty_pair("19-only-newlines"));
  EXPECT_TRUE(contains(user_error([&] { encoder_of(blank); }), "no words"));
  const PairEncoder encoder(blank, encoder_of(one).tokenizers(), {});
  const std::string message = user_error([&] { (void)examine(encoder); });
  EXPECT_TRUE(contains(message, "nothing is left") && contains(message, "3 of 3")) << message;
}

}  // namespace
}  // namespace dragoman
