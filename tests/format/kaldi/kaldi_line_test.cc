#include "format/kaldi/kaldi_line.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace sheaf::kaldi {
namespace {

/// Returns "key|path:offset[rows,cols]", with "z" before a path that is decompressed. For a wrong
/// line, returns the code of the error and the wrong part.
std::string told(std::string_view line) {
  const ListedObject object = parse_line(line);
  if (object.fault != nullptr) {
    return std::string(object.fault->code) + ": " +
           std::string(line.substr(object.fault_begin, object.fault_size));
  }
  const auto range = [](const std::optional<internal::KaldiListedRange>& part) {
    return part ? std::to_string(part->first) + "-" + std::to_string(part->last) : "all";
  };
  std::string text = std::string(object.key) + "|" + (object.is_compressed ? "z " : "") +
                     std::string(object.path) + ":" + std::to_string(object.offset_bytes);
  if (object.rows || object.cols) text += "[" + range(object.rows) + "," + range(object.cols) + "]";
  return text;
}

struct LineCase {
  std::string_view line;
  std::string_view told;
};

TEST(KaldiLine, LocatesAnObject) {
  const LineCase cases[] = {
      {"utt a.ark:17", "utt|a.ark:17"},                            //
      {"utt  \t a.ark:17 \t\r", "utt|a.ark:17"},                   // blanks around the path
      {"utt a.ark", "utt|a.ark:0"},                                // a file of one object
      {"utt a b.ark:17", "utt|a b.ark:17"},                        // a blank in the path
      {"utt C:\\x.ark:12", "utt|C:\\x.ark:12"},                    // the last colon counts
      {"utt a:b", "utt|a:b:0"},                                    // no digits
      {"utt a:", "utt|a::0"},                                      //
      {"utt 12", "utt|12:0"},                                      // a file named 12
      {"utt a:9223372036854775807", "utt|a:9223372036854775807"},  // the largest offset
      {"utt a.ark:17[0:9]", "utt|a.ark:17[0-9,all]"},              //
      {"utt a.ark:17[0:9,2:3]", "utt|a.ark:17[0-9,2-3]"},          //
      {"utt a.ark:17[:,2:3]", "utt|a.ark:17[all,2-3]"},            //
      {"utt a.ark:17[:]", "utt|a.ark:17"},                         //
      {"utt a[1].ark:17", "utt|a[1].ark:17"},                      // a bracket inside
      {"utt gunzip -c a.gz |", "utt|z a.gz:0"},                    //
      {"utt gzip -dc a.gz|", "utt|z a.gz:0"},                      //
      {"utt gzip -d -c a.gz|", "utt|z a.gz:0"},                    //
      {"utt zcat  'a b.gz' |", "utt|z a b.gz:0"},                  //
      {"utt cat \"a.ark\" |[0:1]", "utt|a.ark:0[0-1,all]"},        //
  };
  for (const LineCase& c : cases) EXPECT_EQ(told(c.line), c.told) << c.line;
}

TEST(KaldiLine, ErrorsQuoteTheText) {
  const LineCase cases[] = {
      {"", "kaldi-key: "},
      {" utt a", "kaldi-key: "},
      {"utt", "kaldi-path: "},
      {"utt \t ", "kaldi-path: "},
      {"utt :17", "kaldi-path: :17"},
      {"utt a[3]", "kaldi-range: [3]"},
      {"utt a[0:]", "kaldi-range: [0:]"},
      {"utt a[-1:2]", "kaldi-range: [-1:2]"},
      {"utt a[0:1,]", "kaldi-range: [0:1,]"},
      {"utt a[0:1,0:1,0:1]", "kaldi-range: [0:1,0:1,0:1]"},
      {"utt a[]", "kaldi-range: []"},
      {"utt a]", "kaldi-range: a]"},
      {"utt a[0:1][0:1]", "kaldi-range: [0:1][0:1]"},
      {"utt a[0:9223372036854775808]", "kaldi-range: [0:9223372036854775808]"},
      {"utt a:9223372036854775808", "kaldi-offset: a:9223372036854775808"},
      {"utt -", "kaldi-path: -"},
      {"utt ark:a.ark", "kaldi-path: ark:a.ark"},
      {"utt scp,p:a.scp", "kaldi-path: scp,p:a.scp"},
      {"utt sox a.wav -t raw - |", "kaldi-command: sox a.wav -t raw - |"},
      {"utt |tee a", "kaldi-command: |tee a"},
      {"utt a|b", "kaldi-command: a|b"},
      {"utt gunzip a.gz |", "kaldi-command: gunzip a.gz |"},
      {"utt gunzip -c a.gz b.gz |", "kaldi-command: gunzip -c a.gz b.gz |"},
      {"utt zcat a.gz; rm -r x |", "kaldi-command: zcat a.gz; rm -r x |"},
      {"utt zcat $HOME/a.gz |", "kaldi-command: zcat $HOME/a.gz |"},
      {"utt zcat a*.gz |", "kaldi-command: zcat a*.gz |"},
      {"utt zcat 'a.gz |", "kaldi-command: zcat 'a.gz |"},
      {"utt cat -n a |", "kaldi-command: cat -n a |"},
      {"utt cat a b c d e |", "kaldi-command: cat a b c d e |"},
      {"utt cat |", "kaldi-command: cat |"},
      {"utt |", "kaldi-command: |"},
  };
  for (const LineCase& c : cases) EXPECT_EQ(told(c.line), c.told) << c.line;
}

// No line of a few pieces crashes the parser, and the offsets of errors lie in the line.
TEST(KaldiLine, ErrorOffsetsLieWithinTheLine) {
  const std::string_view pieces[] = {"a", " ", ":", "1", "[", "]", ",", "|", "-", "'", "cat"};
  constexpr std::size_t kCount = std::size(pieces);
  for (std::size_t n = 0; n < kCount * kCount * kCount * kCount * kCount; ++n) {
    std::string line;
    for (std::size_t rest = n, i = 0; i < 5; ++i, rest /= kCount) line += pieces[rest % kCount];
    const ListedObject object = parse_line(line);
    ASSERT_LE(object.fault_begin + object.fault_size, line.size()) << line;
    ASSERT_LE(object.path_begin + object.path_size, line.size()) << line;
    ASSERT_LE(object.range_begin + object.range_size, line.size()) << line;
    if (object.fault != nullptr) continue;
    ASSERT_FALSE(object.key.empty()) << line;
    ASSERT_FALSE(object.path.empty()) << line;
  }
}

TEST(KaldiLine, AScanYieldsNamesAndOffsets) {
  KaldiLines lines;
  EXPECT_TRUE(KaldiLines::is_blank(" \t\r"));
  EXPECT_FALSE(KaldiLines::is_blank("a"));
  const internal::ScannedLine plain = lines.parse("utt a.ark:17[0:1]");
  EXPECT_EQ(plain.path, "a.ark");
  EXPECT_EQ(plain.location, 17);
  EXPECT_EQ(plain.count, internal::ListEntry::kUnknownCount) << "the object tells";
  EXPECT_EQ(lines.parse("utt zcat a.gz |").path, "\na.gz") << "decompressed";
  const internal::ScannedLine wrong = lines.parse("utt");
  EXPECT_FALSE(wrong.is_good);
  EXPECT_EQ(wrong.count, 0U);
}

/// Returns a line with its end and the padding that a scan has.
std::string with_room(std::string_view line) { return std::string(line) + std::string(80, '\n'); }

// For every line, the fast parser gives the same result as the other parser, or leaves the line to
// it.
void expect_same(std::string_view line) {
  const std::string text = with_room(line);
  const PlainLine plain = parse_plain_line(text.data());
  if (plain.end == nullptr) return;
  const std::string_view parsed = std::string_view(text).substr(0, text.find('\n'));
  ASSERT_EQ(plain.end, parsed.data() + parsed.size()) << line;
  const ListedObject object = parse_line(parsed);
  ASSERT_EQ(object.fault, nullptr) << line;
  EXPECT_EQ(plain.key, object.key) << line;
  EXPECT_EQ(plain.path, object.path) << line;
  EXPECT_EQ(plain.offset_bytes, object.offset_bytes) << line;
  EXPECT_FALSE(object.is_compressed || object.rows || object.cols) << line;
}

TEST(KaldiLine, PlainLinesAgreeWithTheGeneralParser) {
  constexpr std::string_view kAlphabet = "a1:. |]\r\t-";
  std::string line;
  for (std::size_t size = 0; size <= 6; ++size) {
    std::size_t count = 1;
    for (std::size_t i = 0; i < size; ++i) count *= kAlphabet.size();
    for (std::size_t number = 0; number < count; ++number) {
      line.clear();
      for (std::size_t i = 0, rest = number; i < size; ++i, rest /= kAlphabet.size()) {
        line += kAlphabet[rest % kAlphabet.size()];
      }
      expect_same(line);
    }
  }
}

TEST(KaldiLine, UsualLinesArePlain) {
  for (const std::size_t path_size : {1U, 61U, 62U, 63U, 64U, 65U, 126U, 127U, 128U, 129U}) {
    for (const std::string_view digits :
         {"0", "12345678", "123456789", "1234567890123456", "0000000000000000"}) {
      for (const std::string_view end : {"", "\r"}) {
        const std::string line = with_room("u " + std::string(path_size, 'p') + ":" +
                                           std::string(digits) + std::string(end));
        EXPECT_NE(parse_plain_line(line.data()).end, nullptr) << line;
        expect_same(line.substr(0, line.find('\n')));
      }
    }
  }
}

TEST(KaldiLine, OtherLinesAreNotPlain) {
  for (const std::string_view line :
       {"u a:12345678901234567", "u a", "u a:", "u :1", "u  a:1", "u\ta:1", "u a b:1", "u a:1 ",
        " u a:1", "u ark:1", "u scp,p:1", "u a|:1", "u a]:1", "u a:1[0:1]", "u a:1\rb", "u a:x1",
        "", "u", "u "}) {
    EXPECT_EQ(parse_plain_line(with_room(line).data()).end, nullptr) << line;
    expect_same(line);
  }
}

}  // namespace
}  // namespace sheaf::kaldi
