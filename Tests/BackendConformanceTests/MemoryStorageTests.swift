import BackendConformance
import Testing

@Suite struct MemoryStorageTests {
  @Test(arguments: BackendConformance.laws)
  func `memory keeps the laws of storage`(_ law: BackendConformance.Law) async throws {
    try skip(await law.verify(patience: .seconds(3_600), memoryStorage))
  }
}

/// Storage in memory that any number of clients share.
@Sendable func memoryStorage() -> ConformanceStorage { storage(in: MemoryBackend()) }

func storage(in memory: MemoryBackend) -> ConformanceStorage {
  ConformanceStorage(
    connect: { memory },
    absentRoot: {
      let absent = MemoryBackend()
      absent.setReachable(false)
      return absent
    },
    addForeign: { memory.addForeign($0, to: $1) },
    keepsContentInMemory: true)
}

/// Says which laws do not apply, and why.
func skip(_ outcome: BackendConformance.Outcome) throws {
  if case .skipped(let reason) = outcome { try Test.cancel("\(reason)") }
}
