import CommandLineTool
import CoreDataFormats
import Foundation

extension ArchivedJSON {
  /// The keyed archive of a value, as the store keeps a transformable attribute.
  static func archive(_ object: ArchivedObject) -> [UInt8] {
    var writer = KeyedArchiveWriter()
    let root = writer.add(object)
    return writer.encode(roots: ["root": root])
  }

  /// The value that a decoded tree shows.
  ///
  /// - Throws: ``ValueJSON/Refusal`` for an object of a class that is not built in: the tree does not tell how it encodes itself.
  static func object(_ node: JSONDocument.Node) throws(ValueJSON.Refusal) -> ArchivedObject {
    switch node.content {
    case .null: return .null
    case .boolean(let value): return .boolean(value)
    case .string(let value): return .string(value)
    case .number(let text):
      if let value = Int64(text) { return .integer(value) }
      if let value = UInt64(text) { return .unsigned(value) }
      // What is written without a fraction and an exponent was no double, and as one it would lose digits.
      guard text.contains(where: { ".eE".contains($0) }) else {
        throw .init(
          "holds \(text), a whole number of more than 64 bits; write it as {\"$decimal\":\"\(text)\"}")
      }
      return .real(try ValueJSON.real(node))
    case .array(let nodes): return .array(try objects(nodes))
    case .object(let members):
      guard let tag = members.keys.first(where: { $0.hasPrefix("$") }) else {
        var pairs: [ArchivedObject: ArchivedObject] = [:]
        for (key, value) in members { pairs[.string(key)] = try object(value) }
        return .dictionary(pairs)
      }
      guard members.count == 1, let value = members[tag] else {
        throw .init("holds an object that only its own class can encode; export it with its bytes")
      }
      return try tagged(tag, value)
    }
  }

  private static func objects(_ nodes: [JSONDocument.Node]) throws(ValueJSON.Refusal) -> [ArchivedObject] {
    var objects: [ArchivedObject] = []
    for node in nodes { objects.append(try object(node)) }
    return objects
  }

  private static func tagged(
    _ tag: String, _ node: JSONDocument.Node
  ) throws(ValueJSON.Refusal) -> ArchivedObject {
    switch tag {
    case "$integer":
      if let value = UInt64(try ValueJSON.text(node)) { return .unsigned(value) }
    case "$real": return .real(try ValueJSON.real(node))
    case "$decimal":
      if let value = ArchivedDecimal(try ValueJSON.text(node)) { return .decimal(value) }
    case "$data": return .data(try ValueJSON.base64(node))
    case "$date": return .date(try ValueJSON.date(node))
    case "$uuid":
      if let value = UUID(uuidString: try ValueJSON.text(node))?.uuid,
        let identifier = withUnsafeBytes(of: value, { ArchivedUUID(bytes: Array($0)) })
      {
        return .uuid(identifier)
      }
    case "$url": return .url(relative: try ValueJSON.text(node), base: nil)
    case "$set", "$orderedSet":
      guard case .array(let nodes) = node.content else { break }
      let elements = try objects(nodes)
      return tag == "$set" ? .set(Set(elements)) : .orderedSet(elements)
    case "$dictionary":
      guard case .array(let entries) = node.content else { break }
      var pairs: [ArchivedObject: ArchivedObject] = [:]
      for entry in entries {
        guard case .array(let pair) = entry.content, pair.count == 2 else {
          throw .init("holds a $dictionary that is no list of pairs")
        }
        pairs[try object(pair[0])] = try object(pair[1])
      }
      return .dictionary(pairs)
    default: break
    }
    throw .init("holds “\(tag)”, which says nothing here; export it with its bytes")
  }
}
