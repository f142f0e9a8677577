import TICDSHTTP
import SyncProtocol

extension ServerProbe {
  func honoursConditions() async throws(BackendError) -> Bool {
    guard await put("first", "condition", ifAbsent: true).failure == nil else { return false }
    guard await put("other", "condition", ifAbsent: true) == .status(412) else { return false }
    return try await content("condition") == "first"
  }

  func needsFolders() async throws(BackendError) -> Bool {
    let inner = path("absent").appending(Self.name("file"))
    let reply = await session.perform(.put(Target(inner)), body: .bytes([1]))
    let found = await session.perform(.look(path("absent")))
    return reply.failure != nil && found == .found(nil)
  }

  func keepsFolders() async throws(BackendError) -> Bool {
    let inner = path("obstacle")
    try await session.run(MakeFolderOperation(inner, traits: .unknown))
    let refused = await put("file", "obstacle").failure != nil
    return await session.perform(.look(inner)) == .found(.folder) && refused
  }

  func moves() async throws(BackendError) -> Bool {
    try await write("moved", "source")
    let reply = await session.perform(
      .move(Target(path("source")), to: Target(path("target")), replacing: false))
    guard reply.failure == nil, try await content("target") == "moved" else { return false }
    return await session.perform(.look(path("source"))) == .found(nil)
  }

  func refusesToOverwrite() async throws(BackendError) -> Bool {
    try await write("old", "taken")
    try await write("new", "mover")
    let reply = await session.perform(
      .move(Target(path("mover")), to: Target(path("taken")), replacing: false))
    guard reply == .status(412), try await content("taken") == "old" else { return false }
    // Some refuse to replace files, and put what is moved onto a folder into it.
    let folder = path("folder")
    try await session.run(MakeFolderOperation(folder, traits: .unknown))
    _ = await session.perform(.move(Target(path("mover")), to: Target(folder), replacing: false))
    return try await content("mover") == "new"
  }

  /// Contents of one size, written as fast as the server takes them: the same second, and often the same tick of its clock.
  func tellsVersions() async throws(BackendError) -> Bool {
    var versions: Set<String> = []
    let contents = ["one", "two", "six", "ten", "red", "tan"]
    for content in contents {
      try await write(content, "version")
      guard let first = try? await session.look(path("version"), versions: true).version,
        let again = try? await session.look(path("version"), versions: true).version, first == again
      else { return false }
      versions.insert(first)
    }
    return versions.count == contents.count
  }

  func continues() async throws(BackendError) -> Bool {
    try await write("0123456789", "range")
    let (session, path) = (session, path("range"))
    return try await patience.reading("a part of a file", at: path) { () async throws(BackendError) in
      let receiver = PartReceiver()
      let response = try? await session.send(
        "GET", Target(path), fields: [("Range", "bytes=4-6")], receiver: receiver)
      return response?.head.status == 206 && receiver.bytes == Array("456".utf8)
    }
  }

  func saysAbsent() async throws(BackendError) -> Bool {
    await session.perform(.delete(Target(path("never")))) == .status(404)
  }

  /// Holds a PUT in the middle and looks; once under a fresh name, which is then cut off, and once over a file.
  func writesAtomically() async throws(BackendError) -> Bool {
    let fresh = Target(path("fresh"))
    let visible = await session.holdingPut(fresh, cutting: true) {
      await session.perform(.look(path("fresh")))
    }
    guard visible == .found(nil) else { return false }
    for _ in 0..<4 {
      guard await session.perform(.look(path("fresh"))) == .found(nil) else { return false }
      try? await Task.sleep(for: .milliseconds(100))
    }
    try await write("before", "replaced")
    let found = await session.holdingPut(
      Target(path("replaced")), cutting: false
    ) { () async -> Result<String?, BackendError> in
      do throws(BackendError) { return .success(try await content("replaced")) } catch {
        return .failure(error)
      }
    }
    return try found?.get() == "before"
  }
}

/// Takes what a range gives, whatever the status.
private final class PartReceiver: BodyReceiver {
  private let memory = MemoryReceiver(limit: 1 << 10)
  var bytes: [UInt8] { memory.bytes }
  func begin(_ head: HTTPHead) throws(HTTPError) { try memory.begin(head) }
  func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) { try memory.receive(bytes) }
}
