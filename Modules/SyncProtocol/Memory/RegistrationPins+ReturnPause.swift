import ChangeTracking

/// How often this device has looked for a whole store to return with.
extension RegistrationPins {
  private static let name = "returnPause"

  var returnPause: ReturnPause {
    get throws {
      let text = try replica.remoteState(Self.name).map { String(decoding: $0, as: UTF8.self) }
      return ReturnPause(syncs: text.flatMap { UInt64($0) } ?? 0)
    }
  }

  func setReturnPause(_ pause: ReturnPause) throws {
    guard try pause != returnPause else { return }
    try replica.setRemoteState(Self.name, pause == ReturnPause() ? nil : Array("\(pause.syncs)".utf8))
  }

  // MARK: Whole stores that were fetched in vain

  private static let fruitless = "fruitlessStore"
  private static let limit = 64

  /// Whole stores that were fetched and do not contain what is lacking here.
  var fruitlessStores: Set<WholeStoreName> {
    get throws {
      Set(
        try replica.remoteNotes.keys(Self.fruitless).compactMap {
          RemoteName($0).flatMap { WholeStoreName($0) }
        })
    }
  }

  func noteFruitless(_ store: WholeStoreName) throws {
    try replica.changeRemoteNotes { notes in
      let order = try (notes.all(Self.fruitless).last?.number ?? 0) + 1
      try notes.set(Self.fruitless, RemoteNotes.Note(key: store.name.description, number: order))
      try notes.keepGreatest(Self.limit, of: Self.fruitless)
    }
  }

  /// Something else is missing now, which they may contain.
  func forgetFruitlessStores() throws {
    let known = try replica.remoteNotes.keys(Self.fruitless)
    guard !known.isEmpty else { return }
    try replica.changeRemoteNotes { notes in
      for key in known { try notes.remove(Self.fruitless, key) }
    }
  }
}
