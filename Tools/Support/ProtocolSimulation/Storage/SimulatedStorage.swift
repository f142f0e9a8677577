import BackendConformance
import Locking
import Simulation
import SyncProtocol

/// What one device sees of the storage: requests may be lost, listings may be old, and everything fails once the device is killed.
final class SimulatedStorage: SyncBackend {
  /// What happens to the requests of one operation.
  struct Faults {
    /// One in so many requests is lost; 0 for none.
    var lostRequests = 0
    /// One in so many answers is lost; 0 for none.
    var lostAnswers = 0
    /// One in so many listings is one of earlier; 0 for none.
    var staleListings = 0
    /// After so many requests the device is killed; `nil` for never.
    var survives: Int?
    /// Whether the request at which it is killed takes effect.
    var lastTakesEffect = false
  }

  /// Something that this device did to its storage.
  enum Change {
    case written(RemotePath)
    case removed(RemotePath, was: [UInt8]?)
    case folder(RemotePath)
  }

  private struct State {
    var faults = Faults()
    var random: SeededRandomSource
    var requests = 0
    var isDead = false
    var listings: [RemotePath: RemoteListing] = [:]
    var foreign: [RemotePath: Set<String>] = [:]
    var changes: [Change] = []
    var withheld: Set<Withheld> = []
    /// The files that this device has written.
    var written: Set<RemotePath> = []
  }

  /// What storage does not deliver to this device for a while, though it delivers all else.
  enum Withheld: CaseIterable {
    /// What tells which sets were removed.
    case floors
    /// The same, but it is there in part.
    case floorsInPart
    case wholeStores
    /// The heads of all others.
    case heads
  }

  /// The files, as this device's copy or as the server has them.
  let files: MemoryBackend
  private let state: Locked<State>

  init(_ files: MemoryBackend, seed: UInt64) {
    self.files = files
    state = Locked(State(random: SeededRandomSource(seed: seed)))
  }

  var capabilities: BackendCapabilities { files.capabilities }

  /// Begins an operation.
  func begin(_ faults: Faults) {
    state.withLock { state in
      state.faults = faults
      state.requests = 0
      state.isDead = false
    }
  }

  /// Whether the device was killed since the operation began.
  var isDead: Bool { state.withLock { $0.isDead } }

  /// What was done since this was asked last.
  func takeChanges() -> [Change] {
    state.withLock { state in
      defer { state.changes = [] }
      return state.changes
    }
  }

  func addForeign(_ name: String, to folder: RemotePath) {
    state.withLock { _ = $0.foreign[folder, default: []].insert(name) }
  }

  func removeForeign() { state.withLock { $0.foreign = [:] } }

  /// Begins to withhold something, beside what is withheld already.
  func withhold(_ kind: Withheld) { state.withLock { _ = $0.withheld.insert(kind) } }

  /// Delivers what was withheld.
  func release() { state.withLock { $0.withheld = [] } }

  var isWithholding: Bool { state.withLock { !$0.withheld.isEmpty } }

  private func withholds(_ path: RemotePath) -> Bool {
    let (withheld, isOwn) = state.withLock { ($0.withheld, $0.written.contains(path)) }
    guard let name = path.name, !withheld.isEmpty else { return false }
    return withheld.contains(.floors) && HistoryFloor(name) != nil
      || withheld.contains(.wholeStores) && WholeStoreName(name) != nil
      || withheld.contains(.heads) && HeadName(name) != nil && !isOwn
  }

  private func withholdsPart(of name: RemoteName?) -> Bool {
    guard let name, state.withLock({ $0.withheld.contains(.floorsInPart) }) else { return false }
    return HistoryFloor(name) != nil
  }

  private enum Fate { case passes, isLost, losesAnswer }

  private func fate() -> Fate {
    state.withLock { state in
      guard !state.isDead else { return .isLost }
      defer { state.requests += 1 }
      if let survives = state.faults.survives, state.requests >= survives {
        state.isDead = true
        return state.faults.lastTakesEffect ? .losesAnswer : .isLost
      }
      let faults = state.faults
      if faults.lostRequests > 0, state.random.oneIn(faults.lostRequests) { return .isLost }
      if faults.lostAnswers > 0, state.random.oneIn(faults.lostAnswers) { return .losesAnswer }
      return .passes
    }
  }

  private func request<Result>(
    _ path: RemotePath, _ change: Change? = nil, _ body: () async throws(BackendError) -> Result
  ) async throws(BackendError) -> Result {
    let fate = fate()
    if fate == .isLost { throw BackendError(.unreachable, path: path) }
    let result = try await body()
    if let change {
      state.withLock { state in
        state.changes.append(change)
        if case .written(let path) = change { state.written.insert(path) }
      }
    }
    if fate == .losesAnswer { throw BackendError(.unreachable, path: path) }
    return result
  }

  func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
    try await request(folder) { () async throws(BackendError) in
      var listing = try await files.list(folder)
      // The order of a dictionary differs from run to run.
      listing.entries.sort { $0.name < $1.name }
      listing.entries.removeAll { withholds(folder.appending($0.name)) }
      return state.withLock { state in
        listing.foreign += (state.foreign[folder] ?? []).sorted()
        if state.faults.staleListings > 0, let doubled = listing.entries.randomElement(using: &state.random) {
          listing.entries.append(doubled)
        }
        let earlier = state.listings.updateValue(listing, forKey: folder)
        guard let earlier, state.faults.staleListings > 0, state.random.oneIn(state.faults.staleListings)
        else { return listing }
        state.listings[folder] = earlier
        return earlier
      }
    }
  }

  func stat(_ path: RemotePath) async throws(BackendError) -> RemoteEntry {
    try await request(path) { () async throws(BackendError) in try await files.stat(path) }
  }

  func download(_ path: RemotePath, limit: Int) async throws(BackendError) -> [UInt8] {
    try await request(path) { () async throws(BackendError) in
      if withholds(path) { throw BackendError(.notFound, path: path) }
      let bytes = try await files.download(path, limit: limit)
      return withholdsPart(of: path.name) ? Array(bytes.prefix(5)) : bytes
    }
  }

  func download(
    _ path: RemotePath, toFile localPath: String, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await request(path) { () async throws(BackendError) in
      if withholds(path) { throw BackendError(.notFound, path: path) }
      try await files.download(path, toFile: localPath, progress: progress)
    }
  }

  func upload(_ bytes: [UInt8], to path: RemotePath) async throws(BackendError) {
    try await request(path, .written(path)) { () async throws(BackendError) in
      try await files.upload(bytes, to: path)
    }
  }

  func upload(
    file localPath: String, to path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await request(path, .written(path)) { () async throws(BackendError) in
      try await files.upload(file: localPath, to: path, progress: progress)
    }
  }

  func createIfAbsent(_ bytes: [UInt8], at path: RemotePath) async throws(BackendError) {
    try await request(path, .written(path)) { () async throws(BackendError) in
      try await files.createIfAbsent(bytes, at: path)
    }
  }

  func createIfAbsent(
    file localPath: String, at path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await request(path, .written(path)) { () async throws(BackendError) in
      try await files.createIfAbsent(file: localPath, at: path, progress: progress)
    }
  }

  func makeDirectory(_ path: RemotePath) async throws(BackendError) {
    try await request(path, .folder(path)) { () async throws(BackendError) in
      try await files.makeDirectory(path)
    }
  }

  func move(_ source: RemotePath, to destination: RemotePath) async throws(BackendError) {
    try await request(source, .removed(source, was: files.files[source])) { () async throws(BackendError) in
      try await files.move(source, to: destination)
    }
    state.withLock { $0.changes.append(.written(destination)) }
  }

  func remove(_ path: RemotePath) async throws(BackendError) {
    try await request(path, .removed(path, was: files.files[path])) { () async throws(BackendError) in
      try await files.remove(path)
    }
  }
}
