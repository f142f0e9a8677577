/// Makes a value of the elements of an XML property list, such as the metadata of an XML store.
struct XMLPropertyList {
  /// What the list holds, once it has ended.
  private(set) var result: ArchivedObject?
  private var open: [Container] = []
  private var offset = 0

  private enum Container {
    case array([ArchivedObject])
    case dictionary([ArchivedObject: ArchivedObject], key: String?)
  }

  private func malformed(_ expectation: String) -> CoreDataFormatError {
    CoreDataFormatError(.malformed, in: .xmlStore, at: offset, expected: expectation)
  }

  mutating func begin(_ name: String, at offset: Int) throws(CoreDataFormatError) {
    self.offset = offset
    switch name {
    case "array": open.append(.array([]))
    case "dict": open.append(.dictionary([:], key: nil))
    default: return
    }
  }

  mutating func end(_ name: String, _ bytes: [UInt8]) throws(CoreDataFormatError) {
    let text = String(decoding: bytes, as: UTF8.self)
    switch name {
    case "array", "dict":
      switch open.popLast() {
      case .array(let elements)?: try add(.array(elements))
      case .dictionary(let pairs, nil)?: try add(.dictionary(pairs))
      case .dictionary(_, _?)?, nil: throw malformed("a value for each key")
      }
    case "key":
      guard case .dictionary(let pairs, nil)? = open.popLast() else { throw malformed("no key here") }
      open.append(.dictionary(pairs, key: text))
    default:
      guard let value = Self.scalar(name, text) else { throw malformed("a value of <\(name)>") }
      try add(value)
    }
  }

  private mutating func add(_ value: ArchivedObject) throws(CoreDataFormatError) {
    switch open.popLast() {
    case .array(var elements)?:
      elements.append(value)
      open.append(.array(elements))
    case .dictionary(var pairs, let key?)?:
      pairs[.string(key)] = value
      open.append(.dictionary(pairs, key: nil))
    case .dictionary(_, nil)?: throw malformed("a key before each value")
    case nil:
      guard result == nil else { throw malformed("one value") }
      result = value
    }
  }

  private static func scalar(_ name: String, _ text: String) -> ArchivedObject? {
    switch name {
    case "string": .string(text)
    case "integer": Int64(text.trimmingSpace).map { .integer($0) }
    case "real": Double(text.trimmingSpace).map { .real($0) }
    case "true": .boolean(true)
    case "false": .boolean(false)
    case "data": Base64.decode(text).map { .data($0) }
    case "date": seconds(text.trimmingSpace).map { .date($0) }
    default: nil
    }
  }

  /// Seconds from 2001 to a moment, as `2006-01-31T12:00:00Z`.
  private static func seconds(_ text: Substring) -> Double? {
    guard let match = text.wholeMatch(of: /(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z/) else { return nil }
    let parts = [match.1, match.2, match.3, match.4, match.5, match.6].compactMap { Int($0) }
    guard parts.count == 6, 1...12 ~= parts[1], 1...31 ~= parts[2] else { return nil }
    // Days of a year that begins in March, so that leap days are its last (Howard Hinnant, “chrono-Compatible Low-Level Date Algorithms”).
    let year = parts[0] - (parts[1] <= 2 ? 1 : 0)
    let day = (153 * ((parts[1] + 9) % 12) + 2) / 5 + parts[2] - 1
    let days = 365 * year + year / 4 - year / 100 + year / 400 + day - 730_791
    return Double(days * 86_400 + parts[3] * 3_600 + parts[4] * 60 + parts[5])
  }
}
