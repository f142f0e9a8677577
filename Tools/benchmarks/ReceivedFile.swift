import ChangeTracking

/// The file of a set, as a device fetches it.
struct ReceivedFile {
  var bytes: [UInt8]
  var hash: ContentHash

  func decoded() throws -> ReceivedSet {
    ReceivedSet(set: try CompactCodec.decode(bytes), hash: hash)
  }
}

extension Replica {
  /// Makes files of everything that was saved; they count as pushed.
  func push() throws -> [ReceivedFile] {
    try freeze()
    var files: [ReceivedFile] = []
    for frozen in try outbox() {
      files.append(ReceivedFile(bytes: frozen.bytes, hash: frozen.hash))
      try acknowledge(through: frozen.sequence)
    }
    return files
  }

  /// Applies sets, in one transaction.
  @discardableResult func receive(_ sets: [ReceivedSet]) throws -> ApplyReport {
    switch try apply(sets, policy: .always(.latest)) {
    case .applied(let report): return report
    case .undecided(let conflicts): throw Undecided(count: conflicts.count)
    }
  }

  struct Undecided: Error { var count: Int }
}
