import BackendConformance
import Testing

@testable import SyncProtocol

/// Fails every request once, before and after it takes effect, and shows that whoever tries again loses nothing.
@Suite struct InterruptionTests {
  @Test(arguments: FaultyBackend.Fault.allCases, [false, true])
  func `whatever request of a registration fails, the next attempt completes it`(
    _ fault: FaultyBackend.Fault, _ isEncrypted: Bool
  ) async throws {
    let encryption: EncryptionChoice = isEncrypted ? .password("pass") : .none
    var requests = 0
    while true {
      let workplace = try Workplace()
      let (a, b) = (Device("device-a", in: workplace), Device("device-b", in: workplace))
      let remote = MemoryBackend()
      let faulty = FaultyBackend(remote, after: requests, fault)
      let outcome = await Result { try await a.register(faulty, encryption) }
      guard faulty.hasFailed else { break }
      // What is lost at the very end, when heads are tidied up, is no failure.
      if case .failure(let error) = outcome { #expect((error as? SyncError)?.code == .storage) }

      try await b.register(remote, encryption)
      try await a.register(remote, encryption)
      try a.write("one", "text")
      try await a.sync(remote)
      let report = try await b.sync(remote)
      #expect(try b.notes == ["one: text"], "after \(requests) requests")
      #expect(report.findings.isEmpty, "after \(requests) requests")
      requests += 1
    }
    #expect(requests > 15)
  }

  @Test(arguments: FaultyBackend.Fault.allCases)
  func `whatever request of a synchronisation fails, nothing is lost or doubled`(
    _ fault: FaultyBackend.Fault
  ) async throws {
    var requests = 0
    var wasReached = true
    while wasReached {
      wasReached = false
      // The fault strikes the push of one device and the pull of the other.
      for victim in 0...1 {
        let workplace = try Workplace()
        let devices = [Device("device-a", in: workplace), Device("device-b", in: workplace)]
        let remote = MemoryBackend()
        for device in devices { try await device.register(remote) }
        for number in 0..<7 {
          try devices[0].write("a\(number)", "text")
          try devices[1].write("b\(number)", "text")
        }
        try await devices[1 - victim].sync(remote)

        let faulty = FaultyBackend(remote, after: requests, fault)
        _ = try? await devices[victim].sync(faulty)
        wasReached = wasReached || faulty.hasFailed
        try devices[victim].write("later", "text")
        var findings: [SyncFinding] = []
        for _ in 0..<2 {
          for device in [devices[victim], devices[1 - victim]] {
            findings += try await device.sync(remote).findings
          }
        }

        #expect(try devices[0].notes.count == 15, "victim \(victim), after \(requests) requests")
        #expect(try devices[0].notes == devices[1].notes, "victim \(victim), after \(requests) requests")
        #expect(findings.isEmpty, "victim \(victim), after \(requests) requests")
        let sets = remote.files.keys.compactMap { $0.name.flatMap { SetName($0) } }
        #expect(Set(sets).count == sets.count)
        // Three sets of each. The later change fills up the last one unless that was frozen already.
        #expect(sets.count == 6 || sets.count == 7)
      }
      requests += 1
    }
    #expect(requests > 5)
  }
}

extension Result where Failure == any Error {
  init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
