import ChangeTracking

/// What this device has asked for, so that it notices when somebody takes that away.
extension RegistrationPins {
  private static let asking = "asking"

  /// The requests that this device has put there and not taken back.
  func ownRequests() throws -> Set<ResendRequest> {
    Set(
      try replica.remoteNotes.keys(Self.asking).compactMap { RemoteName($0).flatMap { ResendRequest($0) } })
  }

  /// - Parameter requests: no more than a device makes.
  func setOwnRequests(_ requests: Set<ResendRequest>) throws {
    let known = try ownRequests()
    guard known != requests else { return }
    try replica.changeRemoteNotes { notes in
      for request in known.subtracting(requests).sorted() {
        try notes.remove(Self.asking, request.name.description)
      }
      for request in requests.subtracting(known).sorted() {
        try notes.set(Self.asking, RemoteNotes.Note(key: request.name.description))
      }
    }
  }
}
