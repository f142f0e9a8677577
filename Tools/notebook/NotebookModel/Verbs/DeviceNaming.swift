import CommandLineTool
import SyncProtocol

/// What a device may be called: every device shows the name within its sentences.
enum DeviceNaming {
  /// A name as it may be, without blanks around it.
  ///
  /// - Parameters:
  ///   - name: what a person has given.
  ///   - subject: what messages call it.
  /// - Throws: `ToolFailure` that says what is wrong with it.
  static func checked(_ name: String, _ subject: String) throws(ToolFailure) -> String {
    let name = trimmed(name)
    guard !name.isEmpty else { throw refusal("\(subject) is empty") }
    guard !name.contains(where: \.isNewline) else { throw refusal("\(subject) is no single line") }
    guard DeviceName.shown(name) == name else {
      throw refusal("\(subject) has more than \(DeviceName.limit) characters, or takes too many bytes")
    }
    if let scalar = name.unicodeScalars.first(where: { PrintableText.line("\($0)") != "\($0)" }) {
      let number = String(scalar.value, radix: 16, uppercase: true)
      let digits = String(repeating: "0", count: max(0, 4 - number.count)) + number
      throw refusal("\(subject) holds a character that moves, colours or hides text (U+\(digits))")
    }
    return name
  }

  /// What a person should know whose device has a name that others have, too.
  static func notice(_ name: String, others: [String]) -> String? {
    guard others.contains(name) else { return nil }
    return PrintableText.line(
      "another device is called “\(name)” as well; “notebook rename-device” gives this one another name")
  }

  /// Added to the name of a device that goes on under another author, whatever the reason was.
  static let formerly = "as it was before its store was restored or copied, or it had to begin anew"

  private static func trimmed(_ name: String) -> String {
    let beginning = name.drop(while: \.isWhitespace)
    return String(
      beginning.prefix(beginning.count - beginning.reversed().prefix(while: \.isWhitespace).count))
  }

  private static func refusal(_ message: String) -> ToolFailure {
    .usage(message, advice: "choose a simple name for this device")
  }
}
