import Locking
import SyncProtocol

/// Notes what a law asks of its clients, so that one that never ends is noticed.
final class Activity: Sendable {
  private struct State {
    var last = ContinuousClock.now
    var next = 0
    var underWay: [Int: String] = [:]
  }
  private let state = Locked(State())

  /// Does something unless it hangs.
  ///
  /// - Parameters:
  ///   - limit: for how long nothing must have happened.
  ///   - work: what is not waited for any longer then. Storage that does not answer may not notice a cancellation either, so
  ///     it goes on for as long as it likes.
  /// - Throws: what `work` throws, or ``ConformanceFailure`` naming the requests that had not ended.
  func run(givingUpAfter limit: Duration, _ work: @escaping @Sendable () async throws -> Void) async throws {
    let (results, ended) = AsyncStream.makeStream(of: Result<Void, any Error>.self)
    let task = Task {
      do {
        try await work()
        ended.yield(.success(()))
      } catch {
        ended.yield(.failure(error))
        throw error
      }
    }
    let watch = Task {
      if let silence = await silence(of: limit) { ended.yield(.failure(silence)) }
    }
    defer { watch.cancel() }
    let result = await withTaskCancellationHandler {
      for await result in results { return result }
      // Whoever waited was cancelled, and so was the task.
      return await task.result
    } onCancel: {
      task.cancel()
    }
    try result.get()
  }

  private func silence(of limit: Duration) async -> ConformanceFailure? {
    while !Task.isCancelled {
      let last = state.withLock { $0.last }
      try? await Task.sleep(until: last + limit, tolerance: nil, clock: .continuous)
      guard state.withLock({ $0.last == last }), !Task.isCancelled else { continue }
      let underWay = state.withLock { $0.underWay.values.sorted() }
      let first = underWay.prefix(3).joined(separator: ", ") + (underWay.count > 3 ? ", …" : "")
      let what = "while \(underWay.count) requests were under way\(underWay.isEmpty ? "" : ": \(first)")"
      return ConformanceFailure(description: "did not end: nothing happened for \(limit), \(what)")
    }
    return nil
  }

  /// Notes that something got on.
  func note() { state.withLock { $0.last = .now } }

  func request<Result>(
    _ what: @autoclosure () -> String, _ body: () async throws(BackendError) -> Result
  ) async throws(BackendError) -> Result {
    let what = what()
    let number = state.withLock { state in
      state.last = .now
      state.next += 1
      state.underWay[state.next] = what
      return state.next
    }
    defer {
      state.withLock { state in
        state.last = .now
        state.underWay[number] = nil
      }
    }
    return try await body()
  }
}

/// A client whose requests are noted.
struct ObservedBackend: SyncBackend {
  private let backend: any SyncBackend
  private let activity: Activity

  init(_ backend: any SyncBackend, _ activity: Activity) {
    self.backend = backend
    self.activity = activity
  }

  var capabilities: BackendCapabilities { backend.capabilities }

  /// What reports progress to the law, and notes it.
  private func noting(_ progress: @escaping TransferProgress) -> TransferProgress {
    { bytes in
      activity.note()
      progress(bytes)
      activity.note()
    }
  }

  func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
    try await activity.request("listing “\(folder)”") { () async throws(BackendError) in
      try await backend.list(folder)
    }
  }

  func list(
    _ folder: RemotePath, after page: ListingPage.Token?
  ) async throws(BackendError) -> ListingPage {
    try await activity.request("listing a page of “\(folder)”") { () async throws(BackendError) in
      try await backend.list(folder, after: page)
    }
  }

  func stat(_ path: RemotePath) async throws(BackendError) -> RemoteEntry {
    try await activity.request("examining “\(path)”") { () async throws(BackendError) in
      try await backend.stat(path)
    }
  }

  func download(_ path: RemotePath, limit: Int) async throws(BackendError) -> [UInt8] {
    try await activity.request("downloading “\(path)”") { () async throws(BackendError) in
      try await backend.download(path, limit: limit)
    }
  }

  func downloadAtOnce(
    _ names: [RemoteName], in folder: RemotePath, limit: Int
  ) async -> [RemoteName: [UInt8]] {
    let found = try? await activity.request("downloading \(names.count) files of “\(folder)” at once") {
      () async throws(BackendError) in
      await backend.downloadAtOnce(names, in: folder, limit: limit)
    }
    return found ?? [:]
  }

  func download(
    _ path: RemotePath, toFile localPath: String, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await activity.request("downloading “\(path)” to a file") { () async throws(BackendError) in
      try await backend.download(path, toFile: localPath, progress: noting(progress))
    }
  }

  func upload(_ bytes: [UInt8], to path: RemotePath) async throws(BackendError) {
    try await activity.request("uploading “\(path)”") { () async throws(BackendError) in
      try await backend.upload(bytes, to: path)
    }
  }

  func upload(
    file localPath: String, to path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await activity.request("uploading “\(path)” from a file") { () async throws(BackendError) in
      try await backend.upload(file: localPath, to: path, progress: noting(progress))
    }
  }

  func createIfAbsent(_ bytes: [UInt8], at path: RemotePath) async throws(BackendError) {
    try await activity.request("creating “\(path)”") { () async throws(BackendError) in
      try await backend.createIfAbsent(bytes, at: path)
    }
  }

  func createIfAbsent(
    file localPath: String, at path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await activity.request("creating “\(path)” from a file") { () async throws(BackendError) in
      try await backend.createIfAbsent(file: localPath, at: path, progress: noting(progress))
    }
  }

  func makeDirectory(_ path: RemotePath) async throws(BackendError) {
    try await activity.request("making “\(path)”") { () async throws(BackendError) in
      try await backend.makeDirectory(path)
    }
  }

  func move(_ source: RemotePath, to destination: RemotePath) async throws(BackendError) {
    try await activity.request("moving “\(source)” to “\(destination)”") { () async throws(BackendError) in
      try await backend.move(source, to: destination)
    }
  }

  func remove(_ path: RemotePath) async throws(BackendError) {
    try await activity.request("removing “\(path)”") { () async throws(BackendError) in
      try await backend.remove(path)
    }
  }

  func changes(below folder: RemotePath) -> AsyncStream<Void>? { backend.changes(below: folder) }
}
