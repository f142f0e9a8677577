import BackendConformance
import Synchronization
import TICDSSQLite
import Testing

@testable import SyncProtocol

/// What devices do with a document, interrupted or at once, and what becomes of all afterwards.
final class OperationRun: Sendable {
  let stage: OperationStage
  /// What is told of it where something is wrong.
  private let story: String
  private var remote: MemoryBackend { stage.remote }
  /// What was done, by the device that did it.
  private let deeds = Mutex<[(operation: RemoteOperation, device: Device)]>([])
  private var done: [(operation: RemoteOperation, device: Device)] { deeds.withLock { $0 } }

  private var isDeleted: Bool { done.contains { $0.operation == .deleteDocument } }

  /// - Parameters:
  ///   - operations: what will be done. There is something to refill only where everything was lost.
  ///   - story: when.
  init(_ operations: [RemoteOperation], _ story: String) async throws {
    self.story = "\(operations), \(story)"
    stage = try await OperationStage(isLost: operations.contains(.refill))
  }

  private func note(_ operation: RemoteOperation, _ device: Device) {
    deeds.withLock { $0.append((operation, device)) }
  }

  /// A device does something, which may fail.
  func attempt(_ operation: RemoteOperation, _ device: Device, on backend: any SyncBackend) async {
    do {
      try await operation.perform(device, on: backend, stage)
      note(operation, device)
    } catch  where error is SyncError || error is SQLiteError {
      // It is tried again.
    } catch {
      Issue.record("\(story): \(error)")
    }
  }

  /// A device that has failed tries again, now that nothing interferes.
  ///
  /// - Parameter other: what another one has done meanwhile.
  func complete(_ operation: RemoteOperation, _ device: Device, besides other: RemoteOperation? = nil) async {
    if done.contains(where: { $0.operation == operation && $0.device === device }) { return }
    let error = await failure { try await operation.perform(device, on: remote, stage) }
    guard let error, !operation.isDone(refusedWith: error.code) else { return note(operation, device) }
    #expect(
      other.map { operation.mayBeRefused(error.code, besides: $0) } ?? false,
      "\(story): \(device.client) cannot \(operation): \(error)")
  }

  /// Days go by on which all synchronise, and whoever is asked for a password gives those that there are.
  func settle() async throws {
    for _ in 0..<6 {
      stage.workplace.clock.advance(25 * 60 * 60 * 1_000)
      for device in stage.devices + stage.newcomers { try await settle(device) }
    }
  }

  private func settle(_ device: Device) async throws {
    do {
      if device.ring == nil { return await join(device) }
      let report = try await device.sync(remote)
      if Self.asksForKey(report) { await give(to: device) }
    } catch let error as SyncError {
      switch error.code {
      case .notRegistered: await join(device)
      case .deviceRemoved: try await device.rejoin(remote)
      case .keyMissing: await give(to: device)
      case .documentDeleted where isDeleted, .documentNotFound where isDeleted: break
      default: Issue.record("\(story): \(device.client): \(error)")
      }
    }
  }

  private static func asksForKey(_ report: SyncReport) -> Bool {
    report.findings.contains { if case .keyMissing = $0 { true } else { false } }
  }

  private func join(_ device: Device) async {
    for password in stage.passwords {
      let error = await failure {
        try await device.register(remote, .password(password), mayCreate: false)
      }
      if error == nil { return }
    }
  }

  private func give(to device: Device) async {
    for password in stage.passwords {
      guard let ring = device.ring else { return }
      _ = await failure {
        try await device.register(remote, .keysAndPassword(ring, password), mayCreate: false)
      }
    }
  }

  // MARK: What holds afterwards

  func check() async throws {
    if isDeleted { return try await checkDeleted() }
    let expected = stage.written.sorted()
    for device in stage.devices + stage.newcomers {
      #expect(try device.notes == expected, "\(story): \(device.client)")
      let report = try await device.sync(remote)
      #expect(report.blocked.isEmpty && report.awaited.isEmpty, "\(story): \(device.client)")
      #expect(!Self.asksForKey(report), "\(story): \(device.client)")
    }
    try await checkPasswords()
  }

  /// Everybody keeps what he has, is told, and the name can be used again.
  private func checkDeleted() async throws {
    for device in stage.devices {
      // What went with a store that was restored is lost with the document.
      let own = stage.written.filter { note in
        note.contains("by \(device.client):") && !(stage.hasGoneBack(device) && note.hasPrefix("last"))
      }
      #expect(Set(try device.notes).isSuperset(of: own), "\(story): \(device.client)")
      let code = await refusal { try await device.sync(remote) }
      #expect(code == .documentDeleted || code == .documentNotFound, "\(story): \(device.client)")
    }
    try await stage.actor.deleteDocument(remote)
    let founder = Device("founder", in: stage.workplace)
    var isFounded = false
    for password in stage.passwords where !isFounded {
      isFounded = await failure { try await founder.register(remote, .password(password)) } == nil
    }
    #expect(isFounded, "\(story)")
    try await founder.sync(remote)
    #expect(try founder.notes.isEmpty, "\(story)")
  }

  /// What was taken back opens nothing, what was given opens all.
  private func checkPasswords() async throws {
    var opening: Set<String> = []
    for (number, password) in stage.passwords.enumerated() {
      let newcomer = Device("late-\(number)", in: stage.workplace)
      guard
        await failure({ try await newcomer.register(remote, .password(password), mayCreate: false) }) == nil
      else { continue }
      opening.insert(password)
      for _ in 0..<2 { try await newcomer.sync(remote) }
      #expect(try newcomer.notes == stage.written.sorted(), "\(story): who joins with “\(password)”")
    }
    let operations = done.map(\.operation)
    let replacing = done.filter { $0.operation == .replaceKeys }.map { stage.password(of: $0.device) }
    if operations.contains(.removePassword) { #expect(!opening.contains(OperationStage.spare), "\(story)") }
    if operations.contains(.changePassword) { #expect(!opening.contains(OperationStage.first), "\(story)") }
    if !replacing.isEmpty {
      #expect(opening.isDisjoint(with: [OperationStage.first, OperationStage.spare]), "\(story): \(opening)")
      #expect(!opening.isDisjoint(with: replacing), "\(story): \(opening)")
    } else {
      for (operation, device) in done where [.addPassword, .changePassword].contains(operation) {
        #expect(opening.contains(stage.password(of: device)), "\(story): \(opening)")
      }
    }
    #expect(!opening.isEmpty, "\(story)")
  }
}
