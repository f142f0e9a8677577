/// A Core Data XML store (store type “XML”), which macOS alone makes, as plain values, without a model.
///
/// Names stand there in other letters than in the model: those of entities in capitals, those of properties in small letters. Properties without
/// a value are absent.
public struct XMLStore: Hashable, Sendable {
  /// One managed object.
  public struct Node: Hashable, Sendable {
    /// Names the object within the store, as relationships do: `z102`.
    public var identifier: String
    /// The name of the object's entity in capitals.
    public var entityName: String
    /// By their names in small letters.
    public var attributes: [String: ArchivedObject]
    /// By their names in small letters, also those that lead nowhere.
    public var relationships: [String: Relationship]
  }

  /// What one relationship of a node leads to.
  public struct Relationship: Hashable, Sendable {
    /// The name of the other entity in capitals.
    public var destination: String
    /// The related objects, in order.
    public var identifiers: [String]
    /// Whether there may be several: the greatest number that the store names is not 1.
    public var isToMany: Bool
  }

  /// The objects in the order of the file.
  public var nodes: [Node]
  /// The store's metadata: its UUID, version hashes of the model, and whatever the application added.
  public var metadata: [String: ArchivedObject]
  /// The number that the next object would have been given; `nil` if the store does not tell.
  public var nextNumber: Int64?
}

extension XMLStore {
  /// Bytes from the start of a file that tell whether it is an XML store: its declaration and document type come before anything else.
  public static let beginningSize = 512

  /// Whether bytes, the first ``beginningSize`` of a file or more, begin as an XML store does.
  public static func isXMLStore(_ start: some Collection<UInt8>) -> Bool {
    let text = String(decoding: start.prefix(beginningSize), as: UTF8.self).drop {
      $0.isWhitespace || $0 == "\u{FEFF}"
    }
    guard text.hasPrefix("<?xml") || text.hasPrefix("<!DOCTYPE") || text.hasPrefix("<database") else {
      return false
    }
    return text.contains("<!DOCTYPE database") || text.contains("<database>")
  }
}
