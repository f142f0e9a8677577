import ChangeTracking
import Foundation
import ObjectStore

/// A note.
final class Note: ManagedObject {
  /// What it is called.
  @Attribute var title: String = ""
  /// Its text.
  @Attribute var content: String = ""
  /// When it was made.
  @Attribute var created: Date?
  /// When its title or text was last changed.
  @Attribute var modified: Date?
  /// What it is called on every device.
  @Attribute(indexed: true) var ticdsSyncID: String?
  /// What it is about.
  @ToMany(inverse: \Tag.notes) var tags: Set<Tag>

  /// The tags' names in order.
  var tagNames: [String] { tags.map(\.name).sorted() }
  /// What it is called on every device; every saved note has one.
  var syncID: String { ticdsSyncID ?? "" }
}

/// A word that notes are found by. A tag of the same name made on two devices is one tag.
final class Tag: ManagedObject {
  /// The word.
  @Attribute(indexed: true) var name: String = ""
  /// What it is called on every device, made from the name.
  @Attribute(indexed: true) var ticdsSyncID: String?
  /// The notes that have it.
  @ToMany var notes: Set<Note>

  /// Makes the name the identity.
  override class var entityOptions: EntityOptions? {
    EntityOptions(Tag.self, userInfo: [SyncModelKey.naturalKey: "name"])
  }
}

/// The notebook's model.
enum NotebookSchema {
  /// Notes and tags.
  ///
  /// - Throws: `ModelError` if the declarations contradict each other.
  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(Note.self, Tag.self)
  }
}
