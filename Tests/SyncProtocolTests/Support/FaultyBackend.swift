import Synchronization
import SyncProtocol

/// Passes requests on, loses them, or lets somebody else act right before one, as a schedule says.
final class FaultyBackend: SyncBackend {
  enum Fault: CaseIterable {
    /// The request never arrives.
    case requestLost
    /// The request takes effect, but the answer does not arrive.
    case answerLost
  }

  private let backend: any SyncBackend
  /// What happens to a request by its number, from 0; `nil` if it succeeds.
  private let schedule: @Sendable (Int) -> Fault?
  private let sparesRemovals: Bool
  /// What no request reaches.
  private let withheld: RemotePath?
  /// What somebody else does right before the request of a number, from 0 on.
  private let meanwhile: (request: Int, action: @Sendable () async -> Void)?
  private let progress = Mutex((requests: 0, hasFailed: false))

  private init(
    _ backend: any SyncBackend, sparesRemovals: Bool = false, withheld: RemotePath? = nil,
    meanwhile: (request: Int, action: @Sendable () async -> Void)? = nil,
    schedule: @escaping @Sendable (Int) -> Fault?
  ) {
    self.backend = backend
    self.withheld = withheld
    self.meanwhile = meanwhile
    self.sparesRemovals = sparesRemovals
    self.schedule = schedule
  }

  /// Some requests succeed; then one fails, with or without having taken effect, and after that all, as if the device had
  /// lost its connection or its power.
  convenience init(_ backend: any SyncBackend, after requests: Int, _ fault: Fault) {
    self.init(backend) { $0 < requests ? nil : $0 == requests ? fault : .requestLost }
  }

  /// Every other request fails, by turns after and before it took effect. Removals never fail: whether a repeated one was
  /// the first to remove anything, nobody can tell.
  convenience init(flaky backend: any SyncBackend) {
    self.init(backend, sparesRemovals: true) { [.answerLost, nil, .requestLost, nil][$0 % 4] }
  }

  /// The requests of these numbers, from 0, are lost.
  convenience init(failing backend: any SyncBackend, requests: Set<Int>) {
    self.init(backend) { requests.contains($0) ? .requestLost : nil }
  }

  /// Requests for one entry are lost.
  convenience init(withholding path: RemotePath, of backend: any SyncBackend) {
    self.init(backend, withheld: path) { _ in nil }
  }

  /// No request fails; right before that of a number somebody else does something.
  convenience init(
    _ backend: any SyncBackend, before request: Int, _ action: @escaping @Sendable () async -> Void
  ) {
    self.init(backend, meanwhile: (request, action)) { _ in nil }
  }

  /// No request arrives once the device is without power.
  convenience init(_ backend: any SyncBackend, poweredBy power: PowerSupply) {
    self.init(backend) { _ in power.isOut ? .requestLost : nil }
  }

  /// How many requests were made.
  var requests: Int { progress.withLock { $0.requests } }

  /// Whether a fault came to pass.
  var hasFailed: Bool { progress.withLock { $0.hasFailed } }

  var capabilities: BackendCapabilities { backend.capabilities }

  private func pass<Result>(
    _ path: RemotePath, _ request: () async throws(BackendError) -> Result
  ) async throws(BackendError) -> Result {
    let (number, fault) = progress.withLock { progress in
      let number = progress.requests
      let fault = path == withheld ? .requestLost : schedule(number)
      progress.requests += 1
      if fault != nil { progress.hasFailed = true }
      return (number, fault)
    }
    if let meanwhile, meanwhile.request == number { await meanwhile.action() }
    guard let fault else { return try await request() }
    if fault == .answerLost { _ = try? await request() }
    throw BackendError(.unreachable, path: path)
  }

  func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
    try await pass(folder) { () async throws(BackendError) in try await backend.list(folder) }
  }
  func stat(_ path: RemotePath) async throws(BackendError) -> RemoteEntry {
    try await pass(path) { () async throws(BackendError) in try await backend.stat(path) }
  }
  func download(_ path: RemotePath, limit: Int) async throws(BackendError) -> [UInt8] {
    try await pass(path) { () async throws(BackendError) in try await backend.download(path, limit: limit) }
  }
  func downloadAtOnce(
    _ names: [RemoteName], in folder: RemotePath, limit: Int
  ) async -> [RemoteName: [UInt8]] {
    let found = try? await pass(folder) { () async throws(BackendError) in
      await backend.downloadAtOnce(
        names.filter { folder.appending($0) != withheld }, in: folder, limit: limit)
    }
    return found ?? [:]
  }
  func download(
    _ path: RemotePath, toFile localPath: String, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await pass(path) { () async throws(BackendError) in
      try await backend.download(path, toFile: localPath, progress: progress)
    }
  }
  func upload(_ bytes: [UInt8], to path: RemotePath) async throws(BackendError) {
    try await pass(path) { () async throws(BackendError) in try await backend.upload(bytes, to: path) }
  }
  func upload(
    file localPath: String, to path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await pass(path) { () async throws(BackendError) in
      try await backend.upload(file: localPath, to: path, progress: progress)
    }
  }
  func createIfAbsent(_ bytes: [UInt8], at path: RemotePath) async throws(BackendError) {
    try await pass(path) { () async throws(BackendError) in try await backend.createIfAbsent(bytes, at: path)
    }
  }
  func createIfAbsent(
    file localPath: String, at path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await pass(path) { () async throws(BackendError) in
      try await backend.createIfAbsent(file: localPath, at: path, progress: progress)
    }
  }
  func makeDirectory(_ path: RemotePath) async throws(BackendError) {
    try await pass(path) { () async throws(BackendError) in try await backend.makeDirectory(path) }
  }
  func move(_ source: RemotePath, to destination: RemotePath) async throws(BackendError) {
    try await pass(source) { () async throws(BackendError) in try await backend.move(source, to: destination)
    }
  }
  func changes(below folder: RemotePath) -> AsyncStream<Void>? { backend.changes(below: folder) }
  func remove(_ path: RemotePath) async throws(BackendError) {
    if sparesRemovals { return try await backend.remove(path) }
    try await pass(path) { () async throws(BackendError) in try await backend.remove(path) }
  }
}

/// Answers nothing: for what must work without a request.
struct ClosedBackend: SyncBackend {
  private var failure: BackendError { BackendError(.unreachable, path: .root) }
  var capabilities: BackendCapabilities { [] }
  func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing { throw failure }
  func stat(_ path: RemotePath) async throws(BackendError) -> RemoteEntry { throw failure }
  func download(_ path: RemotePath, limit: Int) async throws(BackendError) -> [UInt8] { throw failure }
  func download(
    _ path: RemotePath, toFile localPath: String, progress: @escaping TransferProgress
  ) async throws(BackendError) { throw failure }
  func upload(_ bytes: [UInt8], to path: RemotePath) async throws(BackendError) { throw failure }
  func upload(
    file localPath: String, to path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) { throw failure }
  func createIfAbsent(_ bytes: [UInt8], at path: RemotePath) async throws(BackendError) { throw failure }
  func createIfAbsent(
    file localPath: String, at path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) { throw failure }
  func makeDirectory(_ path: RemotePath) async throws(BackendError) { throw failure }
  func move(_ source: RemotePath, to destination: RemotePath) async throws(BackendError) { throw failure }
  func remove(_ path: RemotePath) async throws(BackendError) { throw failure }
}
