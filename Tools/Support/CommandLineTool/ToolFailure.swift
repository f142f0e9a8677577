import ShownText

/// Why a command could not do what was asked: an exit status and one sentence for a person.
public struct ToolFailure: Error, Equatable, CustomStringConvertible {
  /// What the process ends with.
  public let status: ToolStatus
  /// What happened, without a final full stop.
  public let message: String
  /// What to do about it, without a final full stop.
  public let advice: String?

  /// Describes a failure. Both texts are written as one sentence, so neither ends in a full stop.
  public init(_ status: ToolStatus, _ message: String, advice: String? = nil) {
    self.status = status
    self.message = message
    self.advice = advice
  }

  /// A command line that was not understood.
  public static func usage(_ message: String, advice: String? = nil) -> ToolFailure {
    ToolFailure(.usage, message, advice: advice)
  }

  /// The whole sentence, on one line and without anything that a terminal would take for a command, whatever the texts contain.
  public var description: String {
    let sentence = advice.map { "\(message); \($0)" } ?? message
    let line = PrintableText.line(String(sentence.map { $0.isNewline ? " " : $0 }))
    return line.last.map { ".?!".contains($0) } == true ? line : line + "."
  }
}
