import ChangeTracking
import ObjectStore
import SyncProtocol

/// A document as it was at a moment: a store in a folder of its own, which goes with this object.
///
/// It is made by what makes it on devices: a replica that merges the sets. So it shows what a device shows that merged the same sets with the same model.
public final class DocumentState {
  /// Where the model came from.
  public enum ModelOrigin: String, Sendable {
    /// The caller named it.
    case named
    /// A whole store holds it.
    case embedded
    /// It was made of what the sets say.
    case derived
  }

  /// The document's identifier.
  public let document: String
  /// The model that the store was made with.
  public let model: ManagedObjectModel
  /// Where that came from.
  public let modelOrigin: ModelOrigin
  /// Of each author, the sets that the state contains.
  public let contents: VersionVector
  /// What should count and is missing, or cannot be shown, in words for a person.
  public let omissions: [String]

  private let scratch: ScratchFolder
  private static let name = "store.sqlite"

  init(
    document: String, model: ManagedObjectModel, origin: ModelOrigin, contents: VersionVector,
    omissions: [String], scratch: ScratchFolder
  ) {
    self.document = document
    self.model = model
    modelOrigin = origin
    self.contents = contents
    self.omissions = omissions
    self.scratch = scratch
  }

  /// The objects. They keep the state.
  ///
  /// - Throws: `StoreFileError`.
  public func objects() throws -> StateObjects { try StateObjects(self) }

  /// The store, which is there as long as this object.
  ///
  /// - Throws: `StoreFileError`.
  public func store() throws -> StoreFile {
    try StoreFile(path: scratch.file(Self.name), model: model)
  }

  /// Whether a store is in step with something, and has merged nothing of the authors of this document.
  public func isOfOtherAuthors(than store: StoreFile) -> Bool {
    // A store that was never synchronised has no table of authors.
    guard let connection = try? store.persistentStore?.newConnection(),
      let authors = try? KeptSets(connection).authors(), !authors.isEmpty, !contents.sequences.isEmpty
    else { return false }
    return authors.isDisjoint(with: contents.sequences.keys)
  }

  static func path(in scratch: ScratchFolder) -> String { scratch.file(name) }
}
