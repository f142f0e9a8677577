/// One file or folder of a remote.
public struct RemoteEntry: Hashable, Sendable {
  /// What an entry is.
  public enum Kind: Hashable, Sendable {
    /// Bytes.
    case file
    /// A folder.
    case folder
  }

  /// Name in its folder.
  public var name: RemoteName
  /// File or folder.
  public var kind: Kind
  /// Size of a file in bytes, where the storage says so; `nil` for folders.
  public var size: Int64?
  /// When a file was last written, by the clock of the storage: the time since 1970-01-01 00:00 UTC. `nil` where the
  /// storage does not say, and for folders. For people to read; nothing depends on it.
  public var modified: Duration?
  /// A name for the content of a file, to be compared and nothing else: it differs whenever the content does. `nil` where
  /// the storage has none that is honest, and for folders.
  public var version: String?

  /// Describes an entry.
  public init(
    name: RemoteName, kind: Kind, size: Int64? = nil, modified: Duration? = nil, version: String? = nil
  ) {
    self.name = name
    self.kind = kind
    self.size = size
    self.modified = modified
    self.version = version
  }
}

/// What lies directly in one folder of a remote.
public struct RemoteListing: Hashable, Sendable {
  /// The entries whose names keep to the grammar of ``RemoteName``, in no particular order.
  public var entries: [RemoteEntry]
  /// Names of everything else, as the storage spells them: conflict copies, droppings of file browsers, links.
  ///
  /// They come from outside: escape them before showing them. Files that the back end itself is writing are not among
  /// them.
  public var foreign: [String]

  /// Combines what was found.
  public init(entries: [RemoteEntry] = [], foreign: [String] = []) {
    self.entries = entries
    self.foreign = foreign
  }

  /// The same with each name once. While files come and go, POSIX lets a folder tell a name twice, and drives in user space and on the
  /// network do so.
  package var withoutDoubles: RemoteListing {
    var (names, strange) = (Set<RemoteName>(minimumCapacity: entries.count), Set<[UInt8]>())
    return RemoteListing(
      entries: entries.filter { names.insert($0.name).inserted },
      foreign: foreign.filter { strange.insert(Array($0.utf8)).inserted })
  }
}
