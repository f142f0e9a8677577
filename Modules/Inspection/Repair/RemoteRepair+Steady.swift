import ChangeTracking
import Foundation
import SyncProtocol

/// What a repair does where files read differently each time.
extension RemoteRepair {
  /// What stands in for a file of one document that goes: a request asks for it, or a mention names the set that a head did.
  struct StandIn: Hashable {
    private enum Subject: Hashable {
      case requested(ResendRequest.Subject)
      case mentioned(SetName, AuthorID)
    }

    private let document: [RemoteName]
    private let subject: Subject

    /// What a file stands in for that is to be written; `nil` for another change.
    init?(writing action: RepairAction) {
      guard case .write = action.change else { return nil }
      switch FileRole(path: action.path.names, kind: .file) {
      case .request(let request): self.init(action.path, .requested(request.subject))
      case .mention(let mention): self.init(action.path, .mentioned(mention.set, mention.author))
      default: return nil
      }
    }

    /// What is written if a file goes; `nil` for a file in whose place nothing of the kind comes.
    init?(of path: RemotePath) {
      switch FileRole(path: path.names, kind: .file) {
      case .set(let name, let author):
        self.init(path, .requested(.set(author: author, sequence: name.sequence)))
      case .longValue(let name): self.init(path, .requested(.value(name.digits)))
      case .head(let head):
        guard let set = head.set else { return nil }
        self.init(path, .mentioned(set, head.author))
      default: return nil
      }
    }

    private init(_ path: RemotePath, _ subject: Subject) {
      document = Array(path.names.prefix(3))
      self.subject = subject
    }
  }

  /// Refuses to make a document anew without sets that are sound after all: devices would be told to pass them over.
  func requireSteady(_ plan: RepairPlan) async throws(RepairError) {
    for action in plan.actions where action.change == .putAside {
      guard case .set = FileRole(path: action.path.names, kind: .file) else { continue }
      let copy = quarantine.placeForCopy()
      defer { try? FileManager.default.removeItem(atPath: copy) }
      var steady = SteadyReading(of: action.path, judged: plan.readings[action.path] ?? [])
      do throws(RepairError) {
        try await download(action.path, from: backend, to: copy) { hash in
          steady.removing(hash, mayBeSound: false)
        }
      } catch {
        if case .unsteady(let reason) = error {
          throw .unsteady(
            "Nothing was done. The document was to be made anew without “\(action.path)”. \(reason)")
        }
        // What cannot be had now is told when it is its turn.
        guard error.reasonOfOne != nil else { throw error }
      }
    }
  }

  /// Downloads a file, more than once if need be.
  func download(
    _ path: RemotePath, from source: any SyncBackend, to copy: String,
    _ judge: (ContentHash) -> SteadyReading.Verdict
  ) async throws(RepairError) {
    while true {
      try await download(path, from: source, to: copy)
      let hash: ContentHash
      do { hash = try LocalFile.hash(of: copy) } catch {
        throw RepairError(quarantine: quarantine.path, error)
      }
      switch judge(hash) {
      case .take: return
      case .readAgain: continue
      case .sound: throw .unsteady(Self.sound)
      case .unsteady: throw .unsteady(Self.unsteady)
      }
    }
  }

  private static let sound =
    "What was read now has the bytes that its name tells, so it is sound and stays; what came before was changed on its way: it reads differently each time. Look to the connection and to the disks and memory of the server and of this device, and repair again."
  private static let unsteady =
    "It does not hold what it held when it was judged: it reads differently each time, or somebody has just written it. It stays as it is. If nobody writes there, look to the connection and to the disks and memory of the server and of this device, and repair again."
}
