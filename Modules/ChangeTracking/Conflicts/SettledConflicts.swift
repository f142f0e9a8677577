/// Conflicts between unsaved edits and merges, which a context's policy has settled, until a report has told of them.
///
/// Lie among the small durable values, for they are mostly none and never many.
struct SettledConflicts {
  /// An edit of a context, what another device had written, and which of them remains.
  struct Entry: Hashable {
    enum Outcome: UInt64 {
      /// The edit was saved over what had been merged.
      case local = 0
      /// The edit gave way.
      case remote = 1
      /// The object had been deleted by the merge, and the edit with it.
      case deletedByRemote = 2
      /// The object was deleted here, and what had been merged with it.
      case deletedHere = 3
    }

    var outcome: Outcome
    var entity: String
    var object: SyncID
    var key: String
    var isAttribute: Bool
    /// What the edit said, and when it was settled.
    var local: Register.Content
    var localStamp: Stamp
    /// What had been merged, and who had written it.
    var remote: Register.Content
    var remoteStamp: Stamp
    var remoteClient: String
  }

  /// As many as a report has warnings at most.
  private static let limit = 1_000
  private static let prefix = "settled."

  private let state: StateTable

  init(_ state: StateTable) { self.state = state }

  var isEmpty: Bool { get throws { try state.names(prefix: Self.prefix).isEmpty } }

  /// Notes conflicts, as far as there is room.
  func insert(_ entries: [Entry]) throws {
    let room = try Self.limit - state.names(prefix: Self.prefix).count
    for entry in entries.prefix(max(0, room)) {
      let bytes = entry.bytes
      try state.set(StateTable.Name(Self.prefix + ContentHash(of: bytes).description), .blob(bytes))
    }
  }

  /// What was noted since the last call, in the order of objects and properties.
  func take() throws -> [Entry] {
    let entries = try state.names(prefix: Self.prefix).compactMap { name -> Entry? in
      guard case .blob(let bytes)? = try state.value(name) else { return nil }
      return Entry(bytes)
    }
    try removeAll()
    return entries.sorted {
      ($0.entity, $0.object, $0.key, $0.remoteStamp) < ($1.entity, $1.object, $1.key, $1.remoteStamp)
    }
  }

  /// Forgets all, as in a copy for another device.
  func removeAll() throws {
    for name in try state.names(prefix: Self.prefix) { try state.remove(name) }
  }
}

// MARK: - Bytes

extension SettledConflicts.Entry {
  fileprivate var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendVarint(outcome.rawValue)
    bytes.appendVarint(isAttribute ? 1 : 0)
    for text in [entity, object.string, key, remoteClient] { bytes.appendText(text) }
    for stamp in [localStamp, remoteStamp] {
      bytes.appendBigEndian(stamp.time.bits)
      bytes.appendBigEndian(stamp.author.bits)
    }
    for content in [local, remote] { content.append(to: &bytes) }
    return bytes
  }

  fileprivate init?(_ bytes: [UInt8]) {
    let entry = bytes.withUnsafeBytes { buffer -> Self? in
      var reader = SetReader(buffer)
      return try? Self(reading: &reader)
    }
    guard let entry else { return nil }
    self = entry
  }

  private init?(reading reader: inout SetReader) throws {
    guard let outcome = Outcome(rawValue: try reader.varint()) else { return nil }
    self.outcome = outcome
    isAttribute = try reader.varint() == 1
    entity = try reader.text(limit: .max)
    object = SyncID(try reader.text(limit: .max))
    key = try reader.text(limit: .max)
    remoteClient = try reader.text(limit: .max)
    localStamp = try Self.stamp(&reader)
    remoteStamp = try Self.stamp(&reader)
    guard let local = try Register.Content(reading: &reader),
      let remote = try Register.Content(reading: &reader)
    else { return nil }
    self.local = local
    self.remote = remote
  }

  private static func stamp(_ reader: inout SetReader) throws -> Stamp {
    let time = LogicalTime(bits: try reader.bigEndian())
    return Stamp(time: time, author: AuthorID(bits: try reader.bigEndian()))
  }
}

extension Register.Content {
  private enum Tag: UInt8 { case value, target, noTarget }

  fileprivate func append(to bytes: inout [UInt8]) {
    // A long value is told by its length and hash, as in a set.
    switch onTheWire {
    case .target(nil): bytes.append(Tag.noTarget.rawValue)
    case .target(let target?):
      bytes.append(Tag.target.rawValue)
      bytes.appendText(target.string)
    case .value, .longValue:
      bytes.append(Tag.value.rawValue)
      let value = onTheWire.parkedBytes
      bytes.appendVarint(UInt64(value.count))
      bytes += value
    }
  }

  fileprivate init?(reading reader: inout SetReader) throws {
    switch Tag(rawValue: try reader.byte()) {
    case .noTarget: self = .target(nil)
    case .target: self = .target(SyncID(try reader.text(limit: .max)))
    case .value:
      let count = try reader.count(of: "bytes of a value", limit: .max)
      self.init(parked: try reader.array(count))
    case nil: return nil
    }
  }
}
