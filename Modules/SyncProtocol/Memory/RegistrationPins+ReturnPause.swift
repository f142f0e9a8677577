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
}
