/// What one change set may declare and make. Part of the format: a set beyond these limits is one that nobody reads, so no
/// device may make it.
///
/// A few compressed bytes may claim any number of things, each of which costs a reader memory and, for good, a row of its
/// bookkeeping. All limits are checked before anything is allocated for what they limit.
public enum SetLimits {
  /// Bytes of the body, decompressed.
  public static let bodySize = 16 << 20
  /// Bytes of the file as it lies in storage: room for a body that cannot be compressed and is sealed in the smallest segments.
  public static let fileSize = 18 << 20
  /// Changes.
  public static let changes = 1 << 16
  /// Changes, written properties and targets together.
  public static let values = 1 << 20
  /// Entities that a set names.
  public static let entities = 1_024
  /// Properties that a set names, of all entities together.
  public static let properties = 1 << 14
  /// Former names of one entity or property.
  public static let formerNames = 32
  /// Former names of all entities and properties together.
  public static let allFormerNames = 1 << 12
  /// Bytes of the name of an entity or property, in UTF-8.
  public static let nameLength = 256
  /// Bytes of a sync ID, of a client's identifier and of a model's checksum, in UTF-8.
  public static let identifierLength = 1_024
  /// Different former selves of whose contributions a set tells.
  public static let formerAuthors = 256
  /// Bytes of a text or of data that cannot travel out of line: what is contributed.
  public static let contributionLength = 1 << 20

  /// Bytes of a place in an ordered relationship.
  public static let placeLength = 512

  /// Bytes of values after which a writer begins a new set; with all names that a set may have they are less than a body.
  static let preferredSize = 4 << 20
}

extension SyncID {
  /// Whether a set can mention the object. Nobody could name one whose identifier is empty.
  var isWithinLimits: Bool {
    if case .text(let text) = self { 1...SetLimits.identifierLength ~= text.utf8.count } else { true }
  }
}
