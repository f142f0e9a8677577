import BackendConformance
import SyncProtocol
import Testing

@Suite struct MemoryStorageTests {
  @Test(arguments: BackendConformance.laws)
  func `memory keeps the laws of storage`(_ law: BackendConformance.Law) async throws {
    try skip(await law.verify(patience: .seconds(3_600), memoryStorage))
  }

  @Test(arguments: BackendConformance.laws)
  func `storage whose folders vanish when they are empty keeps the laws`(
    _ law: BackendConformance.Law
  ) async throws {
    let outcome = try await law.verify(patience: .seconds(3_600)) {
      storage(in: MemoryBackend(capabilities: MemoryBackend.standardCapabilities.union(.implicitFolders)))
    }
    try skip(outcome)
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
    addForeign: { memory.addForeign($0, to: $1) },
    connectToClassic: { memory },
    keepsContentInMemory: true)
}

/// Records which laws do not apply, and why.
func skip(_ outcome: BackendConformance.Outcome) throws {
  if case .skipped(let reason) = outcome { try Test.cancel("\(reason)") }
}
