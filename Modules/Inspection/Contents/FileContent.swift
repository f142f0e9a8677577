import ChangeTracking
import SyncProtocol

/// What a file holds, recognised by its bytes and not by its name.
public struct FileContent: Sendable {
  /// What a file can be.
  public enum Kind: String, Sendable, CaseIterable {
    /// A set of changes.
    case changeSet
    /// A set of changes as TICoreDataSync wrote it.
    case classicChangeSet
    /// How far an author is.
    case head
    /// Names who founded something, and with which key.
    case founding
    /// Records that an author has restated another's sets.
    case supersession
    /// Below which sets nothing needs to lie there.
    case floor
    /// A value too long for a set.
    case longValue
    /// A copy of a document, packed.
    case wholeStore
    /// A master key, locked by passwords.
    case keyFile
    /// An encrypted file that was not opened.
    case sealed
    /// What may be an encrypted file of TICoreDataSync: those have nothing by which they could be told for certain.
    case classicContainer
    /// A Core Data store, SQLite or binary.
    case store
    /// An SQLite database that is no store.
    case database
    /// A property list.
    case propertyList
    /// An archive of objects.
    case keyedArchive
    /// A zip archive.
    case zip
    /// Text.
    case text
    /// Nothing.
    case empty
    /// Anything else.
    case unknown
  }

  /// Something that the content tells.
  public struct Fact: Sendable, Hashable {
    /// What it is about, in camel case.
    public let name: String
    /// What is said.
    public let value: Value

    /// States a fact.
    public init(_ name: String, _ value: Value) {
      self.name = name
      self.value = value
    }
  }

  /// What a fact says.
  public indirect enum Value: Sendable, Hashable {
    /// Words.
    case text(String)
    /// A number.
    case number(Int64)
    /// Yes or no.
    case flag(Bool)
    /// Several.
    case list([Value])
    /// Several, by name.
    case group([Fact])
    /// Milliseconds since 1970.
    case time(UInt64)
  }

  /// What it is.
  public var kind: Kind
  /// Bytes of the file as it lies there.
  public var size: Int64
  /// Whether the file is encrypted, whether or not it could be opened.
  public var isEncrypted = false
  /// What it tells, in order.
  public var facts: [Fact] = []
  /// The changes, if it is a set of this system.
  public var set: ChangeSet?
  /// The hash of a long value.
  var valueHash: ContentHash?
  /// Why not everything could be read, in a few words; `nil` if it could.
  public var problem: String?
  /// Whether ``problem`` is only that no key is at hand.
  public var isLocked = false
}

extension FileContent.Value {
  init(_ number: UInt64) { self = .number(Int64(clamping: number)) }
  init(_ number: Int) { self = .number(Int64(number)) }

  /// What each author's last set is.
  init(_ vector: VersionVector) {
    self = .group(
      vector.sequences.sorted { $0.key < $1.key }.map { .init($0.key.description, .init($0.value)) })
  }
}
