import BackendConformance
import ByteFixtures
import Foundation
import SyncProtocol
import Synchronization

/// Somebody who exchanges files and folders of a remote at random while it is repaired.
///
/// What he has put there bears his mark, and what he has taken away himself is known; folders that he exchanges for links lead to a folder outside.
final class RandomExchanger: WrappingBackend {
  let base: any SyncBackend
  private let remote: AttackRemote
  private let state: Mutex<State>

  private struct State {
    var random: SeededGenerator
    var requests = 0
    var acts = 0
    /// What he has taken away or overwritten himself.
    var taken: Set<Data> = []
    /// Paths at, above or below which he has done something.
    var touched: Set<String> = []
    /// A folder that lies elsewhere while a link is in its place.
    var aside: String?
  }

  init(_ remote: AttackRemote, seed: UInt64) throws {
    self.remote = remote
    base = remote.backend
    state = Mutex(State(random: SeededGenerator(seed: seed)))
    let outside = URL(filePath: Self.outside(remote))
    try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: true)
    for name in ["one", "two"] { try Self.secret.write(to: outside.appending(path: name)) }
  }

  /// What no file of the remote holds.
  static let secret = Data("somebody else's, and none of the remote's".utf8)

  static func outside(_ remote: AttackRemote) -> String { remote.folder.file("elsewhere") }
  private var hidden: String { remote.folder.file("hidden") }

  /// Files that lie outside, by name; only he may write there.
  var outside: [String: Data] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: Self.outside(remote))) ?? []
    return names.reduce(into: [:]) { files, name in
      files[name] = try? Data(contentsOf: URL(filePath: "\(Self.outside(remote))/\(name)"))
    }
  }

  var acts: Int { state.withLock { $0.acts } }
  /// Contents of files that he has taken away himself.
  var taken: Set<Data> { state.withLock { $0.taken } }

  func hasTouched(_ path: String) -> Bool {
    state.withLock { state in
      state.touched.contains { path == $0 || path.hasPrefix($0 + "/") || $0.hasPrefix(path + "/") }
    }
  }

  /// Puts back the folder that lies elsewhere.
  func stop() throws { try state.withLock { try putBack(&$0) } }

  // MARK: Acting

  private func meddle() {
    state.withLock { state in
      state.requests += 1
      guard Int.random(in: 0..<10, using: &state.random) == 0 else { return }
      do { try act(&state) } catch {
        // Something else lies there by now.
      }
    }
  }

  private func act(_ state: inout State) throws {
    let number = state.acts
    state.acts += 1
    if state.aside != nil, Bool.random(using: &state.random) { return try putBack(&state) }
    let entries = remote.entries
    guard let path = entries.randomElement(using: &state.random) else { return }
    state.touched.insert(path)
    let place = remote.place(path)
    if remote.isFolder(path) {
      switch Int.random(in: 0..<3, using: &state.random) {
      case 0 where state.aside == nil:
        try FileManager.default.moveItem(atPath: place.path, toPath: hidden)
        state.aside = path
        try FileManager.default.createSymbolicLink(
          atPath: place.path, withDestinationPath: Self.outside(remote))
      default: try Self.mark(number).write(to: place.appending(path: "exchanged-\(number).tmp"))
      }
      return
    }
    let former = remote.bytes(path)
    switch Int.random(in: 0..<4, using: &state.random) {
    case 0:
      try FileManager.default.removeItem(at: place)
      if let former { state.taken.insert(former) }
    case 1:
      try FileManager.default.removeItem(at: place)
      if let former { state.taken.insert(former) }
      try FileManager.default.createSymbolicLink(
        atPath: place.path, withDestinationPath: "\(Self.outside(remote))/one")
    case 2:
      // The file of another name.
      let other = entries.filter { !remote.isFolder($0) }.randomElement(using: &state.random)
      guard let bytes = other.flatMap({ remote.bytes($0) }) else { return }
      if let former { state.taken.insert(former) }
      try remote.write(bytes, to: path)
    default:
      if let former { state.taken.insert(former) }
      try remote.write(Self.mark(number), to: path)
    }
  }

  private static func mark(_ number: Int) -> Data { Data("exchanged \(number)".utf8) }

  private func putBack(_ state: inout State) throws {
    guard let path = state.aside else { return }
    state.aside = nil
    let place = remote.place(path).path
    if (try? FileManager.default.destinationOfSymbolicLink(atPath: place)) != nil {
      try FileManager.default.removeItem(atPath: place)
    }
    if !remote.exists(path) {
      try FileManager.default.createDirectory(
        at: remote.place(path).deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.moveItem(atPath: hidden, toPath: place)
      return
    }
    // The repair has put something in its place, so he keeps what he has taken.
    for case let file as String in FileManager.default.enumerator(atPath: hidden) ?? .init() {
      if let bytes = try? Data(contentsOf: URL(filePath: "\(hidden)/\(file)")) { state.taken.insert(bytes) }
    }
    try FileManager.default.removeItem(atPath: hidden)
  }

  // MARK: Requests

  func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
    meddle()
    return try await base.list(folder)
  }

  func stat(_ path: RemotePath) async throws(BackendError) -> RemoteEntry {
    meddle()
    return try await base.stat(path)
  }

  func download(_ path: RemotePath, limit: Int) async throws(BackendError) -> [UInt8] {
    meddle()
    return try await base.download(path, limit: limit)
  }

  func download(
    _ path: RemotePath, toFile localPath: String, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    meddle()
    try await base.download(path, toFile: localPath, progress: progress)
  }

  func createIfAbsent(
    file localPath: String, at path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    meddle()
    try await base.createIfAbsent(file: localPath, at: path, progress: progress)
  }

  func createIfAbsent(_ bytes: [UInt8], at path: RemotePath) async throws(BackendError) {
    meddle()
    try await base.createIfAbsent(bytes, at: path)
  }
}
