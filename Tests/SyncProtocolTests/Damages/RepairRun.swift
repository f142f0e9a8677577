import ChangeTracking
import Foundation
import Inspection
import SyncProtocol
import TemporaryFolders

/// Three members and a newcomer of a remote that is damaged and repaired.
final class RepairRun: Sendable {
  let remote: AttackRemote
  private let stage: AttackStage
  private let workplace: Workplace
  private let members: [Device]
  private let newcomer: Device
  private let expected: Set<String>

  /// - Parameter damaged: the remote, if it is no copy of that of the stage.
  init(_ stage: AttackStage, seed: UInt64, remote damaged: AttackRemote? = nil) throws {
    self.stage = stage
    remote = try damaged ?? AttackRemote()
    if damaged == nil { try remote.copy(stage.remote) }
    (workplace, members) = try stage.members(seed: seed)
    newcomer = Device("device-n", in: workplace)
    expected = Set(try members[0].notes + members.map { "after the damage of \($0.client): text" })
  }

  func inspector(_ backend: (any SyncBackend)? = nil) -> RemoteInspector {
    RemoteInspector(backend: backend ?? remote.backend, password: stage.isEncrypted ? "pass" : nil)
  }

  /// What is wrong and does not heal by being waited for.
  func troubles() async throws -> Set<Finding> {
    Set(try await inspector().verify().findings.filter { $0.severity != .hint })
  }

  func quarantine(_ name: String) throws -> Quarantine { try Quarantine(newAt: remote.folder.file(name)) }

  /// Everything that lies there, folders as such.
  func snapshot() -> [String: Data?] {
    var all: [String: Data?] = remote.contents.mapValues { $0 }
    let entries = FileManager.default.enumerator(atPath: remote.root)
    while let path = entries?.nextObject() as? String {
      if remote.isFolder(path) { all[path] = .some(nil) }
    }
    return all
  }

  /// Everybody writes something and synchronises, for some days.
  ///
  /// - Returns: whether all show the same in the end, and so does a device that joins.
  func goOn() async throws -> Bool {
    for device in members { try device.write("after the damage of \(device.client)", "text") }
    var isRegistered = false
    for _ in 0..<8 {
      workplace.clock.advance(25 * 60 * 60 * 1_000)
      for device in members { _ = try? await device.sync(remote.backend) }
      if !isRegistered {
        isRegistered =
          (try? await newcomer.register(remote.backend, stage.encryption, mayCreate: false)) != nil
      }
      if isRegistered { _ = try? await newcomer.sync(remote.backend) }
      if isRegistered, try (members + [newcomer]).allSatisfy({ Set(try $0.notes) == expected }) {
        return true
      }
    }
    return false
  }
}
