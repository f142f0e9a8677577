/// How the stored values of one attribute type become those of another without losing anything.
///
/// | From | To |
/// |---|---|
/// | Integer 16 | Integer 32, Integer 64, Float, Double, Decimal, String |
/// | Integer 32 | Integer 64, Double, Decimal, String |
/// | Integer 64 | Decimal, String |
/// | Boolean | Integer 16, Integer 32, Integer 64, Float, Double, Decimal |
/// | Float | Double |
/// | Double | Date (seconds since 2001), and back |
/// | URI, UUID | String |
/// | Binary | Transformable, and back: the bytes stay |
enum AttributeConversion {
  /// An SQL expression for the converted value of a column; `nil` if the conversion may lose something.
  static func expression(_ column: String, from source: AttributeType, to target: AttributeType) -> String? {
    switch (source, target) {
    case _ where source == target: column
    case (.boolean, .integer16), (.boolean, .integer32), (.boolean, .integer64), (.boolean, .decimal),
      (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64),
      (.integer16, .decimal), (.integer32, .decimal), (.integer64, .decimal),
      (.binary, .transformable), (.transformable, .binary), (.uri, .string):
      column
    case (.boolean, .float), (.boolean, .double), (.integer16, .float), (.integer16, .double),
      (.integer32, .double), (.float, .double), (.double, .date), (.date, .double):
      "CAST(\(column) AS REAL)"
    case (.integer16, .string), (.integer32, .string), (.integer64, .string): "CAST(\(column) AS TEXT)"
    case (.uuid, .string): "CASE WHEN \(column) IS NOT NULL THEN \(uuidText(column)) END"
    default: nil
    }
  }

  /// Sixteen bytes as text in capitals, in groups of 8, 4, 4, 4 and 12 digits.
  private static func uuidText(_ column: String) -> String {
    [(1, 8), (9, 4), (13, 4), (17, 4), (21, 12)].map { "substr(hex(\(column)), \($0), \($1))" }
      .joined(separator: " || '-' || ")
  }
}
