import Dispatch
import TICDSHTTP

extension WebDAVSession {
  private static let heldSize = 768 << 10
  private static let holdingLimit = DispatchTimeInterval.seconds(30)

  /// Sends a PUT on a connection of its own, stops it in the middle, and does something else meanwhile.
  ///
  /// - Parameter cutting: whether the connection then breaks, or the rest is sent.
  /// - Returns: what was found in the middle; `nil` if the PUT ended before it was there.
  func holdingPut<Found: Sendable>(
    _ target: Target, cutting: Bool, _ middle: () async -> Found
  ) async -> Found? {
    let (reached, told) = AsyncStream.makeStream(of: Void.self)
    let goingOn = DispatchSemaphore(value: 0)
    // A client of its own has a thread of its own, which may be held.
    let other = client.copy()
    var request = HTTPRequest("PUT", address(of: target), fields: [("Expect", "")])
    request.body = .bytes([UInt8](repeating: 0x61, count: Self.heldSize))
    request.progress = { bytes in
      guard bytes >= Self.heldSize / 2, bytes < Self.heldSize else { return }
      told.yield()
      _ = goingOn.wait(timeout: .now() + Self.holdingLimit)
    }
    let sent = request
    let task = Task {
      defer { told.finish() }
      return try await other.send(sent, receiver: NothingReceiver())
    }
    var found: Found?
    for await _ in reached {
      if found == nil {
        found = await middle()
        if cutting { task.cancel() }
      }
      goingOn.signal()
    }
    _ = await task.result
    return found
  }

  /// What the server calls itself.
  func serverName() async -> String {
    let response = try? await send("OPTIONS", Target(.root), receiver: NothingReceiver())
    return String(response?.head["server"]?.prefix(80) ?? "")
  }
}
