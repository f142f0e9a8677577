/// What this device cannot tell the others, until a report has told its user.
///
/// Lies among the small durable values, for it is mostly empty and never long.
struct UnsaidTable {
  /// Something that no set says.
  struct Entry: Hashable {
    var kind: SyncWarning.Kind
    var entity: String
    var object: SyncID
    var key: String?
  }

  /// More entries than a person reads.
  private static let limit = 100
  private static let prefix = "unsaid."

  private let state: StateTable

  init(_ state: StateTable) { self.state = state }

  var isEmpty: Bool { get throws { try state.names(prefix: Self.prefix).isEmpty } }

  /// Notes something; what is noted already is noted once.
  func insert(_ entry: Entry) throws {
    var bytes: [UInt8] = []
    bytes.appendVarint(UInt64(entry.kind.rawValue))
    for text in [entry.entity, entry.object.string, entry.key ?? ""] { bytes.appendText(text) }
    let name = StateTable.Name(Self.prefix + ContentHash(of: bytes).description)
    guard try state.names(prefix: Self.prefix).count < Self.limit else { return }
    try state.set(name, .blob(bytes))
  }

  /// What was noted since the last call, in a fixed order.
  func take() throws -> [Entry] {
    var entries: [Entry] = []
    for name in try state.names(prefix: Self.prefix) {
      if case .blob(let bytes)? = try state.value(name), let entry = Self.entry(bytes) {
        entries.append(entry)
      }
      try state.remove(name)
    }
    return entries.sorted { ($0.entity, $0.object, $0.key ?? "") < ($1.entity, $1.object, $1.key ?? "") }
  }

  private static func entry(_ bytes: [UInt8]) -> Entry? {
    bytes.withUnsafeBytes { buffer in
      var reader = SetReader(buffer)
      guard let code = try? reader.varint(), let kind = SyncWarning.Kind(rawValue: Int(clamping: code)),
        let entity = try? reader.text(limit: .max), let object = try? reader.text(limit: .max),
        let key = try? reader.text(limit: .max)
      else { return nil }
      return Entry(kind: kind, entity: entity, object: SyncID(object), key: key.isEmpty ? nil : key)
    }
  }
}
