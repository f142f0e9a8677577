import BackendConformance
import SyncProtocol
import Testing

@Suite struct MemoryStorageTests {
  @Test(arguments: BackendConformance.laws)
  func `memory keeps the laws of storage`(_ law: BackendConformance.Law) async throws {
    try skip(law, await law.verify(patience: .seconds(600), memoryStorage))
  }

  @Test(arguments: BackendConformance.laws)
  func `storage whose folders vanish when they are empty keeps the laws`(
    _ law: BackendConformance.Law
  ) async throws {
    let outcome = try await law.verify(patience: .seconds(600)) {
      storage(in: MemoryBackend(capabilities: MemoryBackend.standardCapabilities.union(.implicitFolders)))
    }
    try skip(law, outcome)
  }
}

/// Storage in memory that any number of clients share.
@Sendable func memoryStorage() -> ConformanceStorage { storage(in: MemoryBackend()) }

func storage(
  in memory: MemoryBackend, connect: (@Sendable () async throws -> any SyncBackend)? = nil
) -> ConformanceStorage {
  ConformanceStorage(
    connect: connect ?? { memory },
    absentRoot: {
      let absent = MemoryBackend()
      absent.setReachable(false)
      return absent
    },
    takeRootAway: { memory.setReachable(false) }, bringRootBack: { memory.setReachable(true) },
    addForeign: { memory.addForeign($0, to: $1, holding: Array($0.utf8)) },
    connectToClassic: { memory },
    keepsContentInMemory: true)
}

/// Says which law does not apply, and why. A test that is cancelled says nothing itself.
func skip(_ law: BackendConformance.Law, _ outcome: BackendConformance.Outcome) throws {
  guard case .skipped(let reason) = outcome else { return }
  print("skipped: \(law), because \(reason)")
  try Test.cancel("\(reason)")
}
