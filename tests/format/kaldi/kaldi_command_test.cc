#include "format/kaldi/kaldi_command.h"

#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace sheaf::kaldi {
namespace {

/// Returns "what path", with the channel if the command picks one. Returns nothing for an unknown
/// command.
std::string command_told(std::string_view command) {
  const std::optional<ListedCommand> found = parse_command(command);
  if (!found) return "";
  constexpr std::string_view kDecoders[] = {"copy", "flac", "sph", "sox"};
  std::string text(kDecoders[static_cast<std::size_t>(found->decoder)]);
  if (found->is_compressed) text = "gunzip";
  if (found->channel != 0) text += std::to_string(found->channel);
  return text + " " + std::string(found->path);
}

struct CommandCase {
  std::string_view command;
  std::string_view told;
};

TEST(KaldiCommand, RecognizesCommandsOfDataFolders) {
  const CommandCase cases[] = {
      {"cat a.wav ", "copy a.wav"},
      {"gunzip -c a.gz", "gunzip a.gz"},
      {"zcat -f a.gz", "gunzip a.gz"},
      {"flac -c -d -s /corpus/a.flac ", "flac /corpus/a.flac"},
      {"flac -cds a.flac", "flac a.flac"},
      {"flac -d -c a.flac", "flac a.flac"},
      {"/usr/bin/flac --decode --stdout --silent a.flac", "flac a.flac"},
      {"/k/tools/sph2pipe_v2.5/sph2pipe -f wav -p -c 1 a.sph", "sph1 a.sph"},
      {"sph2pipe -c 2 -p -f wav a.sph", "sph2 a.sph"},
      {"sph2pipe -f wav 'a b.sph'", "sph a b.sph"},
      {"sph2pipe -f rif -p a.sph", "sph a.sph"},
      {"sox a.wav -t wav -", "sox a.wav"},
      {"sox -t flac \"a.flac\" -t wav -", "sox a.flac"},
  };
  for (const CommandCase& c : cases) EXPECT_EQ(command_told(c.command), c.told) << c.command;
}

TEST(KaldiCommand, RefusesOtherCommands) {
  const std::string_view cases[] = {
      "",
      "flac",
      "flac a.flac",
      "flac -d a.flac",                                  // writes a file
      "flac -c a.wav",                                   // encodes
      "flac -c -d --until=10 a.flac",                    //
      "flac -cdf a.flac",                                //
      "flac -c -d a.flac b.flac",                        //
      "flac -c -d $HOME/a.flac",                         //
      "sph2pipe a.sph",                                  // the output is SPHERE
      "sph2pipe -f sph a.sph",                           //
      "sph2pipe -f wav -c 3 a.sph",                      //
      "sph2pipe -f wav -c 1 -c 2 a.sph",                 //
      "sph2pipe -f wav -t 1:2 a.sph",                    // only a part
      "sph2pipe -p -f",                                  //
      "sox a.wav -r 16000 -t wav -",                     // resamples
      "sox a.wav -t wav - trim 1",                       // an effect
      "sox a.wav b.wav -t wav -",                        // joins
      "sox a.wav -t raw -",                              //
      "sox -t raw a -t wav -",                           //
      "sox -v 2 a.wav -t wav -",                         //
      "sox a.wav",                                       //
      "ffmpeg -i a.mp3 -f wav -",                        //
      "cat -n a",                                        //
      "/bin/cat a b",                                    //
      "evil;flac -c -d a.flac",                          //
      "x`y`/flac -c -d a.flac",                          //
      "sox a.wav -t wav - one two three four five six",  //
  };
  for (const std::string_view command : cases) EXPECT_EQ(command_told(command), "") << command;
}

// No command of a few words crashes the parser, and a path is always one of the words.
TEST(KaldiCommand, PathsAreWords) {
  const std::string_view words[] = {"flac", "-c", "-d", "sph2pipe", "-f", "wav",
                                    "sox",  "-t", "-",  "a",        "'",  "cat"};
  constexpr std::size_t kCount = std::size(words);
  for (std::size_t n = 0; n < kCount * kCount * kCount * kCount * kCount; ++n) {
    std::string command;
    for (std::size_t rest = n, i = 0; i < 5; ++i, rest /= kCount) {
      command += std::string(words[rest % kCount]) + " ";
    }
    const std::optional<ListedCommand> found = parse_command(command);
    if (!found) continue;
    ASSERT_FALSE(found->path.empty()) << command;
    ASSERT_NE(command.find(found->path), std::string::npos) << command;
  }
}

}  // namespace
}  // namespace sheaf::kaldi
