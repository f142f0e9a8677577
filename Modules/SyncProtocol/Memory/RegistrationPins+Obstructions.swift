import ChangeTracking

/// Something else that lies where a file or folder of the document belongs.
public struct Obstruction: Hashable, Sendable {
  /// Where it lies.
  public var path: RemotePath
  /// When this device first met it, in milliseconds since 1970.
  public var since: UInt64
}

/// What stood in the way in the last completed synchronisation.
extension RegistrationPins {
  private static let obstruction = "obstruction"
  private static let limit = 64

  func obstructions() throws -> [Obstruction] {
    try replica.remoteNotes.all(Self.obstruction).compactMap { note in
      RemotePath(note.key).map { Obstruction(path: $0, since: UInt64(clamping: note.number)) }
    }
  }

  func setObstructions(_ findings: [SyncFinding], at time: UInt64, _ notes: RemoteNotes) throws {
    var paths: Set<String> = []
    for case .obstructed(let path) in findings where paths.count < Self.limit {
      paths.insert(path.description)
    }
    let known = try notes.keys(Self.obstruction)
    for path in known where !paths.contains(path) { try notes.remove(Self.obstruction, path) }
    for path in paths.subtracting(known) {
      try notes.set(Self.obstruction, RemoteNotes.Note(key: path, number: Int64(clamping: time)))
    }
  }
}
