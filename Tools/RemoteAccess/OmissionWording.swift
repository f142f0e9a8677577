import CommandLineTool
import Inspection

extension [UnlistedFolder] {
  /// Those that are named for a person; the others are counted.
  private static let shownLimit = 20

  /// One sentence about each, for standard error: without them an answer would pass for a whole one.
  public var sentences: [String] {
    var sentences = prefix(Self.shownLimit).map { folder in
      PrintableText.line(
        "“\(folder.path)” cannot be listed, and what lies in it is not known: \(folder.failure.description)")
    }
    if count > Self.shownLimit {
      sentences.append("\(count - Self.shownLimit) more folders cannot be listed")
    }
    return sentences
  }

  /// All of them, for programs.
  public var json: JSONValue {
    .array(map { ["path": .string("\($0.path)"), "reason": .string($0.failure.description)] })
  }
}

extension HistoryOmissions {
  /// One sentence about each set that is not there, and each folder that was not listed.
  public var sentences: [String] {
    missing.map { set in
      PrintableText.line(
        "set \(set.sequence) of author \(set.author) of “\(set.document)” is not there, and perhaps others that follow; what they tell is not shown."
      )
    } + unlisted.sentences
  }

  /// The sets that are not there, for programs.
  public var json: JSONValue {
    .array(
      missing.map {
        [
          "document": .string($0.document), "author": .string($0.author.description),
          "sequence": .integer(Int64(clamping: $0.sequence)),
        ]
      })
  }
}
