/// One row of a table for other programs (RFC 4180).
public enum CSVRow {
  /// The row with its line end. What is missing is an empty field, and a text without characters is `""`, so that programs that know
  /// the difference can tell them apart.
  public static func line(_ fields: [String?]) -> String {
    fields.map { $0.map(field) ?? "" }.joined(separator: ",") + "\r\n"
  }

  private static func field(_ text: String) -> String {
    let isPlain = !text.isEmpty && !text.utf8.contains { [0x22, 0x2c, 0x0d, 0x0a].contains($0) }
    return isPlain ? text : "\"\(text.replacing("\"", with: "\"\""))\""
  }
}
