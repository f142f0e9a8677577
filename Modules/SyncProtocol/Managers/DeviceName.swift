/// What people call devices, as it is shown in sentences: one line, and not a long one, whoever has written it.
public enum DeviceName {
  /// The greatest number of characters.
  public static let limit = 100
  /// The greatest number of bytes: a character may be put together from any number of them.
  private static let byteLimit = 4 * limit

  /// A name as it is shown; the end of one that is too long is cut.
  public static func shown(_ name: String) -> String {
    var shown = ""
    var bytes = 0
    for (count, character) in name.enumerated() {
      bytes += character.utf8.count
      guard count < limit, bytes <= byteLimit else { return shown + "…" }
      shown.append(character.isNewline ? " " : character)
    }
    return shown
  }
}
