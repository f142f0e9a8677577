/// The text of a JSON list of objects that hold such lists in turn, made one object at a time: memory holds nothing of what was made.
///
/// The parts together are what ``JSONValue/text`` is of the whole, with a line end.
public struct JSONTreeText {
  private let key: String
  /// So many objects stand in each list that is not ended, the outermost first.
  private var lists: [Int] = []

  /// Begins a text.
  ///
  /// - Parameter key: the member, the last of an object, that holds the objects below it.
  public init(nestedAs key: String) { self.key = key }

  /// Returns what to write for the next object: what ends those before, and its own members.
  ///
  /// - Parameters:
  ///   - members: what the object holds besides the list, at least one.
  ///   - depth: in how many objects it stands; at most one more than the last that has a list.
  ///   - hasList: whether objects may follow that stand in it.
  public mutating func next(_ members: [JSONValue.Member], depth: Int, hasList: Bool) -> String {
    var bytes: [UInt8] = []
    if lists.isEmpty { begin(&bytes) }
    while lists.count > depth + 1 { end(&bytes) }
    let indent = Self.indent(ofObjectAt: lists.count - 1)
    bytes += (lists.last == 0 ? "\n" : ",\n").utf8
    lists[lists.count - 1] += 1
    Self.space(&bytes, indent)
    bytes += "{\n".utf8
    for (position, member) in members.enumerated() {
      if position > 0 { bytes += ",\n".utf8 }
      Self.space(&bytes, indent + 1)
      JSONValue.write(member.key, to: &bytes)
      bytes += ": ".utf8
      member.value.write(to: &bytes, indent: indent + 1)
    }
    if hasList {
      bytes += ",\n".utf8
      Self.space(&bytes, indent + 1)
      JSONValue.write(key, to: &bytes)
      bytes += ": ".utf8
      begin(&bytes)
    } else {
      bytes += "\n".utf8
      Self.space(&bytes, indent)
      bytes += "}".utf8
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns what ends the text.
  public mutating func finish() -> String {
    var bytes: [UInt8] = []
    if lists.isEmpty { begin(&bytes) }
    while !lists.isEmpty { end(&bytes) }
    bytes += "\n".utf8
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func begin(_ bytes: inout [UInt8]) {
    bytes += "[".utf8
    lists.append(0)
  }

  /// Ends the innermost list, and the object that holds it.
  private mutating func end(_ bytes: inout [UInt8]) {
    guard let count = lists.popLast() else { return }
    let indent = Self.indent(ofObjectAt: lists.count - 1)
    if count > 0 {
      bytes += "\n".utf8
      Self.space(&bytes, lists.isEmpty ? 0 : indent + 1)
    }
    bytes += "]".utf8
    guard !lists.isEmpty else { return }
    bytes += "\n".utf8
    Self.space(&bytes, indent)
    bytes += "}".utf8
  }

  private static func indent(ofObjectAt depth: Int) -> Int { 2 * depth + 1 }

  private static func space(_ bytes: inout [UInt8], _ indent: Int) {
    bytes += repeatElement(UInt8(ascii: " "), count: 2 * indent)
  }
}
