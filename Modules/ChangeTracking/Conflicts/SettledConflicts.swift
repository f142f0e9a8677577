/// Conflicts that are settled, until a report has told of them: between unsaved edits and merges, by a context's policy, and those of the slices
/// of a merge that has not come to its end.
///
/// Lie among the small durable values, for they are mostly none and never many.
struct SettledConflicts {
  /// An edit of this device, what another one has done, and which of them remains.
  struct Entry: Hashable {
    enum Outcome: UInt64 {
      /// The edit remains.
      case local = 0
      /// The edit gave way.
      case remote = 1
      /// The object was deleted by the other device, and the edit with it.
      case deletedByRemote = 2
      /// The object was deleted here, and what the other device did with it.
      case deletedHere = 3
      /// Something else remains, which the application gave.
      case custom = 4
    }

    var outcome: Outcome
    var entity: String
    var object: SyncID
    /// Empty if it is nothing that the local model knows.
    var key: String
    var isAttribute: Bool
    /// What was done here, and when, or when that was settled.
    var local: ChangeSide.Effect
    var localStamp: Stamp
    /// What the other device did, and when.
    var remote: ChangeSide.Effect
    var remoteStamp: Stamp
    var remoteClient: String
    /// What remains if it is neither.
    var settled: Register.Content?
  }

  /// As many as a report has warnings at most.
  private static let limit = 1_000
  private static let prefix = "settled."

  private let state: StateTable

  init(_ state: StateTable) { self.state = state }

  var isEmpty: Bool { get throws { try state.names(prefix: Self.prefix).isEmpty } }

  /// Notes conflicts, as far as there is room.
  ///
  /// - Returns: where they were noted.
  @discardableResult
  func insert(_ entries: [Entry]) throws -> [StateTable.Name] {
    if entries.isEmpty { return [] }
    let room = try Self.limit - state.names(prefix: Self.prefix).count
    return try entries.prefix(max(0, room)).map { entry in
      let name = Self.name(of: entry)
      try state.set(name, .blob(entry.bytes))
      return name
    }
  }

  private static func name(of entry: Entry) -> StateTable.Name {
    StateTable.Name(prefix + ContentHash(of: entry.bytes).description)
  }

  /// Forgets conflicts of which a report tells, and the same if somebody has noted them before.
  func remove(_ names: [StateTable.Name], toldBy entries: @autoclosure () -> [Entry]) throws {
    for name in names { try state.remove(name) }
    guard try !isEmpty else { return }
    for entry in entries() { try state.remove(Self.name(of: entry)) }
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
    for effect in [local, remote] { effect.append(to: &bytes) }
    if let settled { ChangeSide.Effect.wrote(settled).append(to: &bytes) }
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
    guard let local = try ChangeSide.Effect(reading: &reader),
      let remote = try ChangeSide.Effect(reading: &reader)
    else { return nil }
    self.local = local
    self.remote = remote
    if outcome == .custom {
      guard case .wrote(let content)? = try ChangeSide.Effect(reading: &reader) else { return nil }
      settled = content
    }
  }

  private static func stamp(_ reader: inout SetReader) throws -> Stamp {
    let time = LogicalTime(bits: try reader.bigEndian())
    return Stamp(time: time, author: AuthorID(bits: try reader.bigEndian()))
  }
}

extension ChangeSide.Effect {
  private enum Tag: UInt8 { case value, target, noTarget, added, removed, deleted }

  fileprivate func append(to bytes: inout [UInt8]) {
    func append(_ tag: Tag, _ object: SyncID? = nil) {
      bytes.append(tag.rawValue)
      if let object { bytes.appendText(object.string) }
    }
    switch self {
    case .added(let target): append(.added, target)
    case .removed(let target): append(.removed, target)
    case .deleted: append(.deleted)
    case .wrote(let content):
      // A long value is told by its length and hash, as in a set.
      switch content.onTheWire {
      case .target(nil): append(.noTarget)
      case .target(let target?): append(.target, target)
      case .value, .longValue:
        append(.value)
        let value = content.onTheWire.parkedBytes
        bytes.appendVarint(UInt64(value.count))
        bytes += value
      }
    }
  }

  fileprivate init?(reading reader: inout SetReader) throws {
    switch Tag(rawValue: try reader.byte()) {
    case .noTarget: self = .wrote(.target(nil))
    case .target: self = .wrote(.target(SyncID(try reader.text(limit: .max))))
    case .added: self = .added(SyncID(try reader.text(limit: .max)))
    case .removed: self = .removed(SyncID(try reader.text(limit: .max)))
    case .deleted: self = .deleted
    case .value:
      let count = try reader.count(of: "bytes of a value", limit: .max)
      guard let content = Register.Content(parked: try reader.array(count)) else { return nil }
      self = .wrote(content)
    case nil: return nil
    }
  }
}
