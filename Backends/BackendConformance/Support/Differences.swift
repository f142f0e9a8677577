/// What tells two lists of names apart, in words.
enum Differences {
  private static let most = 5

  /// What is missing and what is too much.
  ///
  /// Names that look alike are told apart, for all but ASCII is escaped.
  static func words(_ found: [String], expected: [String]) -> String {
    let parts = [
      ("missing", surplus(of: expected, over: found)), ("too much", surplus(of: found, over: expected)),
    ].compactMap { what, names in names.isEmpty ? nil : "\(what): \(words(names))" }
    return parts.isEmpty ? "nothing is missing or too much" : parts.joined(separator: "; ")
  }

  /// Names with whatever is not ASCII escaped; of many, the first.
  static func words(_ names: [String]) -> String {
    let first = names.prefix(most).map { "“\(escaped($0))”" }.joined(separator: ", ")
    return names.count > most ? "\(first) and \(names.count - most) more" : first
  }

  static func escaped(_ name: String) -> String {
    name.unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
  }

  /// What one list holds more often than the other, byte by byte: `String` takes some forms of a character for one.
  static func surplus(of names: [String], over others: [String]) -> [String] {
    var rest: [[UInt8]: Int] = [:]
    for other in others { rest[Array(other.utf8), default: 0] += 1 }
    return names.filter { name in
      let key = Array(name.utf8)
      guard let count = rest[key], count > 0 else { return true }
      rest[key] = count - 1
      return false
    }.sorted()
  }
}

extension LawContext {
  /// Expects names in whatever order.
  func expectNames(_ found: [String], _ expected: [String], _ what: String) throws {
    let isSame =
      found.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
      == expected.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
    try expect(isSame, "\(what): \(Differences.words(found, expected: expected))")
  }
}
