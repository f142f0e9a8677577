import ObjectStore

/// A model of which nothing would be kept in step, because no entity has a sync ID: most often it was forgotten, or is misspelt.
public struct NoSyncIDError: Error, Hashable, CustomStringConvertible {
  /// The entities, none of which is synchronised.
  public let entities: [String]
  /// Attributes that may be meant as sync IDs, as `Entity.attribute` with what is wrong with each.
  public let suspects: [String]

  /// One line for a log or a terminal.
  public var description: String {
    let which = entities.isEmpty ? "" : " (\(entities.prefix(Self.shownLimit).joined(separator: ", ")))"
    let meant = suspects.isEmpty ? "" : "; \(suspects.prefix(Self.shownLimit).joined(separator: ", "))"
    return
      "no entity has a string attribute “\(SyncModelKey.syncID)”\(which), so nothing would be synchronised\(meant)"
  }

  /// What a person can do about it.
  public var recovery: String {
    "Give each entity that is to be synchronised an optional string attribute “\(SyncModelKey.syncID)”."
  }

  /// Entities and suspects that are named in a sentence.
  private static let shownLimit = 5

  /// - Throws: ``NoSyncIDError`` if no entity that has objects is synchronised; a model without entities holds nothing that could be.
  static func check(_ model: ManagedObjectModel) throws(NoSyncIDError) {
    guard !model.entities.isEmpty, !model.entities.contains(where: { $0.isSynchronized && !$0.isAbstract })
    else { return }
    let suspects = model.entities.flatMap { entity in
      entity.properties.compactMap { property -> String? in
        guard let attribute = property.asAttribute, isAlike(attribute.name) else { return nil }
        let place = "\(entity.name).\(attribute.name)"
        return attribute.name == SyncModelKey.syncID
          ? "“\(place)” is of the type \(attribute.type)" : "“\(place)” is spelt differently"
      }
    }
    throw NoSyncIDError(entities: model.entities.map(\.name), suspects: suspects)
  }

  /// Whether a name can be a misspelling: in the same letters but for case and signs between them, or without the prefix.
  private static func isAlike(_ name: String) -> Bool {
    let letters = name.lowercased().filter(\.isLetter)
    let right = SyncModelKey.syncID.lowercased()
    return letters == right || letters == "syncid" || letters.sorted() == right.sorted()
  }
}
