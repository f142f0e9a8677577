import BackendConformance
import Simulation
import SyncProtocol

/// Folders in the place of files, and files in that of folders: what somebody can do who may write to the storage, and what programs do that
/// unpack or tidy up there.
extension ProtocolRun {
  /// By what storage loses files for good.
  static let losses: Set<ProtocolSimulation.Family> = [.lostFiles, .torn, .obstructions]

  /// What lies where something else belongs.
  struct Obstructed {
    var files: Set<RemotePath> = []
    var folders: Set<RemotePath> = []
  }

  /// Puts a folder in the place of a file, or a file in that of the folder where it lies, in all copies.
  func obstruct(_ path: RemotePath) async throws {
    if let folder = path.parent, isDispensable(folder), random.oneIn(3) {
      trace("a file comes to lie at \(folder)")
      obstructed.folders.insert(folder)
      for path in Set(copies.flatMap(\.files.keys)) where path.parent == folder { noteLoss() }
      for copy in copies where copy.hasFolder(folder) {
        try await copy.remove(folder)
        try await copy.upload([1], to: folder)
      }
      return
    }
    trace("a folder comes to lie at \(path)")
    obstructed.files.insert(path)
    for copy in copies where copy.files[path] != nil {
      try await copy.remove(path)
      try await copy.makeDirectory(path)
    }
  }

  /// Whether devices can go on without a folder: not without that of the heads, and whether they know the document they must be able to tell.
  private func isDispensable(_ folder: RemotePath) -> Bool {
    if folder.parent?.name?.description == "SyncChanges" { return true }
    let names = ["LongValues", "WholeStore"] + (mayLoseRecords ? ["IntegrityKey"] : [])
    return folder.name.map { names.contains($0.description) } ?? false
  }

  /// Whether a device cannot tell that the document is the one that it has joined: something lies in the place of the founding records, and all
  /// else that tells, heads of members and its own last set, is lost or obstructed as well.
  private func isUncertain(_ error: any Error) -> Bool {
    guard let error = error as? SyncError else { return false }
    return error.code == .damaged && error.subject.contains("IntegrityKey")
  }

  /// What lies in the way stops nobody who takes part. Then a person moves it away, after a day at the earliest.
  func settleObstructed() async throws {
    guard !obstructed.files.isEmpty || !obstructed.folders.isEmpty else { return }
    var stopped: [String: any Error] = [:]
    for round in 0..<3 {
      if round == 2 { passDay() }
      for device in members {
        let error = await complete(device)
        stopped[device.name] = error.flatMap {
          isKeptOut(device, $0) || joinsAnother($0) || isUncertain($0) ? nil : $0
        }
        try await deliverAll()
      }
    }
    outcome.violations += stopped.sorted { $0.key < $1.key }.map {
      "\($0.key) is stopped by what lies in the way: \($0.value)"
    }
    trace("a person moves away what lies in the way")
    for copy in copies {
      for path in obstructed.files.sorted(by: { "\($0)" < "\($1)" }) where copy.hasFolder(path) {
        try await copy.remove(path)
      }
      for path in obstructed.folders.sorted(by: { "\($0)" < "\($1)" }) where copy.files[path] != nil {
        try await copy.remove(path)
      }
    }
  }
}
