import CommandLineTool
import Synchronization

/// What is wrong with the lines of an input: told as it is found, so that all of it can be mended at once.
final class ImportProblems: Sendable {
  /// How many are listed one by one.
  private static let limit = 1_000
  private static let lengthLimit = 2_000

  private let input: String
  private let console: Console
  private let count = Mutex(0)

  init(input: String, _ console: Console) {
    self.input = input
    self.console = console
  }

  /// Tells of a mistake, which stops the import before anything is kept; line 0 stands for none in particular.
  func add(line: Int, _ sentence: String) {
    let number = count.withLock { count in
      count += 1
      return count
    }
    if number <= Self.limit { complain(line, sentence) }
  }

  /// Tells of something that is left out because that was agreed to.
  func note(line: Int, _ sentence: String) { complain(line, "left out: \(sentence)") }

  /// - Throws: ``ToolFailure`` if there was a mistake.
  func stopIfAny() throws(ToolFailure) {
    let count = count.withLock { $0 }
    guard count > 0 else { return }
    if count > Self.limit { console.complain("ticds-store: \(count - Self.limit) more are not listed.") }
    throw ToolFailure(
      .damaged, "nothing was imported: \(input) has \(count == 1 ? "a mistake" : "\(count) mistakes")",
      advice: "mend the lines that are named, then import again")
  }

  private func complain(_ line: Int, _ sentence: String) {
    // Names and ids come from the input, and may be of any length.
    let isLong = sentence.utf8.count > Self.lengthLimit
    let sentence = isLong ? "\(sentence.prefix(Self.lengthLimit / 4))…" : sentence
    let place = line > 0 ? "\(input):\(line)" : input
    console.complain(PrintableText.line("ticds-store: \(place): \(sentence)"))
  }
}
