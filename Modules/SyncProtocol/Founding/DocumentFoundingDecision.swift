/// What lies in a document's folder, as far as it tells who founded it.
struct DocumentEvidence: Hashable, Sendable {
  /// A genuine founding record.
  struct Founding: Hashable, Sendable {
    var integrityKey: IntegrityKey
    /// When, by the founder's clock.
    var time: UInt64
    /// Whether the document is of a format that is read here.
    var isReadable = true
  }

  /// The genuine records, of the same kind of protection as this device's.
  var foundings: [Founding] = []
  /// The foundings whose records are genuine by their names, and have not arrived in full or were damaged.
  var unread: [IntegrityKey] = []
  /// Whether there are records under keys that are not at hand. They may be genuine or not.
  var hasUnknownKeys = false
  /// Whether the document is one of the classic system.
  var isClassic = false
  /// Whether there are heads, sets or a description, which nobody writes before the document is founded.
  var hasContent = false
  /// Whether the founding that was pinned is there although its record is not: heads or sets of it, or a founding united with it.
  var hasPinned = false
  /// The notes that a document of this name was deleted.
  var deleted: [DeletionName] = []
  /// Whether there are more foundings than devices make, and nothing tells which of them devices use.
  var isUndecided = false
}

/// What a device does that registers a document: decided from what lies there and what it has pinned. A value without I/O.
///
/// Records that are forged, or of another kind of protection, are not among the evidence: they are as good as not there.
enum DocumentFoundingDecision: Hashable, Sendable {
  /// Found the document.
  case found
  /// Join this founding. There may be others, which are united with it once members of both have agreed.
  case join(IntegrityKey)
  /// Go on with the founding that was pinned, and put its record back.
  case restore(IntegrityKey)
  /// Do nothing, and say why.
  case refuse(Refusal)

  /// Why a device can neither join nor found.
  enum Refusal: Hashable, Sendable {
    /// There is nothing, and nothing may be created.
    case absent
    /// Files of the document are there, but not its founding record (yet).
    case notDelivered
    /// The document was founded with a key that is not at hand.
    case keyMissing
    /// The founding that the store belongs to is gone, and there is another.
    case replaced
    /// What lies there is left of a document that was deleted.
    case deleted([DeletionName])
    /// It is one of the classic system.
    case classic
    /// There are more foundings than devices make, and nothing tells which of them devices use.
    case undecided
  }

  init(_ evidence: DocumentEvidence, pinned: IntegrityKey?, mayCreate: Bool) {
    guard let pinned else {
      self = Self.newcomer(evidence, mayCreate)
      return
    }
    if evidence.foundings.contains(where: { $0.integrityKey == pinned }) {
      self = .join(pinned)
    } else if evidence.unread.contains(pinned) || evidence.hasPinned {
      self = .restore(pinned)
    } else if !evidence.foundings.isEmpty {
      self = .refuse(.replaced)
    } else if evidence.isClassic {
      self = .refuse(.classic)
    } else {
      // Lost, or late. Where nothing is left of the document it was removed, and is not brought back unasked.
      self = evidence.hasContent ? .restore(pinned) : .refuse(.absent)
    }
  }

  private static func newcomer(_ evidence: DocumentEvidence, _ mayCreate: Bool) -> DocumentFoundingDecision {
    if evidence.isUndecided { return .refuse(.undecided) }
    // The newest: the record of a document that was deleted may have been put back, and is older than its successor's.
    // One of another format need not be anybody's: without encryption whoever can write there makes them.
    let readable = evidence.foundings.filter(\.isReadable)
    let newest = (readable.isEmpty ? evidence.foundings : readable).max {
      ($0.time, $0.integrityKey) < ($1.time, $1.integrityKey)
    }
    if let newest { return .join(newest.integrityKey) }
    // The name proves that a member has written the record, and the integrity key is all that is needed of it.
    if let unread = evidence.unread.min() { return .join(unread) }
    if evidence.hasUnknownKeys { return .refuse(.keyMissing) }
    if evidence.isClassic { return .refuse(.classic) }
    if evidence.hasContent {
      return .refuse(evidence.deleted.isEmpty ? .notDelivered : .deleted(evidence.deleted))
    }
    return mayCreate ? .found : .refuse(.absent)
  }
}
