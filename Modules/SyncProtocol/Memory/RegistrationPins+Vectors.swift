import ChangeTracking

/// What other devices had applied when their heads were last read.
extension RegistrationPins {
  private static let vector = "vector"
  private static let limit = 256

  /// What was read of one device.
  struct KnownVector {
    /// The sum in the name of the head that was read, or could not be.
    var seen: UInt64
    /// What the device had applied; `nil` if its head could not be read.
    var vector: VersionVector?
  }

  /// What was read of each device.
  func knownVectors() throws -> [AuthorID: KnownVector] {
    var known: [AuthorID: KnownVector] = [:]
    for note in try replica.remoteNotes.all(Self.vector) {
      guard let author = AuthorID(note.key) else { continue }
      var reader = RecordReader(note.value, format: "vector")
      known[author] = KnownVector(
        seen: UInt64(clamping: note.number), vector: try? VersionVectorCodec.read(&reader))
    }
    return known
  }

  /// Notes what was read.
  func setVectors(_ vectors: [AuthorID: KnownVector]) throws {
    guard !vectors.isEmpty else { return }
    try replica.changeRemoteNotes { notes in
      for (author, known) in vectors {
        try notes.set(
          Self.vector,
          RemoteNotes.Note(
            key: author.description, number: Int64(clamping: known.seen),
            value: known.vector.map { VersionVectorCodec.encode($0) } ?? []))
      }
      try notes.keepGreatest(Self.limit, of: Self.vector)
    }
  }
}
