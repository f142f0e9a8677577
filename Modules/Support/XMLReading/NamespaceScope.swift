/// Which prefix stands for which namespace (Namespaces in XML 1.0, section 6).
struct NamespaceScope {
  private static let xml = "http://www.w3.org/XML/1998/namespace"
  private var declarations: [(prefix: ArraySlice<UInt8>, namespace: String)] = []
  private var counts: [Int] = []

  /// Enters an element. Returns `false` if there are too many declarations.
  mutating func enter(_ new: [(prefix: ArraySlice<UInt8>, namespace: String)], limit: Int) -> Bool {
    guard declarations.count + new.count <= limit else { return false }
    counts.append(new.count)
    declarations += new
    return true
  }

  mutating func leave() {
    declarations.removeLast(counts.popLast() ?? 0)
  }

  /// Resolves the prefix of an element's name; `nil` if nobody has declared it.
  func name(_ raw: ArraySlice<UInt8>) -> XMLName? {
    let colon = raw.firstIndex(of: UInt8(ascii: ":"))
    let prefix = raw[..<(colon ?? raw.startIndex)]
    let local = raw[(colon.map { $0 + 1 } ?? raw.startIndex)...]
    guard !local.isEmpty, !local.contains(UInt8(ascii: ":")) else { return nil }
    let name = String(decoding: local, as: UTF8.self)
    if let declared = declarations.last(where: { $0.prefix.elementsEqual(prefix) }) {
      return XMLName(namespace: declared.namespace, local: name)
    }
    if colon == nil { return XMLName(namespace: "", local: name) }
    return prefix.elementsEqual("xml".utf8) ? XMLName(namespace: Self.xml, local: name) : nil
  }
}
