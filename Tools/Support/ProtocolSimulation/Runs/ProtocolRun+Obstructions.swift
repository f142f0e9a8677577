import BackendConformance
import SyncProtocol

/// Folders in the place of files: what somebody can do who may write to the storage, and what a program does that unpacks things there.
extension ProtocolRun {
  /// By what storage loses files for good.
  static let losses: Set<ProtocolSimulation.Family> = [.lostFiles, .torn, .obstructions]

  /// Puts a folder in the place of a file, in all copies.
  func obstruct(_ path: RemotePath) async throws {
    trace("a folder comes to lie at \(path)")
    obstructed.insert(path)
    for copy in copies where copy.files[path] != nil {
      try await copy.remove(path)
      try await copy.makeDirectory(path)
    }
  }

  /// What lies in the way stops nobody who takes part. Then a person moves it away.
  func settleObstructed() async throws {
    guard !obstructed.isEmpty else { return }
    var stopped: [String: any Error] = [:]
    for _ in 0..<3 {
      for device in members {
        let error = await complete(device)
        stopped[device.name] = error.flatMap { isKeptOut(device, $0) || joinsAnother($0) ? nil : $0 }
        try await deliverAll()
      }
    }
    outcome.violations += stopped.sorted { $0.key < $1.key }.map {
      "\($0.key) is stopped by what lies in the way: \($0.value)"
    }
    trace("a person moves folders away")
    for copy in copies {
      for path in obstructed.sorted(by: { $0.description < $1.description }) where copy.hasFolder(path) {
        try await copy.remove(path)
      }
    }
  }
}
